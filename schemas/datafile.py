"""YAML files that people write, read into models; what is wrong is refused with file, line and what is allowed."""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import TypeVar

import yaml
from pydantic import AfterValidator, BaseModel, ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from schemas.errors import DataFileError

Model = TypeVar("Model", bound=BaseModel)
Entry = TypeVar("Entry", bound=Hashable)
Loc = tuple[int | str, ...]


_LARGEST = 1_000_000


class _ExactLoader(yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader):  # type: ignore[misc]
    """Keeps 0.22 as the text "0.22", so that no weight passes through a binary float; dates stay text too.

    So do 010 and 1:30, which YAML takes for 8 and for 90.
    """


_ExactLoader.yaml_implicit_resolvers = {
    first: [
        (tag, re.compile(r"[-+]?(?:0|[1-9][0-9]{0,17})\Z") if tag.endswith(":int") else pattern)
        for tag, pattern in resolvers
        if tag.rpartition(":")[2] not in ("float", "timestamp")
    ]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}
_TEXT = yaml.SafeLoader.DEFAULT_SCALAR_TAG


def read_data_file(path: Path, model: type[Model]) -> Model:
    """Gives the validated content of a YAML file, or raises DataFileError with the line that is wrong."""
    try:
        if path.exists() and not path.is_file():
            raise DataFileError(str(path), 0, "it is no regular file", "give the path of a YAML file")
        with path.open("rb") as file:
            body = file.read(_LARGEST + 1)
        if len(body) > _LARGEST:
            raise DataFileError(
                str(path), 0, f"it is larger than {_LARGEST // 1000} kB", "split it into several files"
            )
        text = body.decode("utf-8")
    except FileNotFoundError:
        raise DataFileError(str(path), 0, "there is no such file", "give the path of a YAML file") from None
    except (OSError, UnicodeDecodeError) as error:
        raise DataFileError(
            str(path), 0, f"cannot be read ({error})", "it must be a UTF-8 text file"
        ) from None
    return parse_data(text, model, name=str(path))


def parse_data(text: str, model: type[Model], *, name: str) -> Model:
    """Gives the validated content of YAML text; `name` stands for the file in errors."""
    loader = _ExactLoader(text)
    try:
        _refuse_unprintable(text, name)
        _refuse_signs(text, name)
        node = loader.get_single_node()
        _refuse_duplicates(node, name)
        content = None if node is None else loader.construct_document(node)
    except yaml.YAMLError as error:
        raise DataFileError(name, *_problem(error, text), "it must be valid YAML") from None
    except (ValueError, KeyError, TypeError) as error:  # an escape that names no character
        raise DataFileError(name, 0, str(error), "it must be valid YAML") from None
    except RecursionError:
        raise DataFileError(name, 0, "it is nested too deeply", "it must be valid YAML") from None
    finally:
        loader.dispose()
    if not isinstance(content, Mapping):
        fields = ", ".join(model.model_fields)
        raise DataFileError(name, 1, "the file holds no mapping at its top", f"allowed there: {fields}")
    try:
        # JSON mode is strict about types and still takes a decimal or an enum from its text.
        return model.model_validate_json(json.dumps(content, default=str))
    except ValidationError as error:
        first = error.errors()[0]
        line = _line_of(node, first["loc"])
        found, allowed = _explain(first["type"], first["msg"], first["loc"], first.get("input"), model)
        raise DataFileError(name, line, found, allowed) from None


def fault(loc: Loc, found: object, allowed: str) -> ValidationError:
    """The error to raise in a validator where one part of its field is wrong: its line is named, not the field's.

    `loc`: the way from the field to the part; pydantic puts the field's own place before it.
    """
    kind = PydanticCustomError("file", "{allowed}", {"allowed": allowed})
    return ValidationError.from_exception_data("file", [InitErrorDetails(type=kind, loc=loc, input=found)])


