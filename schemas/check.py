"""What was verified of a claim, one row a check. A check that could not run is never a pass."""

from __future__ import annotations

from enum import StrEnum

from schemas.record import Record


class Verdict(StrEnum):
    """What a check found. Which verdicts an axis can give is in `AXES`."""

    EXACT = "EXACT"
    NORMALISED = "NORMALISED"
    NOT_UNIQUE = "NOT_UNIQUE"
    HIDDEN_TEXT = "HIDDEN_TEXT"
    ABSENT = "ABSENT"
    STATED = "STATED"
    DERIVED = "DERIVED"
    NOT_STATED = "NOT_STATED"
    CONTRADICTED = "CONTRADICTED"
    T1 = "T1"
    T2 = "T2"
    T3 = "T3"
    T4 = "T4"
    SINGLE = "SINGLE"
    AGREE = "AGREE"
    CONFLICT = "CONFLICT"
    OK = "OK"
    FAIL = "FAIL"
    NOT_APPLICABLE = "NOT_APPLICABLE"
    ABOVE_BOUND = "ABOVE_BOUND"
    NO_BOUND = "NO_BOUND"
    NEW = "NEW"
    SAME = "SAME"
    CHANGED = "CHANGED"
    NOT_SEEN = "NOT_SEEN"
    CHECK_FAILED = "CHECK_FAILED"


ENTAILED = ("value", "unit", "subject", "metric", "basis", "bound")
"""The fields of a claim that its quote and headers are held to, each in a check `entailment.<field>`."""

_ARITHMETIC = frozenset({Verdict.OK, Verdict.FAIL, Verdict.NOT_APPLICABLE})
_ENTAILMENT = frozenset({Verdict.STATED, Verdict.DERIVED, Verdict.NOT_STATED, Verdict.CONTRADICTED})

ON_PAGE: dict[str, frozenset[Verdict]] = {
    "grounding": frozenset(
        {Verdict.EXACT, Verdict.NORMALISED, Verdict.NOT_UNIQUE, Verdict.HIDDEN_TEXT, Verdict.ABSENT}
    ),
    **{f"entailment.{name}": _ENTAILMENT for name in ENTAILED},
    "condition": frozenset({Verdict.STATED, Verdict.NOT_STATED}),
    "arithmetic.sentence": _ARITHMETIC,
    "plausibility": frozenset({Verdict.OK, Verdict.ABOVE_BOUND, Verdict.NO_BOUND}),
}
"""Checks that need only the page, with what each can find beside CHECK_FAILED."""

ACROSS: dict[str, frozenset[Verdict]] = {
    "authority": frozenset({Verdict.T1, Verdict.T2, Verdict.T3, Verdict.T4}),
    "agreement": frozenset({Verdict.SINGLE, Verdict.AGREE, Verdict.CONFLICT}),
    "arithmetic": _ARITHMETIC,
    "staleness": frozenset({Verdict.NEW, Verdict.SAME, Verdict.CHANGED, Verdict.NOT_SEEN}),
}
"""Checks that need the other claims of the same thing too."""

AXES = ON_PAGE | ACROSS


class Check(Record):
    """One verdict on one claim with its reason. `version` changes when the check's meaning does.

    `inputs` is a digest of all that the verdict rests on: with the same inputs and version it is not run again.
    `detail` is JSON for whoever follows the reason: both readings, the other claim, the program that was run.
    """

    claim_key: str
    name: str
    version: str
    verdict: Verdict
    reason: str
    inputs: str = ""
    detail: str = ""
