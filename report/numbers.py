"""Figures as people read them: prefixes instead of zeros, percents, minutes. Exact decimals throughout."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from report.model import Figure
from schemas.record import plain

_RATES = {"bit/s": "bit/s", "byte/s": "B/s", "byte/s/TiB": "B/s/TiB", "byte": "B"}
_PREFIXES = (("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3))
_TIMES = (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1))
_SHORT_TIMES = (("ms", 3), ("µs", 6), ("ns", 9))
_DIGITS = 4
_COUNTS = {"1/s": "/s", "1/s/TiB": "/s/TiB", "token/s": "token/s"}
SIGNS = {"at_least": "≥ ", "at_most": "≤ ", "approx": "≈ ", "formula": "≤ "}


def normalised(figure: Figure) -> str:
    """The figure in its canonical unit, with the sign of its bound: `≤ 2 TB/s`; "" for what has no number."""
    if figure.metric == "capability":
        return ""
    low, high = figure.low, figure.high
    if figure.bound == "order_of_magnitude" and low is not None and high is not None:
        return f"{amount(low, figure.unit)} … < {amount(high, figure.unit)}"
    if low is not None and high is not None:
        return f"{amount(low, figure.unit)} – {amount(high, figure.unit)}"
    number = low if low is not None else high
    return f"{SIGNS.get(figure.bound, '')}{amount(number, figure.unit)}" if number is not None else ""


def amount(number: Decimal, unit: str) -> str:
    """One number with its unit; at most four digits that count, so that `8.0000001` reads as `8`."""
    if unit in _RATES:
        return _with_prefix(number, _RATES[unit])
    if unit == "s":
        return _time(number)
    if unit == "fraction":
        return f"{_short(number * 100)}%"
    if unit in ("CNY", "USD"):
        return f"{_short(number, digits=8)} {unit}"
    if unit in _COUNTS:
        return f"{_grouped(number)}{'' if _COUNTS[unit].startswith('/') else ' '}{_COUNTS[unit]}"
    return _grouped(number)


def _with_prefix(number: Decimal, unit: str) -> str:
    for letter, exponent in _PREFIXES:
        if abs(number) >= Decimal(10) ** exponent:
            return f"{_short(number.scaleb(-exponent))} {letter}{unit}"
    return f"{_short(number)} {unit}"


def _time(seconds: Decimal) -> str:
    for name, length in _TIMES:
        if abs(seconds) >= length:
            return f"{_short(seconds / length)} {name}"
    for name, exponent in _SHORT_TIMES:
        if abs(seconds.scaleb(exponent)) >= 1:
            return f"{_short(seconds.scaleb(exponent))} {name}"
    return f"{_short(seconds)} s"


def _short(number: Decimal, digits: int = _DIGITS) -> str:
    if number == 0:
        return "0"
    places = max(0, digits - 1 - number.adjusted())
    return plain(number.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP))


def _grouped(number: Decimal) -> str:
    whole = plain(number)
    head, dot, tail = whole.partition(".")
    return f"{int(head):,}{dot}{tail}" if len(head.lstrip("-")) > 4 else whole


def shown(number: Fraction | Decimal, places: int = 2) -> str:
    """A decimal rounded half up to so many places."""
    exact = Fraction(number)
    scale = Fraction(10) ** places
    units = (abs(exact) * scale + Fraction(1, 2)).__floor__()
    text = str(units).rjust(places + 1, "0")
    sign = "-" if exact < 0 and units else ""
    return f"{sign}{text[:-places]}.{text[-places:]}" if places else f"{sign}{text}"


def percent(share: Fraction | Decimal) -> str:
    """A share in whole percents; one that is neither none nor all never looks like it."""
    exact = Fraction(share)
    text = shown(exact * 100, 0)
    if text == "0" and exact > 0:
        return "<1%"
    return ">99%" if text == "100" and exact < 1 else f"{text}%"


def span(low: str, high: str) -> str:
    """The two ends, or the one where they are the same."""
    return low if low == high else f"{low}–{high}"
