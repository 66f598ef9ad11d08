"""What people said of claims, in the ledger: only ever added to, and looked up by claim and flag."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from schemas.claim import Claim
from schemas.decision import Decision, DecisionKind, DecisionLine, KeptDecision, line_id, words_of
from schemas.flag import Flag
from schemas.ledger import StoredClaim
from warehouse.database import Database
from warehouse.rows import as_json, claim_row, flag_row, stored_claim, stored_flag, utc

_VERSIONS = """
SELECT version.*, 0 AS not_seen FROM stored.claim_versions AS version
WHERE list_contains(?::VARCHAR[], claim_key) ORDER BY claim_key, version
"""
_BEHIND = """
SELECT DISTINCT claim_key FROM stored.decisions AS said
WHERE version < (SELECT max(version) FROM stored.claim_versions AS now WHERE now.claim_key = said.claim_key)
ORDER BY claim_key
"""


@dataclass(frozen=True)
class Subject:
    """A claim and all that was said of it. `read`: the version that was last read from its page; `cause` of the latest.

    `flags`: by version and name; `decisions`: oldest first.
    """

    versions: tuple[StoredClaim, ...]
    causes: tuple[str, ...]
    flags: dict[tuple[int, str], Flag]
    decisions: tuple[KeptDecision, ...]

    @property
    def latest(self) -> StoredClaim:
        """The version that stands."""
        return self.versions[-1]

    @property
    def read(self) -> StoredClaim:
        """The last version that is the page's own words and no reviewer's."""
        pairs = zip(self.versions, self.causes, strict=True)
        return [version for version, cause in pairs if cause != "review"][-1]

    @property
    def is_reviewed(self) -> bool:
        """Whether a reviewer wrote the version that stands."""
        return self.causes[-1] == "review"

    def flag(self, name: str, version: int | None = None) -> Flag | None:
        """The flag as raised on the version, or on the latest; None where it is not."""
        return self.flags.get((version or self.latest.version, name))

    def answer(self, flag: str, version: int | None = None) -> KeptDecision | None:
        """What holds of the flag on that version (the latest, unless said): the last word, unless it was undone."""
        on = version or self.latest.version
        said = [d for d in self.decisions if d.decision.flag == flag and d.version == on]
        return said[-1] if said and said[-1].decision.kind is not DecisionKind.UNDONE else None

    def last(self, flag: str) -> KeptDecision | None:
        """The last word on the flag, on whichever version it was."""
        said = [d for d in self.decisions if d.decision.flag == flag]
        return max(said, key=lambda d: (d.version, d.decided_at, d.decision_id), default=None)


class Decisions:
    """The decisions of an open ledger. What is written within `together` is stored whole or not at all."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def together(self, failure: str) -> contextlib.AbstractContextManager[None]:
        """One transaction; `failure` begins the LedgerError's sentence."""
        return self._database.transaction(failure)

    def subject(self, claim_key: str) -> Subject | None:
        """The claim with all that was said of it; None where there is no such claim."""
        return self.subjects([claim_key]).get(claim_key)

    def subjects(self, keys: Sequence[str]) -> dict[str, Subject]:
        """By claim key, those that there are."""
        wanted = [list(keys)]
        versions: dict[str, list[tuple[StoredClaim, str]]] = {}
        for row in self._database.rows(_VERSIONS, wanted):
            versions.setdefault(row["claim_key"], []).append((stored_claim(row), row["cause"] or "page"))
        flags: dict[str, dict[tuple[int, str], Flag]] = {}
        for row in self._database.rows(
            "SELECT * FROM stored.flags WHERE list_contains(?::VARCHAR[], claim_key)", wanted
        ):
            flags.setdefault(row["claim_key"], {})[row["version"], row["name"]] = stored_flag(row)
        said: dict[str, list[KeptDecision]] = {}
        for row in self._database.rows(
            "SELECT * FROM stored.decisions WHERE list_contains(?::VARCHAR[], claim_key) "
            "ORDER BY decided_at, decision_id",
            wanted,
        ):
            said.setdefault(row["claim_key"], []).append(kept_decision(row))
        return {
            key: Subject(
                versions=tuple(version for version, _ in found),
                causes=tuple(cause for _, cause in found),
                flags=flags.get(key, {}),
                decisions=tuple(said.get(key, ())),
            )
            for key, found in versions.items()
        }

    def behind(self) -> list[str]:
        """The keys of claims that have a later version than some decision on them."""
        return [row["claim_key"] for row in self._database.rows(_BEHIND)]

    def put(
        self,
        decision: Decision,
        on: StoredClaim,
        at: datetime,
        *,
        undoes: int | None = None,
        carried_from: int | None = None,
        origin: str = "",
    ) -> int:
        """Adds a decision on that version of its claim and gives its number."""
        number = self._database.next_id("stored.decisions", "decision_id")
        row = {
            "decision_id": number,
            "flag_id": decision.flag_id,
            "name": decision.flag,
            "version": on.version,
            **decision.model_dump(mode="json", exclude={"flag", "corrections"}),
            "corrections": as_json(decision.corrections),
            "words": words_of(on.claim),
            "decided_at": utc(at),
            "undoes": undoes,
            "carried_from": carried_from,
            "origin": origin,
        }
        self._database.insert("stored.decisions", [row])
        return number

    def put_version(
        self, run_id: int, before: StoredClaim, claim: Claim, flags: Iterable[Flag], at: datetime
    ) -> StoredClaim:
        """Writes what a reviewer makes of a claim as its next version; it holds from when the one before did."""
        fresh = before.model_copy(
            update={
                "claim": claim,
                "version": before.version + 1,
                "recorded_at": max(before.recorded_at, utc(at)),
            }
        )
        self._database.insert("stored.claim_versions", [claim_row(fresh, run_id) | {"cause": "review"}])
        self._database.insert("stored.flags", [flag_row(flag, fresh.version) for flag in flags])
        return fresh

    def all(self) -> tuple[KeptDecision, ...]:
        """Every decision, oldest first."""
        return tuple(
            kept_decision(r) for r in self._database.rows("FROM stored.decisions ORDER BY decision_id")
        )

    def waiting(self) -> tuple[DecisionLine, ...]:
        """The imported decisions that hold on nothing here yet, oldest first."""
        rows = self._database.rows(
            """
            SELECT origin, any_value(content) AS content FROM stored.waiting_decisions
            WHERE origin NOT IN (SELECT origin FROM stored.decisions) GROUP BY origin ORDER BY min(waiting_id)
            """
        )
        return tuple(DecisionLine.model_validate_json(row["content"]) for row in rows)

    def put_waiting(self, line: DecisionLine, why: str, at: datetime) -> None:
        """Keeps an imported decision for later, with why it cannot hold now; each decision once."""
        known = self._database.rows(
            "SELECT 1 AS one FROM stored.waiting_decisions WHERE origin = ?", [line.id]
        )
        if not known:
            row = {
                "waiting_id": self._database.next_id("stored.waiting_decisions", "waiting_id"),
                "origin": line.id,
                "content": line.model_dump_json(),
                "why": why,
                "recorded_at": utc(at),
            }
            self._database.insert("stored.waiting_decisions", [row])


