"""Deciding on flags and claims, and what becomes of decisions when pages are read again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from review.correcting import corrected, flags_of
from schemas.claim import Claim
from schemas.decision import (
    WHOLE_CLAIM,
    Decision,
    DecisionKind,
    DecisionLine,
    KeptDecision,
    Seen,
    line_id,
    words_of,
)
from schemas.errors import LedgerError
from schemas.flag import Flag
from schemas.ledger import StoredClaim
from warehouse.decisions import Decisions, Subject, lines
from warehouse.ledger import Ledger


class StaleDecisionError(LedgerError):
    """What was decided on is not what stands now. The message says what happened meanwhile."""


@dataclass(frozen=True)
class Decided:
    """A decision that was stored: its number, and the claim as it stands then."""

    decision_id: int
    claim: StoredClaim


@dataclass(frozen=True)
class Imported:
    """What came of a file's lines: stored now, known before, or waiting for the claim, flag or words that they name."""

    stored: int
    known: int
    waiting: tuple[tuple[DecisionLine, str], ...]


def decide(
    ledger: Ledger, run_id: int, decision: Decision, at: datetime, seen: Seen | None = None
) -> Decided:
    """Stores the decision, and a further version of the claim where it corrects it. All of it or nothing.

    Raises StaleDecisionError where `seen` is not what stands, LedgerError where there is no such claim, flag or
    reading, or the correction is not valid.
    """
    kept = ledger.decisions
    with kept.together(f"the decision on {decision.flag_id} could not be stored"):
        subject = _existing(kept, decision.claim_key)
        _check_seen(subject, decision.flag, seen)
        _check_reading(subject, decision)
        number, claim = _store(kept, run_id, subject, decision, _not_before(subject, at))
    return Decided(number, claim)


def undo(
    ledger: Ledger, run_id: int, flag_id: str, who: str, note: str, at: datetime, seen: Seen | None = None
) -> Decided:
    """Takes back what holds of the flag (or, for `…:claim`, of the claim), so that it is open again.

    A corrected claim is again what its page says. Raises LedgerError where nothing holds.
    """
    key, _, flag = flag_id.rpartition(":")
    kept = ledger.decisions
    with kept.together(f"the decision on {flag_id} could not be undone"):
        subject = _existing(kept, key, flag_id)
        _check_seen(subject, flag, seen)
        answer = subject.answer(flag)
        if answer is None:
            raise LedgerError(f"nothing was decided on {flag_id}; `koujing decisions log` lists what was")
        number, claim = _undo(kept, run_id, subject, answer, who, note, _not_before(subject, at))
    return Decided(number, claim)


def reapply(ledger: Ledger, run_id: int, at: datetime) -> int:
    """Lets decisions hold on claims that were written anew with the same words and readings; gives how many do.

    Imported decisions that were waiting for their claim are tried again. What differs is left open: `reopened`.
    """
    kept = ledger.decisions
    with kept.together("decisions could not be carried on"):
        carried = 0
        for subject in kept.subjects(kept.behind()).values():
            carried += _carry(kept, run_id, subject, at)
        for line in kept.waiting():
            carried += not _import(kept, run_id, line, at)
    return carried


def export(ledger: Ledger) -> tuple[DecisionLine, ...]:
    """Every decision as a line that another ledger takes, oldest first."""
    kept = ledger.decisions
    every = kept.all()
    subjects = kept.subjects(sorted({d.decision.claim_key for d in every}))
    words = {(k, v.version): words_of(v.claim) for k, s in subjects.items() for v in s.versions}
    return lines(every, words)


def take_in(ledger: Ledger, run_id: int, given: Iterable[DecisionLine], at: datetime) -> Imported:
    """Stores the lines that are not here yet, oldest first. None is lost: what finds no claim waits for it."""
    kept = ledger.decisions
    known = {line.id for line in export(ledger)}
    stored = before = 0
    waiting = []
    with kept.together("the decisions could not be imported"):
        for line in sorted(given, key=lambda one: (one.decided_at, one.kind is DecisionKind.UNDONE)):
            if line.id in known:
                before += 1
                continue
            known.add(line.id)
            if why := _import(kept, run_id, line, at):
                kept.put_waiting(line, why, at)
                waiting.append((line, why))
            else:
                stored += 1
    return Imported(stored, before, tuple(waiting))


def _existing(kept: Decisions, key: str, flag_id: str = "") -> Subject:
    subject = kept.subject(key)
    if subject is None:
        raise LedgerError(f"there is no claim {key!r} ({flag_id or key}); `koujing flags` lists open flags")
    return subject


def _check_seen(subject: Subject, flag: str, seen: Seen | None) -> None:
    if seen is None:
        return
    now, last = subject.latest, subject.last(flag)
    if now.version != seen.version:
        raise StaleDecisionError(
            f"{now.claim.claim_key} is now at version {now.version}, and you looked at version {seen.version}: "
            f"it was written anew at {now.recorded_at:%Y-%m-%d %H:%M} UTC. Nothing was stored; look at it again"
        )
    if last is not None and last.version == now.version and last.decision_id != seen.decision_id:
        said = last.decision
        raise StaleDecisionError(
            f"{said.who} decided on {said.flag_id} meanwhile ({said.reading or said.kind}, "
            f"{last.decided_at:%Y-%m-%d %H:%M} UTC). Nothing was stored; look at it again"
        )


