"""What each open flag is worth over all cards, and the order in which settling them pays."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

from schemas.rubric import OpenFlag
from schemas.uncertainty import Evaluation, FlagEffect, FlagWorth, Reason, Worth


def worths(flags: Iterable[OpenFlag], evaluations: Iterable[Evaluation]) -> tuple[FlagWorth, ...]:
    """Gives the flags with the most worth settling first; each flag once, though several cards name it.

    The order: on how many cards it can decide the winner; how many pairs it can decide; how many vendors it can
    put out of the running for first place; how many ranks and how much width it can take from its vendor, all
    summed over the cards; and among equals by vendor and flag id. A flag that moves nothing comes last.
    """
    by_flag: dict[str, list[FlagEffect]] = {}
    for evaluation in sorted(evaluations, key=lambda e: e.card):
        for effect in evaluation.effects:
            by_flag.setdefault(effect.flag, []).append(effect)
    distinct = {flag.id: flag for flag in flags}
    return tuple(sorted((_worth(flag, by_flag.get(flag.id, [])) for flag in distinct.values()), key=_place))


def _worth(flag: OpenFlag, effects: list[FlagEffect]) -> FlagWorth:
    return FlagWorth(
        flag=flag.id,
        claim_key=flag.claim_key,
        name=flag.flag,
        vendor=flag.vendor,
        winners=sum(effect.decides_winner for effect in effects),
        pairs=sum(len(effect.decides) for effect in effects),
        contenders_out=sum(effect.contenders_out for effect in effects),
        places=sum(effect.places for effect in effects),
        narrowing=sum((effect.narrowing for effect in effects), Fraction(0)),
        reason=min((_reason(effect) for effect in effects), key=_strength, default=_nothing(flag)),
        effects=tuple(effects),
    )


def _place(worth: FlagWorth) -> tuple[int, int, int, int, Fraction, str, str]:
    return (
        -worth.winners,
        -worth.pairs,
        -worth.contenders_out,
        -worth.places,
        -worth.narrowing,
        worth.vendor,
        worth.flag,
    )


def _reason(effect: FlagEffect) -> Reason:
    """The strongest thing it can do on this card."""
    if effect.decides_winner:
        kind = Worth.WINNER
    elif effect.place is not None:
        kind = Worth.PLACE
    elif effect.decides:
        kind = Worth.ORDER
    elif effect.contenders_out:
        kind = Worth.CONTENDER
    elif effect.narrowing:
        kind = Worth.WIDTH
    else:
        kind = Worth.NOTHING
    return Reason(
        kind=kind,
        vendor=effect.vendor,
        card=effect.card,
        place=effect.place,
        against=effect.decides,
        narrowing=effect.narrowing,
    )


def _nothing(flag: OpenFlag) -> Reason:
    return Reason(kind=Worth.NOTHING, vendor=flag.vendor)


_KINDS = list(Worth)


def _strength(reason: Reason) -> tuple[int, int, int, Fraction, str]:
    """Strongest kind first; then the highest place, the most pairs, the most width, the card's id."""
    return (
        _KINDS.index(reason.kind),
        reason.place or 0,
        -len(reason.against),
        -reason.narrowing,
        reason.card,
    )
