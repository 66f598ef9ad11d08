"""Which change of one weight turns which pair of vendors, for people and as fields."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flows.derived_report import written
from flows.printing import out, out_text, table
from schemas.ranking import DimensionScore, Ranking
from schemas.uncertainty import Evaluation, Flip, Sensitivity
from warehouse.uncertainty.sensitivity import mean_scores, sensitivity


@dataclass(frozen=True)
class Turns:
    """What weights can turn, with the vendors from first to last under the weights now."""

    found: Sensitivity
    order: tuple[str, ...]

    def neighbours(self) -> tuple[tuple[str, str, Flip | None], ...]:
        """Each pair of neighbours, the one ahead first, with the smallest change that turns it, if any does."""
        flips = {frozenset((flip.ahead, flip.behind)): flip for flip in self.found.flips}
        return tuple((one, other, flips.get(frozenset((one, other)))) for one, other in pairwise(self.order))

    def show(self, what: str) -> None:
        """Writes them to stdout, the smallest change of all last."""
        out(f"The smallest change of one weight, the others scaled, that turns neighbours, by {what}:")
        rows = [
            (one, other, *_cells(flip)) if flip else (one, other, self._firm(one, other), "", "", "")
            for one, other, flip in self.neighbours()
        ]
        columns = ("ahead", "behind", "dimension", "weight", "equal at", "change")
        out_text(table(columns, rows, numeric=columns[3:]))
        smallest = self.found.smallest
        if smallest is not None:
            dimension, weight, tie_at, change = _cells(smallest)
            out(
                f"The smallest of all pairs: {dimension} from {weight} past {tie_at} ({change}) puts {smallest.behind} "
                f"ahead of {smallest.ahead}."
            )

    def fields(self) -> dict[str, object]:
        """All pairs, as JSON's fields: those that some weight turns, those that none does, those that are equal."""
        return {
            "flips": [
                {
                    "ahead": flip.ahead,
                    "behind": flip.behind,
                    "dimension": flip.dimension,
                    "weight": written(flip.weight),
                    "tie_at": str(flip.tie_at),
                    "change": str(flip.change),
                }
                for flip in self.found.flips
            ],
            "firm": self.found.firm,
            "tied": self.found.tied,
        }

    def _firm(self, one: str, other: str) -> str:
        tied = (one, other) in self.found.tied or (other, one) in self.found.tied
        return "(equal now)" if tied else "(no single weight turns them)"


def published_turns(ranking: Ranking, scores: tuple[DimensionScore, ...]) -> Turns:
    """What turns the order of the published scores under the ranking's weights."""
    rows: dict[str, dict[str, Fraction]] = {}
    for score in scores:
        rows.setdefault(score.vendor, {})[score.dimension] = Fraction(score.score)
    weights = {name: Fraction(weight) for name, weight in ranking.weights.items()}
    return Turns(sensitivity(rows, weights), tuple(place.vendor for place in ranking.placements))


def derived_turns(evaluation: Evaluation) -> Turns:
    """What turns the order of the mean totals over equally likely readings."""
    means = mean_scores(evaluation)
    totals = {
        v: sum((evaluation.weights[d] * s for d, s in row.items()), Fraction(0)) for v, row in means.items()
    }
    order = sorted(totals, key=lambda vendor: (-totals[vendor], vendor))
    return Turns(sensitivity(means, evaluation.weights), tuple(order))


def _cells(flip: Flip) -> tuple[str, str, str, str]:
    sign = "+" if flip.change > 0 else "-"
    return flip.dimension, _points(flip.weight), _points(flip.tie_at), f"{sign}{_points(abs(flip.change))}"


def _points(share: Fraction) -> str:
    """In percent with two places, half up; the exact fraction is in the JSON."""
    units = int(share * 10_000 + Fraction(1, 2))
    return f"{units // 100}.{units % 100:02d}%"
