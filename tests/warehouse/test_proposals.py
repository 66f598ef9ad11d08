"""A changed claim is held against the peers' claims, and only against those it compares with."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from schemas.claim import Claim, Evidence
from schemas.ledger import Change, ChangeKind, StoredClaim
from schemas.quantity import Bound
from schemas.ranking import Proposal, ScoreStatus
from schemas.record import Words
from schemas.scorecard import Dimension, EditorialScore, Scorecard
from warehouse.cards import builtin_cards, card
from warehouse.proposals import apply, propose
from warehouse.ranking import rank, scores

MAIN = card("ten-thousand-cards", builtin_cards())
DAY = datetime(2026, 11, 4, tzinfo=UTC)
BANDWIDTH, IOPS = "fs_throughput", "fs_iops"


def claim(
    vendor: str | None,
    metric: str,
    low: str,
    high: str | None = None,
    *,
    bound: Bound = Bound.AT_MOST,
    basis: str = "unspecified",
    text: str | None = None,
    key: str = "",
    unit: str = "",
    flags: tuple[str, ...] = (),
) -> Claim:
    units = {BANDWIDTH: "byte/s", IOPS: "1/s", "fault_recovery_time": "s"}
    return Claim(
        claim_key=key or f"{vendor}/{metric}/{basis}",
        source="page",
        vendor=vendor,
        product=None,
        metric=metric,
        low=Decimal(low),
        high=None if high is None else Decimal(high),
        unit=unit or units[metric],
        text_value=text or low,
        bound=bound,
        basis=basis,
        evidence=Evidence(quote="x", start=0, end=1),
        flags=flags,
        extractor="test",
    )


def stored(*claims: Claim, not_seen: int = 0) -> tuple[StoredClaim, ...]:
    return tuple(
        StoredClaim(
            claim=c,
            version=1,
            source_id="page",
            snapshot_sha256="0" * 64,
            valid_from=DAY,
            recorded_at=DAY,
            not_seen=not_seen,
        )
        for c in claims
    )


def new(*claims: Claim) -> tuple[Change, ...]:
    return tuple(
        Change(kind=ChangeKind.NEW, claim_key=c.claim_key, source_id="page", after=c) for c in claims
    )


def changed(before: Claim, after: Claim) -> Change:
    return Change(
        kind=ChangeKind.CHANGED, claim_key=after.claim_key, source_id="page", before=before, after=after
    )


def lost(before: Claim) -> Change:
    return Change(kind=ChangeKind.NOT_SEEN, claim_key=before.claim_key, source_id="page", before=before)


def proposed(claims: tuple[StoredClaim, ...], events: tuple[Change, ...]) -> tuple[Proposal, ...]:
    return propose(MAIN, scores(MAIN, claims), claims, events)


def outcome(claims: tuple[StoredClaim, ...], events: tuple[Change, ...]) -> list[tuple[object, ...]]:
    return [(p.vendor, p.dimension, str(p.proposed), p.peers) for p in proposed(claims, events)]


PEERS = (
    claim("alibaba-cloud", BANDWIDTH, "2e12", basis="per_filesystem"),
    claim("alibaba-cloud", BANDWIDTH, "2e13", basis="per_cluster"),
    claim("alibaba-cloud", IOPS, "3e7"),
    claim("volcengine", BANDWIDTH, "1.5e12", "2e12", bound=Bound.RANGE),
    claim("volcengine", IOPS, "1e7", "3e7", bound=Bound.RANGE),
    claim("tencent-cloud", BANDWIDTH, "1e12"),
    claim("tencent-cloud", IOPS, "1e7", "1e8", bound=Bound.ORDER_OF_MAGNITUDE),
    claim("baidu-ai-cloud", BANDWIDTH, "2e12"),
    claim("baidu-ai-cloud", IOPS, "3e7"),
    claim("ucloud", "fault_recovery_time", "60"),
)
HUAWEI = (
    claim("huawei-cloud", BANDWIDTH, "2e12", text="2 TB/s", key="h1"),
    claim("huawei-cloud", IOPS, "3e7", text="30 million", key="h2"),
)


def test_a_vendor_that_now_equals_three_peers_is_offered_their_lowest_score() -> None:
    claims = stored(*PEERS, *HUAWEI)
    given = scores(MAIN, claims, frozenset({"h1", "h2"}))
    marked = [(s.vendor, s.dimension) for s in given if s.status is ScoreStatus.STALE]
    assert marked == [("huawei-cloud", "storage_io")]
    (proposal,) = propose(MAIN, given, claims, new(*HUAWEI))
    assert proposal == Proposal(
        scorecard="ten-thousand-cards",
        vendor="huawei-cloud",
        dimension="storage_io",
        standing=Decimal("4.1"),
        proposed=Decimal("4.6"),
        peers=("alibaba-cloud", "baidu-ai-cloud", "volcengine"),
        claim_keys=("h1", "h2"),
        reason=proposal.reason,
    )
    assert proposal.reason == (
        "Huawei Cloud now states file-system throughput 2 TB/s and file-system IOPS 30 million, "
        "which equals what Alibaba Cloud and Baidu AI Cloud state "
        "and equals at best what Volcengine states (the better end of a range); "
        "the lowest of their published scores in 'Parallel storage' is 4.6."
    )
    before, after = rank(MAIN, given), rank(MAIN, apply(given, (proposal,)), variant="proposed")
    assert [p.shown for p in before.placements if p.vendor == "huawei-cloud"] == ["4.52"]
    assert after.variant == "proposed"
    assert [(p.rank, p.vendor, p.shown) for p in after.placements] == [
        (1, "alibaba-cloud", "4.76"),
        (2, "huawei-cloud", "4.61"),
        (2, "volcengine", "4.61"),
        (4, "tencent-cloud", "4.54"),
        (5, "baidu-ai-cloud", "4.50"),
        (6, "ucloud", "3.81"),
    ]


def reason(claims: tuple[StoredClaim, ...], events: tuple[Change, ...]) -> str:
    (proposal,) = proposed(claims, events)
    return proposal.reason


def test_flags_that_are_open_on_the_new_claims_are_said_once_each() -> None:
    flags = ("peak_without_load", "on_request_only")
    fast, busy = (c.model_copy(update={"flags": flags[:n]}) for c, n in zip(HUAWEI, (1, 2), strict=True))
    assert reason(stored(*PEERS, fast, busy), new(fast, busy)).endswith(
        "is 4.6. Still open on these claims: peak with no load stated; on request only."
    )
    # Flags of claims that take no part, and those of the peers, are not meant.
    other = claim("huawei-cloud", "fs_latency", "1e-3", flags=("no_test_condition",), key="h3", unit="s")
    peer = PEERS[0].model_copy(update={"flags": ("access_unspecified",)})
    assert "Still open" not in reason(stored(*PEERS[1:], peer, *HUAWEI, other), new(*HUAWEI, other))


def test_a_range_is_equalled_at_best_from_either_side() -> None:
    flat = claim("tencent-cloud", BANDWIDTH, "2e12")
    span = claim("huawei-cloud", BANDWIDTH, "1e12", "2e12", bound=Bound.RANGE, text="1–2 TB/s")
    at_best = "which equals at best what Tencent Cloud states (the better end of a range);"
    assert at_best in reason(stored(flat, span), new(span))
    point = claim("huawei-cloud", BANDWIDTH, "2e12")
    assert "which equals what Tencent Cloud states;" in reason(stored(flat, point), new(point))
    wide = claim("tencent-cloud", BANDWIDTH, "1e12", "2e12", bound=Bound.RANGE, key="wide")
    assert at_best in reason(stored(wide, point), new(point))
    # Where the peer states the same value outside a range too, it is equalled without reserve.
    assert "which equals what Tencent Cloud states;" in reason(stored(flat, wide, point), new(point))


def test_claims_that_nobody_reports_as_changed_propose_nothing() -> None:
    assert proposed(stored(*PEERS, *HUAWEI), ()) == ()


def test_every_moved_metric_must_be_equalled() -> None:
    slower = claim("huawei-cloud", IOPS, "2e7", key="h2")
    assert outcome(stored(*PEERS, HUAWEI[0], slower), new(HUAWEI[0], slower)) == []


def test_a_metric_that_did_not_move_is_not_asked() -> None:
    assert outcome(stored(*PEERS, HUAWEI[0]), new(HUAWEI[0])) == [
        ("huawei-cloud", "storage_io", "4.6", ("alibaba-cloud", "baidu-ai-cloud", "volcengine"))
    ]


@pytest.mark.parametrize(
    ("ours", "theirs", "equalled"),
    [
        ("unspecified", "unspecified", True),
        ("unspecified", "per_filesystem", True),
        ("unspecified", "per_cluster", True),
        ("per_filesystem", "unspecified", True),
        ("per_filesystem", "per_filesystem", True),
        ("per_filesystem", "per_cluster", False),
        ("per_filesystem", "aggregate", False),
        ("aggregate", "per_filesystem", False),
        ("per_cluster", "per_cluster", True),
    ],
)
def test_only_like_bases_compare(ours: str, theirs: str, *, equalled: bool) -> None:
    mine = claim("huawei-cloud", BANDWIDTH, "2e12", basis=ours)
    peer = claim("tencent-cloud", BANDWIDTH, "2e12", basis=theirs)
    found = outcome(stored(mine, peer), new(mine))
    assert found == ([("huawei-cloud", "storage_io", "4.4", ("tencent-cloud",))] if equalled else [])


def test_two_vendors_are_equal_only_on_every_basis_that_both_state() -> None:
    mine = tuple(
        claim("huawei-cloud", BANDWIDTH, value, basis=basis)
        for value, basis in (("2e12", "per_filesystem"), ("1e13", "per_cluster"))
    )
    assert outcome(stored(*PEERS[:2], *mine), new(*mine)) == []


def test_a_peer_whose_open_figure_may_be_higher_is_not_equalled() -> None:
    mine = claim("huawei-cloud", BANDWIDTH, "1e12", basis="per_filesystem")
    peer = (
        claim("tencent-cloud", BANDWIDTH, "1e12", basis="per_filesystem"),
        claim("tencent-cloud", BANDWIDTH, "2e12"),
    )
    assert outcome(stored(mine, *peer), new(mine)) == []


def test_other_units_do_not_compare() -> None:
    mine = claim("huawei-cloud", BANDWIDTH, "2e12", unit="bit/s")
    assert outcome(stored(mine, claim("tencent-cloud", BANDWIDTH, "2e12")), new(mine)) == []


def test_orders_of_magnitude_equal_nothing() -> None:
    decade = claim("huawei-cloud", IOPS, "1e7", "3e7", bound=Bound.ORDER_OF_MAGNITUDE)
    assert outcome(stored(*PEERS, decade), new(decade)) == []
    exact = claim("huawei-cloud", IOPS, "1e8")
    assert outcome(stored(*PEERS, exact), new(exact)) == []


def test_a_score_that_is_the_lowest_already_is_not_proposed() -> None:
    was = claim("baidu-ai-cloud", BANDWIDTH, "1e12")
    now = next(c for c in PEERS if c.claim_key == was.claim_key)
    huawei = claim("huawei-cloud", BANDWIDTH, "1e9")
    low = tuple(c for c in PEERS if c.vendor in ("baidu-ai-cloud", "alibaba-cloud"))
    assert outcome(stored(*low, huawei), (changed(was, now),)) == [
        ("baidu-ai-cloud", "storage_io", "4.8", ("alibaba-cloud",))
    ]
    same = claim("tencent-cloud", BANDWIDTH, "2e12")
    flat = _flat_card()
    claims = stored(*low, same)
    assert propose(flat, scores(flat, claims), claims, (changed(was, now),)) == ()


def _flat_card() -> Scorecard:
    text = Words(en="x", zh="x")
    storage = Dimension(
        id="storage", label=text, weight=Decimal(1), why=text, metrics=(BANDWIDTH,), compare=(BANDWIDTH,)
    )
    flat = {
        vendor: {"storage": EditorialScore(score=Decimal(4))}
        for vendor in ("alibaba-cloud", "baidu-ai-cloud")
    }
    return Scorecard(id="flat", name=text, origin=text, dimensions=(storage,), editorial=flat)


def test_new_words_for_the_same_figure_propose_nothing() -> None:
    was = claim("volcengine", BANDWIDTH, "2e12", text="2TB/s", key="v")
    now = claim("volcengine", BANDWIDTH, "2e12", text="2 TB/s", basis="per_filesystem", key="v")
    assert outcome(stored(*PEERS[:3], *PEERS[5:], now), (changed(was, now),)) == []


def test_a_figure_under_a_new_key_proposes_nothing() -> None:
    old = claim("volcengine", BANDWIDTH, "2e12", key="old")
    now = claim("volcengine", BANDWIDTH, "2e12", key="now")
    smaller = claim("volcengine", BANDWIDTH, "1e11", key="smaller tier")
    claims = (*stored(*PEERS[:3], *PEERS[5:], smaller, now), *stored(old, not_seen=1))
    assert outcome(claims, (lost(old), *new(now))) == []


def test_a_figure_that_came_back_under_a_new_key_proposes_nothing() -> None:
    old = claim("volcengine", BANDWIDTH, "2e12", key="old")
    now = claim("volcengine", BANDWIDTH, "2e12", key="now")
    claims = (*stored(*PEERS[:3], *PEERS[5:], now), *stored(old, not_seen=4))
    assert outcome(claims, new(now)) == []


def test_a_peer_whose_page_is_gone_is_still_a_peer() -> None:
    gone = tuple(c for c in PEERS if c.vendor == "baidu-ai-cloud")
    rest = tuple(c for c in PEERS if c.vendor != "baidu-ai-cloud")
    claims = (*stored(*rest, *HUAWEI), *stored(*gone, not_seen=1))
    events = (*new(*HUAWEI), *(lost(c) for c in gone))
    assert outcome(claims, events) == [
        ("huawei-cloud", "storage_io", "4.6", ("alibaba-cloud", "baidu-ai-cloud", "volcengine"))
    ]


def test_what_a_peer_says_now_stands_before_what_it_said_once() -> None:
    now = claim("tencent-cloud", BANDWIDTH, "1e12", key="now")
    once = claim("tencent-cloud", BANDWIDTH, "2e12", key="once")
    claims = (*stored(now, HUAWEI[0]), *stored(once, not_seen=3))
    assert outcome(claims, new(HUAWEI[0])) == []


def test_a_peer_that_moved_in_the_same_run_is_no_yardstick() -> None:
    was = claim("tencent-cloud", BANDWIDTH, "1e12")
    now = claim("tencent-cloud", BANDWIDTH, "2e12")
    ali = PEERS[0]
    assert outcome(stored(ali, now, HUAWEI[0]), (*new(HUAWEI[0]), changed(was, now))) == [
        ("huawei-cloud", "storage_io", "4.8", ("alibaba-cloud",)),
        ("tencent-cloud", "storage_io", "4.8", ("alibaba-cloud",)),
    ]


def test_claims_outside_the_card_are_passed_over() -> None:
    strangers = (claim(None, BANDWIDTH, "2e12"), claim("azure", BANDWIDTH, "2e12"))
    assert outcome(stored(*PEERS, *strangers), new(*strangers)) == []
    other = claim("huawei-cloud", "fault_recovery_time", "60")
    assert outcome(stored(*PEERS, other), new(other)) == []


def test_where_lower_is_better_the_lowest_value_is_the_best() -> None:
    text = Words(en="Recovery", zh="恢复")
    metric = "fault_recovery_time"
    dimension = Dimension(
        id="r", label=text, weight=Decimal(1), why=text, metrics=(metric,), compare=(metric,)
    )
    pair = {"aws": {"r": EditorialScore(score=Decimal(3))}, "gcp": {"r": EditorialScore(score=Decimal(4))}}
    speed = Scorecard(id="speed", name=text, origin=text, dimensions=(dimension,), editorial=pair)
    mine = claim("aws", metric, "60", key="a")
    claims = stored(mine, claim("gcp", metric, "60", "600", bound=Bound.RANGE))
    (proposal,) = propose(speed, scores(speed, claims), claims, new(mine))
    assert (proposal.vendor, proposal.proposed, proposal.peers) == ("aws", Decimal(4), ("gcp",))
