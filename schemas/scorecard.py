"""How vendors are scored: dimensions, weights, and the published or derived scores, as data."""

from __future__ import annotations

from decimal import Decimal
from typing import Literal

from pydantic import Field, field_validator, model_validator

from schemas.record import Exact, Record, Words
from schemas.registry import registry


class Dimension(Record):
    """One criterion. `metrics` and `capabilities` name the claims its scores rest on.

    `compare` lists the metrics on which a changed claim is held against the peers' to propose a new score.
    """

    id: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    label: Words
    weight: Exact = Field(gt=Decimal(0), le=Decimal(1))
    why: Words
    metrics: tuple[str, ...] = ()
    capabilities: tuple[str, ...] = ()
    compare: tuple[str, ...] = ()

    @field_validator("metrics", "compare")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            registry().metric(name)
        return value

    @field_validator("capabilities")
    @classmethod
    def _known_capabilities(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            registry().capability(name)
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

    score: Exact
    rests_on: tuple[str, ...] = ()


class Scorecard(Record):
    """A way to rank: weights that sum to 1, and for each vendor a score a dimension.

    `editorial` maps vendor → dimension → published score; empty where nothing was published, and then there
    is no ranking to print, only the dimensions. Scores are rounded half up once, to `decimals`, for display.
    """

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    name: Words
    origin: Words
    scale_min: Exact = Decimal(0)
    scale_max: Exact = Decimal(5)
    decimals: int = Field(default=2, ge=0, le=6)
    mode: Literal["editorial"] = "editorial"
    dimensions: tuple[Dimension, ...] = Field(min_length=1)
    editorial: dict[str, dict[str, EditorialScore]] = Field(default_factory=dict)

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
