"""Random small cards against a second reckoning that shares nothing with the engine but its records.

The oracle takes every combination of every vendor's readings, in fractions, and counts. `python -m
tests.quality.oracle [CARDS] [FIRST]` compares that many cards (100,000), numbered from FIRST (0), field by field
and to the last digit, on both cores; it prints what was compared and fails at the first card that differs.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from decimal import ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from itertools import permutations, product
from math import prod
from typing import NamedTuple

from schemas.rubric import Alternative, CriterionTerm, Derivation, OpenFlag, WeightedDimension
from schemas.uncertainty import Evaluation
from warehouse.uncertainty.evaluate import LIMITS, Limits, evaluate

CARDS = 100_000
BATCH = 500
Reading = dict[str, int]
"""Flag id → which of its readings holds."""


def random_card(number: int) -> Derivation:
    """The same small card for the same number: up to four vendors with up to three flags each."""
    dice = random.Random(number)
    vendors = tuple("abcd"[: dice.choice((1, 2, 2, 3, 3, 4))])
    flags = {
        vendor: [
            OpenFlag(
                id=f"{vendor}{n}:f",
                claim_key=f"{vendor}{n}",
                flag="f",
                vendor=vendor,
                readings=tuple("xyz"[: dice.choice((2, 2, 3))]),
            )
            for n in range(dice.choice((0, 1, 1, 2, 2, 3) if len(vendors) < 4 else (0, 1, 1, 2)))
        ]
        for vendor in vendors
    }
    dimensions = tuple(
        WeightedDimension(id=f"d{n}", weight=weight)
        for n, weight in enumerate(_parts(dice, dice.randint(1, 3)))
    )
    criteria = {d.id: _parts(dice, dice.randint(1, 2)) for d in dimensions}
    # A coarse grid makes ties, a fine one makes fractions that no float holds.
    grid = dice.choice((1, 2, 4, 10, 21, 100))
    terms = tuple(
        CriterionTerm(
            vendor=vendor,
            dimension=dimension,
            criterion=f"c{n}",
            weight=weight,
            alternatives=tuple(
                _alternative(dice, flags[vendor], grid) for _ in range(dice.choice((0, 1, 1, 2, 3)))
            ),
            missing=_score(dice, grid),
        )
        for vendor in vendors
        for dimension, weights in criteria.items()
        for n, weight in enumerate(weights)
    )
    return Derivation(
        card=f"card{number}",
        decimals=dice.choice((0, 1, 2, 3)),
        rounding=dice.choice((None, None, 0, 1, 2)),
        vendors=vendors,
        dimensions=dimensions,
        open_flags=tuple(flag for own in flags.values() for flag in own),
        terms=terms,
    )


def _alternative(dice: random.Random, flags: list[OpenFlag], grid: int) -> Alternative:
    chosen = dice.sample(flags, min(len(flags), dice.choice((0, 1, 1, 2))))
    return Alternative(
        claim_key=f"k{dice.randrange(9)}",
        flags=tuple(flag.id for flag in chosen),
        values=tuple(_score(dice, grid) for _ in range(prod(len(flag.readings) for flag in chosen))),
    )


def _score(dice: random.Random, grid: int) -> Fraction:
    return Fraction(dice.randint(-grid if grid == 4 else 0, 5 * grid), grid)


def _parts(dice: random.Random, number: int) -> list[Fraction]:
    sizes = [dice.randint(1, 7) for _ in range(number)]
    return [Fraction(size, sum(sizes)) for size in sizes]


class Scored(NamedTuple):
    """One vendor under one combination of its readings. `level` is the place of its total among all totals."""

    reading: Reading
    dimensions: tuple[Fraction, ...]
    total: Fraction
    level: int = 0


def scored(card: Derivation, vendor: str) -> list[Scored]:
    """The vendor under every combination of its own flags' readings."""
    flags = [flag for flag in card.open_flags if flag.vendor == vendor]
    sizes = {flag.id: len(flag.readings) for flag in flags}
    found = []
    for choice in product(*(range(len(flag.readings)) for flag in flags)):
        reading = dict(zip((flag.id for flag in flags), choice, strict=True))
        scores = []
        for dimension in card.dimensions:
            own = [t for t in card.terms if t.vendor == vendor and t.dimension == dimension.id]
            score = sum((t.weight * _best(t, reading, sizes) for t in own), Fraction(0))
            scores.append(score if card.rounding is None else Fraction(_half_up(score, card.rounding)))
        total = sum((d.weight * s for d, s in zip(card.dimensions, scores, strict=True)), Fraction(0))
        found.append(Scored(reading, tuple(scores), total))
    return found


