"""The vocabulary as data: metrics, bases, bounds, flags, capabilities, vendors, with the words that announce them.

A new metric is an entry in `schemas/vocabulary/metrics.yaml` and no code. The files are read once, at first use.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import as_file, files
from typing import Literal, TypeVar

from pydantic import Field, field_validator, model_validator

from schemas.datafile import read_data_file
from schemas.quantity import Bound
from schemas.record import Exact, Record, Words

Entry = TypeVar("Entry", bound=Record)

Question = Literal[
    "basis", "access", "load", "direction", "scope", "fault_class", "sla_terms", "test_condition", "baseline"
]
"""What a claim of a metric must state before it compares; each unanswered one raises its flag."""


def _compiles(value: tuple[str, ...]) -> tuple[str, ...]:
    for pattern in value:
        try:
            re.compile(pattern)
        except re.error as error:
            raise ValueError(f"the cue {pattern!r} is no regular expression: {error}") from None
    return value


class Cues(Record):
    """Regular expressions, matched without regard to case, that speak for a meaning or against it.

    `strong` names the meaning by itself (IOPS); `weak` fits it among others (bandwidth); `against` rules it
    out in the same clause.
    """

    strong: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()
    against: tuple[str, ...] = ()

    _compile = field_validator("strong", "weak", "against")(_compiles)


class Metric(Record):
    """A thing that is measured, its canonical unit, and what makes two of its numbers comparable.

    `floor`: a figure below it is a figure of something else (no availability is 10 %).
    """

    name: str = Field(pattern=r"^[a-z][a-z0-9_]*$")
    label: Words
    unit: str
    units: tuple[str, ...] = ()
    better: Literal["higher", "lower", "none"] = "none"
    family: Literal["network", "storage", "scale", "stability", "service", "price", "compute", "any"] = "any"
    comparable_on: tuple[str, ...] = ()
    default_basis: str | None = None
    floor: Exact | None = None
    asks: tuple[Question, ...] = ()
    cues: Cues = Cues()


class Basis(Record):
    """What a number is a number of, and the words that say so."""

    name: str
    label: Words
    cues: tuple[str, ...] = ()

    _compile = field_validator("cues")(_compiles)


class FlagReading(Record):
    """An admissible reading. `factor` is what the value is multiplied by; null where no value follows."""

    key: str
    label: Words
    factor: str | None = "1"
    basis: str | None = None
    direction: str | None = None


class FlagKind(Record):
    """An ambiguity: its question, and its readings (or, for `readings_from: bases`, the metric's bases)."""

    name: str
    label: Words
    question: Words
    readings_from: Literal["list", "bases"] = "list"
    readings: tuple[FlagReading, ...] = ()


class Capability(Record):
    """Something a product has or has not, without a number."""

    name: str
    label: Words
    cues: tuple[str, ...] = ()
    against: tuple[str, ...] = ()

    _compile = field_validator("cues", "against")(_compiles)


class BoundWords(Record):
    """Words before or after a number that bound it; `best`: they call it the best attainable."""

    bound: Bound
    best: bool = False
    gap: Literal["wide", "near", "space"] = "space"
    cues: tuple[str, ...] = Field(min_length=1)

    _compile = field_validator("cues")(_compiles)


class Product(Record):
    """A vendor's product. `family` says which of two like metrics its numbers belong to."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    names: tuple[str, ...]
    family: Literal["network", "storage", "block", "compute", "platform", "any"] = "any"


class Vendor(Record):
    """A vendor and the names that pages use for it; the first is for display."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9-]*$")
    label: Words
    names: tuple[str, ...] = ()
    products: tuple[Product, ...] = ()


class _Metrics(Record):
    metrics: tuple[Metric, ...]


class _Bases(Record):
    bases: tuple[Basis, ...]


class _BoundWords(Record):
    before: tuple[BoundWords, ...]
    after: tuple[BoundWords, ...]


class _Flags(Record):
    flags: tuple[FlagKind, ...]


class _Capabilities(Record):
    capabilities: tuple[Capability, ...]


class _Vendors(Record):
    vendors: tuple[Vendor, ...]

    @model_validator(mode="after")
    def _no_name_twice(self) -> _Vendors:
        seen: dict[str, str] = {}
        for vendor in self.vendors:
            for name in vendor.names:
                other = seen.setdefault(name.casefold(), vendor.id)
                if other != vendor.id:
                    raise ValueError(f"the name {name!r} belongs to both {other} and {vendor.id}")
        return self


class Registry:
    """All the names, each looked up with an error that says which names there are."""

    def __init__(
        self,
        metrics: tuple[Metric, ...],
        bases: tuple[Basis, ...],
        flags: tuple[FlagKind, ...],
        capabilities: tuple[Capability, ...],
        vendors: tuple[Vendor, ...],
        bounds_before: tuple[BoundWords, ...],
        bounds_after: tuple[BoundWords, ...],
    ) -> None:
        self.bounds_before, self.bounds_after = bounds_before, bounds_after
        self.metrics = {m.name: m for m in metrics}
        self.bases = {b.name: b for b in bases}
        self.flags = {f.name: f for f in flags}
        self.capabilities = {c.name: c for c in capabilities}
        self.vendors = {v.id: v for v in vendors}
        for metric in metrics:
            for basis in (*metric.comparable_on, *([metric.default_basis] if metric.default_basis else [])):
                self.basis(basis)

    def metric(self, name: str) -> Metric:
        """The metric of that name; ValueError with the near names, or else all, otherwise."""
        return _known(self.metrics, name, "metric")

    def basis(self, name: str) -> Basis:
        """The basis of that name; ValueError with the near names, or else all, otherwise."""
        return _known(self.bases, name, "basis")

    def flag(self, name: str) -> FlagKind:
        """The flag of that name; ValueError with the near names, or else all, otherwise."""
        return _known(self.flags, name, "flag")

    def capability(self, name: str) -> Capability:
        """The capability of that name; ValueError with the near names, or else all, otherwise."""
        return _known(self.capabilities, name, "capability")

    def vendor(self, vendor_id: str) -> Vendor:
        """The vendor of that id; ValueError with the near ids, or else all, otherwise."""
        return _known(self.vendors, vendor_id, "vendor")


def _known(entries: Mapping[str, Entry], name: str, what: str) -> Entry:
    if name in entries:
        return entries[name]
    if near := difflib.get_close_matches(name, entries, n=3, cutoff=0.5):
        raise ValueError(f"{name!r} is no known {what}; near: {', '.join(near)}")
    raise ValueError(f"{name!r} is no known {what}; known: {', '.join(sorted(entries))}")


@cache
def registry() -> Registry:
    """The registry that ships with Koujing. Raises DataFileError, with file and line, where it is wrong."""
    with as_file(files("schemas") / "vocabulary") as folder:
        words = read_data_file(folder / "bounds.yaml", _BoundWords)
        return Registry(
            bounds_before=words.before,
            bounds_after=words.after,
            metrics=read_data_file(folder / "metrics.yaml", _Metrics).metrics,
            bases=read_data_file(folder / "bases.yaml", _Bases).bases,
            flags=read_data_file(folder / "flags.yaml", _Flags).flags,
            capabilities=read_data_file(folder / "capabilities.yaml", _Capabilities).capabilities,
            vendors=read_data_file(folder / "vendors.yaml", _Vendors).vendors,
        )
