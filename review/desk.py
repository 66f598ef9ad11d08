"""What the review desk shows: the queue with what each reading does, made ready once a publishing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from review.queue import Queued
from schemas.decision import Decision, Seen
from schemas.record import Words
from schemas.uncertainty import Evaluation
from warehouse.reader import Reader


@dataclass(frozen=True)
class Card:
    """A scorecard's derived ranking as it stands."""

    id: str
    name: Words
    evaluation: Evaluation


@dataclass(frozen=True)
class State:
    """One publishing, made ready. `standings`: by claim key, roll-up and why. `last`: by flag id, its last decision.

    `groups`: by what makes flags the same question on sibling claims, their places in the queue. `choices`: by
    language, what the queue's filters can be set to, once somebody asked.
    """

    stamp: object
    reader: Reader
    queue: tuple[Queued, ...]
    cards: tuple[Card, ...]
    standings: dict[str, tuple[str, str]]
    last: dict[str, int]
    places: dict[str, int] = field(default_factory=dict)
    groups: dict[tuple[object, ...], list[int]] = field(default_factory=dict)
    choices: dict[str, dict[str, list[tuple[str, str]]]] = field(default_factory=dict)

    @classmethod
    def made(
        cls,
        stamp: object,
        reader: Reader,
        queue: Sequence[Queued],
        cards: Iterable[Card],
        standings: dict[str, tuple[str, str]],
        last: dict[str, int],
    ) -> State:
        """Puts the parts together and indexes the queue."""
        groups: dict[tuple[object, ...], list[int]] = {}
        for place, queued in enumerate(queue):
            groups.setdefault(group_of(queued), []).append(place)
        places = {queued.flag.flag.flag_id: place for place, queued in enumerate(queue)}
        return cls(stamp, reader, tuple(queue), tuple(cards), standings, last, places, groups)

    def find(self, flag_id: str) -> Queued | None:
        """The open flag of that id."""
        place = self.places.get(flag_id)
        return None if place is None else self.queue[place]

    def siblings(self, queued: Queued) -> list[Queued]:
        """The same question on other claims of the vendor, this one included, in the queue's order."""
        return [self.queue[place] for place in self.groups.get(group_of(queued), ())]

    def seen(self, queued: Queued) -> Seen:
        """What somebody who looks at this state has seen of the flag."""
        flag_id = queued.flag.flag.flag_id
        return Seen(version=queued.flag.claim.version, decision_id=self.last.get(flag_id, 0))


def group_of(queued: Queued) -> tuple[object, ...]:
    """What makes two flags one question: vendor, metric, flag, and the same readings to choose from."""
    claim, flag = queued.flag.claim.claim, queued.flag.flag
    return (claim.vendor, claim.metric, flag.name, tuple(reading.key for reading in flag.readings))


@dataclass(frozen=True)
class Outcome:
    """What a decision did: flags left open, and the rankings that were derived again (those alone)."""

    open_flags: int
    cards: tuple[Card, ...]


class Backend(Protocol):
    """What stores and reads for the desk. `flows.review_desk` is the one that does it on a home."""

    def stamp(self) -> object:
        """What differs after each publishing."""

    def load(self) -> State:
        """The publishing that readers find now, made ready."""

    def decide(self, given: Sequence[tuple[Decision, Seen | None]]) -> Outcome:
        """Stores, ranks and publishes."""

    def undo(self, flag_ids: Sequence[str], who: str, note: str) -> Outcome:
        """Takes back, ranks and publishes."""

    def body(self, sha256: str) -> bytes:
        """A page's bytes as they came."""

    def query(self, sql: str) -> dict[str, object]:
        """The result of a reader's own query: `columns` and `rows` of texts, or `error`."""

    def export(self) -> str:
        """Every decision, one JSON object a line."""


class Desk:
    """The newest state there is. A new publishing is made ready beside the old one, which is shown meanwhile."""

    def __init__(self, backend: Backend) -> None:
        self.backend = backend
        self._state = backend.load()
        self._turn = threading.Lock()

    def state(self) -> State:
        """The state to show now; begins to make a newer one ready where there is one."""
        if self._state.stamp != self.backend.stamp() and self._turn.acquire(blocking=False):
            threading.Thread(target=self._load, daemon=True).start()
        return self._state

    def after(self, work: Callable[[], Outcome]) -> Outcome:
        """Does a decision's work, and gives what it did once the state shows it."""
        outcome = work()
        with self._turn:
            if self._state.stamp != self.backend.stamp():
                self._state = self.backend.load()
        return outcome

    def _load(self) -> None:
        try:
            self._state = self.backend.load()
        finally:
            self._turn.release()