def _best(term: CriterionTerm, reading: Reading, sizes: dict[str, int]) -> Fraction:
    values = []
    for alternative in term.alternatives:
        index = 0
        for flag in alternative.flags:
            index = index * sizes[flag] + reading[flag]
        values.append(alternative.values[index])
    return max(values) if values else term.missing


def _half_up(number: Fraction, places: int) -> Decimal:
    """By the decimal module, from more digits than could matter: the oracle does not round as the engine does."""
    exact = Context(prec=80).divide(Decimal(number.numerator), Decimal(number.denominator))
    return exact.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_UP) + 0  # no minus before 0


def compare(card: Derivation, found: Evaluation) -> None:
    """Fails with the first figure that the oracle reckons otherwise."""
    own = {vendor: scored(card, vendor) for vendor in card.vendors}
    # Orders are counted on places instead of fractions, which takes a quarter of the time.
    levels = {total: n for n, total in enumerate(sorted({s.total for rows in own.values() for s in rows}))}
    own = {vendor: [s._replace(level=levels[s.total]) for s in rows] for vendor, rows in own.items()}
    _compare_standings(card, found, own)
    _compare_orders(found, own)
    _compare_effects(card, found, own)


def _compare_standings(card: Derivation, found: Evaluation, own: dict[str, list[Scored]]) -> None:
    ranges = _ranges(own)
    assert [s.vendor for s in found.standings] == sorted(
        card.vendors, key=lambda v: (*ranges[v], -_low(own[v]) - _high(own[v]), v)
    )
    shares = _rank_shares(own)
    for standing in found.standings:
        mine = own[standing.vendor]
        assert (standing.total.low, standing.total.high, standing.total.exact) == (
            _low(mine),
            _high(mine),
            True,
        )
        assert standing.mean == sum((s.total for s in mine), Fraction(0)) / len(mine)
        assert standing.shown_low == format(_half_up(_low(mine), card.decimals), "f")
        assert standing.shown_high == format(_half_up(_high(mine), card.decimals), "f")
        assert (standing.best, standing.worst) == ranges[standing.vendor]
        assert (standing.best, standing.worst) == (min(shares[standing.vendor]), max(shares[standing.vendor]))
        assert standing.rank_shares == tuple(
            shares[standing.vendor].get(rank, Fraction(0))
            for rank in range(standing.best, standing.worst + 1)
        )
        for place, dimension in enumerate(standing.dimensions):
            values = [s.dimensions[place] for s in mine]
            assert dimension.dimension == card.dimensions[place].id
            assert (dimension.score.low, dimension.score.high) == (min(values), max(values))
            assert dimension.mean == sum(values, Fraction(0)) / len(values)


def _compare_orders(found: Evaluation, own: dict[str, list[Scored]]) -> None:
    undecided = {(p.first, p.second) for p in found.undecided}
    assert len(undecided) == len(found.undecided)
    order = [s.vendor for s in found.standings]
    tied = set()
    for place, one in enumerate(order):
        for other in order[place + 1 :]:
            signs = [_sign(a, b) for a, b in product(own[one], own[other])]
            assert ((one, other) in undecided) == (len(set(signs)) > 1)
            if set(signs) == {0}:
                tied |= {one, other}
            expected = tuple(Fraction(signs.count(sign), len(signs)) for sign in (1, 0, -1))
            assert found.pair(one, other).shares() == expected
            assert found.pair(other, one).shares() == expected[::-1]
    assert {v for group in found.tied for v in group} == tied
    assert found.contenders == tuple(sorted(v for v, (best, _) in _ranges(own).items() if best == 1))