def _once(value: tuple[Entry, ...]) -> tuple[Entry, ...]:
    for place, entry in enumerate(value):
        if entry in value[:place]:
            raise fault((place,), str(entry), "it stands before already")
    return value


Once = AfterValidator(_once)
"""Of a tuple: no entry stands twice."""


def _problem(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """The line, and what is wrong; of what is never closed the line on which it was opened."""
    mark, problem = getattr(error, "problem_mark", None), getattr(error, "problem", None)
    context, opened = getattr(error, "context", None), getattr(error, "context_mark", None)
    if problem is None or mark is None:
        return 0, "it is not YAML"
    if context is None or opened is None or opened.line == mark.line:
        return mark.line + 1, str(problem)
    if mark.line >= len(text.splitlines()):
        return opened.line + 1, f"{problem} {context}"
    return mark.line + 1, f"{problem} {context} on line {opened.line + 1}"


def _refuse_unprintable(text: str, name: str) -> None:
    if found := yaml.reader.Reader.NON_PRINTABLE.search(text.removeprefix("\ufeff")):
        line = text.count("\n", 0, found.start()) + 1
        raise DataFileError(name, line, f"it holds the character {found.group()!r}", "remove it")


def _refuse_signs(text: str, name: str) -> None:
    """An alias can stand for itself or multiply without end, a tag can name a type; no file of ours needs one."""
    if not any(sign in text for sign in "&*!"):
        return  # none can be written without its sign, and looking through all tokens takes a third of the time
    for token in yaml.scan(text, Loader=_ExactLoader):
        line = token.start_mark.line + 1
        if isinstance(token, yaml.AliasToken | yaml.AnchorToken):
            raise DataFileError(
                name, line, f"it uses the anchor or alias {token.value!r}", "write the value out"
            )
        if isinstance(token, yaml.TagToken):
            tag = "".join(part or "" for part in token.value)
            raise DataFileError(name, line, f"it uses the tag {tag!r}", "write the value without it")


def _refuse_duplicates(root: yaml.Node | None, name: str) -> None:
    """A key given twice would silently lose its first value; one that is no text would be looked for as one."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, yaml.MappingNode):
            seen: dict[str, int] = {}
            for key, value in node.value:
                text, line = str(key.value), key.start_mark.line + 1
                if key.tag != _TEXT:
                    raise DataFileError(name, line, f"the key {text[:60]!r} is no text", "quote it")
                if text in seen:
                    raise DataFileError(
                        name,
                        line,
                        f"the key {text!r} stands twice",
                        f"keep one (the other is on line {seen[text]})",
                    )
                seen[text] = line
                waiting.append(value)
        elif isinstance(node, yaml.SequenceNode):
            waiting.extend(node.value)


def _line_of(node: yaml.Node | None, loc: Loc) -> int:
    """The 1-based line of the deepest part of `loc` that stands in the file."""
    line = 1
    for step in loc:
        if isinstance(node, yaml.MappingNode):
            for key, value in node.value:
                if key.value == str(step):
                    line, node = key.start_mark.line + 1, value
                    break
            else:
                return line
        elif isinstance(node, yaml.SequenceNode) and isinstance(step, int) and step < len(node.value):
            node = node.value[step]
            line = node.start_mark.line + 1
        else:
            return line
    return line


def _explain(kind: str, message: str, loc: Loc, found: object, model: type[BaseModel]) -> tuple[str, str]:
    where = ".".join(str(step) for step in loc) or "the file"
    if kind == "extra_forbidden":
        return (
            f"{where} is not a known field",
            f"remove it or correct its name (top fields: {', '.join(model.model_fields)})",
        )
    if kind == "missing":
        return f"{where} is missing", "add it"
    shown = json.dumps(found, ensure_ascii=False, default=str)
    shown = shown if len(shown) <= 60 else shown[:57] + "…"
    return f"{where} is {shown}", message.removeprefix("Value error, ")
