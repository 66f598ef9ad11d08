"""Whether what a number needs beside it is stated: the scale of an efficiency, the load of a peak, an SLA's terms."""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files

from pydantic import Field

from extractors.checks.running import Found
from schemas.check import Verdict
from schemas.claim import Claim
from schemas.datafile import read_data_file
from schemas.quantity import Bound
from schemas.record import Record, Words

VERSION = "3"


class Companion(Record):
    """What must stand beside the figures of some metrics; see the head of `companions.yaml`."""

    id: str
    metrics: tuple[str, ...] = Field(min_length=1)
    best_case: bool = False
    needs: tuple[str, ...] = ()
    unless: str = ""
    topic: str
    missing: Words
    stated: Words
    question: Words

    def is_answered(self, claim: Claim) -> bool:
        """Whether the page answers it elsewhere than in the claim's condition: in words that a flag would miss."""
        answered = bool(self.unless) and self.unless not in claim.flags
        named = any(key in claim.qualifiers or (key == "baseline" and claim.baseline) for key in self.needs)
        return claim.metric in self.metrics and (answered or named)

    def is_missing(self, claim: Claim) -> bool:
        """Whether the claim is of this kind and the page leaves it open."""
        if claim.metric not in self.metrics or (self.best_case and not claim.best_case):
            return False
        if claim.bound is Bound.FORMULA or (self.unless and self.unless not in claim.flags):
            return False
        stated = {**claim.condition, **claim.qualifiers, **({"baseline": "yes"} if claim.baseline else {})}
        return not any(key in stated for key in self.needs)


class _File(Record):
    companions: tuple[Companion, ...]


@cache
def companions() -> tuple[Companion, ...]:
    """The table that ships with Koujing. Raises DataFileError, with file and line, where it is wrong."""
    with as_file(files("extractors.checks") / "companions.yaml") as path:
        return read_data_file(path, _File).companions


def missing(claim: Claim) -> tuple[Companion, ...]:
    """What the claim leaves open of what its number needs."""
    return tuple(companion for companion in companions() if companion.is_missing(claim))


def check(claim: Claim) -> Found:
    """STATED where nothing is left open. NOT_STATED qualifies a claim and never refutes it."""
    if left := missing(claim):
        return Found(
            Verdict.NOT_STATED,
            "; ".join(companion.missing.en for companion in left),
            {"companions": [companion.id for companion in left]},
        )
    said = [f"{key}: {words}" for key, words in claim.condition.items()]
    said += [companion.stated.en for companion in companions() if companion.is_answered(claim)]
    if said:
        return Found(Verdict.STATED, ", ".join(said))
    if claim.bound is Bound.FORMULA:
        return Found(Verdict.STATED, "the formula names the capacity")
    return Found(Verdict.STATED, "a number of this kind needs nothing beside it")
