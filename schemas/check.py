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
    CHECK_FAILED = "CHECK_FAILED"


AXES: dict[str, frozenset[Verdict]] = {
    "grounding": frozenset(
        {Verdict.EXACT, Verdict.NORMALISED, Verdict.NOT_UNIQUE, Verdict.HIDDEN_TEXT, Verdict.ABSENT}
    ),
    "value": frozenset({Verdict.STATED, Verdict.DERIVED, Verdict.NOT_STATED, Verdict.CONTRADICTED}),
    "condition": frozenset({Verdict.STATED, Verdict.NOT_STATED}),
    "authority": frozenset({Verdict.T1, Verdict.T2, Verdict.T3, Verdict.T4}),
}


class Check(Record):
    """One verdict on one claim with its reason. `version` changes when the check's meaning does."""

    claim_key: str
    name: str
    version: str
    verdict: Verdict
    reason: str
