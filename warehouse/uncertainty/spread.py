"""Spreads: how many combinations of readings give each value. Exact, in integers of any size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import accumulate
from math import gcd, lcm

Spread = dict[int, int]
"""Value → number of equally likely combinations that give it; the counts matter in proportion only."""


class TooMuchError(Exception):
    """The work would pass the limit. It is caught where the result is recorded as not computed."""


class Effort:
    """Counts work in steps that depend on the input alone, so that what is computed never depends on time."""

    __slots__ = ("left",)

    def __init__(self, limit: int) -> None:
        self.left = limit

    def spend(self, steps: int) -> None:
        """Raises TooMuchError when the steps pass what is left."""
        self.left -= steps
        if self.left < 0:
            raise TooMuchError


def of_values(values: Sequence[int]) -> Spread:
    """Gives the spread of equally likely values."""
    spread = dict.fromkeys(values, 1)
    return spread if len(spread) == len(values) else dict(Counter(values))


def of_sum(spreads: Iterable[Spread], effort: Effort) -> Spread:
    """Gives the spread of a sum of independent parts: every value with every other, equal sums merged."""
    whole: Spread = {0: 1}
    for spread in sorted(spreads, key=len):
        effort.spend(len(whole) * len(spread))
        merged: Spread = {}
        have = merged.get
        few, many = (whole, spread) if len(whole) < len(spread) else (spread, whole)
        for value, count in few.items():
            for other, times in many.items():
                total = value + other
                merged[total] = have(total, 0) + count * times
        whole = merged
    return whole


def of_max(spreads: Iterable[Spread], effort: Effort) -> Spread:
    """Gives the spread of the greatest of independent parts.

    At most x means each at most x, so the cumulative counts multiply and no combination is enumerated.
    """
    parts = list(spreads)
    if len(parts) == 1:
        return parts[0]
    values = sorted(set().union(*parts))
    effort.spend(len(values) * len(parts))
    reached = [1] * len(values)
    for part in parts:
        have = part.get
        counts = accumulate(have(value, 0) for value in values)
        reached = [so_far * count for so_far, count in zip(reached, counts, strict=True)]
    steps = zip(values, reached, [0, *reached], strict=False)
    return {value: upto - before for value, upto, before in steps if upto > before}


def mapped(spread: Spread, change: Callable[[int], int]) -> Spread:
    """Gives the spread of the changed values; those that become equal merge."""
    result: Spread = {}
    for value, count in spread.items():
        new = change(value)
        result[new] = result.get(new, 0) + count
    return result


def mixed(spreads: Iterable[Spread]) -> Spread:
    """Gives the spread over equally likely cases that exclude each other.

    A case may have dropped flags that move nothing in it, so the counts are brought to the same sum first.
    """
    cases = [(spread, sum(spread.values())) for spread in spreads]
    common = lcm(*(size for _, size in cases))
    result: Spread = {}
    for spread, size in cases:
        times = common // size
        for value, count in spread.items():
            result[value] = result.get(value, 0) + count * times
    return result


def reduced(spread: Spread) -> Spread:
    """Gives the same shares in the smallest counts."""
    common = gcd(*spread.values())
    return spread if common == 1 else {value: count // common for value, count in spread.items()}


def mean(spread: Spread, unit: int) -> Fraction:
    """Gives the mean over equally likely combinations of values counted in 1/unit."""
    return Fraction(sum(v * count for v, count in spread.items()), unit * sum(spread.values()))
