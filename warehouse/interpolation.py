"""From a figure to a score between anchors. The same figure gives the same fraction on every machine."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import floor

from schemas.criteria import Anchor, Measure
from schemas.registry import registry

PLACES = 12
"""Decimal places to which a score is rounded, half up."""

# The decimal module rounds a logarithm correctly at the precision of its context, so its digits are the same
# everywhere; 60 of them leave no doubt about the twelfth place.
_EXACT = Context(prec=60, rounding=ROUND_HALF_EVEN)
_UNIT = 10**PLACES


def score_of(measure: Measure, figure: Fraction) -> Fraction:
    """Gives the score, 0 to 5, of a figure in the metric's unit; rounded half up to `PLACES` places.

    Before the first anchor and past the last one the score is that anchor's. `measure` is one of a metric.
    """
    anchors = measure.anchors
    if measure.map == "steps":
        return _stepped(measure, figure)
    if figure <= anchors[0].at:
        return Fraction(anchors[0].score)
    for before, after in pairwise(anchors):
        if figure <= after.at:
            return _between(before, after, figure, logarithmic=measure.map == "log")
    return Fraction(anchors[-1].score)


def _stepped(measure: Measure, figure: Fraction) -> Fraction:
    """The score of the best anchor that the figure reaches."""
    higher = measure.metric is not None and registry().metric(measure.metric).better == "higher"
    reached = [a.score for a in measure.anchors if (figure >= a.at if higher else figure <= a.at)]
    return Fraction(max(reached, default=measure.below))


def _between(before: Anchor, after: Anchor, figure: Fraction, *, logarithmic: bool) -> Fraction:
    low, high = Fraction(before.at), Fraction(after.at)
    part = (figure - low) / (high - low)
    if logarithmic:
        part = Fraction(_EXACT.divide(_log(figure / low), _log(high / low)))
    start, end = Fraction(before.score), Fraction(after.score)
    return Fraction(floor((start + (end - start) * part) * _UNIT + Fraction(1, 2)), _UNIT)


@lru_cache(maxsize=65_536)
def _log(ratio: Fraction) -> Decimal:
    """The natural logarithm of a positive ratio; 0 for 1."""
    return _EXACT.subtract(_EXACT.ln(Decimal(ratio.numerator)), _EXACT.ln(Decimal(ratio.denominator)))
