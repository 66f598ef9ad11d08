"""Calculations that a page prints: in one sentence, and across the claims of one product."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal

from extractors.checks import arithmetic
from extractors.checks.arithmetic import Verdict as Held
from extractors.checks.running import Found
from extractors.fold import fold
from schemas.check import Verdict
from schemas.claim import Claim
from schemas.program import Operand, Operation, Program
from schemas.quantity import Bound
from schemas.record import plain

VERSION = "2"

_REACH = 220
_NUMBER = r"\d[\d,]{0,15}(?:\.\d{1,6})?"
_UNIT = r"(?:[kKMGTPE]i?(?:bit|byte|b|B)(?:/s|ps)?(?:/[TGP]i?B)?|IOPS|TB/s|[TG](?![A-Za-z]))"
_EQUALS = r"(?:=|＝|共|合计|总计|共计|合計|总带宽|为|即|,? ?(?:for |or |i\.e\. ?)?(?:a |in )?total(?:ling|s)?(?: of)?|(?:makes?|gives?|is|are)(?: a total of)?|[（(])"
_N_TIMES = re.compile(
    rf"(?<![\d.])(?P<n>{_NUMBER}) ?(?:[a-z]{{0,10}} ?)?[x×*] ?(?P<v>{_NUMBER}) ?(?P<vu>{_UNIT})[^\d。;；\n]{{0,12}}?"
    rf"{_EQUALS} ?(?:约|about )?(?P<r>{_NUMBER}) ?(?P<ru>{_UNIT})"
)
_TOTAL_FIRST = re.compile(
    rf"(?<![\d.×x*])(?P<r>{_NUMBER}) ?(?P<ru>{_UNIT}) ?[（(=] ?(?P<n>{_NUMBER}) ?[x×*] ?(?P<v>{_NUMBER}) ?(?P<vu>{_UNIT})"
)
_SHARE_OF = re.compile(
    r"(?<![\d.])(?P<part>\d[\d,]*) (?:out )?of (?:the |all )?(?P<whole>\d[\d,]*)\b[^\d.;\n]{0,40}?[（(,:]? ?"
    r"(?:or |i\.e\. |about )?(?P<share>\d{1,3}(?:\.\d+)?) ?(?:%|percent)"
    r"|(?<![\d.])(?P<whole2>\d[\d,]*) ?[次台张个卡件起][^\d。；;\n]{0,8}?(?:中|里)[^\d。；;\n]{0,12}?"
    r"(?P<part2>\d[\d,]*) ?[次台张个卡件起][^\d。；;\n]{0,14}?(?P<share2>\d{1,3}(?:\.\d+)?)%"
)
_SCALE = ((10**12, "T"), (10**9, "G"), (10**6, "M"))


def check_sentence(claim: Claim, visible: str) -> Found:
    """Whether the calculation in the claim's sentence holds; NOT_APPLICABLE where it has none with this figure."""
    programs = [p for p in sentence_programs(_around(visible, claim)) if _is_about(p, claim)]
    if not programs:
        return Found(Verdict.NOT_APPLICABLE, "the sentence has no calculation with this figure")
    return judged(programs)


def judged(programs: Sequence[Program]) -> Found:
    """The verdict on programs of one claim: FAIL where one of them does not hold. Each is kept, to be run again."""
    outcomes = [(program, arithmetic.run(program)) for program in programs]
    failing = [(p, o) for p, o in outcomes if o.verdict is Held.INCONSISTENT]
    _, outcome = (failing or outcomes)[0]
    verdict = {Held.CONSISTENT: Verdict.OK, Held.INCONSISTENT: Verdict.FAIL}.get(
        outcome.verdict, Verdict.NOT_APPLICABLE
    )
    return Found(verdict, outcome.reason, {"programs": [p.model_dump(mode="json") for p, _ in outcomes]})


def sentence_programs(text: str) -> Iterator[Program]:
    """The equations and shares that a text prints, as programs."""
    folded = fold(text)
    for pattern in (_N_TIMES, _TOTAL_FIRST):
        for found in pattern.finditer(folded):
            yield Program(
                operation=Operation.PRODUCT,
                inputs=(Operand(value=found["n"], unit="count"), Operand(value=found["v"], unit=found["vu"])),
                result=Operand(value=found["r"], unit=found["ru"]),
            )
    for found in _SHARE_OF.finditer(folded):
        yield Program(
            operation=Operation.SHARE,
            inputs=(
                Operand(value=found["part"] or found["part2"], unit="count"),
                Operand(value=found["whole"] or found["whole2"], unit="count"),
            ),
            result=Operand(value=found["share"] or found["share2"], unit="%"),
        )


def _around(visible: str, claim: Claim) -> str:
    """The sentence that the quote stands in."""
    before = visible[max(0, claim.evidence.start - _REACH) : claim.evidence.start]
    after = visible[claim.evidence.end : claim.evidence.end + _REACH]
    head = re.split(r"[。；;\n]|\. (?=[A-Z])", before)[-1]
    tail = re.split(r"[。；;\n]|\. (?=[A-Z])", after)[0]
    return head + visible[claim.evidence.start : claim.evidence.end] + tail


