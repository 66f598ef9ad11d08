"""Which ranks vendors can take, and who can be first, from the ends of their totals alone.

Vendors share no flag, so each can stand at its best while all others stand at their worst: the ranges are exact
where the totals' ends are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import accumulate

from warehouse.uncertainty.spread import Effort, Spread
from warehouse.uncertainty.tree import Bounds


class Field:
    """All vendors' totals, sorted by either end, so that one vendor's change is answered by bisection."""

    def __init__(self, totals: Mapping[str, Bounds]) -> None:
        self.totals = totals
        by_low = sorted((low, vendor) for vendor, (low, _) in totals.items())
        by_high = sorted((high, vendor) for vendor, (_, high) in totals.items())
        self._lows = [low for low, _ in by_low]
        self._highs = [high for high, _ in by_high]
        self._by_low = tuple(vendor for _, vendor in by_low)
        self._by_high = tuple(vendor for _, vendor in by_high)
        self._points: dict[int, list[str]] = {}
        for vendor, (low, high) in sorted(totals.items()):
            if low == high:
                self._points.setdefault(low, []).append(vendor)

    def ranks(self, vendor: str, bounds: Bounds | None = None) -> tuple[int, int]:
        """Gives the best and the worst rank of the vendor, at `bounds` instead of its own where given.

        `bounds` must lie within the vendor's own.
        """
        low, high = own = self.totals[vendor]
        if bounds is not None:
            low, high = bounds
        best = 1 + len(self._lows) - bisect_right(self._lows, high)
        worst = 1 + len(self._highs) - bisect_right(self._highs, low)
        return best, worst - (own[1] > low)  # its own high end is no rival

    def decided(self, vendor: str, bounds: Bounds) -> tuple[tuple[str, ...], ...]:
        """Gives whom the vendor, once within `bounds`, is surely ahead of, behind and tied with, but was not before."""
        low, high = self.totals[vendor]
        new_low, new_high = bounds
        ahead = self._by_high[bisect_left(self._highs, low) : bisect_left(self._highs, new_low)]
        behind = self._by_low[bisect_right(self._lows, new_high) : bisect_right(self._lows, high)]
        tied: tuple[str, ...] = ()
        if new_low == new_high and low < high:
            tied = tuple(self._points.get(new_low, ()))
        return ahead, behind, tied

    def firsts(self, vendor: str, bounds: Bounds) -> tuple[int, tuple[str, ...]]:
        """Gives how many vendors can be first, and who they are if all of them are first in every combination.

        The vendor stands within `bounds` instead of its own total.
        """
        low = max(bounds[0], self._highest_low(without=vendor, default=bounds[0]))
        start = bisect_left(self._highs, low)
        itself = bounds[1] >= low
        rivals = len(self._highs) - start - (self.totals[vendor][1] >= low) + itself
        if rivals == 1:
            return 1, (vendor,) if itself else tuple(v for v in self._by_high[start:] if v != vendor)
        points = [v for v in self._points.get(low, ()) if v != vendor]
        if bounds == (low, low):
            points = sorted([*points, vendor])
        return rivals, tuple(points) if len(points) == rivals else ()

    def contenders(self) -> tuple[str, ...]:
        """Gives the vendors that can be first, by id."""
        if not self.totals:
            return ()
        return tuple(sorted(self._by_high[bisect_left(self._highs, self._lows[-1]) :]))

    def undecided(self) -> list[tuple[str, str]]:
        """Gives each pair that readings can put in more than one order, once, in no order of its own."""
        return [
            (vendor, other)
            for place, vendor in enumerate(self._by_low)
            for other in self._by_low[place + 1 : bisect_right(self._lows, self.totals[vendor][1])]
            if not self.totals[vendor] == self.totals[other] == (self.totals[other][1],) * 2
        ]

    def tied(self) -> tuple[tuple[str, ...], ...]:
        """Gives the groups of vendors whose totals are one and the same in every combination, highest first."""
        return tuple(tuple(g) for _, g in sorted(self._points.items(), reverse=True) if len(g) > 1)

    def _highest_low(self, without: str, default: int) -> int:
        """The highest low end of the others; `default` where there is no other."""
        last = len(self._lows) - 1 - (self._by_low[-1] == without)
        return self._lows[last] if last >= 0 else default


def rank_shares(
    vendor: str, rivals: Sequence[str], spreads: Mapping[str, Spread], effort: Effort
) -> tuple[Fraction, ...]:
    """Gives the share of combinations that put no rival above the vendor, one, two, and so on.

    `rivals`: the vendors whose order with it is undecided; so there is one share more than rivals. All need a
    spread. Raises TooMuchError past the limit.
    """
    own = spreads[vendor]
    effort.spend(len(own) * (len(rivals) + 1) ** 2 + sum(len(spreads[rival]) for rival in rivals))
    tables = []
    whole = sum(own.values())
    for rival in rivals:
        values = sorted(spreads[rival])
        upto = [0, *accumulate(spreads[rival][value] for value in values)]
        tables.append((values, upto))
        whole *= upto[-1]
    # Counts by number of rivals above, as the digits of one integer: a rival multiplies it by (not above, above).
    digit = whole.bit_length() + 1
    counted = 0
    for value, count in own.items():
        ways = count
        for values, upto in tables:
            below = upto[bisect_right(values, value)]
            ways = ways * below + (ways * (upto[-1] - below) << digit)
        counted += ways
    mask = (1 << digit) - 1
    return tuple(Fraction(counted >> (digit * n) & mask, whole) for n in range(len(rivals) + 1))
