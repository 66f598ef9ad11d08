"""What the rubric would make of a published score whose claims moved, where no peer's claims are equalled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from fractions import Fraction

from schemas.ranking import DimensionScore, Proposal, ScoreStatus
from schemas.record import plain
from schemas.registry import registry
from schemas.scorecard import Scorecard
from schemas.uncertainty import Interval
from warehouse.derived import decimal

Derived = Mapping[tuple[str, str], Interval]
"""Derived scores by vendor and dimension."""


def propose_by_rubric(
    card: Scorecard,
    scores: tuple[DimensionScore, ...],
    before: Derived,
    after: Derived,
    changed_keys: frozenset[str],
    taken: Iterable[Proposal] = (),
) -> tuple[Proposal, ...]:
    """Gives, for each stale score on which this run's changes bear, the score moved by as much as the derived one.

    Published and derived scores do not lie on one scale, because an author gives the benefit of the doubt and a rubric
    does not; so a published score is not replaced by the derived one but moved with it: by the lesser of the two ends'
    moves, and not at all where the ends move apart. It passes no peer: upwards it stays at the lowest published score
    among the peers that the rubric scores at least as high, downwards at the highest among those that it scores no
    higher; peers whose own score is stale do not count. Rounded half up to the places of the published scores.

    `before` and `after`: the derived scores when the claims moved. `changed_keys`: the claims that vendors changed in
    this run. `taken`: proposals that stand already; their scores get no second one.
    """
    done = {(p.vendor, p.dimension) for p in taken}
    stale = {(s.vendor, s.dimension) for s in scores if s.status is ScoreStatus.STALE}
    found = []
    for score in scores:
        place = (score.vendor, score.dimension)
        moved = changed_keys.intersection(score.claim_keys)
        if place in done or place not in stale or not moved or place not in before or place not in after:
            continue
        move = _move(before[place], after[place])
        peers = [
            s for s in scores
            if s.dimension == score.dimension
            and s.vendor != score.vendor
            and (s.vendor, s.dimension) not in stale
            and (s.vendor, s.dimension) in after
        ]  # fmt: skip
        limits = _limits(move, after[place], [(s.score, after[s.vendor, s.dimension]) for s in peers])
        proposed = _moved(card, score, move, limits)
        if (proposed > score.score) != (move > 0) or proposed == score.score:
            continue
        found.append(
            Proposal(
                scorecard=card.id,
                vendor=score.vendor,
                dimension=score.dimension,
                standing=score.score,
                proposed=proposed,
                peers=(),
                claim_keys=tuple(sorted(moved)),
                reason=_reason(
                    card, score, before[place], after[place], proposed, stopped=proposed in limits
                ),
            )
        )
    return tuple(found)


def _move(before: Interval, after: Interval) -> Fraction:
    ends = (after.low - before.low, after.high - before.high)
    if min(ends) < 0 < max(ends):
        return Fraction(0)
    return min(ends, key=abs)


def _limits(move: Fraction, own: Interval, peers: list[tuple[Decimal, Interval]]) -> list[Decimal]:
    """The published score that the moved one may not pass, if any."""
    if move > 0:
        return [min(level)] if (level := [p for p, derived in peers if derived.low >= own.high]) else []
    return [max(level)] if (level := [p for p, derived in peers if derived.high <= own.low]) else []


def _moved(card: Scorecard, score: DimensionScore, move: Fraction, limits: list[Decimal]) -> Decimal:
    entries = [row[score.dimension].score for row in card.editorial.values()]
    places = max(max(0, -int(entry.as_tuple().exponent)) for entry in entries)
    wanted = max(Fraction(card.scale_min), min(Fraction(card.scale_max), Fraction(score.score) + move))
    wanted = Fraction(decimal(wanted, places))
    for limit in limits:
        wanted = min(wanted, Fraction(limit)) if move > 0 else max(wanted, Fraction(limit))
    return decimal(wanted, max(places, 4)).normalize() + 0


def _reason(
    card: Scorecard,
    score: DimensionScore,
    before: Interval,
    after: Interval,
    proposed: Decimal,
    *,
    stopped: bool,
) -> str:
    label = next(d.label.en for d in card.dimensions if d.id == score.dimension)
    reason = (
        f"The rubric scores {registry().vendor(score.vendor).label.en} in {label!r} {_span(after)} on what it states now and "
        f"{_span(before)} before; the published score moved by as much, rounded, is {plain(proposed)}"
    )
    if not stopped:
        return f"{reason}."
    way = "at least as high" if proposed > score.score else "no higher"
    return f"{reason}, where it meets the published score of a peer that the rubric scores {way}."


def _span(found: Interval) -> str:
    ends = dict.fromkeys(format(decimal(end, 2), "f") for end in (found.low, found.high))
    return "–".join(ends)
