"""Calculations that a page prints: in one sentence, and across the claims of one product."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Sequence
from decimal import Decimal

from extractors.checks import arithmetic
from extractors.checks.arithmetic import Verdict as Held
from extractors.checks.running import Found
from extractors.checks.sentences import sentence_programs
from extractors.fold import fold
from schemas.check import Verdict
from schemas.claim import Claim
from schemas.program import Operand, Operation, Program
from schemas.quantity import Bound
from schemas.record import plain

VERSION = "3"

_REACH = 220
_FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
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
    figures = set(_FIGURE.findall(fold(claim.text_value)))
    return program.result.value in figures or all(o.value in figures for o in program.inputs)


# Across the claims of one product


def product_programs(claims: Iterable[Claim], own: Container[str] = frozenset()) -> dict[str, list[Program]]:
    """By claim key, the calculations that the other claims of its product make possible.

    `claims`: those of one vendor. `own`: the keys of its own statements. What stands on one page is calculated
    there; what no page says alone, across the vendor's own pages of the product.
    """
    result: dict[str, list[Program]] = defaultdict(list)
    pages: dict[tuple[str | None, str], list[Claim]] = defaultdict(list)
    products: dict[str, list[Claim]] = defaultdict(list)
    for claim in claims:
        pages[claim.product, claim.source].append(claim)
        if claim.product and claim.claim_key in own:
            products[claim.product].append(claim)
    for members in pages.values():
        for key, program in _programs(members):
            result[key].append(program)
    for members in products.values():
        if len({claim.source for claim in members}) > 1:
            for key, program in _programs(members):
                if key not in result:
                    result[key].append(program)
    return result


def _programs(members: Sequence[Claim]) -> Iterator[tuple[str, Program]]:
    yield from _ceilings(members)
    yield from _sums_of_cards(members)
    yield from _unit_prices(members)


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
    """Cards in a machine × what each has = what the machine has, where each is stated in one way only."""
    for basis in ("per_node", "per_machine", "per_instance"):
        counts = _exact(_of(members, "accelerator_count", basis))
        for metric in ("rdma_bandwidth", "interconnect_bandwidth"):
            each, totals = (
                _exact(_of(members, metric, "per_accelerator")),
                _exact(_of(members, metric, basis)),
            )
            if _one(counts) and _one(each) and _one(totals) and _alike(counts[0], each[0], totals[0]):
                for total in totals:
                    yield total.claim_key, _times(counts[0], each[0], total)


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
        wholes = [c for c in total if c.qualifiers == whole.qualifiers and c.unit == whole.unit]
        if _one(parts) and _one(cards) and _one(wholes):
            yield whole.claim_key, _times(cards[0], parts[0], whole)


def _one(claims: Sequence[Claim]) -> bool:
    """Whether they are one statement, however many pages repeat it."""
    return len({(c.low, str(c.qualifiers), c.direction) for c in claims}) == 1


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
