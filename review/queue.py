"""In which order open flags deserve a person's time."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from schemas.claim import Claim
from schemas.record import Exact, Record
from schemas.registry import registry
from schemas.scorecard import Dimension, Scorecard
from schemas.uncertainty import FlagWorth, Reason, Worth
from warehouse.cards import rests_on
from warehouse.rows import OpenFlag

_COMPARED = 2
"""A metric on which vendors are held against each other decides a score; the others only bear on it."""
_LEAST_SHOWN = Decimal("0.01")


class Queued(Record):
    """An open flag and what settling it is worth. `dimensions`: `card.dimension` that rests on its claim.

    `moves`: what settling it can do to derived rankings; None where none depends on it. `why`: one line for people.
    """

    flag: OpenFlag
    worth: Exact
    dimensions: tuple[str, ...] = ()
    moves: FlagWorth | None = None
    why: str = ""


def order(
    flags: Iterable[OpenFlag], cards: Iterable[Scorecard], worths: Iterable[FlagWorth] = ()
) -> tuple[Queued, ...]:
    """Gives the flags with the most worth settling first. Pure, and the same for any order of `flags`.

    First come those that can move a derived ranking, in the order of `worths`: the winner before pairs, pairs before
    ranks, ranks before the width of a total, over all scorecards. Then the others, by the sum over all scorecards of
    the weights of the dimensions in which the vendor's published score rests on the claim, a weight counting twice
    where the dimension compares vendors on its metric. A claim that is no longer on its page comes last. Among equals:
    by vendor, metric, flag name and claim key.
    """
    known = tuple(cards)
    moving = [w for w in worths if w.reason.kind is not Worth.NOTHING]
    rank = {worth.flag: place for place, worth in enumerate(moving)}
    by_flag = {worth.flag: worth for worth in moving}
    queue = [_queued(flag, known, by_flag.get(flag.flag.flag_id)) for flag in flags]
    last = len(rank)
    return tuple(sorted(queue, key=lambda q: _place(q, rank.get(q.flag.flag.flag_id, last))))


def bearing(claim: Claim, cards: Iterable[Scorecard]) -> tuple[Decimal, tuple[str, ...]]:
    """How much weight rests on a claim in all scorecards, and in which dimensions (`card.dimension`)."""
    resting = [(card, dimension) for card in cards for dimension in _resting(card, claim)]
    worth = sum((_weight(dimension, claim) for _, dimension in resting), Decimal(0))
    return worth, tuple(f"{card.id}.{dimension.id}" for card, dimension in resting)


def _queued(flag: OpenFlag, cards: tuple[Scorecard, ...], moves: FlagWorth | None) -> Queued:
    worth, dimensions = bearing(flag.claim.claim, cards)
    if moves is not None:
        why = _reason(moves.reason, cards)
    elif dimensions:
        why = f"published scores rest on its claim: {', '.join(dimensions)}"
    else:
        why = "no score rests on its claim"
    return Queued(flag=flag, worth=worth, dimensions=dimensions, moves=moves, why=why)


def _reason(reason: Reason, cards: tuple[Scorecard, ...]) -> str:
    """The most that settling the flag can do, as one line."""
    card = next((c.name.en for c in cards if c.id == reason.card), reason.card)
    vendor = _name(reason.vendor)
    if reason.kind is Worth.WINNER:
        return f"settling this can decide 1st place of “{card}”"
    if reason.kind is Worth.PLACE and reason.place is not None:
        return f"settling this can decide {_ordinal(reason.place)} place of “{card}” ({vendor})"
    if reason.kind is Worth.ORDER:
        others = ", ".join(_name(other) for other in reason.against)
        return f"settling this can decide the order of {vendor} and {others} in “{card}”"
    if reason.kind is Worth.CONTENDER:
        return f"settling this can decide who may still be first in “{card}”"
    narrowing = Decimal(reason.narrowing.numerator) / Decimal(reason.narrowing.denominator)
    if narrowing < _LEAST_SHOWN:
        return f"settling this takes less than {_LEAST_SHOWN} from the range of {vendor} in “{card}”"
    return f"settling this can take {narrowing:.2f} from the range of {vendor} in “{card}”"


def _name(vendor: str) -> str:
    known = registry().vendors.get(vendor)
    return known.label.en if known else vendor


def _ordinal(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    ending = {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _resting(card: Scorecard, claim: Claim) -> tuple[Dimension, ...]:
    entries = card.editorial.get(claim.vendor or "")
    if entries is None:
        return ()
    return tuple(d for d in card.dimensions if rests_on(d, claim, entries[d.id]))


def _weight(dimension: Dimension, claim: Claim) -> Decimal:
    return dimension.weight * (_COMPARED if claim.metric in dimension.compare else 1)


def _place(queued: Queued, rank: int) -> tuple[bool, int, Decimal, str, str, str, str]:
    stored = queued.flag.claim
    claim = stored.claim
    return (
        stored.not_seen > 0,
        rank,
        -queued.worth,
        claim.vendor or "\uffff",  # those of no known vendor last
        claim.metric,
        queued.flag.flag.name,
        claim.claim_key,
    )
