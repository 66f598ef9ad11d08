"""A person's word, all the way: stored, verified anew where it changed a claim, ranked again, published."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import TypeVar

from flows.derived import rederive
from flows.left_over import LeftOver
from flows.one_run import one_run
from flows.reranking import rerank
from flows.verification import verify_ledger
from review import deciding
from review.deciding import Imported
from schemas.claim import Claim
from schemas.decision import Decision, DecisionLine, Seen
from schemas.errors import LedgerError
from schemas.scorecard import Scorecard
from warehouse.derived import Derived
from warehouse.home import Home
from warehouse.ledger import Ledger

Clock = Callable[[], datetime]
Done = TypeVar("Done")


@dataclass(frozen=True)
class Settled:
    """What a decision did: its numbers, how many flags are open now, and the rankings that follow from it."""

    decisions: tuple[int, ...]
    open_flags: int
    rederived: tuple[Derived, ...]


def decide(
    home: Home,
    given: Iterable[tuple[Decision, Seen | None]],
    clock: Clock,
    *,
    cards: Iterable[Scorecard],
    wait_seconds: float = 0,
) -> Settled:
    """Stores the decisions one by one, ranks again what rests on their claims, and publishes.

    Raises StaleDecisionError where somebody was faster, and LedgerError where one is not valid; those before it are
    then stored, ranked and published all the same.
    """

    def work(ledger: Ledger, run_id: int) -> tuple[tuple[int, ...], list[Claim], LedgerError | None]:
        numbers: list[int] = []
        touched: list[Claim] = []
        for decision, seen in given:
            try:
                done = deciding.decide(ledger, run_id, decision, clock(), seen)
            except LedgerError as error:
                if not numbers:
                    raise
                return tuple(numbers), touched, error
            numbers.append(done.decision_id)
            touched.append(done.claim.claim)
        return tuple(numbers), touched, None

    return _settled(home, "review", work, clock, cards, wait_seconds)


def undo(
    home: Home,
    flag_ids: Iterable[str],
    who: str,
    note: str,
    clock: Clock,
    *,
    cards: Iterable[Scorecard],
    seen: Seen | None = None,
    wait_seconds: float = 0,
) -> Settled:
    """Takes back what holds of the flags, ranks again, and publishes. Raises LedgerError where nothing holds."""

    def work(ledger: Ledger, run_id: int) -> tuple[tuple[int, ...], list[Claim], None]:
        done = [deciding.undo(ledger, run_id, flag, who, note, clock(), seen) for flag in flag_ids]
        return tuple(d.decision_id for d in done), [d.claim.claim for d in done], None

    return _settled(home, "review: undo", work, clock, cards, wait_seconds)


def take_in(
    home: Home,
    lines: Iterable[DecisionLine],
    clock: Clock,
    *,
    cards: Iterable[Scorecard],
    wait_seconds: float = 0,
) -> Imported:
    """Stores exported decisions that are not here yet, ranks again, and publishes."""
    given = tuple(lines)
    found: list[Imported] = []

    def work(ledger: Ledger, run_id: int) -> tuple[tuple[int, ...], list[Claim], None]:
        found.append(deciding.take_in(ledger, run_id, given, clock()))
        keys = {line.claim_key for line in given}
        return (), [s.claim for s in ledger.current_claims() if s.claim.claim_key in keys], None

    _settled(home, "review: import", work, clock, cards, wait_seconds)
    return found[0]


def exported(home: Home, *, wait_seconds: float = 0) -> tuple[DecisionLine, ...]:
    """Every decision as a line, oldest first."""
    with Ledger.open(home, wait_seconds=wait_seconds, for_team=False) as ledger:
        return deciding.export(ledger)


def _settled(
    home: Home,
    label: str,
    work: Callable[[Ledger, int], tuple[tuple[int, ...], list[Claim], LedgerError | None]],
    clock: Clock,
    cards: Iterable[Scorecard],
    wait_seconds: float,
) -> Settled:
    known = tuple(cards)
    with Ledger.open(home, wait_seconds=wait_seconds) as ledger:
        # What earlier runs left is taken up, and what is stale stays so: a decision is no change by a vendor.
        left_over = LeftOver.read(home, ledger)
        with one_run(ledger, label, clock) as run_id:
            numbers, touched, failure = work(ledger, run_id)
            verify_ledger(ledger, home, clock())
            rerank(
                ledger,
                run_id,
                known,
                left_over.news,
                clock(),
                first_read=left_over.first_read,
                settled=touched,
            )
            rederived = rederive(ledger, run_id, known, clock(), note=label)
        ledger.publish()
        left = len(ledger.open_flags())
    if failure is not None:
        raise failure
    return Settled(numbers, left, rederived)
