"""Whether a figure is within what hardware can do; one that is eight or two times above says what it may have been."""

from __future__ import annotations

import re
from collections import defaultdict
from decimal import Context, Decimal
from functools import cache, lru_cache
from importlib.resources import as_file, files

from pydantic import field_validator

from extractors.checks.counting import counts
from extractors.checks.running import Found
from schemas.check import Verdict
from schemas.claim import Claim, Direction
from schemas.datafile import read_data_file
from schemas.quantity import Bound as Limits
from schemas.record import Exact, Record, plain
from schemas.registry import registry

VERSION = "3"

_ROOM = Decimal("1.1")
"""GiB printed as GB and rounding stay within it."""
_TWICE = "both ways may be added, or two dies counted as one chip"
_WIDE = Context(prec=80)
_CARDS = 16
_IN_BYTES = re.compile(r"(?:[kKMGTPE]i?B|[Bb]ytes?)(?:/s|ps|\b)")

_IN_BITS = re.compile(r"(?:[kKMGTPE]b(?:/s|ps)|[kKMGTPE]?bits?(?:/s|ps)?)")


class Limit(Record):
    """One row of `bounds.yaml`; see its head."""

    metric: str
    bases: tuple[str, ...] = ()
    model: str = ""
    most: Exact | None = None
    least: Exact | None = None
    usual: Exact | None = None
    origin: str

    @field_validator("metric")
    @classmethod
    def _known(cls, value: str) -> str:
        registry().metric(value)
        return value

    @field_validator("model")
    @classmethod
    def _compiles(cls, value: str) -> str:
        try:
            re.compile(value)
        except re.error as error:
            raise ValueError(f"{value!r} is no regular expression: {error}") from None
        return value


class _File(Record):
    bounds: tuple[Limit, ...]


@cache
def limits() -> dict[str, tuple[Limit, ...]]:
    """The rows by metric. Raises DataFileError, with file and line, where the table is wrong."""
    with as_file(files("extractors.checks") / "bounds.yaml") as path:
        rows = read_data_file(path, _File).bounds
    by_metric: dict[str, list[Limit]] = defaultdict(list)
    for row in rows:
        by_metric[row.metric].append(row)
    return {metric: tuple(found) for metric, found in by_metric.items()}


def check(claim: Claim) -> Found:
    """OK, ABOVE_BOUND with what the figure may have been meant as, or NO_BOUND where the table has none."""
    rows = _rows(claim)
    figure = claim.low if claim.low is not None else claim.high
    if not rows or figure is None:
        return Found(Verdict.NO_BOUND, f"no bound is known for {claim.metric} {claim.basis}")
    if claim.bound is Limits.RANGE and claim.high is not None:
        figure = claim.high
    most = [row for row in rows if row.most is not None]
    if most:
        row = max(most, key=lambda r: r.most or Decimal(0))
        row = _for_all_ports(claim, _for_all_cards(claim, row))
        if row.most is not None and figure > row.most * _room(claim):
            return _above(claim, figure, row) if _is_sure(claim) else _unsure(claim, row)
        if (slip := _slip_in_bytes(claim, figure, row)) is not None:
            return slip
    for row in rows:
        if row.least is not None and figure < row.least and claim.bound is not Limits.AT_MOST:
            return Found(
                Verdict.ABOVE_BOUND,
                f"{claim.text_value} is under the least that is possible, {_seconds(row.least)}: {row.origin}",
                {"bound": plain(row.least), "unit": claim.unit, "origin": row.origin},
            )
    if (
        most
        and (twice := _twice_the_usual(claim, figure, max(most, key=lambda r: r.most or Decimal(0))))
        is not None
    ):
        return twice
    return Found(Verdict.OK, f"within what is possible: {rows[0].origin}")


def _twice_the_usual(claim: Claim, figure: Decimal, row: Limit) -> Found | None:
    """What is possible only as both ways added or as two dies: that is named, and is no fault."""
    if row.usual is None or claim.unit not in ("bit/s", "byte/s") or figure <= row.usual * _ROOM:
        return None
    if claim.direction is Direction.BIDIRECTIONAL or figure < row.usual * 2 / _ROOM:
        return None
    said = f"possible, and about twice the usual {_amount(row.usual, claim.unit)}: {_TWICE} ({row.origin})"
    return Found(Verdict.OK, said, {"readings": _readings(figure, figure / 2, "one_way", claim.unit)})


def _for_all_cards(claim: Claim, row: Limit) -> Limit:
    """A memory whose basis no word beside it says may be that of all cards of a machine."""
    if claim.metric != "gpu_memory" or row.most is None:
        return row
    cues = registry().basis(claim.basis).cues
    stated = any(re.search(cue, claim.evidence.quote, re.IGNORECASE) for cue in cues)
    if stated and "×" not in claim.evidence.quote:
        return row
    return row.model_copy(
        update={"most": row.most * _CARDS, "origin": f"{_CARDS} cards together; {row.origin}"}
    )


def _for_all_ports(claim: Claim, row: Limit) -> Limit:
    """51.2 Tbit/s on 64 ports is what all of them carry."""
    ports = counts("per_switch", claim.evidence.quote, {}).get("port", 0) if claim.basis == "per_port" else 0
    if row.most is None or ports < 2:
        return row
    return row.model_copy(
        update={"most": row.most * ports, "origin": f"{ports} ports together; {row.origin}"}
    )


