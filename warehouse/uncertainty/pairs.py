"""How often one vendor is ahead of another, for all pairs at once, counted exactly.

The values of all vendors are walked in rising order. Beside them goes one large integer in which each vendor has
a lane of bits: the number of its combinations that were passed. A vendor's value that occurs c times adds c times
that integer to the vendor's own, so that one multiplication counts it against every other vendor; the lanes are
wide enough that none runs over into the next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import gcd

from schemas.uncertainty import PairShare
from warehouse.uncertainty.spread import Spread


def pair_shares(pairs: Sequence[tuple[str, str]], spreads: Mapping[str, Spread]) -> tuple[PairShare, ...]:
    """Gives the counts of each pair in the order given; a pair with a vendor of no spread has none."""
    counted = {v: spreads[v] for v in dict.fromkeys(v for pair in pairs for v in pair) if v in spreads}
    tallies = _tallies(counted)
    return tuple(
        _share(one, other, tallies)
        if one in tallies and other in tallies
        else PairShare(first=one, second=other, first_ahead=None, tied=None, second_ahead=None)
        for one, other in pairs
    )


class _Tally:
    """A vendor's number of combinations, and by lane how many are above and how many level with another's."""

    __slots__ = ("above", "lane", "level", "size", "width")

    def __init__(self, lane: int, width: int, size: int) -> None:
        self.lane = lane
        self.width = width
        self.size = size
        self.above = b""
        self.level = b""

    def over(self, other: _Tally) -> int:
        """How many combinations of both put this one above the other."""
        return self._at(self.above, other)

    def beside(self, other: _Tally) -> int:
        """How many combinations of both put them level."""
        return self._at(self.level, other)

    def _at(self, lanes: bytes, other: _Tally) -> int:
        start = other.lane * self.width
        return int.from_bytes(lanes[start : start + self.width], "little")


def _share(one: str, other: str, tallies: Mapping[str, _Tally]) -> PairShare:
    mine, theirs = tallies[one], tallies[other]
    ahead, tied = mine.over(theirs), mine.beside(theirs)
    behind = mine.size * theirs.size - ahead - tied
    common = gcd(ahead, tied, behind)
    return PairShare(
        first=one,
        second=other,
        first_ahead=ahead // common,
        tied=tied // common,
        second_ahead=behind // common,
    )


def _tallies(spreads: Mapping[str, Spread]) -> dict[str, _Tally]:
    if not spreads:
        return {}
    sizes = [sum(spread.values()) for spread in spreads.values()]
    width = (max(sizes) ** 2).bit_length() // 8 + 1
    units = [1 << (8 * width * lane) for lane in range(len(sizes))]
    passed = 0
    above = [0] * len(sizes)
    level = [0] * len(sizes)
    for here in _rising(list(spreads.values())):
        before = passed
        for lane, count in here:
            above[lane] += count * before
            passed += count * units[lane]
        if len(here) > 1:
            for lane, count in here:
                level[lane] += count * (passed - before)
    tallies: dict[str, _Tally] = {}
    length = width * len(sizes)
    for lane, vendor in enumerate(spreads):
        tally = tallies[vendor] = _Tally(lane, width, sizes[lane])
        tally.above = above[lane].to_bytes(length, "little")
        tally.level = level[lane].to_bytes(length, "little")
    return tallies


def _rising(spreads: list[Spread]) -> Iterator[Sequence[tuple[int, int]]]:
    """At each value that any has, from the lowest: whose it is (by index) and how often."""
    lone: dict[int, int] = {}
    shared: dict[int, list[int]] = {}
    for index, spread in enumerate(spreads):
        for value in spread:
            if value in lone:
                shared.setdefault(value, [lone[value]]).append(index)
            else:
                lone[value] = index
    for value in sorted(lone):
        if value in shared:
            yield [(index, spreads[index][value]) for index in shared[value]]
        else:
            index = lone[value]
            yield ((index, spreads[index][value]),)
