"""A vendor's score as a tree: tables of values at the leaves, maxima and weighted sums above them.

Every step up is monotone: no part's gain is another's loss. So where the parts below a step share no flag, the
step's bounds are those of its parts, and its spread is made of theirs without enumerating combinations. Parts
that share flags are tied into a knot, which is undone by trying the readings of the flag that most of them share.

Values are integers on a scale that the caller chose; no number here is rounded but by a `finish` that says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from math import prod
from typing import Protocol

from warehouse.uncertainty import spread as spreads
from warehouse.uncertainty.spread import Effort, Spread

Bounds = tuple[int, int]
"""Lowest and highest value."""
LOW, HIGH = 0, 1
"""The ends of bounds."""
Finish = Callable[[int], int]
"""What is done to a step's result: weighting or rounding. Never lowers the order of two values."""


class Fold(Enum):
    """How a step makes one value of its parts' values."""

    SUM = "sum"
    MAX = "max"

    def __call__(self, values: Iterable[int]) -> int:
        """Gives the sum, or the greatest."""
        return sum(values) if self is Fold.SUM else max(values)


@dataclass(frozen=True)
class Readings:
    """How many readings each flag has, and up to how many combinations a knot is written out as one table."""

    sizes: Mapping[str, int]
    table: int


class Node(Protocol):
    """A value that depends on open flags."""

    @property
    def flags(self) -> tuple[str, ...]:
        """Every flag it depends on, each once."""

    def given(self, flag: str, reading: int) -> Node:
        """Gives the same value with one of its flags settled."""

    def column(self, flags: tuple[str, ...], sizes: Mapping[str, int]) -> list[int]:
        """Gives the value under each combination of `flags`, which include its own; the last flag fastest."""

    def outer(self) -> Bounds:
        """Gives bounds that hold for every combination but, below a knot, may be reached by none."""

    def end(self, side: int, effort: Effort) -> int:
        """Gives the least (LOW) or the greatest (HIGH) value. Raises TooMuchError past the limit."""

    def end_given(self, flag: str, reading: int, side: int, effort: Effort) -> int:
        """Gives `given(flag, reading).end(side)`, changing only what the flag touches."""

    def spread(self, effort: Effort) -> Spread:
        """Gives how often each value comes, in proportion. Raises TooMuchError past the limit."""


class Table:
    """The value under each combination of its own flags, row-major, the last flag fastest."""

    __slots__ = ("_bounds", "flags", "sizes", "values")

    def __init__(self, flags: tuple[str, ...], sizes: tuple[int, ...], values: tuple[int, ...]) -> None:
        self.flags = flags
        self.sizes = sizes
        self.values = values
        self._bounds = (min(values), max(values))

    def given(self, flag: str, reading: int) -> Table:
        """Gives the rows of that reading."""
        if len(self.flags) == 1:
            return constant(self.values[reading])
        at = self.flags.index(flag)
        size = self.sizes[at]
        after = prod(self.sizes[at + 1 :])
        block = size * after
        start = reading * after
        values = self.values
        kept = tuple(
            value for first in range(start, len(values), block) for value in values[first : first + after]
        )
        return Table(self.flags[:at] + self.flags[at + 1 :], self.sizes[:at] + self.sizes[at + 1 :], kept)

    def outer(self) -> Bounds:
        """Gives the least and the greatest value in the table."""
        return self._bounds

    def end(self, side: int, effort: Effort) -> int:  # noqa: ARG002 - a table is as small as its input
        """Gives the least or the greatest value in the table."""
        return self._bounds[side]

    def end_given(self, flag: str, reading: int, side: int, effort: Effort) -> int:
        """Gives the end of the rows of that reading."""
        return self.given(flag, reading).end(side, effort)

    def column(self, flags: tuple[str, ...], sizes: Mapping[str, int]) -> list[int]:
        """Gives the value under each combination, repeated along the flags that it does not depend on."""
        places = [0]
        for flag in flags:
            stride = prod(self.sizes[self.flags.index(flag) + 1 :]) if flag in self.flags else 0
            places = [place + stride * reading for place in places for reading in range(sizes[flag])]
        return [self.values[place] for place in places]

    def finished(self, finish: Finish) -> Table:
        """Gives the table of the finished values."""
        return Table(self.flags, self.sizes, tuple(map(finish, self.values)))

    def spread(self, effort: Effort) -> Spread:
        """Gives how often each value stands in the table."""
        effort.spend(len(self.values))
        return spreads.of_values(self.values)