_FROM_AFAR = ("earlier:", "intro:")


def _is_sure(claim: Claim) -> bool:
    """Whether what the figure is a figure of stands beside it. Bytes printed for bits are a slip all the same."""
    written = claim.unit_as_written or claim.text_value or ""
    if claim.unit == "bit/s" and _IN_BYTES.search(written):
        return True
    return not claim.rules.get("metric", "").startswith(_FROM_AFAR)


def _unsure(claim: Claim, row: Limit) -> Found:
    most = _amount(row.most or Decimal(0), claim.unit)
    return Found(
        Verdict.NO_BOUND,
        f"above {most}, what is possible for {claim.metric}; but what it is a figure of is only taken from words before it",
    )


def _room(claim: Claim) -> Decimal:
    return Decimal(1) if claim.unit == "fraction" else _ROOM


def _rows(claim: Claim) -> tuple[Limit, ...]:
    fitting = [r for r in limits().get(claim.metric, ()) if not r.bases or claim.basis in r.bases]
    if not any(r.model for r in fitting):
        return tuple(fitting)
    words = " ".join(
        (claim.evidence.quote, claim.product or "", *claim.qualifiers.values(), *claim.evidence.path)
    )
    named = tuple(r for r in fitting if r.model and _pattern(r.model).search(words))
    return named or tuple(r for r in fitting if not r.model)


@lru_cache(maxsize=256)
def _pattern(model: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![A-Za-z0-9])(?:{model})(?![0-9])", re.IGNORECASE)


def _above(claim: Claim, figure: Decimal, row: Limit) -> Found:
    most = row.most or Decimal(1)
    detail: dict[str, object] = {"bound": plain(most), "unit": claim.unit, "origin": row.origin}
    said = f"{claim.text_value} is {_times(figure / most)} what is possible, {_amount(most, claim.unit)}"
    written = claim.unit_as_written or claim.text_value or ""
    if claim.unit == "bit/s" and figure / 8 <= most * _ROOM and not _IN_BITS.search(written):
        detail["readings"] = _readings(figure, figure / 8, "bit", claim.unit)
        slip = f"likely a slip of B for b: as written {_amount(figure, claim.unit)}, in bits {_amount(figure / 8, claim.unit)}"
        return Found(Verdict.ABOVE_BOUND, f"{said}; {slip} ({row.origin})", detail)
    if claim.unit.startswith("byte/s") and figure / 8 <= most * _ROOM and figure / most > 3:
        detail["readings"] = _readings(figure, figure / 8, "bit", claim.unit)
        slip = f"likely bits written as bytes: {_amount(figure, claim.unit)} or {_amount(figure / 8, claim.unit)}"
        return Found(Verdict.ABOVE_BOUND, f"{said}; {slip} ({row.origin})", detail)
    if claim.unit in ("bit/s", "byte/s") and figure / 2 <= most * _ROOM:
        detail["readings"] = _readings(figure, figure / 2, "one_way", claim.unit)
        return Found(
            Verdict.ABOVE_BOUND,
            f"{said}; {_TWICE} ({row.origin})",
            detail,
        )
    return Found(Verdict.ABOVE_BOUND, f"{said} ({row.origin})", detail)


def _slip_in_bytes(claim: Claim, figure: Decimal, row: Limit) -> Found | None:
    """A network figure in bytes that no machine on sale reaches, and that is a common one in bits."""
    written = claim.unit_as_written or claim.text_value or ""
    if (
        claim.unit != "bit/s"
        or row.usual is None
        or not _IN_BYTES.search(written)
        or figure <= row.usual * _ROOM
    ):
        return None
    return _above(claim, figure, row.model_copy(update={"most": row.usual}))


def _readings(as_written: Decimal, other: Decimal, key: str, unit: str) -> list[dict[str, str]]:
    return [
        {"key": "as_written", "value": plain(as_written), "unit": unit},
        {"key": key, "value": plain(other), "unit": unit},
    ]


def _times(number: Decimal) -> str:
    rounded = _WIDE.quantize(number, Decimal("0.1"))
    return f"{plain(rounded)} times" if rounded > 1 else "more than"


def _amount(figure: Decimal, unit: str) -> str:
    if unit == "fraction":
        return f"{plain(figure * 100)}%"
    if unit not in ("bit/s", "byte/s", "byte"):
        return f"{plain(figure)} {unit}"
    for exponent, letter in ((15, "P"), (12, "T"), (9, "G"), (6, "M")):
        if figure >= Decimal(10) ** exponent:
            short = plain(_WIDE.quantize(figure / Decimal(10) ** exponent, Decimal("0.01")))
            return f"{short} {letter}{unit.replace('byte', 'B')}"
    return f"{plain(figure)} {unit}"


def _seconds(figure: Decimal) -> str:
    """A short time in the unit that people use for it; every least that there is, is one."""
    for exponent, letter in ((3, "ms"), (6, "us"), (9, "ns")):
        if figure * Decimal(10) ** exponent >= 1:
            return f"{plain(figure * Decimal(10) ** exponent)} {letter}"
    return f"{plain(figure)} s"