def _check_reading(subject: Subject, decision: Decision) -> None:
    if decision.flag == WHOLE_CLAIM:
        return
    flag = subject.flag(decision.flag)
    if flag is None:
        raise LedgerError(
            f"there is no flag {decision.flag_id!r} on a current claim; `koujing flags` lists them"
        )
    known = [option.key for option in flag.readings]
    if decision.kind is DecisionKind.READING and decision.reading not in known:
        raise LedgerError(
            f"{decision.flag_id} has no reading {decision.reading!r}; it has {', '.join(known)}"
        )


def _not_before(subject: Subject, at: datetime) -> datetime:
    """The moment; where the machine's clock was set back, that of the last decision, so that this one is the last."""
    return max([at, *(d.decided_at for d in subject.decisions)])


def _store(
    kept: Decisions,
    run_id: int,
    subject: Subject,
    decision: Decision,
    at: datetime,
    *,
    carried_from: int | None = None,
    origin: str = "",
    wrote_at: datetime | None = None,
) -> tuple[int, StoredClaim]:
    on = subject.latest
    if decision.kind is DecisionKind.CORRECTED:
        base = subject.read.claim
        claim = corrected(base, decision.corrections, source=decision.source, who=decision.who)
        on = kept.put_version(run_id, on, _rekeyed(claim, on.claim), flags_of(claim), wrote_at or at)
    number = kept.put(decision, on, at, carried_from=carried_from, origin=origin)
    if on is not subject.latest:
        _carry(kept, run_id, _existing(kept, decision.claim_key), at)
    return number, on


def _rekeyed(claim: Claim, before: Claim) -> Claim:
    return claim.model_copy(update={"claim_key": before.claim_key})


def _undo(
    kept: Decisions,
    run_id: int,
    subject: Subject,
    answer: KeptDecision,
    who: str,
    note: str,
    at: datetime,
    origin: str = "",
) -> tuple[int, StoredClaim]:
    said = answer.decision
    on = subject.latest
    decision = Decision(
        claim_key=said.claim_key, flag=said.flag, kind=DecisionKind.UNDONE, who=who, note=note
    )
    if said.kind is DecisionKind.CORRECTED and subject.is_reviewed:
        page = subject.read
        flags = [flag for (version, _), flag in sorted(subject.flags.items()) if version == page.version]
        on = kept.put_version(run_id, on, page.claim, flags, at)
    number = kept.put(decision, on, at, undoes=answer.decision_id, origin=origin)
    if on is not subject.latest:
        _carry(kept, run_id, _existing(kept, said.claim_key), at)
    return number, on


def _carry(kept: Decisions, run_id: int, subject: Subject, at: datetime) -> int:
    """Repeats on the latest version what was said of an earlier one with the same words. A correction goes first."""
    names = {d.decision.flag for d in subject.decisions}
    carried = 0
    for name in sorted(names, key=lambda flag: (flag != WHOLE_CLAIM, flag)):
        last = subject.last(name)
        if last is None or last.version >= subject.latest.version or not _still_holds(subject, last):
            continue
        try:
            _store(
                kept,
                run_id,
                subject,
                last.decision,
                last.decided_at,
                carried_from=last.decision_id,
                wrote_at=at,
            )
        except LedgerError:
            continue  # a correction that the claim no longer takes: it stays open, and `reopened` tells of it
        carried += 1
        subject = _existing(kept, last.decision.claim_key)
    return carried


def _still_holds(subject: Subject, last: KeptDecision) -> bool:
    if last.decision.kind is DecisionKind.UNDONE:
        return False
    past = next(version for version in subject.versions if version.version == last.version)
    if (last.words or words_of(past.claim)) != words_of(subject.latest.claim):
        return False
    if last.decision.flag == WHOLE_CLAIM:
        return True
    before, now = subject.flag(last.decision.flag, last.version), subject.flag(last.decision.flag)
    if before is None or now is None:
        return False
    # A reviewer's correction of the value changes what the readings come to, and not what they are.
    by_review = subject.is_reviewed or subject.causes[last.version - 1] == "review"
    return _keys(before) == _keys(now) if by_review else before.readings == now.readings


def _keys(flag: Flag) -> list[tuple[str, str | None, str | None]]:
    return [(reading.key, reading.basis, reading.direction) for reading in flag.readings]


def _import(kept: Decisions, run_id: int, line: DecisionLine, at: datetime) -> str:
    """Stores the line, or gives why it has nothing here to hold on."""
    subject = kept.subject(line.claim_key)
    if subject is None:
        return "no such claim"
    if words_of(subject.latest.claim) != line.words:
        return "the claim's words are others"
    if line.kind is DecisionKind.UNDONE:
        return _import_undone(kept, run_id, subject, line)
    try:
        _check_reading(subject, line.decision)
        _store(kept, run_id, subject, line.decision, line.decided_at, origin=line.id, wrote_at=at)
    except LedgerError as error:
        return str(error)
    return ""


def _import_undone(kept: Decisions, run_id: int, subject: Subject, line: DecisionLine) -> str:
    answer = subject.answer(line.flag)
    names = {d.decision_id: d.origin or line_id(d.decision, d.words, d.decided_at) for d in subject.decisions}
    if answer is None or line.undoes not in (
        names[answer.decision_id],
        names.get(answer.carried_from or 0),
    ):
        return "what it takes back does not hold here"
    _undo(kept, run_id, subject, answer, line.who, line.note, line.decided_at, origin=line.id)
    return ""
