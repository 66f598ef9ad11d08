"""The ends of a value over all readings: searched as far as the limit goes, bounded beyond it."""

from __future__ import annotations

from fractions import Fraction

from schemas.uncertainty import Interval
from warehouse.uncertainty.spread import Effort, TooMuchError
from warehouse.uncertainty.tree import HIGH, LOW, Bounds, Node


def ends(node: Node, effort: Effort) -> tuple[Bounds, bool]:
    """Gives the least and greatest value and True, or past the limit bounds that hold but may be too wide, and False."""
    try:
        return (node.end(LOW, effort), node.end(HIGH, effort)), True
    except TooMuchError:
        return node.outer(), False


def ends_given(node: Node, flag: str, reading: int, effort: Effort) -> tuple[Bounds, bool]:
    """Gives the same of the node with one of its flags settled."""
    try:
        low, high = (node.end_given(flag, reading, side, effort) for side in (LOW, HIGH))
    except TooMuchError:
        return node.given(flag, reading).outer(), False
    return (low, high), True


def interval(bounds: Bounds, unit: int, exact: bool) -> Interval:
    """Gives the bounds, counted in 1/unit, as an interval of fractions."""
    return Interval(low=Fraction(bounds[0], unit), high=Fraction(bounds[1], unit), exact=exact)