class Step:
    """Parts that share no flag, folded into one value, and finished."""

    __slots__ = ("_ends", "_outer", "_spread", "finish", "flags", "fold", "parts")

    def __init__(self, parts: tuple[Node, ...], fold: Fold, finish: Finish | None = None) -> None:
        self.parts = parts
        self.fold = fold
        self.finish = finish
        self.flags = tuple(flag for part in parts for flag in part.flags)
        self._outer: Bounds | None = None
        self._ends: list[int | None] = [None, None]
        self._spread: Spread | None = None

    def given(self, flag: str, reading: int) -> Step:
        """Settles the flag in the one part that has it; the others stay as they are, and what they know too."""
        parts = tuple(part.given(flag, reading) if flag in part.flags else part for part in self.parts)
        return Step(parts, self.fold, self.finish)

    def column(self, flags: tuple[str, ...], sizes: Mapping[str, int]) -> list[int]:
        """Gives the parts' columns, folded row by row and finished."""
        rows = _column(self.parts, self.fold, flags, sizes)
        return rows if self.finish is None else list(map(self.finish, rows))

    def outer(self) -> Bounds:
        """Gives the fold of the parts' outer bounds."""
        if self._outer is None:
            bounds = [part.outer() for part in self.parts]
            low, high = self.fold([b[LOW] for b in bounds]), self.fold([b[HIGH] for b in bounds])
            self._outer = (low, high) if self.finish is None else (self.finish(low), self.finish(high))
        return self._outer

    def end(self, side: int, effort: Effort) -> int:
        """Gives the fold of the parts' ends: exact, because the parts move independently."""
        folded = self._folded(side, effort)
        return folded if self.finish is None else self.finish(folded)

    def end_given(self, flag: str, reading: int, side: int, effort: Effort) -> int:
        """Gives the end with the one part changed that has the flag."""
        changed = next(part for part in self.parts if flag in part.flags)
        end = changed.end_given(flag, reading, side, effort)
        if self.fold is Fold.SUM:
            end += self._folded(side, effort) - changed.end(side, effort)
        else:
            end = max([end, *(part.end(side, effort) for part in self.parts if part is not changed)])
        return end if self.finish is None else self.finish(end)

    def spread(self, effort: Effort) -> Spread:
        """Gives the parts' spreads, convolved for a sum, multiplied cumulatively for a maximum."""
        if self._spread is None:
            parts = [part.spread(effort) for part in self.parts]
            of = spreads.of_sum if self.fold is Fold.SUM else spreads.of_max
            whole = of(parts, effort)
            self._spread = whole if self.finish is None else spreads.mapped(whole, self.finish)
        return self._spread

    def _folded(self, side: int, effort: Effort) -> int:
        known = self._ends[side]
        if known is None:
            known = self._ends[side] = self.fold([part.end(side, effort) for part in self.parts])
        return known


