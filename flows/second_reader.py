"""The second reader of a run: the model that the environment names, or none. LangChain is imported only for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from extractors.extract import SecondReader
from flows.model.settings import Settings, settings_from
from warehouse.home import Home

NO_MODEL = "model: none, the rules alone (set KOUJING_MODEL to have one asked about what they leave open)"


@contextmanager
def second_reader(
    home: Home, settings: Settings | None = None, prompt_version: tuple[str, int | None] | None = None
) -> Iterator[SecondReader | None]:
    """The reader, with its cache open; None without a model. `settings` stands in for the environment's.

    `prompt_version`: the prompt and its version, where it is not the newest of the usual one.

    Raises KoujingError where a model is named and cannot be used.
    """
    settings = settings or settings_from()
    if settings is None:
        yield None
        return
    from extractors.model.asking import PROMPT, ModelReader
    from flows.model.calling import CalledModel
    from prompts.loader import load_prompt
    from warehouse.replies import Replies

    prompt = load_prompt(*(prompt_version or (PROMPT, None)))
    with Replies(home.replies) as replies:
        yield ModelReader(CalledModel(settings, prompt, replies), prompt)
