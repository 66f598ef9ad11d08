"""What a buyer is told of a figure that is contradicted or impossible, in both languages, from its checks' rows."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal

from schemas.check import Verdict
from schemas.program import Program
from schemas.record import Record, Words, plain

_AGAINST = {
    str(Verdict.ABOVE_BOUND): 0,
    str(Verdict.CONFLICT): 1,
    str(Verdict.FAIL): 2,
}
_ASK = Words(en="Which figure holds? Found: ", zh="以哪个数字为准？核对发现：")


class Against(Record):
    """The row of a check whose verdict stands against its claim. `detail`: JSON, as the check left it."""

    verdict: str
    reason: str
    detail: str = ""


def disputes(against: Mapping[str, Sequence[Against]]) -> dict[str, Words]:
    """By claim key, the question that the rows against it raise; two claims against each other raise one."""
    found: dict[str, Words] = {}
    for key, rows in sorted(against.items()):
        words = dispute(rows)
        other = _gravest(rows)
        mirrored = other is not None and str(_detail(other.detail).get("other") or "")
        if words is not None and not (mirrored and mirrored in found and _is_against(against[mirrored], key)):
            found[key] = words
    return found


def _is_against(rows: Sequence[Against], key: str) -> bool:
    grave = _gravest(rows)
    return grave is not None and _detail(grave.detail).get("other") == key


def _gravest(rows: Iterable[Against]) -> Against | None:
    return min(
        (r for r in rows if r.verdict in _AGAINST), key=lambda row: _AGAINST[row.verdict], default=None
    )


def dispute(rows: Iterable[Against]) -> Words | None:
    """The question that the gravest of a claim's rows raises; None where none stands against it.

    The English is the check's own reason. The Chinese is made from its detail, and repeats the English where the
    detail does not say enough.
    """
    row = _gravest(rows)
    if row is None:
        return None
    detail = _detail(row.detail)
    found = {0: _above, 1: _contradicted, 2: _does_not_hold}[_AGAINST[row.verdict]](detail)
    return Words(en=f"{_ASK.en}{row.reason}", zh=f"{_ASK.zh}{found or row.reason}")


def _detail(text: str) -> dict[str, object]:
    try:
        read = json.loads(text or "{}")
    except ValueError:
        return {}
    return read if isinstance(read, dict) else {}


def _contradicted(detail: dict[str, object]) -> str:
    other = str(detail.get("other_quote") or "")
    if not other:
        return ""
    where = str(detail.get("other_source") or "")
    return f"另一处写的是“{other}”" + (f"（{where}）" if where else "")


def _does_not_hold(detail: dict[str, object]) -> str:
    programs = detail.get("programs")
    said = []
    for stored in programs if isinstance(programs, list) else []:
        try:
            program = Program.model_validate_json(json.dumps(stored))
        except ValueError:
            continue
        inputs = "、".join(operand.shown for operand in program.inputs)
        if program.result is not None:
            said.append(f"由 {inputs} 算不出页面上的 {program.result.shown}")
    return "；".join(said[:1])


_READ_AS = {"bit": "可能把比特写成了字节", "one_way": "可能把收发两个方向相加，或把两个 die 算作一颗芯片"}


def _above(detail: dict[str, object]) -> str:
    bound, unit = _amount(detail.get("bound"), str(detail.get("unit") or "")), detail.get("origin")
    if not bound:
        return ""
    said = f"超出硬件所能达到的范围（界限为 {bound}" + (f"，依据：{unit}）" if unit else "）")
    readings = detail.get("readings")
    for reading in readings if isinstance(readings, list) else []:
        meant = _READ_AS.get(str(reading.get("key"))) if isinstance(reading, dict) else None
        if meant:
            said += f"；{meant}，即 {_amount(reading.get('value'), str(reading.get('unit') or ''))}"
    return said


def _amount(value: object, unit: str) -> str:
    try:
        number = Decimal(str(value))
    except ArithmeticError:
        return ""
    if not number.is_finite():
        return ""
    if unit == "fraction":
        return f"{plain(number * 100)}%"
    if unit in ("bit/s", "byte/s", "byte"):
        for exponent, letter in ((15, "P"), (12, "T"), (9, "G"), (6, "M")):
            if number >= Decimal(10) ** exponent:
                return f"{plain(number / Decimal(10) ** exponent)} {letter}{unit.replace('byte', 'B')}"
    return f"{plain(number)} {unit}".strip()