def _compare_effects(card: Derivation, found: Evaluation, own: dict[str, list[Scored]]) -> None:
    effects = {effect.flag: effect for effect in found.effects}
    ranges = _ranges(own)
    orders = {pair: _order(own, *pair) for pair in permutations(own, 2)}
    for flag in card.open_flags:
        cases = [
            {**own, flag.vendor: [s for s in own[flag.vendor] if s.reading[flag.id] == index]}
            for index in range(len(flag.readings))
        ]
        spans = [(_low(case[flag.vendor]), _high(case[flag.vendor])) for case in cases]
        narrowing = _high(own[flag.vendor]) - _low(own[flag.vendor]) - min(high - low for low, high in spans)
        if flag.id not in effects:  # no reading moves anything
            assert all(
                sorted(s.total for s in case[flag.vendor]) == sorted(s.total for s in cases[0][flag.vendor])
                for case in cases
            )
            assert narrowing == 0
            continue
        effect = effects[flag.id]
        assert effect.narrowing == narrowing
        decided: set[str] = set()
        under = [_ranges(case) for case in cases]
        for case, its, outcome, span in zip(cases, under, effect.outcomes, spans, strict=True):
            assert (outcome.total.low, outcome.total.high) == span
            assert (outcome.best, outcome.worst) == its[flag.vendor]
            newly: dict[int | None, set[str]] = {1: set(), 0: set(), -1: set(), None: set()}
            for other in own:
                if other != flag.vendor and orders[flag.vendor, other] is None:
                    newly[_order(case, flag.vendor, other)].add(other)
            assert (set(outcome.ahead), set(outcome.tied), set(outcome.behind)) == (
                newly[1],
                newly[0],
                newly[-1],
            )
            decided |= newly[1] | newly[0] | newly[-1]
            assert outcome.contenders == sum(best == 1 for best, _ in its.values())
            assert outcome.winners == _winners(its)
        assert effect.decides == tuple(sorted(decided))
        best, worst = ranges[flag.vendor]
        left = [its[flag.vendor] for its in under]
        assert effect.places == worst - best - min(w - b for b, w in left)
        single = [b for b, w in left if b == w]
        assert effect.place == (min(single) if single and best < worst else None)
        assert effect.decides_winner == (not _winners(ranges) and any(map(_winners, under)))
        assert effect.contenders_out == len(found.contenders) - min(o.contenders for o in effect.outcomes)


def _low(rows: list[Scored]) -> Fraction:
    return min(s.total for s in rows)


def _high(rows: list[Scored]) -> Fraction:
    return max(s.total for s in rows)


def _sign(one: Scored, other: Scored) -> int:
    return (one.level > other.level) - (one.level < other.level)


def _order(own: dict[str, list[Scored]], one: str, other: str) -> int | None:
    """1, 0 or -1 where one is ahead of, level with or behind the other in every combination, else None."""
    signs = {_sign(a, b) for a, b in product(own[one], own[other])}
    return signs.pop() if len(signs) == 1 else None


def _rank_shares(own: dict[str, list[Scored]]) -> dict[str, dict[int, Fraction]]:
    """Over every combination of all vendors' readings together."""
    counts: Counter[tuple[str, int]] = Counter()
    whole = prod(len(rows) for rows in own.values())
    for levels in product(*([s.level for s in rows] for rows in own.values())):
        best_first = sorted(levels, reverse=True)
        counts.update(
            (vendor, 1 + best_first.index(level)) for vendor, level in zip(own, levels, strict=True)
        )
    return {
        v: {rank: Fraction(count, whole) for (name, rank), count in counts.items() if name == v} for v in own
    }


def _ranges(own: dict[str, list[Scored]]) -> dict[str, tuple[int, int]]:
    """Best and worst rank of each; that they are those of the joint count is compared once a card."""
    levels = {v: [s.level for s in rows] for v, rows in own.items()}
    ends = {v: (min(each), max(each)) for v, each in levels.items()}
    return {
        v: (
            1 + sum(other[0] > high for o, other in ends.items() if o != v),
            1 + sum(other[1] > low for o, other in ends.items() if o != v),
        )
        for v, (low, high) in ends.items()
    }


def _winners(ranges: dict[str, tuple[int, int]]) -> tuple[str, ...]:
    """Those who are first in every combination, if nobody else is first in any."""
    always = {v for v, found in ranges.items() if found == (1, 1)}
    ever = {v for v, (best, _) in ranges.items() if best == 1}
    return tuple(sorted(always)) if always == ever else ()


def limits(number: int) -> Limits:
    """Every other card is evaluated without writing small knots out, so that both ways are compared."""
    return LIMITS if number % 2 else Limits(table=0)


def _batch(first: int) -> int:
    for number in range(first, first + BATCH):
        card = random_card(number)
        try:
            compare(card, evaluate(card, limits=limits(number)))
        except Exception as error:
            raise AssertionError(f"card {number} differs; `random_card({number})` makes it again") from error
    return BATCH


def main(words: list[str]) -> None:
    """Compares them all and says how many agreed."""
    cards = int(words[0]) if words else CARDS
    first = int(words[1]) if len(words) > 1 else 0
    with ProcessPoolExecutor() as pool:
        agreed = sum(pool.map(_batch, range(first, first + cards, BATCH)))
    print(f"{agreed:,} random cards agree with the oracle in every figure, to the last digit")


if __name__ == "__main__":
    main(sys.argv[1:])
