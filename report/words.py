"""The words of a report: sentences from texts.yaml in one language, with their cases for none, one and many."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files
from typing import Any, Literal

import yaml

Language = Literal["zh", "en"]
LANGUAGES: tuple[Language, ...] = ("zh", "en")

_CASES = frozenset({"none", "one", "many"})


@cache
def _texts() -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
    with as_file(files("report") / "texts.yaml") as path:
        read: Mapping[str, Mapping[str, Mapping[str, Any]]] = yaml.safe_load(path.read_text(encoding="utf-8"))
        return read


class Says:
    """Says things in one language: `says("front.changed", n=3)`."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def __call__(self, key: str, n: int | None = None, **values: object) -> str:
        """The sentence of that key, filled in. With cases, `n` decides which. KeyError for a key that is none."""
        group, _, name = key.partition(".")
        text = _texts()[group][name]
        if "many" in text:
            if n is None:
                raise KeyError(f"{key} has cases and is asked without a number")
            text = text["none" if n == 0 else "one" if n == 1 else "many"]
        said: str = text[self.language]
        return said.format(n=n, **values) if n is not None or values else said

    def or_plain(self, group: str, name: str) -> str:
        """The word of that name in a group; the name itself where the group has no word for it."""
        text = _texts()[group].get(name)
        return str(text[self.language]) if text else name

    def listed(self, words: list[str] | tuple[str, ...]) -> str:
        """The words as a list in a sentence: `a, b and c`."""
        if self.language == "zh":
            return "、".join(words)
        if len(words) < 2:
            return "".join(words)
        return f"{', '.join(words[:-1])} and {words[-1]}"


def all_keys() -> tuple[str, ...]:
    """Every key there is, for the test that each has both languages."""
    return tuple(f"{group}.{name}" for group, names in _texts().items() for name in names)


def cases_of(key: str) -> tuple[Mapping[str, str], ...]:
    """The texts of a key: one, or one a case."""
    group, _, name = key.partition(".")
    text = _texts()[group][name]
    return tuple(text[case] for case in sorted(_CASES)) if "many" in text else (text,)
