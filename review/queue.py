"""In which order open flags deserve a person's time."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from schemas.claim import Claim
from schemas.record import Exact, Record
from schemas.scorecard import Dimension, Scorecard
from warehouse.cards import rests_on
from warehouse.rows import OpenFlag

_COMPARED = 2
"""A metric on which vendors are held against each other decides a score; the others only bear on it."""


class Queued(Record):
    """An open flag and what settling it is worth. `dimensions`: `card.dimension` that rests on its claim."""

    flag: OpenFlag
    worth: Exact
    dimensions: tuple[str, ...] = ()


def order(flags: Iterable[OpenFlag], cards: Iterable[Scorecard]) -> tuple[Queued, ...]:
    """Gives the flags with the most worth settling first. Pure, and the same for any order of `flags`.

    A flag's worth is the sum, over all scorecards, of the weights of the dimensions in which its vendor's
    score rests on its claim, a weight counting twice where the dimension compares vendors on the claim's
    metric. A claim that is no longer on its page comes after those that are. Among equals: by vendor, metric,
    flag name and claim key.
    """
    known = tuple(cards)
    return tuple(sorted((_queued(flag, known) for flag in flags), key=_place))


def bearing(claim: Claim, cards: Iterable[Scorecard]) -> tuple[Decimal, tuple[str, ...]]:
    """How much weight rests on a claim in all scorecards, and in which dimensions (`card.dimension`)."""
    resting = [(card, dimension) for card in cards for dimension in _resting(card, claim)]
    worth = sum((_weight(dimension, claim) for _, dimension in resting), Decimal(0))
    return worth, tuple(f"{card.id}.{dimension.id}" for card, dimension in resting)


def _queued(flag: OpenFlag, cards: tuple[Scorecard, ...]) -> Queued:
    worth, dimensions = bearing(flag.claim.claim, cards)
    return Queued(flag=flag, worth=worth, dimensions=dimensions)


def _resting(card: Scorecard, claim: Claim) -> tuple[Dimension, ...]:
    entries = card.editorial.get(claim.vendor or "")
    if entries is None:
        return ()
    return tuple(d for d in card.dimensions if rests_on(d, claim, entries[d.id]))


def _weight(dimension: Dimension, claim: Claim) -> Decimal:
    return dimension.weight * (_COMPARED if claim.metric in dimension.compare else 1)


def _place(queued: Queued) -> tuple[bool, Decimal, str, str, str, str]:
    stored = queued.flag.claim
    claim = stored.claim
    return (
        stored.not_seen > 0,
        -queued.worth,
        claim.vendor or "\uffff",  # those of no known vendor last
        claim.metric,
        queued.flag.flag.name,
        claim.claim_key,
    )
