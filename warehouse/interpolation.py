"""From a figure to a score between anchors. The same figure gives the same fraction on every machine."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import floor

from schemas.criteria import Measure
from schemas.registry import registry

PLACES = 12
"""Decimal places to which a score is rounded, half up."""

# The decimal module rounds a logarithm correctly at the precision of its context, so its digits are the same
# everywhere; 60 of them leave no doubt about the twelfth place.
_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN)
_LAST_PLACE = Decimal(1).scaleb(-PLACES)
_UNIT = 10**PLACES


class Scale:
    """The map of a measure of a metric, made ready to score many figures."""

    def __init__(self, measure: Measure) -> None:
        self._kind = measure.map
        self._higher = measure.metric is not None and registry().metric(measure.metric).better == "higher"
        self._below = Fraction(measure.below)
        self._at = [Fraction(anchor.at) for anchor in measure.anchors]
        self._scores = [Fraction(anchor.score) for anchor in measure.anchors]
        self._decimals = [anchor.score for anchor in measure.anchors]
        self._logs = [_log(at) for at in self._at] if measure.map == "log" else []

    def score(self, figure: Fraction) -> Fraction:
        """Gives the score, 0 to 5, of a figure in the metric's unit; rounded half up to `PLACES` places.

        Before the first anchor and past the last one the score is that anchor's.
        """
        if self._kind == "steps":
            return self._stepped(figure)
        after = bisect_left(self._at, figure)
        if after == len(self._at):
            return self._scores[-1]
        if after == 0 or self._at[after] == figure:
            return self._scores[after]
        return self._logarithmic(figure, after) if self._kind == "log" else self._linear(figure, after)

    def _stepped(self, figure: Fraction) -> Fraction:
        """The score of the best anchor that the figure reaches."""
        place = bisect_right(self._at, figure) - 1 if self._higher else bisect_left(self._at, figure)
        return self._scores[place] if 0 <= place < len(self._scores) else self._below

    def _linear(self, figure: Fraction, after: int) -> Fraction:
        low, high = self._at[after - 1], self._at[after]
        start, end = self._scores[after - 1], self._scores[after]
        score = start + (end - start) * (figure - low) / (high - low)
        return Fraction(floor(score * _UNIT + Fraction(1, 2)), _UNIT)

    def _logarithmic(self, figure: Fraction, after: int) -> Fraction:
        low, high = self._logs[after - 1], self._logs[after]
        start, end = self._decimals[after - 1], self._decimals[after]
        part = _EXACT.divide(_EXACT.subtract(_log(figure), low), _EXACT.subtract(high, low))
        score = _EXACT.fma(_EXACT.subtract(end, start), part, start)
        return Fraction(score.quantize(_LAST_PLACE, ROUND_HALF_UP, _EXACT))


def score_of(measure: Measure, figure: Fraction) -> Fraction:
    """Gives the score of one figure under a measure of a metric."""
    return Scale(measure).score(figure)


@lru_cache(maxsize=65_536)
def _log(figure: Fraction) -> Decimal:
    """The natural logarithm of a positive number."""
    log = _EXACT.ln(Decimal(figure.numerator))
    if figure.denominator == 1:
        return log
    return _EXACT.subtract(log, _EXACT.ln(Decimal(figure.denominator)))
