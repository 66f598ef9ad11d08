"""What a changed claim would do to a score, held against the peers' claims. A person accepts it or not."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal

from schemas.claim import Claim
from schemas.ledger import Change, ChangeKind, StoredClaim
from schemas.quantity import Bound
from schemas.ranking import DimensionScore, Proposal
from schemas.record import plain
from schemas.registry import registry
from schemas.scorecard import Dimension, Scorecard

_OPEN = "unspecified"
Pool = tuple[Claim, ...]


def propose(
    card: Scorecard,
    scores: tuple[DimensionScore, ...],
    claims: tuple[StoredClaim, ...],
    changed: tuple[Change, ...],
) -> tuple[Proposal, ...]:
    """Gives the scores that new and changed claims would support, each from the peers that they now equal.

    `claims`: the latest version of each claim, after the run; `changed`: the run's events, without those of
    pages seen for the first time (a first visit is no change). A vendor and dimension is looked at where, on
    a metric of `dimension.compare`, the best that the vendor states has moved: words that changed and numbers
    that did not propose nothing. A peer is equalled when on every moved metric its best comparable value is
    the same one, and its own best has not moved in this run (its score was given for what it said before).
    The proposed score is the lowest among the equalled peers; none, where that is the standing score already.

    Comparable: same metric and unit, and the same basis, or one that is not specified. Orders of magnitude
    are no figures. The vendor's claims count while they stand on the page; a peer's claims that were not seen
    lately count where it states nothing else, because not seen is not retracted.
    """
    standing = {(s.vendor, s.dimension): s.score for s in scores}
    vendors = sorted({s.vendor for s in scores})
    view = _View(claims, changed)
    found = []
    for dimension in card.dimensions:
        moved = {vendor: view.moved(vendor, dimension) for vendor in vendors}
        for vendor in vendors:
            if not moved[vendor]:
                continue
            peers = tuple(
                peer
                for peer in vendors
                if peer != vendor
                and not moved[peer]
                and all(_equal(view.now(vendor, m), view.stated(peer, m)) for m in moved[vendor])
            )
            if not peers:
                continue
            score = standing[vendor, dimension.id]
            proposed = min(standing[peer, dimension.id] for peer in peers)
            if proposed == score:
                continue
            found.append(
                Proposal(
                    scorecard=card.id,
                    vendor=vendor,
                    dimension=dimension.id,
                    standing=score,
                    proposed=proposed,
                    peers=peers,
                    claim_keys=tuple(sorted(key for keys in moved[vendor].values() for key in keys)),
                    reason=_reason(vendor, dimension, view, moved[vendor], peers, proposed),
                )
            )
    return tuple(found)


def apply(scores: tuple[DimensionScore, ...], proposals: Iterable[Proposal]) -> tuple[DimensionScore, ...]:
    """Gives the scores as they would be under the proposals, all of one scorecard; the others stay."""
    new = {(p.vendor, p.dimension): p.proposed for p in proposals}
    return tuple(
        s.model_copy(update={"score": new[s.vendor, s.dimension]}) if (s.vendor, s.dimension) in new else s
        for s in scores
    )


def strongest(proposals: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
    """Gives the proposals that the ranking `proposed` is under: those from peers' claims, and the rubric's without any."""
    return tuple(p for p in proposals if p.peers) or proposals


class _View:
    """The claims that carry a figure, by vendor and metric: now, just before the run, and not seen lately."""

    def __init__(self, claims: tuple[StoredClaim, ...], changed: tuple[Change, ...]) -> None:
        kinds = {change.claim_key: change.kind for change in changed}
        fresh = {key for key, kind in kinds.items() if kind in (ChangeKind.NEW, ChangeKind.CHANGED)}
        back = {key for key, kind in kinds.items() if kind is ChangeKind.SEEN_AGAIN}
        lost = {key for key, kind in kinds.items() if kind is ChangeKind.NOT_SEEN}
        now = [s.claim for s in claims if s.not_seen == 0]
        missing = [s.claim for s in claims if s.not_seen > 0]
        self._now = _pools(now)
        self._missing = _pools(missing)
        self._fresh = _pools(c for c in now if c.claim_key in fresh)
        # A claim whose key is lost and found again under another is the same figure before and after.
        self._before = _pools(
            [
                *(c for c in now if c.claim_key not in fresh | back),
                *(c for c in missing if c.claim_key in lost),
                *(c.before for c in changed if c.before is not None and c.kind is ChangeKind.CHANGED),
            ]
        )

    def now(self, vendor: str, metric: str) -> Pool:
        return self._now.get((vendor, metric), ())

    def stated(self, vendor: str, metric: str) -> Pool:
        """What stands on the vendor's pages now or, where nothing does, what was last seen there."""
        return self.now(vendor, metric) or self._missing.get((vendor, metric), ())

    def fresh(self, vendor: str, metric: str) -> Pool:
        return self._fresh.get((vendor, metric), ())

    def moved(self, vendor: str, dimension: Dimension) -> Mapping[str, tuple[str, ...]]:
        """The compared metrics on which new or changed claims moved the best value, with their keys."""
        result = {}
        for metric in dimension.compare:
            fresh = self.fresh(vendor, metric)
            before = self._before.get((vendor, metric), ()) or self._missing.get((vendor, metric), ())
            if fresh and not _equal(self.now(vendor, metric), before):
                result[metric] = tuple(c.claim_key for c in fresh)
        return result


