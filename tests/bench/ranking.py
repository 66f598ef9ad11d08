"""Ranking at size: every card with intervals, rank ranges, shares of pairs and flag worths, and how that grows.

Cards are made up: 200 vendors, 4 cards of six dimensions with three criteria each, 2,000 open flags, ten a vendor,
most of two readings and some of three or four. A flag's claim stands in one to three criteria of a card, now and then in
two dimensions, and in most of the cards; half of the criteria have a second claim to choose from.

Pairs grow with the square of the vendors, and the shares of a pair with the totals its readings give; so the time
is printed with shares and without them.
"""

from __future__ import annotations

import random
import time
from fractions import Fraction

from schemas.rubric import Alternative, CriterionTerm, Derivation, OpenFlag, WeightedDimension
from schemas.uncertainty import Evaluation
from warehouse.uncertainty.evaluate import LIMITS, Limits, evaluate
from warehouse.uncertainty.worth import worths

CARDS = 4
DIMENSIONS = 6
CRITERIA = 3
SIZES = (
    (200, 2_000),
    (50, 500),
    (100, 1_000),
    (400, 4_000),
    (200, 500),
    (200, 1_000),
    (200, 4_000),
)
WEIGHTS = (
    ("0.22", "0.20", "0.18", "0.16", "0.14", "0.10"),
    ("0.30", "0.20", "0.15", "0.15", "0.10", "0.10"),
    ("0.25", "0.25", "0.20", "0.10", "0.10", "0.10"),
    ("0.20", "0.20", "0.20", "0.20", "0.10", "0.10"),
)
PARTS = (Fraction(1, 2), Fraction(3, 10), Fraction(1, 5))


def cards(vendors: int, flags: int, rounding: int | None, seed: int = 6) -> list[Derivation]:
    """Made-up derivations of the same vendors and flags."""
    dice = random.Random(seed)
    names = [f"v{n:04}" for n in range(vendors)]
    each = flags // vendors
    open_flags = [
        OpenFlag(
            id=f"{name}-{n}:basis",
            claim_key=f"{name}-{n}",
            flag="basis",
            vendor=name,
            readings=tuple("abcd"[: dice.choices((2, 3, 4), (80, 15, 5))[0]]),
        )
        for name in names
        for n in range(each)
    ]
    by_vendor = {name: open_flags[i * each : (i + 1) * each] for i, name in enumerate(names)}
    return [_card(index, names, open_flags, by_vendor, rounding, dice) for index in range(CARDS)]


def _card(
    index: int,
    names: list[str],
    open_flags: list[OpenFlag],
    by_vendor: dict[str, list[OpenFlag]],
    rounding: int | None,
    dice: random.Random,
) -> Derivation:
    terms: list[CriterionTerm] = []
    for name in names:
        strength = dice.uniform(1, 4)
        places: dict[tuple[int, int], list[OpenFlag]] = {}
        for flag in by_vendor[name]:
            if dice.random() < 0.15:
                continue  # this card does not ask for the claim
            home = dice.randrange(DIMENSIONS)
            for _ in range(dice.choices((1, 2, 3), (75, 20, 5))[0]):
                dimension = home if dice.random() < 0.85 else dice.randrange(DIMENSIONS)
                spot = places.setdefault((dimension, dice.randrange(CRITERIA)), [])
                if flag not in spot:
                    spot.append(flag)
        for dimension in range(DIMENSIONS):
            for criterion in range(CRITERIA):
                alternatives = [
                    Alternative(
                        claim_key=flag.claim_key,
                        flags=(flag.id,),
                        values=tuple(_score(strength, dice) for _ in flag.readings),
                    )
                    for flag in places.get((dimension, criterion), ())
                ]
                if not alternatives or dice.random() < 0.5:
                    key = f"{name}-{dimension}-{criterion}"
                    alternatives.append(Alternative(claim_key=key, values=(_score(strength, dice),)))
                terms.append(
                    CriterionTerm(
                        vendor=name,
                        dimension=f"d{dimension}",
                        criterion=f"c{criterion}",
                        weight=PARTS[criterion],
                        alternatives=tuple(alternatives),
                        missing=Fraction(0),
                    )
                )
    return Derivation(
        card=f"card{index}",
        decimals=2,
        rounding=rounding,
        vendors=tuple(names),
        dimensions=tuple(
            WeightedDimension(id=f"d{n}", weight=Fraction(weight)) for n, weight in enumerate(WEIGHTS[index])
        ),
        open_flags=tuple(open_flags),
        terms=tuple(terms),
    )


def _score(strength: float, dice: random.Random) -> Fraction:
    """A criterion's score to two places, about the vendor's strength."""
    return Fraction(min(500, max(0, round((strength + dice.uniform(-1.5, 1.5)) * 100))), 100)


def rerank(derivations: list[Derivation], limits: Limits = LIMITS) -> list[Evaluation]:
    """Evaluate every card and order the flags, as a rerank does."""
    evaluations = [evaluate(derivation, limits=limits) for derivation in derivations]
    worths(derivations[0].open_flags, evaluations)
    return evaluations


def run() -> None:
    """Print processor seconds at the size asked for, and the growth from there in vendors and in flags."""
    for rounding in (None, 2):
        print(f"ranking, dimension scores {'unrounded' if rounding is None else f'to {rounding} places'}")
        print("  vendors   flags  seconds      ×  without shares      ×  undecided pairs, with shares")
        first: tuple[float, float] | None = None
        for vendors, flags in SIZES:
            derivations = cards(vendors, flags, rounding)
            whole = _seconds(derivations, LIMITS)
            bare = _seconds(derivations, Limits(spread=0))
            first = first or (whole, bare)
            pairs = [pair for found in rerank(derivations) for pair in found.undecided]
            shared = sum(pair.tied is not None for pair in pairs)
            print(
                f"  {vendors:7} {flags:7,} {whole:8.2f} {whole / first[0]:6.2f} {bare:15.2f} {bare / first[1]:6.2f}"
                f"  {len(pairs):15,} {shared / len(pairs):11.1%}",
                flush=True,
            )


def _seconds(derivations: list[Derivation], limits: Limits) -> float:
    """The least of three rounds, in processor seconds of one core: no core waits for another here."""
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        rerank(derivations, limits)
        best = min(best, time.process_time() - start)
    return best


if __name__ == "__main__":
    run()
