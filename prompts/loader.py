"""Prompts as files: a head that names version, purpose and fields, and a body that is filled and never parsed again.

`prompts/<name>.<version>.md`. A changed prompt is a new file: `prompts/digests.yaml` holds what each one was when it
was written, and a file that differs is refused. A version that has no line there yet is a draft, which only who names
its number is given.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

import yaml

from schemas.errors import DataFileError

_FIELD = re.compile(r"\{([a-z_]+)\}")
_FILE = re.compile(r"([a-z_]+)\.(\d+)\.md")


@dataclass(frozen=True)
class Example:
    """A passage and the right answer to it, both as JSON."""

    language: str
    passage: str
    answer: str


@dataclass(frozen=True)
class Prompt:
    """A prompt as shipped. `version` goes into the extractor's name, so that an answer names its question.

    `again`: what is said before the reasons where an answer is asked for once more. `answers`: the form
    that replies have, with its version. `digest`: of the whole file.
    """

    name: str
    version: int
    needs: tuple[str, ...]
    body: str
    purpose: str = ""
    again: str = ""
    answers: str = ""
    examples: tuple[Example, ...] = ()
    digest: str = ""

    def fill(self, **values: str) -> str:
        """The body with every field replaced once; a value that looks like a field stays as it is.

        Raises ValueError naming the fields that are missing or unknown.
        """
        missing, unknown = sorted(set(self.needs) - set(values)), sorted(set(values) - set(self.needs))
        if missing or unknown:
            raise ValueError(f"prompt {self.name}: missing {missing}, unknown {unknown}")
        return _FIELD.sub(lambda match: values[match[1]], self.body)


def prompt_versions() -> dict[str, tuple[int, ...]]:
    """The prompts that ship, each with its versions, oldest first."""
    found: dict[str, list[int]] = {}
    for entry in files("prompts").iterdir():
        if name := _FILE.fullmatch(entry.name):
            found.setdefault(name[1], []).append(int(name[2]))
    return {name: tuple(sorted(found[name])) for name in sorted(found)}


def load_prompt(name: str, version: int | None = None) -> Prompt:
    """The prompt of that name, in that version or else the newest that is no draft.

    Raises DataFileError where there is none, where it is not as it was when it was written, or where its head and its
    body do not agree.
    """
    known, written = prompt_versions(), written_digests()
    finished = [number for number in known.get(name, ()) if f"{name}.{number}" in written]
    if version is None and finished:
        version = finished[-1]
    if version is None or version not in known.get(name, ()):
        there = ", ".join(f"{n} {v}" for n, versions in known.items() for v in versions)
        raise DataFileError(f"prompts/{name}.md", 0, "there is no such prompt", f"there are: {there}")
    file = f"{name}.{version}.md"
    prompt = parsed_prompt(file, (files("prompts") / file).read_text(encoding="utf-8"))
    if (prompt.name, prompt.version) != (name, version):
        raise DataFileError(
            f"prompts/{file}",
            1,
            f"its head says {prompt.name} {prompt.version}",
            "the name and the head must agree",
        )
    digest = written.get(f"{name}.{version}", prompt.digest)
    if digest != prompt.digest:
        raise DataFileError(
            f"prompts/{file}",
            1,
            f"it is not what it was when it was written ({prompt.digest}, not {digest})",
            f"a changed prompt is a new version: put this one back and write yours as {name}.{known[name][-1] + 1}.md",
        )
    return prompt


@cache
def written_digests() -> dict[str, str]:
    """What each version was when it was written, by `name.version`."""
    found: dict[str, str] = yaml.safe_load((files("prompts") / "digests.yaml").read_text(encoding="utf-8"))
    return found


@cache
def parsed_prompt(file: str, text: str) -> Prompt:
    """The prompt that a file of that text is. Raises DataFileError where its head and its body do not agree."""
    _, head, body = text.split("---\n", 2)
    fields: dict[str, Any] = yaml.safe_load(head)
    prompt = Prompt(
        fields["name"],
        fields["version"],
        tuple(fields["needs"]),
        body.strip() + "\n",
        fields.get("purpose", ""),
        fields.get("again", ""),
        fields.get("answers", ""),
        tuple(
            Example(e["language"], _json(e["passage"]), _json(e["answer"]))
            for e in fields.get("examples", ())
        ),
        hashlib.sha256(text.encode()).hexdigest()[:16],
    )
    used = set(_FIELD.findall(prompt.body))
    if used != set(prompt.needs):
        raise DataFileError(
            f"prompts/{file}",
            1,
            f"the body uses {sorted(used)}",
            f"the head must name just these in `needs`, not {sorted(prompt.needs)}",
        )
    return prompt


def prompt_text(name: str, version: int | None = None) -> str:
    """The prompt's file as it ships. Raises DataFileError where there is none."""
    prompt = load_prompt(name, version)
    return (files("prompts") / f"{name}.{prompt.version}.md").read_text(encoding="utf-8")


def prompt_diff(name: str, old: int, new: int) -> str:
    """What changed from one version to another, as a unified diff; empty where nothing did."""
    before, after = (prompt_text(name, version).splitlines(keepends=True) for version in (old, new))
    return "".join(difflib.unified_diff(before, after, f"{name} {old}", f"{name} {new}"))


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)
