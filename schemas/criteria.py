"""How claims become a score: the criteria of a dimension, what each rests on, and the map to 0–5. All of it data."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator, model_validator

from schemas.datafile import Once, fault
from schemas.record import Record, Words, Written
from schemas.registry import registry
from schemas.source import Tier

TOP = Decimal(5)
"""The best score that a criterion gives; the worst is 0."""

_CONDITIONS = ("load", "scale", "workload", "access", "size", "protocol")
_DIRECTIONS = ("unidirectional", "bidirectional")
_REPEATED_GROUP = re.compile(r"(?<!\\)\)[*+{]")
_NEVER_AS_PUBLISHED = ("secondhand", "internal_error")


def _metric(name: str) -> str:
    registry().metric(name)
    return name


def _capability(name: str) -> str:
    registry().capability(name)
    return name


def _basis(name: str) -> str:
    registry().basis(name)
    return name


MetricName = Annotated[str, AfterValidator(_metric)]
CapabilityName = Annotated[str, AfterValidator(_capability)]
BasisName = Annotated[str, AfterValidator(_basis)]
Score = Annotated[Written, Field(ge=Decimal(0), le=TOP)]
Share = Annotated[Written, Field(gt=Decimal(0), le=Decimal(1))]
Id = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_]*$")]


class Anchor(Record):
    """A named point of a map: a figure of `at` (in the metric's unit) scores `score`, and why a buyer says so."""

    name: Id
    at: Written
    score: Score
    why: Words


class Conversion(Record):
    """A stated way from one basis, unit or direction to another: the figure is multiplied by `times`.

    `accelerator_count` stands for the count that the vendor itself states on the basis `to`; without such a claim
    nothing is converted.
    """

    basis: BasisName | None = None
    unit: str | None = None
    direction: Literal["unidirectional", "bidirectional"] | None = None
    to: str
    times: Written | Literal["accelerator_count"]
    why: Words

    @field_validator("to")
    @classmethod
    def _one_kind(cls, value: str, info: ValidationInfo) -> str:
        given = [name for name in ("basis", "unit", "direction") if info.data.get(name) is not None]
        if len(given) != 1:
            named = " and ".join(given) or "none"
            raise ValueError(f"a conversion starts from one of basis, unit and direction; given: {named}")
        if given == ["basis"]:
            registry().basis(value)
        if given == ["direction"] and value not in _DIRECTIONS:
            raise ValueError(f"a direction is {' or '.join(_DIRECTIONS)}")
        if info.data[given[0]] == value:
            raise ValueError(f"it starts from {value} too; nothing is converted")
        return value

    @field_validator("times")
    @classmethod
    def _a_factor(cls, value: Decimal | str, info: ValidationInfo) -> Decimal | str:
        if isinstance(value, Decimal) and value <= 0:
            raise ValueError("a factor is larger than 0")
        if value == "accelerator_count" and info.data.get("basis") is None:
            raise ValueError("a count of accelerators converts a basis, not a unit or a direction")
        return value


class Measure(Record):
    """One kind of evidence for a criterion: a metric with its map, or a capability and what stating it scores.

    `where`: patterns on the claim's stated condition, all of which must be found. `bases`: the bases on which
    figures compare as they are; none where the metric has no basis. `map`: `log` or `linear` between anchors,
    `steps` from anchor to anchor. Anchors stand in ascending order of `at`; before the first and past the last one
    the score stays as it is there (with `steps`, a figure that reaches no anchor scores `below`).
    """

    metric: MetricName | None = None
    capability: CapabilityName | None = None
    where: dict[str, str] = Field(default_factory=dict)
    bases: Annotated[tuple[BasisName, ...], Once] = ()
    direction: Literal["unidirectional", "bidirectional"] | None = None
    conversions: tuple[Conversion, ...] = ()
    map: Literal["log", "linear", "steps"] | None = None
    below: Score = Decimal(0)
    anchors: tuple[Anchor, ...] = ()
    score: Score | None = None
    why: Words | None = None

    @field_validator("where")
    @classmethod
    def _patterns(cls, value: dict[str, str]) -> dict[str, str]:
        for key, pattern in value.items():
            if key not in _CONDITIONS:
                raise fault((key,), key, f"a condition is one of {', '.join(_CONDITIONS)}")
            try:
                re.compile(pattern)
            except (re.error, OverflowError) as error:
                raise fault((key,), pattern, f"it is no regular expression: {error}") from None
            if _REPEATED_GROUP.search(pattern):
                raise fault((key,), pattern, "a group that is repeated can take for ever; write it out")
        return value

    @field_validator("bases")
    @classmethod
    def _comparable(cls, value: tuple[str, ...], info: ValidationInfo) -> tuple[str, ...]:
        if info.data.get("metric") is None:
            return value
        known = registry().metric(info.data["metric"]).comparable_on
        for place, basis in enumerate(value):
            if basis not in known:
                on = f"on {', '.join(known)}" if known else "without a basis"
                raise fault((place,), basis, f"{info.data['metric']} compares {on}")
        return value

    @field_validator("conversions")
    @classmethod
    def _reach(cls, value: tuple[Conversion, ...], info: ValidationInfo) -> tuple[Conversion, ...]:
        seen = set()
        for place, entry in enumerate(value):
            start = (entry.basis, entry.unit, entry.direction, entry.to)
            if start in seen:
                raise fault((place,), entry.to, "this conversion stands above already")
            seen.add(start)
            bases, metric = info.data.get("bases", ()), info.data.get("metric")
            if entry.basis and (entry.to not in bases or entry.basis in bases):
                raise fault(
                    (place, "to"), entry.to, f"it leads from another basis to one of {', '.join(bases)}"
                )
            if entry.unit and metric and entry.to != registry().metric(metric).unit:
                raise fault((place, "to"), entry.to, f"{metric} is in {registry().metric(metric).unit}")
            if entry.direction and entry.to != info.data.get("direction"):
                raise fault((place, "to"), entry.to, "it must lead to the direction of the measure")
        return value

    @field_validator("map")
    @classmethod
    def _fits(cls, value: str | None, info: ValidationInfo) -> str | None:
        metric = info.data.get("metric")
        if value is None or metric is None:
            return value
        kind = registry().metric(metric)
        if kind.unit == "bool" or kind.better == "none":
            raise ValueError(
                f"no map fits {metric}: a map needs a metric of which more, or less, is better; "
                "a capability is named by `capability` with a `score`"
            )
        return value

    @field_validator("anchors")
    @classmethod
    def _ordered(cls, value: tuple[Anchor, ...], info: ValidationInfo) -> tuple[Anchor, ...]:
        metric, kind = info.data.get("metric"), info.data.get("map")
        better = registry().metric(metric).better if metric else "higher"
        for place, anchor in enumerate(value):
            if anchor.name in [a.name for a in value[:place]]:
                raise fault((place, "name"), anchor.name, "an anchor of this name stands above already")
            if kind == "log" and anchor.at <= 0:
                raise fault((place, "at"), str(anchor.at), "a log map needs figures larger than 0")
            if place == 0:
                continue
            before = value[place - 1]
            if anchor.at <= before.at:
                fall = "overlaps the one above" if anchor.at == before.at else "is out of order"
                raise fault((place, "at"), str(anchor.at), f"it {fall} ({before.name}, {before.at})")
            if anchor.score == before.score or (anchor.score > before.score) != (better == "higher"):
                way = "rise" if better == "higher" else "fall"
                raise fault(
                    (place, "score"), str(anchor.score), f"scores {way} from anchor to anchor ({metric})"
                )
        least = 1 if kind == "steps" else 2
        if kind is not None and len(value) < least:
            raise ValueError(f"a map of kind {kind} needs {least} anchors or more")
        return value

    @model_validator(mode="after")
    def _one_of_two(self) -> Measure:
        if (self.metric is None) == (self.capability is None):
            raise ValueError("a measure names one metric or one capability")
        if self.metric is not None:
            if self.map is None:
                raise ValueError(f"{self.metric} needs a map: log, linear or steps")
            if not self.bases and (known := registry().metric(self.metric).comparable_on):
                raise ValueError(f"{self.metric} needs the bases that compare here, of {', '.join(known)}")
            if self.score is not None:
                raise fault(("score",), str(self.score), "a metric is scored by its anchors")
            if self.map != "steps" and "below" in self.model_fields_set:
                raise fault(
                    ("below",), str(self.below), "only a map of kind steps has a score below its anchors"
                )
            if self.map == "steps" and self.below >= min(a.score for a in self.anchors):
                raise fault(("below",), str(self.below), "it must be lower than every anchor's score")
        elif self.map or self.anchors or self.bases or self.conversions or self.direction:
            raise ValueError(
                f"{self.capability} is no number: give its `score`, and no map, bases or conversions"
            )
        elif self.score is None or self.why is None:
            raise ValueError(f"{self.capability} needs a `score` and a `why`")
        return self

    @property
    def least(self) -> Decimal:
        """The lowest score that a claim can have here."""
        if self.score is not None:
            return self.score
        lowest = min(a.score for a in self.anchors)
        return self.below if self.map == "steps" else lowest


class Points(Record):
    """What stating a capability adds; below zero, what it takes away (an allow-list, say)."""

    capability: CapabilityName
    points: Written
    why: Words


class Criterion(Record):
    """One question of a dimension. Its score is that of the best evidence, or the sum of its points.

    `missing`: the score where no claim answers. `not_disclosed`: where the vendor's page says that it does not say
    (default: as missing). Neither is more than the lowest score of a stated figure: stating one never costs.
    """

    id: Id
    label: Words
    weight: Share
    why: Words
    measures: tuple[Measure, ...] = ()
    points: tuple[Points, ...] = ()
    missing: Score = Decimal(0)
    not_disclosed: Score | None = None

    @field_validator("points")
    @classmethod
    def _whole(cls, value: tuple[Points, ...]) -> tuple[Points, ...]:
        for place, entry in enumerate(value):
            if entry.capability in [e.capability for e in value[:place]]:
                raise fault((place, "capability"), entry.capability, "it stands above already")
            if entry.points == 0:
                raise fault((place, "points"), "0", "a capability adds points or takes some away")
        total = sum((abs(entry.points) for entry in value), Decimal(0))
        if value and total != TOP:
            raise ValueError(f"the points, without their signs, sum to {total}; they must sum to {TOP}")
        return value

    @field_validator("missing", "not_disclosed")
    @classmethod
    def _silence_never_pays(cls, value: Decimal | None, info: ValidationInfo) -> Decimal | None:
        measures: tuple[Measure, ...] = info.data.get("measures", ())
        least = min((m.least for m in measures), default=Decimal(0))
        if info.field_name == "not_disclosed":
            least = min(least, info.data.get("missing", least))
        if value is not None and value > least:
            raise ValueError(f"silence scores at most {least}, what the least of stated answers scores")
        return value

    @model_validator(mode="after")
    def _rests_on_something(self) -> Criterion:
        if bool(self.measures) == bool(self.points):
            raise ValueError("a criterion has measures or points, and not both")
        return self

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics it rests on."""
        return tuple(dict.fromkeys(m.metric for m in self.measures if m.metric))

    @property
    def capabilities(self) -> tuple[str, ...]:
        """The capabilities it rests on."""
        named = [m.capability for m in self.measures if m.capability]
        return tuple(dict.fromkeys([*named, *(p.capability for p in self.points)]))


class AsPublished(Record):
    """A flag under which figures are compared as they were published, because the peers publish alike."""

    flag: str
    why: Words

    @field_validator("flag")
    @classmethod
    def _leaves_the_number(cls, value: str) -> str:
        kind = registry().flag(value)
        plain = [r for r in kind.readings if r.factor == "1" and r.basis is None and r.direction is None]
        silent = [r for r in kind.readings if r.factor is None and r.basis is None]
        known = len(plain) == 1 and len(plain) + len(silent) == len(kind.readings)
        if not known or value in _NEVER_AS_PUBLISHED:
            raise ValueError(
                f"{value} leaves more than one number, or none, open; only a flag that asks for a condition can be "
                "set aside"
            )
        return value


class Rubric(Record):
    """What holds for all criteria of a card.

    `tiers`: the sources that count. `as_published`: flags set aside; every other open flag leaves its readings open
    in the score. `places`: decimal places to which a dimension's score is rounded half up; not rounded without.
    """

    tiers: Annotated[tuple[Tier, ...], Once] = Field(min_length=1)
    as_published: tuple[AsPublished, ...] = ()
    places: int | None = Field(default=None, ge=0, le=12)

    @field_validator("as_published")
    @classmethod
    def _once(cls, value: tuple[AsPublished, ...]) -> tuple[AsPublished, ...]:
        for place, entry in enumerate(value):
            if entry.flag in [e.flag for e in value[:place]]:
                raise fault((place, "flag"), entry.flag, "it stands above already")
        return value


def check_criteria(
    criteria: tuple[Criterion, ...], metrics: tuple[str, ...], capabilities: tuple[str, ...]
) -> None:
    """Raises for an id that stands twice, weights that do not sum to 1, and what the dimension does not name."""
    for place, criterion in enumerate(criteria):
        if criterion.id in [c.id for c in criteria[:place]]:
            raise fault((place, "id"), criterion.id, "a criterion of this id stands above already")
        _check_named(place, criterion, metrics, capabilities)
    total = sum((c.weight for c in criteria), Decimal(0))
    if criteria and total != 1:
        weights = [str(c.weight) for c in criteria]
        raise fault((), weights, f"the weights of the criteria sum to {total}; they must sum to 1")


def _check_named(
    place: int, criterion: Criterion, metrics: tuple[str, ...], capabilities: tuple[str, ...]
) -> None:
    for number, measure in enumerate(criterion.measures):
        if measure.metric and measure.metric not in metrics:
            loc = (place, "measures", number, "metric")
            raise fault(loc, measure.metric, f"name it among the dimension's metrics ({', '.join(metrics)})")
        if measure.capability and measure.capability not in capabilities:
            loc = (place, "measures", number, "capability")
            raise fault(loc, measure.capability, "name it among the dimension's capabilities")
    for number, entry in enumerate(criterion.points):
        if entry.capability not in capabilities:
            loc = (place, "points", number, "capability")
            raise fault(loc, entry.capability, "name it among the dimension's capabilities")