def _pools(claims: Iterable[Claim]) -> dict[tuple[str, str], Pool]:
    pools: dict[tuple[str, str], Pool] = {}
    for claim in claims:
        if claim.vendor is not None and claim.bound is not Bound.ORDER_OF_MAGNITUDE:
            place = (claim.vendor, claim.metric)
            pools[place] = (*pools.get(place, ()), claim)
    return pools


def _equal(ours: Pool, theirs: Pool) -> bool:
    """Whether the best values are the same: on every basis that both state, else under some open reading."""
    both = _stated(ours) & _stated(theirs)
    meeting = _meeting(ours, theirs)
    return meeting == both if both else bool(meeting)


def _meeting(ours: Pool, theirs: Pool) -> set[tuple[str, str]]:
    """The readings under which the best values are the same, of those that both state, else of all."""
    readings = _stated(ours) & _stated(theirs)
    if not readings:
        readings = _stated(ours) | _stated(theirs) | {(c.unit, _OPEN) for c in ours}
    return {
        reading
        for reading in readings
        if (best := _best(ours, reading)) is not None and best == _best(theirs, reading)
    }


def _only_at_best(ours: Pool, theirs: Pool) -> bool:
    """Whether two equal best values are so by the better end of a range, under a reading where they meet."""
    return any(_by_range(pool, reading) for reading in _meeting(ours, theirs) for pool in (ours, theirs))


def _by_range(claims: Pool, reading: tuple[str, str]) -> bool:
    best = [c for c in _fitting(claims, reading) if _value(c) == _best(claims, reading)]
    return all(c.low is not None and c.high is not None and c.low != c.high for c in best)


def _stated(claims: Pool) -> set[tuple[str, str]]:
    return {(c.unit, c.basis) for c in claims if c.basis != _OPEN}


def _best(claims: Pool, reading: tuple[str, str]) -> Decimal | None:
    """The best value in a unit on a basis; a claim that leaves its basis open may be on any."""
    fitting = _fitting(claims, reading)
    return _better(fitting[0].metric)(_value(c) for c in fitting) if fitting else None


def _fitting(claims: Pool, reading: tuple[str, str]) -> Pool:
    unit, basis = reading
    return tuple(c for c in claims if c.unit == unit and c.basis in (basis, _OPEN))


def _better(metric: str) -> Callable[[Iterable[Decimal]], Decimal]:
    return min if registry().metric(metric).better == "lower" else max


def _value(claim: Claim) -> Decimal:
    return _better(claim.metric)(v for v in (claim.low, claim.high) if v is not None)


def _reason(
    vendor: str,
    dimension: Dimension,
    view: _View,
    moved: Mapping[str, tuple[str, ...]],
    peers: tuple[str, ...],
    proposed: Decimal,
) -> str:
    told = []
    flags: dict[str, None] = {}  # in the order in which they are met, each once
    for metric in moved:
        pool = view.fresh(vendor, metric)
        best = _better(metric)(_value(c) for c in pool)
        claim = next(c for c in pool if _value(c) == best)
        text = claim.text_value or f"{plain(best)} {claim.unit}"
        told.append(f"{registry().metric(metric).label.en} {text}")
        flags |= dict.fromkeys(name for c in pool for name in c.flags)
    at_best = [
        peer for peer in peers if any(_only_at_best(view.now(vendor, m), view.stated(peer, m)) for m in moved)
    ]
    exactly = [peer for peer in peers if peer not in at_best]
    equals = [f"equals what {_said_by(exactly)}"] if exactly else []
    if at_best:
        equals.append(f"equals at best what {_said_by(at_best)} (the better end of a range)")
    reason = (
        f"{registry().vendor(vendor).label.en} now states {_listed(told)}, which {' and '.join(equals)}; "
        f"the lowest of their published scores in {dimension.label.en!r} is {plain(proposed)}."
    )
    if flags:
        labels = "; ".join(registry().flag(name).label.en for name in flags)
        reason += f" Still open on these claims: {labels}."
    return reason


def _said_by(vendors: list[str]) -> str:
    names = [registry().vendor(vendor).label.en for vendor in vendors]
    return f"{_listed(names)} {'states' if len(names) == 1 else 'state'}"


def _listed(items: list[str]) -> str:
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}"
