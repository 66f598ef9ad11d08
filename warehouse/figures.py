"""The figure that a claim comes to under each combination of its flags' readings."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import product

from schemas.claim import Claim
from schemas.flag import Flag, Reading
from schemas.record import plain


@dataclass(frozen=True, slots=True)
class Figure:
    """A number and what it is a number of."""

    low: Fraction | None
    high: Fraction | None
    unit: str
    basis: str
    direction: str

    def __str__(self) -> str:
        """The figure for people: 400000000000 bit/s per_accelerator."""
        ends = [_written(end) for end in (self.low, self.high) if end is not None]
        return f"{'–'.join(ends)} {self.unit} {self.basis}"

    def converted(self, factor: Fraction, kind: str, to: str) -> Figure:
        """The figure multiplied, and with `to` for its unit, basis or direction (`kind`)."""
        low, high = (None if end is None else end * factor for end in (self.low, self.high))
        return Figure(
            low=low,
            high=high,
            unit=to if kind == "unit" else self.unit,
            basis=to if kind == "basis" else self.basis,
            direction=to if kind == "direction" else self.direction,
        )

    def value(self, better: str) -> Fraction:
        """The end that promises less: of a range, what the vendor is sure to keep."""
        ends = [end for end in (self.low, self.high) if end is not None]
        return max(ends) if better == "lower" else min(ends)


def figures(claim: Claim, flags: tuple[Flag, ...]) -> tuple[Figure | None, ...]:
    """Gives the figure under each combination of readings, the last flag's changing fastest.

    None where a reading gives no number. A reading that multiplies the number does so whatever the others are.
    """
    stated = stated_figure(claim)
    return tuple(_under(stated, combination) for combination in product(*(flag.readings for flag in flags)))


def stated_figure(claim: Claim) -> Figure:
    """Gives the figure of a claim as it was read."""
    return Figure(
        low=_fraction(claim.low),
        high=_fraction(claim.high),
        unit=claim.unit,
        basis=claim.basis,
        direction=str(claim.direction),
    )


def _under(stated: Figure, readings: tuple[Reading, ...]) -> Figure | None:
    figure = stated
    for reading in readings:
        low, high = _fraction(reading.low), _fraction(reading.high)
        if low is None and high is None:
            return None
        figure = replace(
            figure,
            low=_scaled(figure.low, stated.low, low),
            high=_scaled(figure.high, stated.high, high),
            basis=reading.basis or figure.basis,
            direction=reading.direction or figure.direction,
        )
        if figure.low is None and figure.high is None:
            return None
    return figure


def _scaled(now: Fraction | None, stated: Fraction | None, read: Fraction | None) -> Fraction | None:
    """What is left of an end: multiplied as the reading multiplies the stated one; once taken away, it stays so."""
    if not stated:
        return read
    if read is None or now is None:
        return None
    return now if read == stated else now * read / stated


def _written(number: Fraction) -> str:
    whole = number.denominator == 1
    return str(number) if whole else plain(Decimal(number.numerator) / Decimal(number.denominator))


def _fraction(number: Decimal | None) -> Fraction | None:
    return None if number is None else Fraction(number)
