"""Scores of vendors, and the order they make. Pure, and exact: no binary float takes part."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

from schemas.errors import KoujingError
from schemas.ledger import StoredClaim
from schemas.ranking import DimensionScore, Placement, Ranking, ScoreStatus
from schemas.record import plain
from schemas.scorecard import Scorecard
from warehouse.cards import rests_on

WEIGHT_PLACES = 12
"""Decimal places of a weight: those of a given one at most, and those that a scaled one is written with."""
_TOTAL_PLACES = 18


class Weights(dict[str, Decimal]):
    """Decimal weights by dimension that sum to exactly 1, and the fractions that they were written from.

    The decimals are for people and the ledger; `rank` orders by `exact`, so that a tie under weights such as
    1/3 stays a tie.
    """

    def __init__(self, written: Mapping[str, Decimal], exact: Mapping[str, Fraction]) -> None:
        super().__init__(written)
        self.exact: Mapping[str, Fraction] = MappingProxyType(dict(exact))


def scores(
    card: Scorecard,
    claims: tuple[StoredClaim, ...],
    changed_keys: frozenset[str] = frozenset(),
    confirmed: Mapping[tuple[str, str], frozenset[str]] = MappingProxyType({}),
) -> tuple[DimensionScore, ...]:
    """Gives the published score of each vendor in each dimension, with the keys of the claims it rests on.

    `claims`: the latest version of each claim, also of those not seen lately. A score is stale when one of its keys is
    in `changed_keys` and, by vendor and dimension, not in `confirmed`: the changes that a person knew when saying
    that the score stands. Order: the card's vendors, then its dimensions.
    """
    result = []
    for vendor, entries in card.editorial.items():
        own = [stored.claim for stored in claims if stored.claim.vendor == vendor]
        for dimension in card.dimensions:
            entry = entries[dimension.id]
            keys = {claim.claim_key for claim in own if rests_on(dimension, claim, entry)}
            open_keys = changed_keys - confirmed.get((vendor, dimension.id), frozenset())
            changed = not keys.isdisjoint(open_keys)
            result.append(
                DimensionScore(
                    vendor=vendor,
                    dimension=dimension.id,
                    score=entry.score,
                    status=ScoreStatus.STALE if changed else ScoreStatus.STANDING,
                    claim_keys=tuple(sorted(keys)),
                )
            )
    return tuple(result)


def rank(
    card: Scorecard,
    scores: tuple[DimensionScore, ...],
    *,
    weights: Mapping[str, Decimal] | None = None,
    variant: str = "standing",
    note: str = "",
) -> Ranking:
    """Gives the vendors in order of their weighted totals; equal totals share a rank, as in 1, 2, 2, 4.

    Without `weights` the card's own hold. Totals are summed as fractions and are exact; only where one has no
    finite decimal form (weights that were scaled by a third, say) is `Placement.total` rounded to 18 places.
    `shown` is rounded half up once, from the exact total. The order is by total, then by vendor id. A card
    without scores gives no placements, and the note says so.

    Raises KoujingError where the weights or the scores do not fit the card.
    """
    written = {d.id: d.weight for d in card.dimensions} if weights is None else dict(weights)
    exact = weights.exact if isinstance(weights, Weights) else _fractions(written)
    _refuse_unfit_weights(card, exact)
    totals = {
        vendor: sum((exact[name] * Fraction(score) for name, score in row.items()), Fraction(0))
        for vendor, row in _rows(card, scores).items()
    }
    placements = tuple(
        Placement(
            vendor=vendor,
            total=_decimal(total),
            shown=_half_up(total, card.decimals),
            rank=1 + sum(other > total for other in totals.values()),
        )
        for vendor, total in sorted(totals.items(), key=lambda item: (-item[1], item[0]))
    )
    if not placements:
        note = "; ".join(filter(None, (note, f"{card.id} has no scores, so there is no order")))
    return Ranking(scorecard=card.id, variant=variant, weights=written, placements=placements, note=note)


def reweight(card: Scorecard, given: Mapping[str, Decimal]) -> tuple[Weights, str]:
    """Gives weights that hold the given ones and scale the rest to sum to 1, and a note that says so.

    The rest keep their proportions exactly, as fractions (`Weights.exact`), and it is these that `rank` uses.
    Written as decimals, each is cut to 12 places and the units that are left over go to those cut most, the
    first in the card's order where cut equally; so the decimals too sum to exactly 1, and since no order or
    rounding depends on them, the cut is harmless.

    Raises KoujingError for an unknown dimension, a weight outside 0 to 1 or with more than 12 places, given
    weights that sum to more than 1, and all dimensions given with another sum than 1.
    """
    own = {d.id: Fraction(d.weight) for d in card.dimensions}
    if not given:
        return Weights({d.id: d.weight for d in card.dimensions}, own), ""
    for name, weight in given.items():
        _refuse_unfit_weight(card, name, weight)
    kept = _fractions(given)
    taken = sum(kept.values(), Fraction(0))
    rest = {name: weight for name, weight in own.items() if name not in kept}
    listed = ", ".join(f"{name}={plain(weight)}" for name, weight in given.items())
    if taken > 1:
        raise KoujingError(
            f"the given weights {listed} sum to {plain(_decimal(taken))}; at most 1 is allowed"
        )
    if not rest and taken != 1:
        raise KoujingError(
            f"all weights of {card.id} are given and sum to {plain(_decimal(taken))}; "
            "they must sum to 1, or leave one out to have it scaled"
        )
    factor = (1 - taken) / sum(rest.values(), Fraction(0)) if rest else Fraction(0)
    exact = {name: kept[name] if name in kept else weight * factor for name, weight in own.items()}
    scaled = _written({name: exact[name] for name in rest})
    written = {name: given[name] if name in given else scaled[name] for name in own}
    verb = "is" if len(given) == 1 else "are"
    done = "scaled to sum to 1 with it" if len(given) == 1 else "scaled to sum to 1 with them"
    now = ", ".join(f"{name} {_short(weight)}" for name, weight in written.items())
    tail = f"; the others are {done}" if rest else "; no other is left to scale"
    return Weights(written, exact), f"{listed} {verb} as given{tail}: {now}"


def _refuse_unfit_weight(card: Scorecard, name: str, weight: Decimal) -> None:
    known = [d.id for d in card.dimensions]
    if name not in known:
        raise KoujingError(f"{card.id} has no dimension {name!r}; it has {', '.join(known)}")
    if not (weight.is_finite() and 0 <= weight <= 1):
        raise KoujingError(f"the weight of {name} is {weight}; it must be from 0 to 1")
    exponent = weight.as_tuple().exponent
    if isinstance(exponent, int) and exponent < -WEIGHT_PLACES:
        raise KoujingError(f"the weight of {name} is {weight}; at most {WEIGHT_PLACES} places are kept")


def _refuse_unfit_weights(card: Scorecard, weights: Mapping[str, Fraction]) -> None:
    known = [d.id for d in card.dimensions]
    if set(weights) != set(known):
        raise KoujingError(
            f"weights are given for {', '.join(weights) or 'nothing'}; {card.id} has {', '.join(known)}"
        )
    total = sum(weights.values(), Fraction(0))
    if total != 1:
        raise KoujingError(f"the weights sum to {plain(_decimal(total))}; they must sum to 1")


def _rows(card: Scorecard, scores: tuple[DimensionScore, ...]) -> dict[str, dict[str, Decimal]]:
    """The scores by vendor and dimension; refused where one is missing, twice there, or of no dimension."""
    known = {d.id for d in card.dimensions}
    rows: dict[str, dict[str, Decimal]] = {}
    for entry in scores:
        row = rows.setdefault(entry.vendor, {})
        if entry.dimension not in known or entry.dimension in row:
            fault = "stands twice" if entry.dimension in row else f"is no dimension of {card.id}"
            raise KoujingError(
                f"the score of {entry.vendor} in {entry.dimension} {fault}; rank one card's scores"
            )
        row[entry.dimension] = entry.score
    for vendor, row in rows.items():
        if missing := sorted(known - row.keys()):
            raise KoujingError(f"{vendor} has no score in {', '.join(missing)}; {card.id} needs one in each")
    return rows


def _fractions(weights: Mapping[str, Decimal]) -> dict[str, Fraction]:
    return {name: Fraction(weight) for name, weight in weights.items()}


def _written(weights: Mapping[str, Fraction]) -> dict[str, Decimal]:
    """The fractions as decimals of WEIGHT_PLACES with the same sum, which must have no more places itself."""
    unit = 10**WEIGHT_PLACES
    units = {name: weight * unit // 1 for name, weight in weights.items()}
    left = int(sum(weights.values(), Fraction(0)) * unit) - sum(units.values())
    cut_most = sorted(weights, key=lambda name: units[name] - weights[name] * unit)
    for name in cut_most[:left]:
        units[name] += 1
    return {name: _scaled(number, WEIGHT_PLACES) for name, number in units.items()}


def _decimal(number: Fraction) -> Decimal:
    """The fraction as a decimal: exact where it has a finite form, else half up to 18 places."""
    rest, powers = number.denominator, []
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        powers.append(power)
    return _rounded(number, max(powers) if rest == 1 else _TOTAL_PLACES)


def _half_up(number: Fraction, places: int) -> str:
    return format(_rounded(number, places), "f")


def _rounded(number: Fraction, places: int) -> Decimal:
    return _scaled(_units(number, places), places)


def _units(number: Fraction, places: int) -> int:
    """The number in units of the last place, half away from zero."""
    size = int(abs(number) * 10**places + Fraction(1, 2))
    return size if number >= 0 else -size


def _scaled(units: int, places: int) -> Decimal:
    # From its digits, because arithmetic would round to the context's 28.
    return Decimal((int(units < 0), tuple(int(digit) for digit in str(abs(units))), -places))


def _short(weight: Decimal) -> str:
    return plain(_rounded(Fraction(weight), 4))
