"""The form of a model's answer, and the strict reading of a reply: whatever is not exactly that form is refused.

No field takes a value, a unit or an offset. `SCHEMA_VERSION` changes when the form or what its words mean does.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Annotated, Any, NamedTuple

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler, ValidationError
from pydantic_core import CoreSchema, core_schema

from schemas.quantity import Bound
from schemas.registry import registry

SCHEMA_VERSION = "1"
NOTHING = "none"
"""The answer of a field about which the passage says nothing."""
CONDITIONS = ("load", "access", "scale", "workload", "size", "protocol")
_LONGEST = 160


class _OneOf:
    """A text that is one of these names, in pydantic's schema and in the JSON schema that follows from it."""

    def __init__(self, *names: str) -> None:
        self.names = names

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.names))


_METRICS = _OneOf(*registry().metrics, NOTHING)
_BASES = _OneOf(*registry().bases)
_BOUNDS = _OneOf(*(bound.value for bound in Bound), NOTHING)
_CAPABILITIES = _OneOf(*(name for name in registry().capabilities if name != "not_disclosed"))
_KEYS = _OneOf(*CONDITIONS)
_Quote = Annotated[str, Field(max_length=_LONGEST)]


class _Strict(BaseModel):
    """Every field is there, none is added, nothing is made into another type."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class ConditionAnswer(_Strict):
    """How a figure was measured, in the passage's words."""

    key: Annotated[str, _KEYS]
    quote: _Quote


class MentionAnswer(_Strict):
    """What one numbered figure is a number of. Each quote is the passage's own words, or empty."""

    mention: int
    claim: bool
    metric: Annotated[str, _METRICS]
    metric_quote: _Quote
    vendor_quote: _Quote
    basis: Annotated[str, _BASES]
    basis_quote: _Quote
    bound: Annotated[str, _BOUNDS]
    bound_quote: _Quote
    conditions: Annotated[list[ConditionAnswer], Field(max_length=4)]
    baseline_quote: _Quote


class CapabilityAnswer(_Strict):
    """Something that the passage says a product has."""

    capability: Annotated[str, _CAPABILITIES]
    quote: _Quote
    product_quote: _Quote


class MissedAnswer(_Strict):
    """A figure that is not among the numbered ones: the words that hold it, and what it is a number of."""

    quote: _Quote
    metric: Annotated[str, _METRICS]
    metric_quote: _Quote


class Answers(_Strict):
    """The whole reply to one passage."""

    mentions: Annotated[list[MentionAnswer], Field(max_length=8)]
    capabilities: Annotated[list[CapabilityAnswer], Field(max_length=6)]
    missed: Annotated[list[MissedAnswer], Field(max_length=3)]


class Bad(StrEnum):
    """Why a reply as a whole is refused."""

    CUT = "cut"
    EMPTY = "empty"
    REFUSED = "refused"
    MALFORMED = "malformed"
    SCHEMA = "schema"


class Refused(NamedTuple):
    """A reply that is not believed at all, and what to tell whoever gave it."""

    kind: Bad
    reason: str


class Reply(NamedTuple):
    """What a model sent: its text, whether it was cut off, and its words of refusal where it refused."""

    text: str
    cut: bool = False
    refusal: str = ""


def read_reply(reply: Reply) -> Answers | Refused:
    """The answers, or why there are none. No part of a reply that is cut or malformed is ever taken."""
    if reply.cut:
        return Refused(Bad.CUT, "the reply was cut off before its end")
    if reply.refusal:
        return Refused(Bad.REFUSED, f"the model refused: {reply.refusal[:_LONGEST]}")
    if not reply.text.strip():
        return Refused(Bad.EMPTY, "the reply is empty")
    try:
        answers = Answers.model_validate_json(reply.text)
        json.loads(reply.text, object_pairs_hook=_each_once)
    except _Twice as name:
        return Refused(Bad.SCHEMA, f"{str(name)[:_LONGEST]}: it is there twice")
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        if first["type"] == "json_invalid":
            return Refused(Bad.MALFORMED, f"the reply is no JSON ({first['msg']})")
        where = ".".join(map(str, first["loc"]))[:_LONGEST] or "the reply"
        return Refused(Bad.SCHEMA, f"{where}: {first['msg']}")
    return answers


class _Twice(Exception):  # noqa: N818 - it is the name of a field
    """A field that an object names twice, of which a reader would take one or the other."""


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        raise _Twice(next(name for name in names if names.count(name) > 1))
    return found


def json_schema(mentions: int = 8) -> dict[str, Any]:
    """The form as JSON schema, for models that decode under one. `mentions`: how many figures are asked about."""
    schema = Answers.model_json_schema()
    schema["title"] = "Answers"
    schema["properties"]["mentions"]["maxItems"] = mentions
    return schema
