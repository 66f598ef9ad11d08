"""Reviewing in a terminal, key by key, as it works over SSH."""

from __future__ import annotations

import contextlib
import sys
import termios
import tty
from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from flows import published
from flows.commands.settling import tell
from flows.deciding import decide, undo
from flows.derived import review_queue
from flows.own_cards import cards_of
from flows.printing import heading, is_terminal, out, say
from review.queue import Queued
from schemas.decision import Decision, DecisionKind, Seen
from schemas.errors import LedgerError
from schemas.flag import Reading
from schemas.record import plain
from warehouse.home import Home

_KEYS = "j next · k back · 1-9 this reading · s not sure · a ask the vendor · u undo the last · q end"
_OPEN = {"s": DecisionKind.UNSURE, "a": DecisionKind.ASK_VENDOR}


def run(home: Home, who: str, vendor: str | None, wait_seconds: float) -> None:
    """Shows the open flags one after the other, most worthwhile first, and stores what the keys say."""
    if not home.published.exists():
        raise LedgerError(
            f"there is no ledger at {home.root} yet; run `koujing refresh` or `koujing demo` first"
        )
    desk = _Desk(home, who, vendor, wait_seconds)
    with _keys() as keys:
        desk.show()
        for key in keys:
            if key == "q" or not desk.obey(key):
                break


class _Desk:
    def __init__(self, home: Home, who: str, vendor: str | None, wait_seconds: float) -> None:
        self.home, self.who, self.vendor, self.wait = home, who, vendor, wait_seconds
        self.cards = cards_of(home)
        self.place = 0
        self.done: list[str] = []
        self.queue: tuple[Queued, ...] = ()
        self.last: dict[str, int] = {}
        self.load()

    def load(self) -> None:
        claims = tuple(c for c in published.claims(self.home) if self.vendor in (None, c.claim.vendor))
        self.queue = review_queue(self.home, claims, self.cards)
        rows = published.rows(
            self.home, "SELECT flag_id, max(decision_id) AS last FROM stored.decisions GROUP BY ALL"
        )
        self.last = {row["flag_id"]: row["last"] for row in rows}
        self.place = min(self.place, max(len(self.queue) - 1, 0))

    def show(self) -> None:
        if not self.queue:
            out("No flag is open.")
            return
        queued = self.queue[self.place]
        stored, flag = queued.flag.claim, queued.flag.flag
        claim = stored.claim
        heading(
            f"{self.place + 1} of {len(self.queue)} · {claim.vendor or 'nobody known'} · {claim.metric} · {flag.name}"
        )
        out(queued.why)
        if claim.evidence.path:
            out(" › ".join(claim.evidence.path))
        out(f"“{claim.evidence.quote}”")
        out(f"{flag.question.en}")
        for number, reading in enumerate(flag.readings, start=1):
            out(
                f"  {number}  {reading.label.en} ({reading.key}): {_value(reading, claim.unit)}{self._effect(queued, reading)}"
            )
        if queued.flag.marked:
            out(f"{queued.flag.marked_by} could not tell ({queued.flag.marked}): {queued.flag.marked_why}")
        say(_KEYS)

    def _effect(self, queued: Queued, reading: Reading) -> str:
        effects = queued.moves.effects if queued.moves else ()
        told = [
            f"rank {o.best if o.best == o.worst else f'{o.best}–{o.worst}'} on {effect.card}"
            for effect in effects
            for o in effect.outcomes
            if o.reading == reading.key
        ]
        return f"; {', '.join(told)}" if told else ""

    def obey(self, key: str) -> bool:
        """Does what the key says; False where there is nothing left to do."""
        if key in "jk" and self.queue:
            self.place = (self.place + (1 if key == "j" else -1)) % len(self.queue)
        elif key == "u":
            self._try(self._undo)
        elif self.queue and (key in _OPEN or key.isdigit()):
            self._try(lambda: self._decide(key))
        else:
            say(_KEYS)
            return True
        self.show()
        return bool(self.queue) or bool(self.done)

    def _try(self, work: Callable[[], None]) -> None:
        try:
            work()
        except LedgerError as error:
            say(f"error: {error}")
        self.load()

    def _decide(self, key: str) -> None:
        queued = self.queue[self.place]
        flag = queued.flag.flag
        number = int(key) if key.isdigit() else 0
        if key.isdigit() and not 1 <= number <= len(flag.readings):
            say(f"there are {len(flag.readings)} readings")
            return
        decision = Decision(
            claim_key=flag.claim_key,
            flag=flag.name,
            kind=_OPEN.get(key, DecisionKind.READING),
            reading=flag.readings[number - 1].key if number else "",
            who=self.who,
        )
        seen = Seen(version=queued.flag.claim.version, decision_id=self.last.get(flag.flag_id, 0))
        settled = decide(self.home, [(decision, seen)], _now, cards=self.cards, wait_seconds=self.wait)
        self.done.append(flag.flag_id)
        if key in _OPEN:
            self.place += 1
        tell(settled)

    def _undo(self) -> None:
        if not self.done:
            say("nothing was decided here yet")
            return
        flag = self.done[-1]
        tell(undo(self.home, [flag], self.who, "", _now, cards=self.cards, wait_seconds=self.wait))
        self.done.pop()


def _now() -> datetime:
    return datetime.now(UTC)


def _value(reading: Reading, unit: str) -> str:
    if reading.low is None and reading.high is None:
        return "no number can be given"
    ends = [plain(end) for end in (reading.low, reading.high) if end is not None]
    return f"{' to '.join(ends)} {unit}"


@contextlib.contextmanager
def _keys() -> Iterator[Iterator[str]]:
    """One character at a time from a terminal, which is left as it was; else the first of each line."""
    if not is_terminal(sys.stdin):
        yield (line.strip()[:1].lower() for line in sys.stdin if line.strip())
        return
    handle = sys.stdin.fileno()
    before = termios.tcgetattr(handle)
    try:
        tty.setcbreak(handle)
        yield iter(lambda: sys.stdin.read(1).lower() or "q", "")
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
