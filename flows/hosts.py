"""What is remembered of each host while pages are visited: whose turn it is, its rules, whether it is down."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from flows.robots import Rules
from schemas.errors import FetchError


class HostState:
    """One host. Threads may share it: `at_once` of them are let in together, one after another.

    After `failures` requests in a row that the host did not answer, or answered with an error of its own, it
    is left alone for `rest_seconds`: its other pages fail at once, and wait for no time-out of their own. Then
    one request may try whether it is back.
    """

    def __init__(
        self, *, at_once: int, failures: int, rest_seconds: float, clock: Callable[[], float]
    ) -> None:
        self._places = threading.BoundedSemaphore(at_once)
        self._turn = threading.Lock()
        self._last: float | None = None
        self._most_failures = failures
        self._rest = rest_seconds
        self._clock = clock
        self._failed = 0
        self._closed_until: float | None = None
        self._why = ""

    @contextmanager
    def place(self, pause: float, sleep: Callable[[float], None]) -> Iterator[None]:
        """Holds one of the host's places, from its turn on, which comes `pause` after the last one's."""
        with self._places:
            with self._turn:  # held while we wait: whoever comes next waits behind us
                if self._last is not None and (rest := self._last + pause - self._clock()) > 0:
                    sleep(rest)
                self._last = self._clock()
            yield

    def refuse_if_resting(self) -> None:
        """Raises FetchError, with the reason, while the host is left alone."""
        if self._closed_until is not None and self._clock() < self._closed_until:
            raise FetchError(f"the host is left alone for now: {self._why}; try again later")

    def answered(self) -> None:
        """The host works."""
        self._failed, self._closed_until = 0, None

    def failed(self, why: str) -> None:
        """The host gave no answer, or an error of its own; `why` is told to those who are turned away."""
        self._failed += 1
        if self._failed >= self._most_failures:
            self.rest(self._rest, f"it failed {self._failed} times in a row, at last because {why}")

    def rest(self, seconds: float, why: str) -> None:
        """The host is left alone for so long."""
        self._closed_until, self._why = self._clock() + seconds, why


class RulesCache:
    """The robots.txt of each site, for as long as its own answer says that it holds."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._known: dict[str, tuple[Rules, float]] = {}
        self._reading: dict[str, threading.Lock] = {}

    def of(self, origin: str, read: Callable[[], Rules]) -> Rules:
        """The rules, read where they are not known or too old; by one thread, for which the others wait."""
        with self._reading.setdefault(origin, threading.Lock()):
            known = self._known.get(origin)
            if known is None or self._clock() >= known[1]:
                rules = read()
                known = self._known[origin] = rules, self._clock() + rules.holds_for
            return known[0]


def spread() -> float:
    """A number from 0 to 1 by which pauses differ, so that visits do not come in step with other visitors'."""
    return random.random()  # noqa: S311 - nothing secret hangs on it