def kept_decision(row: dict[str, Any]) -> KeptDecision:
    """The decision that a row of `stored.decisions` holds."""
    decision = Decision.model_construct(
        claim_key=row["claim_key"],
        flag=row["name"],
        kind=DecisionKind(row["kind"]),
        reading=row["reading"],
        corrections=json.loads(row["corrections"] or "{}"),
        source=row["source"] or "",
        who=row["who"],
        note=row["note"],
    )
    return KeptDecision(
        decision=decision,
        decision_id=row["decision_id"],
        version=row["version"],
        words=row["words"] or "",
        decided_at=row["decided_at"],
        undoes=row["undoes"],
        carried_from=row["carried_from"],
        origin=row["origin"] or "",
    )


def lines(kept: Iterable[KeptDecision], words: dict[tuple[str, int], str]) -> tuple[DecisionLine, ...]:
    """The decisions as they are exported. Those that only repeat another one on a later version are left out.

    `words`: by claim and version, the digest of what was decided on, for those that were stored without one.
    """
    known = tuple(kept)
    ids = {d.decision_id: d.origin or line_id(d.decision, _words(d, words), d.decided_at) for d in known}
    original = {d.decision_id: d.carried_from for d in known}

    def first(number: int | None) -> str | None:
        while number is not None and original.get(number) is not None:
            number = original[number]
        return None if number is None else ids.get(number)

    return tuple(
        DecisionLine(
            id=ids[d.decision_id],
            **d.decision.model_dump(),
            words=_words(d, words),
            decided_at=d.decided_at,
            undoes=first(d.undoes),
        )
        for d in known
        if d.carried_from is None
    )


def _words(kept: KeptDecision, words: dict[tuple[str, int], str]) -> str:
    return kept.words or words.get((kept.decision.claim_key, kept.version), "")
