"""How vendors are scored: dimensions, weights, and the published or derived scores, as data."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal

from pydantic import Field, ValidationInfo, field_validator, model_validator

from schemas.criteria import TOP, CapabilityName, Criterion, MetricName, Rubric, Share, check_criteria
from schemas.datafile import Once, fault
from schemas.record import Record, Words, Written
from schemas.registry import registry


class Dimension(Record):
    """One side of a vendor. `metrics` and `capabilities` name the claims its scores rest on.

    `compare` lists the metrics on which a changed claim is held against the peers' to propose a new score.
    `criteria` say how a score is derived from claims; without them only published scores count.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    label: Words
    weight: Share
    why: Words
    metrics: Annotated[tuple[MetricName, ...], Once] = ()
    capabilities: Annotated[tuple[CapabilityName, ...], Once] = ()
    compare: Annotated[tuple[MetricName, ...], Once] = ()
    criteria: tuple[Criterion, ...] = ()

    @field_validator("criteria")
    @classmethod
    def _sound_criteria(cls, value: tuple[Criterion, ...], info: ValidationInfo) -> tuple[Criterion, ...]:
        if {"metrics", "capabilities"} <= info.data.keys():  # else they are wrong, and already reported
            check_criteria(value, info.data["metrics"], info.data["capabilities"])
        return value

    @model_validator(mode="after")
    def _compares_what_it_rests_on(self) -> Dimension:
        strangers = [m for m in self.compare if m not in self.metrics]
        if strangers:
            raise ValueError(f"compares {', '.join(strangers)}, which is not among its metrics")
        return self


class EditorialScore(Record):
    """A published score of one vendor in one dimension.

    `rests_on` narrows the dimension's claims to these metrics or `capability:NAME` entries; empty means all.
    """

    score: Written
    rests_on: Annotated[tuple[str, ...], Once] = ()


class Scorecard(Record):
    """A way to rank: weights that sum to 1, and for each vendor a score a dimension.

    `editorial` maps vendor → dimension → published score; empty where nothing was published, and then there
    is no published ranking, only the dimensions. With a `rubric`, every dimension has criteria and scores are
    derived from claims too (`mode` says which stand). Totals are rounded half up once, to `decimals`, for display.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=64)
    name: Words
    origin: Words
    scale_min: Written = Decimal(0)
    scale_max: Written = Decimal(5)
    decimals: int = Field(default=2, ge=0, le=6)
    rubric: Rubric | None = None
    mode: Literal["editorial", "derived"] = "editorial"
    dimensions: tuple[Dimension, ...] = Field(min_length=1)
    editorial: dict[str, dict[str, EditorialScore]] = Field(default_factory=dict)

    @field_validator("scale_max")
    @classmethod
    def _above(cls, value: Decimal, info: ValidationInfo) -> Decimal:
        least: Decimal = info.data.get("scale_min", value - 1)
        if value <= least:
            raise ValueError(f"the scale must end above where it begins ({least})")
        return value

    @field_validator("mode")
    @classmethod
    def _by_a_rubric(cls, value: str, info: ValidationInfo) -> str:
        if value == "derived" and info.data.get("rubric", value) is None:
            raise ValueError("derived scores need a `rubric`: which claims count")
        return value

    @field_validator("dimensions")
    @classmethod
    def _derivable(cls, value: tuple[Dimension, ...], info: ValidationInfo) -> tuple[Dimension, ...]:
        if not {"rubric", "scale_min", "scale_max"} <= info.data.keys():
            return value  # what it depends on is wrong, and already reported
        given = info.data["rubric"] is not None
        for place, dimension in enumerate(value):
            if given and not dimension.criteria:
                raise fault((place,), dimension.id, "the card has a rubric, so each dimension needs criteria")
            if dimension.criteria and not given:
                loc = (place, "criteria")
                raise fault(loc, dimension.id, "criteria need a `rubric` of the card: which claims count")
        if given and (info.data["scale_min"], info.data["scale_max"]) != (0, TOP):
            raise ValueError(f"a rubric scores from 0 to {TOP}; scale_min and scale_max must say so")
        return value

    @model_validator(mode="after")
    def _whole(self) -> Scorecard:
        ids = [d.id for d in self.dimensions]
        if len(set(ids)) != len(ids):
            raise ValueError(f"a dimension stands twice: {', '.join(ids)}")
        total = sum((d.weight for d in self.dimensions), Decimal(0))
        if total != 1:
            raise ValueError(f"the weights sum to {total}; they must sum to 1")
        for vendor, scores in self.editorial.items():
            registry().vendor(vendor)
            if set(scores) != set(ids):
                raise ValueError(
                    f"{vendor} is scored in {', '.join(sorted(scores))}; every vendor is scored in "
                    f"{', '.join(sorted(ids))}"
                )
            for dimension, entry in scores.items():
                if not self.scale_min <= entry.score <= self.scale_max:
                    raise ValueError(
                        f"{vendor}.{dimension} is {entry.score}; the scale is "
                        f"{self.scale_min} to {self.scale_max}"
                    )
        return self

    @property
    def modes(self) -> tuple[Literal["editorial", "derived"], ...]:
        """What it can rank by: published scores, scores derived from claims, or both; what stands comes first."""
        given = {"editorial": bool(self.editorial), "derived": self.rubric is not None}
        other: Literal["editorial", "derived"] = "derived" if self.mode == "editorial" else "editorial"
        return tuple(mode for mode in (self.mode, other) if given[mode])