class Knot:
    """Parts that hang together by shared flags, folded into one value."""

    __slots__ = ("_ends", "_given", "_outer", "flags", "fold", "parts", "pivot", "readings")

    def __init__(self, parts: tuple[Node, ...], fold: Fold, readings: Readings) -> None:
        self.parts = parts
        self.fold = fold
        self.readings = readings
        shared = Counter(flag for part in parts for flag in part.flags)
        self.flags = tuple(shared)
        most = max(shared.values())
        widest = sorted(flag for flag, times in shared.items() if times == most)
        self.pivot = widest[len(widest) // 2]  # the middle one cuts a chain into halves
        self._given: dict[tuple[str, int], Node] = {}
        self._outer: Bounds | None = None
        self._ends: list[int | None] = [None, None]

    def given(self, flag: str, reading: int) -> Node:
        """Settles the flag wherever it stands, and lets go what no longer hangs together."""
        left = self._given.get((flag, reading))
        if left is None:
            parts = [part.given(flag, reading) if flag in part.flags else part for part in self.parts]
            left = self._given[flag, reading] = step(parts, self.fold, None, self.readings)
        return left

    def column(self, flags: tuple[str, ...], sizes: Mapping[str, int]) -> list[int]:
        """Gives the parts' columns, folded row by row."""
        return _column(self.parts, self.fold, flags, sizes)

    def outer(self) -> Bounds:
        """Gives the fold of the parts' outer bounds, as if they moved independently."""
        if self._outer is None:
            bounds = [part.outer() for part in self.parts]
            self._outer = self.fold([b[LOW] for b in bounds]), self.fold([b[HIGH] for b in bounds])
        return self._outer

    def end(self, side: int, effort: Effort) -> int:
        """Gives the exact end by branch and bound over the pivot's readings, the most promising first.

        Where one reading is best for every part, it alone is followed: its exact end is already the outer one.
        """
        known = self._ends[side]
        if known is None:
            known = self._ends[side] = self._searched(side, effort)
        return known

    def spread(self, effort: Effort) -> Spread:
        """Gives the spreads under each of the pivot's readings, put together."""
        return spreads.mixed([branch.spread(effort) for branch in self._tried(effort)])

    def end_given(self, flag: str, reading: int, side: int, effort: Effort) -> int:
        """Gives the end of what is left once the flag is settled."""
        return self.given(flag, reading).end(side, effort)

    def _searched(self, side: int, effort: Effort) -> int:
        if self.fold is Fold.MAX and side == HIGH:
            # The greatest part at its greatest: no other part can take from it.
            return max(part.end(HIGH, effort) for part in self.parts)
        better = max if side == HIGH else min
        branches = sorted(self._tried(effort), key=lambda b: b.outer()[side], reverse=side == HIGH)
        found = branches[0].end(side, effort)
        for branch in branches[1:]:
            if better(found, branch.outer()[side]) == found:
                break
            found = better(found, branch.end(side, effort))
        return found

    def _tried(self, effort: Effort) -> list[Node]:
        size = self.readings.sizes[self.pivot]
        if (self.pivot, 0) not in self._given:
            effort.spend(len(self.parts) * size)
        return [self.given(self.pivot, reading) for reading in range(size)]


def constant(value: int) -> Table:
    """Gives a value that depends on no flag."""
    return Table((), (), (value,))


def step(parts: Iterable[Node], fold: Fold, finish: Finish | None, readings: Readings) -> Node:
    """Gives the parts folded into one value and finished; those that share flags become one table or a knot.

    Parts that no reading moves become one constant, and of a maximum what can never be the greatest is dropped with its
    flags.
    """
    settled: list[int] = []
    open_parts: list[Node] = []
    for part in parts:
        low, high = part.outer()
        if low == high:
            settled.append(low)
        else:
            open_parts.append(part)
    if fold is Fold.MAX and open_parts:
        floor = max([*settled, *(part.outer()[0] for part in open_parts)])
        open_parts = [part for part in open_parts if part.outer()[1] > floor]
        settled = [] if any(part.outer()[0] == floor for part in open_parts) else [floor]
    if not open_parts:
        value = fold(settled)
        return constant(value if finish is None else finish(value))
    grouped = [_joined(group, fold, readings) for group in _groups(open_parts)]
    if settled:
        grouped.append(constant(fold(settled)))
    if len(grouped) == 1:
        only = grouped[0]
        if finish is None:
            return only
        if isinstance(only, Table):
            return only.finished(finish)
    return Step(tuple(grouped), fold, finish)


def _joined(parts: list[Node], fold: Fold, readings: Readings) -> Node:
    if len(parts) == 1:
        return parts[0]
    flags = tuple(dict.fromkeys(flag for part in parts for flag in part.flags))
    sizes = tuple(readings.sizes[flag] for flag in flags)
    if prod(sizes) <= readings.table:
        return Table(flags, sizes, tuple(_column(parts, fold, flags, readings.sizes)))
    return Knot(tuple(parts), fold, readings)


def _column(parts: Iterable[Node], fold: Fold, flags: tuple[str, ...], sizes: Mapping[str, int]) -> list[int]:
    rows = zip(*[part.column(flags, sizes) for part in parts], strict=True)
    return list(map(sum if fold is Fold.SUM else max, rows))


def _groups(parts: list[Node]) -> list[list[Node]]:
    """The parts that hang together by shared flags, in the order of their first part."""
    groups: dict[int, list[Node]] = {}
    group_of: dict[str, int] = {}
    for index, part in enumerate(parts):
        joined = sorted({group_of[flag] for flag in part.flags if flag in group_of})
        home = joined[0] if joined else index
        members = groups.setdefault(home, [])
        for other in joined[1:]:
            members.extend(groups.pop(other))
        members.append(part)
        if len(joined) > 1:
            group_of.update({flag: home for member in members for flag in member.flags})
        else:
            group_of.update(dict.fromkeys(part.flags, home))
    return list(groups.values())
