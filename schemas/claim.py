"""One thing that a source says of one product, in one place, with the words that say it."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field, field_validator, model_validator

from schemas.quantity import Bound
from schemas.record import Exact, Record
from schemas.registry import registry


class Direction(StrEnum):
    """Whether a bandwidth counts one way or both."""

    UNIDIRECTIONAL = "unidirectional"
    BIDIRECTIONAL = "bidirectional"
    UNSPECIFIED = "unspecified"


class Evidence(Record):
    """The words that carry the claim: `document.text[start:end] == quote`.

    `path` is what stands over them: headings from the outermost in, or a cell's row and column headers.
    """

    quote: str = Field(min_length=1)
    start: int = Field(ge=0)
    end: int = Field(gt=0)
    path: tuple[str, ...] = ()


class Claim(Record):
    """A claim in the contract's form: one JSON object a line in `extract --format jsonl`.

    Numbers are in the metric's canonical unit; `text_value` and `unit_as_written` are as on the page.
    `rules` names, per field, the rule that decided it. A metric, basis or flag that the registry does not
    know is refused with what it does know.
    """

    claim_key: str = Field(min_length=1)
    source: str
    vendor: str | None
    product: str | None
    metric: str
    low: Exact | None
    high: Exact | None = None
    unit: str
    text_value: str | None
    unit_as_written: str = ""
    bound: Bound
    best_case: bool = False
    basis: str
    direction: Direction = Direction.UNSPECIFIED
    condition: dict[str, str] = Field(default_factory=dict)
    baseline: str | None = None
    qualifiers: dict[str, str] = Field(default_factory=dict)
    evidence: Evidence
    flags: tuple[str, ...] = ()
    extractor: str
    rules: dict[str, str] = Field(default_factory=dict)

    @field_validator("metric")
    @classmethod
    def _known_metric(cls, value: str) -> str:
        registry().metric(value)
        return value

    @field_validator("basis")
    @classmethod
    def _known_basis(cls, value: str) -> str:
        registry().basis(value)
        return value

    @field_validator("flags")
    @classmethod
    def _known_flags(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            registry().flag(name)
        if len(set(value)) != len(value):
            raise ValueError(f"a flag stands twice: {', '.join(value)}")
        return value

    @model_validator(mode="after")
    def _whole(self) -> Claim:
        if self.low is None and self.high is None:
            raise ValueError("a claim has a low, a high or both")
        if self.metric == "capability" and "capability" not in self.qualifiers:
            raise ValueError("a capability claim names its capability in qualifiers.capability")
        return self