def _is_about(program: Program, claim: Claim) -> bool:
    if program.result is None or not claim.text_value:
        return False
    words = fold(claim.text_value)
    return program.result.value in words or all(o.value in words for o in program.inputs)


# Across the claims of one product


def product_programs(claims: Iterable[Claim]) -> dict[str, list[Program]]:
    """By claim key, the calculations that the other claims of its product make possible.

    `claims`: those of one vendor. Only claims of one page are set against each other.
    """
    result: dict[str, list[Program]] = defaultdict(list)
    pages: dict[tuple[str | None, str], list[Claim]] = defaultdict(list)
    for claim in claims:
        pages[claim.product, claim.source].append(claim)
    for members in pages.values():
        for key, program in (*_ceilings(members), *_sums_of_cards(members), *_unit_prices(members)):
            result[key].append(program)
    return result


def _of(members: Sequence[Claim], metric: str, *bases: str) -> list[Claim]:
    return [
        c for c in members if c.metric == metric and c.low is not None and (not bases or c.basis in bases)
    ]


def _ceilings(members: Sequence[Claim]) -> Iterator[tuple[str, Program]]:
    """Density × largest capacity reaches the ceiling, or the ceiling cannot be reached."""
    for density, whole in (("throughput_per_capacity", "fs_throughput"), ("iops_per_capacity", "fs_iops")):
        slopes, sizes = _of(members, density), _of(members, "fs_capacity_max")
        tops = [c for c in _of(members, whole, "per_filesystem") if c.bound is Bound.AT_MOST and c.best_case]
        if not slopes or not sizes or not tops:
            continue
        slope = max(slopes, key=lambda c: c.low or Decimal(0))
        size = max(map(_largest, sizes), key=lambda c: c.low or Decimal(0))
        for top in tops:
            if slope.condition.get("access", "") not in ("", top.condition.get("access", "")):
                continue
            yield (
                top.claim_key,
                Program(
                    operation=Operation.PRODUCT,
                    inputs=(
                        _operand(slope),
                        _operand(size).model_copy(update={"bound": Bound.AT_MOST}),
                    ),
                    result=_operand(top),
                ),
            )


def _largest(size: Claim) -> Claim:
    """The capacity at its upper end: a file system of 8 TiB to 2 PiB holds 2 PiB."""
    return size if size.high is None else size.model_copy(update={"low": size.high, "high": None})


def _sums_of_cards(members: Sequence[Claim]) -> Iterator[tuple[str, Program]]:
    """Cards in a machine × what each has = what the machine has, where each is stated once."""
    for basis in ("per_node", "per_machine", "per_instance"):
        counts = _exact(_of(members, "accelerator_count", basis))
        for metric in ("rdma_bandwidth", "interconnect_bandwidth"):
            each, total = _exact(_of(members, metric, "per_accelerator")), _exact(_of(members, metric, basis))
            if len(counts) == len(each) == len(total) == 1 and _alike(counts[0], each[0], total[0]):
                yield total[0].claim_key, _times(counts[0], each[0], total[0])


def _unit_prices(members: Sequence[Claim]) -> Iterator[tuple[str, Program]]:
    """Cards × the price of a card = the price of the machine, for one model and region."""
    counts = _exact(_of(members, "accelerator_count"))
    each, total = (
        _exact(_of(members, "price_per_accelerator_hour")),
        _exact(_of(members, "price_per_instance_hour")),
    )
    for whole in total:
        parts = [c for c in each if c.qualifiers == whole.qualifiers and c.unit == whole.unit]
        cards = [c for c in counts if c.qualifiers == whole.qualifiers]
        if len(parts) == len(cards) == 1:
            yield whole.claim_key, _times(cards[0], parts[0], whole)


def _exact(claims: Iterable[Claim]) -> list[Claim]:
    return [c for c in claims if c.bound is Bound.EXACT]


def _alike(*claims: Claim) -> bool:
    return len({(c.qualifiers.get("model"), c.qualifiers.get("tier"), c.direction) for c in claims}) == 1


def _times(count: Claim, each: Claim, total: Claim) -> Program:
    number = Operand(value=plain(count.low or Decimal(0)), unit="count")
    return Program(operation=Operation.PRODUCT, inputs=(number, _operand(each)), result=_operand(total))


def _operand(claim: Claim) -> Operand:
    """The claim's figure in a unit that a reader knows."""
    figure = claim.low if claim.low is not None else claim.high or Decimal(0)
    unit = claim.unit
    if unit in ("byte", "byte/s/TiB", "byte/s", "bit/s"):
        short = unit.replace("byte", "B")
        if unit == "byte":
            return Operand(value=_short(figure / Decimal(2) ** 40), unit="TiB")
        for size, letter in _SCALE:
            if figure >= size:
                return Operand(value=_short(figure / size), unit=f"{letter}{short}")
    return Operand(value=_short(figure), unit={"1/s": "IOPS", "1/s/TiB": "IOPS/TiB"}.get(unit, unit))


def _short(number: Decimal) -> str:
    return plain(number.quantize(Decimal("0.000001")).normalize())
