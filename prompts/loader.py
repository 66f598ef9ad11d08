"""Prompts as files: a head that names version and fields, and a body that is filled without ever being parsed again."""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib.resources import files

import yaml

from schemas.errors import DataFileError

_FIELD = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True)
class Prompt:
    """A prompt as shipped. `version` goes into the extractor's name, so that an answer names its question."""

    name: str
    version: int
    needs: tuple[str, ...]
    body: str

    def fill(self, **values: str) -> str:
        """The body with every field replaced once; a value that looks like a field stays as it is.

        Raises ValueError naming the fields that are missing or unknown.
        """
        missing, unknown = sorted(set(self.needs) - set(values)), sorted(set(values) - set(self.needs))
        if missing or unknown:
            raise ValueError(f"prompt {self.name}: missing {missing}, unknown {unknown}")
        return _FIELD.sub(lambda match: values[match[1]], self.body)


def load_prompt(name: str) -> Prompt:
    """The prompt of that name. Raises DataFileError where its head and its body do not agree."""
    path = files("prompts") / f"{name}.md"
    if not re.fullmatch(r"[a-z_]+", name) or not path.is_file():
        raise DataFileError(f"prompts/{name}.md", 0, "there is no such prompt", "see the folder prompts/")
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    fields = yaml.safe_load(head)
    prompt = Prompt(fields["name"], fields["version"], tuple(fields["needs"]), body.strip() + "\n")
    used = set(_FIELD.findall(prompt.body))
    if used != set(prompt.needs):
        raise DataFileError(
            str(path),
            1,
            f"the body uses {sorted(used)}",
            f"the head must name just these in `needs`, not {sorted(prompt.needs)}",
        )
    return prompt
