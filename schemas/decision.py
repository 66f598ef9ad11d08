"""What a person says of a flag, or of a whole claim."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from enum import StrEnum

from pydantic import Field, model_validator

from schemas.claim import Claim
from schemas.record import Record

WHOLE_CLAIM = "claim"
"""The name that stands for no flag, but for the claim itself."""


class DecisionKind(StrEnum):
    """What was said. Only a reading settles a flag."""

    READING = "reading"
    CORRECTED = "corrected"
    REJECTED = "rejected"
    UNSURE = "unsure"
    ASK_VENDOR = "ask_vendor"
    UNDONE = "undone"


_OF_CLAIMS = (DecisionKind.CORRECTED, DecisionKind.REJECTED)


class Decision(Record):
    """One word of one person. `flag`: the flag's name, or `claim` for the whole claim.

    `corrections`: by field, what belongs there, as text; a `value` that is not in the quote needs a `source`.
    """

    claim_key: str = Field(min_length=1)
    flag: str = WHOLE_CLAIM
    kind: DecisionKind
    reading: str = ""
    corrections: dict[str, str] = Field(default_factory=dict)
    source: str = ""
    who: str
    note: str = ""

    @model_validator(mode="after")
    def _whole(self) -> Decision:
        if not self.who.strip():
            raise ValueError("a decision needs the name of who made it")
        if (self.kind is DecisionKind.READING) != bool(self.reading):
            raise ValueError("a reading is chosen by its key, and nothing else names one")
        if (self.kind is DecisionKind.CORRECTED) != bool(self.corrections):
            raise ValueError("a correction names the fields that it corrects, and nothing else does")
        if self.kind in _OF_CLAIMS and self.flag != WHOLE_CLAIM:
            raise ValueError("a correction or rejection is of the whole claim, not of one flag")
        if self.kind is DecisionKind.READING and self.flag == WHOLE_CLAIM:
            raise ValueError("a reading settles a flag, and the whole claim is none")
        return self

    @property
    def flag_id(self) -> str:
        """The flag as people name it."""
        return f"{self.claim_key}:{self.flag}"


class Seen(Record):
    """What the person was looking at: the claim's version, and the number of the last decision on it (0: none).

    A decision on anything else is refused, so that nobody settles what they have not seen.
    """

    version: int
    decision_id: int = 0


class KeptDecision(Record):
    """A decision as the ledger holds it. `words`: the digest of what it was about; `undoes`, `carried_from`: numbers."""

    decision: Decision
    decision_id: int
    version: int
    words: str
    decided_at: datetime
    undoes: int | None = None
    carried_from: int | None = None
    origin: str = ""


class DecisionLine(Record):
    """One line of an exported file. It is found again by its claim's key, its flag and the words it was about.

    `id` names it for good, wherever it is imported; `undoes` is the `id` of the decision that it takes back.
    """

    id: str = Field(pattern=r"^[0-9a-f]{16}$")
    claim_key: str
    flag: str
    kind: DecisionKind
    reading: str = ""
    corrections: dict[str, str] = Field(default_factory=dict)
    source: str = ""
    who: str
    note: str = ""
    words: str
    decided_at: datetime
    undoes: str | None = None

    @property
    def decision(self) -> Decision:
        """What was said, without when and of which words."""
        return Decision(**{name: getattr(self, name) for name in Decision.model_fields})


def words_of(claim: Claim) -> str:
    """A digest of the words that a decision is about: the quote, what stands over it, and what is said beside it."""
    said = [_folded(claim.evidence.quote), [_folded(step) for step in claim.evidence.path]]
    beside = sorted((_folded(key), _folded(value)) for key, value in claim.condition.items())
    return hashlib.sha256(json.dumps([said, beside], ensure_ascii=False).encode()).hexdigest()


def line_id(decision: Decision, words: str, decided_at: datetime) -> str:
    """The name under which a decision goes from ledger to ledger: a digest of all that it says."""
    content = [decision.model_dump(mode="json"), words, int(decided_at.timestamp() * 1_000_000)]
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def _folded(text: str) -> str:
    return " ".join(text.split())
