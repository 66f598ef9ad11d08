"""Which change of one weight turns which pair of vendors, and the smallest such change."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations

from schemas.errors import KoujingError
from schemas.uncertainty import Evaluation, Flip, Sensitivity

Scores = Mapping[str, Mapping[str, Fraction]]
"""Vendor → dimension → score."""


def mean_scores(evaluation: Evaluation) -> dict[str, dict[str, Fraction]]:
    """Gives each vendor's mean score in each dimension, over equally likely readings.

    Totals of means are means of totals, also where one flag moves several dimensions; so the order that is
    turned here is that of the vendors' mean totals. With no flag open they are the scores.

    Raises KoujingError where a mean was not computed.
    """
    scores: dict[str, dict[str, Fraction]] = {}
    for standing in evaluation.standings:
        row = scores[standing.vendor] = {}
        for dimension in standing.dimensions:
            if dimension.mean is None:
                raise KoujingError(
                    f"{evaluation.card}: the mean of {standing.vendor} in {dimension.dimension} was not computed, "
                    "its readings give too many scores; settle flags, or give one score a dimension"
                )
            row[dimension.dimension] = dimension.mean
    return scores


def sensitivity(scores: Scores, weights: Mapping[str, Fraction]) -> Sensitivity:
    """Gives for every pair of vendors the smallest change of one weight that turns it, the smallest overall first.

    The other weights keep their proportions and all still sum to 1, so a difference of totals is linear in the
    changed weight and turns where it is 0. A weight stays within 0 to 1: a pair that is level only there does
    not turn. `weights` sum to 1. A dimension of weight 1 leaves nothing to scale and is passed over.

    Raises KoujingError where a vendor lacks a score or the weights do not sum to 1.
    """
    if sum(weights.values(), Fraction(0)) != 1:
        raise KoujingError(f"the weights sum to {sum(weights.values(), Fraction(0))}; they must sum to 1")
    for vendor, row in scores.items():
        if set(row) != set(weights):
            raise KoujingError(
                f"{vendor} has scores in {', '.join(row)}; weights are for {', '.join(weights)}"
            )
    place = {name: index for index, name in enumerate(weights)}
    flips: list[Flip] = []
    firm: list[tuple[str, str]] = []
    tied: list[tuple[str, str]] = []
    for one, other in combinations(sorted(scores), 2):
        gaps = {name: scores[one][name] - scores[other][name] for name in weights}
        margin = sum((weights[name] * gap for name, gap in gaps.items()), Fraction(0))
        if margin == 0:
            tied.append((one, other))
            continue
        ahead, behind = (one, other) if margin > 0 else (other, one)
        found = [
            flip
            for name in weights
            if (flip := _flip(ahead, behind, name, weights[name], gaps[name], margin))
        ]
        if found:
            flips.append(min(found, key=lambda flip: (abs(flip.change), place[flip.dimension])))
        else:
            firm.append((ahead, behind))
    flips.sort(key=lambda flip: (abs(flip.change), place[flip.dimension], flip.ahead, flip.behind))
    return Sensitivity(flips=tuple(flips), firm=tuple(sorted(firm)), tied=tuple(tied))


def _flip(
    ahead: str, behind: str, dimension: str, weight: Fraction, gap: Fraction, margin: Fraction
) -> Flip | None:
    """Where the pair turns when this weight alone is changed; None where it does not within 0 to 1."""
    if weight == 1:
        return None
    rest = (margin - weight * gap) / (1 - weight)  # the others' difference, were they all there is
    if rest == gap:
        return None
    tie_at = rest / (rest - gap)
    if not 0 < tie_at < 1:
        return None
    return Flip(
        ahead=ahead,
        behind=behind,
        dimension=dimension,
        weight=weight,
        tie_at=tie_at,
        change=tie_at - weight,
    )
