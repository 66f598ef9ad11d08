"""What differs between the claims of two readings of one page."""

from __future__ import annotations

from schemas.claim import Claim
from schemas.ledger import Change, ChangeKind, StoredClaim
from schemas.record import Record
from warehouse.identity import changed_fields, match, suffixed


class Comparison(Record):
    """What a reading makes of the claims that were known.

    `claims` are the new reading's, in its order, under their final keys; `changes` come in the same order,
    followed by what is no longer seen. `absent` and `back` are the keys of known claims that are not on the
    page, and of those that are again. `ambiguous`: the final keys of claims that fitted several known
    ones equally well and were therefore taken as new, each with the keys of those.
    """

    claims: tuple[Claim, ...]
    changes: tuple[Change, ...]
    same: int
    absent: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    ambiguous: tuple[tuple[str, tuple[str, ...]], ...] = ()


def compare(
    old: tuple[StoredClaim, ...],
    new: tuple[Claim, ...],
    *,
    source_id: str = "",
    taken: frozenset[str] = frozenset(),
) -> Comparison:
    """Says of each claim whether it is new, changed, the same, not seen or seen again. Pure.

    `old`: the latest version of every claim of the source. `taken`: keys that other sources use. A claim that
    is not seen makes an event the first time only. `source_id` names the source in the events; without it,
    the known claims' or the page's own name is used.
    """
    matching = match(old, new)
    partner = {n: old[o] for o, n in matching.pairs}
    used = {*taken, *(stored.claim.claim_key for stored in old)}
    counts: dict[str, int] = {}
    claims: list[Claim] = []
    changes: list[Change] = []
    back: list[str] = []
    same = 0
    for index, proposed in enumerate(new):
        before = partner.get(index)
        key = before.claim.claim_key if before else suffixed(proposed.claim_key, used, counts)
        used.add(key)
        claim = proposed if key == proposed.claim_key else proposed.model_copy(update={"claim_key": key})
        claims.append(claim)
        change = _event(before, claim, source_id)
        if before and before.not_seen:
            back.append(key)
        if change:
            changes.append(change)
        else:
            same += 1
    met = {stored.claim.claim_key for stored in partner.values()}
    absent = [stored for stored in old if stored.claim.claim_key not in met]
    changes += [
        Change(
            kind=ChangeKind.NOT_SEEN,
            claim_key=stored.claim.claim_key,
            source_id=source_id or stored.source_id,
            before=stored.claim,
        )
        for stored in absent
        if stored.not_seen == 0
    ]
    return Comparison(
        claims=tuple(claims),
        changes=tuple(changes),
        same=same,
        absent=tuple(stored.claim.claim_key for stored in absent),
        back=tuple(back),
        ambiguous=tuple(
            (claims[one.new].claim_key, tuple(old[o].claim.claim_key for o in one.old))
            for one in matching.ambiguous
        ),
    )


def as_rereading(comparison: Comparison, known: tuple[StoredClaim, ...]) -> Comparison:
    """The same, with what only a new reader of the same bytes can have changed: flags, and the words quoted."""
    before = {stored.claim.claim_key: stored for stored in known}
    told = {
        change.claim_key: change for change in comparison.changes if change.kind is not ChangeKind.NOT_SEEN
    }
    changes: list[Change] = []
    for claim in comparison.claims:
        stored = before.get(claim.claim_key)
        change = told.get(claim.claim_key)
        if stored and (change is None or change.kind is ChangeKind.SEEN_AGAIN):
            fields = _reread_fields(stored.claim, claim)
            if fields:
                change = Change(
                    kind=ChangeKind.CHANGED,
                    claim_key=claim.claim_key,
                    source_id=stored.source_id,
                    fields=fields,
                    before=stored.claim,
                    after=claim,
                )
        if change:
            changes.append(change)
    lost = [change for change in comparison.changes if change.kind is ChangeKind.NOT_SEEN]
    same = len(comparison.claims) - len(changes)
    return comparison.model_copy(update={"changes": (*changes, *lost), "same": same})


def _reread_fields(before: Claim, after: Claim) -> tuple[str, ...]:
    flags = ("flags",) if set(before.flags) != set(after.flags) else ()
    quote = ("quote",) if before.evidence.quote.split() != after.evidence.quote.split() else ()
    return flags + quote


def _event(before: StoredClaim | None, claim: Claim, source_id: str) -> Change | None:
    key = claim.claim_key
    if before is None:
        return Change(kind=ChangeKind.NEW, claim_key=key, source_id=source_id or claim.source, after=claim)
    source_id = source_id or before.source_id
    if fields := changed_fields(before.claim, claim):
        return Change(
            kind=ChangeKind.CHANGED,
            claim_key=key,
            source_id=source_id,
            fields=fields,
            before=before.claim,
            after=claim,
        )
    if before.not_seen:
        return Change(
            kind=ChangeKind.SEEN_AGAIN, claim_key=key, source_id=source_id, before=before.claim, after=claim
        )
    return None
