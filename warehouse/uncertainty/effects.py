"""What settling each open flag can do on one card."""

from __future__ import annotations

from fractions import Fraction

from schemas.uncertainty import FlagEffect, Outcome
from warehouse.uncertainty.card import CardTrees, VendorTree
from warehouse.uncertainty.ends import ends_given, interval
from warehouse.uncertainty.places import Field
from warehouse.uncertainty.spread import Effort
from warehouse.uncertainty.tree import Bounds


def effects(name: str, card: CardTrees, field: Field, search_steps: int) -> tuple[FlagEffect, ...]:
    """Gives the effect of every flag that a total on the card depends on, by flag id.

    A flag moves one vendor only, so each reading asks for that vendor's bounds anew and places them among the
    others by bisection. `search_steps` is the limit for all flags of one vendor together.
    """
    found: list[FlagEffect] = []
    for tree in card.vendors:
        effort = Effort(search_steps)
        before = field.firsts(tree.vendor, field.totals[tree.vendor])
        found.extend(
            _effect(name, card, tree, flag, field, before, effort) for flag in sorted(tree.total.flags)
        )
    return tuple(sorted(found, key=lambda effect: effect.flag))


def _effect(
    name: str,
    card: CardTrees,
    tree: VendorTree,
    flag: str,
    field: Field,
    before: tuple[int, tuple[str, ...]],
    effort: Effort,
) -> FlagEffect:
    vendor = tree.vendor
    own = field.totals[vendor]
    best, worst = field.ranks(vendor)
    outcomes = []
    narrowest = own
    for index, reading in enumerate(card.flags[flag]):
        bounds, exact = ends_given(tree.total, flag, index, effort)
        bounds = max(own[0], bounds[0]), min(own[1], bounds[1])
        narrowest = min(narrowest, bounds, key=_width)
        outcomes.append(_outcome(card, field, vendor, reading, bounds, exact))
    against = {other for o in outcomes for other in (*o.ahead, *o.behind, *o.tied)}
    return FlagEffect(
        card=name,
        flag=flag,
        vendor=vendor,
        narrowing=Fraction(_width(own) - _width(narrowest), card.total_unit),
        places=max(worst - best - (o.worst - o.best) for o in outcomes),
        decides=tuple(sorted(against)),
        place=min((o.best for o in outcomes if o.best == o.worst), default=None) if best < worst else None,
        decides_winner=not before[1] and any(o.winners for o in outcomes),
        contenders_out=max(before[0] - o.contenders for o in outcomes),
        outcomes=tuple(outcomes),
    )


def _outcome(
    card: CardTrees, field: Field, vendor: str, reading: str, bounds: Bounds, exact: bool
) -> Outcome:
    best, worst = field.ranks(vendor, bounds)
    ahead, behind, tied = field.decided(vendor, bounds)
    contenders, winners = field.firsts(vendor, bounds)
    return Outcome(
        reading=reading,
        total=interval(bounds, card.total_unit, exact),
        best=best,
        worst=worst,
        ahead=ahead,
        behind=behind,
        tied=tied,
        winners=winners,
        contenders=contenders,
    )


def _width(bounds: Bounds) -> int:
    return bounds[1] - bounds[0]
