"""A published score is moved as far as the derived one moved, and past no peer whom the rubric puts level with it."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from schemas.ranking import DimensionScore, Proposal, ScoreStatus
from schemas.uncertainty import Interval
from warehouse.cards import builtin_cards, card
from warehouse.ranking import scores
from warehouse.rubric_proposals import propose_by_rubric

MAIN = card("ten-thousand-cards", builtin_cards())
# Published there: alibaba-cloud 4.8, volcengine 4.7, baidu-ai-cloud 4.6, tencent-cloud 4.4, huawei-cloud 4.1, ucloud 3.8.
DIMENSION, VENDOR = "storage_io", "huawei-cloud"


def given(*stale: str) -> tuple[DimensionScore, ...]:
    return tuple(
        s.model_copy(update={"status": ScoreStatus.STALE, "claim_keys": ("k", "other")})
        if s.dimension == DIMENSION and s.vendor in stale
        else s
        for s in scores(MAIN, ())
    )


def derived(**found: str) -> dict[tuple[str, str], Interval]:
    """Derived scores by vendor (`_` for a hyphen): one number, or two ends."""
    return {
        (vendor.replace("_", "-"), DIMENSION): Interval(
            low=Fraction(ends.split()[0]), high=Fraction(ends.split()[-1])
        )
        for vendor, ends in found.items()
    }


def proposed(before: str, after: str, *, stale: tuple[str, ...] = (VENDOR,), **peers: str) -> Decimal | None:
    found = propose_by_rubric(
        MAIN,
        given(*stale),
        derived(huawei_cloud=before, **peers),
        derived(huawei_cloud=after, **peers),
        frozenset({"k"}),
    )
    assert all(
        (p.vendor, p.dimension, p.peers, p.claim_keys) == (VENDOR, DIMENSION, (), ("k",)) for p in found
    )
    return found[0].proposed if found else None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("2", "2.3", "4.4"),
        ("2", "1.5", "3.6"),
        ("2 3", "2.2 3.6", "4.3"),  # the lesser of the two ends' moves
        ("2 3", "1 2.5", "3.6"),
        ("2", "2.25", "4.4"),  # half up, to the places of the published scores
        ("0", "5", "5"),  # never off the scale
        ("5", "0", "0"),
        ("2", "2", None),
        ("2", "2.04", None),  # nothing is left after rounding
        ("2 3", "1 4", None),  # the ends move apart
        ("2 3", "2.5 2.6", None),
        ("2 3", "2 4", None),
    ],
)
def test_the_published_score_moves_as_the_derived_one_does(
    before: str, after: str, expected: str | None
) -> None:
    assert proposed(before, after) == (Decimal(expected) if expected else None)


def test_upwards_it_stops_at_a_peer_that_the_rubric_scores_as_high() -> None:
    assert proposed("1", "3", tencent_cloud="3", alibaba_cloud="4") == Decimal("4.4")
    assert proposed("1", "3", tencent_cloud="2 3", alibaba_cloud="3 4") == Decimal("4.8")
    # A peer that is published lower and derived as high leaves no room.
    assert proposed("1", "3", ucloud="3") is None


def test_downwards_it_stops_at_a_peer_that_the_rubric_scores_no_higher() -> None:
    assert proposed("3", "1", ucloud="1") == Decimal("3.8")
    assert proposed("3", "1", ucloud="1 2") == Decimal("2.1")
    assert proposed("3", "1", tencent_cloud="0") is None


def test_a_peer_whose_own_score_is_stale_stops_nothing() -> None:
    assert proposed("1", "1.6", stale=(VENDOR, "tencent-cloud"), tencent_cloud="1.6") == Decimal("4.7")


def test_nothing_is_proposed_where_the_score_is_not_stale_taken_or_no_claim_under_it_changed_in_the_run() -> (
    None
):
    before, after = derived(huawei_cloud="1"), derived(huawei_cloud="2")
    assert propose_by_rubric(MAIN, given(), before, after, frozenset({"k"})) == ()
    assert propose_by_rubric(MAIN, given(VENDOR), before, after, frozenset({"z"})) == ()
    assert propose_by_rubric(MAIN, given(VENDOR), {}, after, frozenset({"k"})) == ()
    assert propose_by_rubric(MAIN, given(VENDOR), before, {}, frozenset({"k"})) == ()
    taken = Proposal(
        scorecard=MAIN.id,
        vendor=VENDOR,
        dimension=DIMENSION,
        standing=Decimal("4.1"),
        proposed=Decimal("4.6"),
        peers=("volcengine",),
        claim_keys=("k",),
        reason="r",
    )
    assert propose_by_rubric(MAIN, given(VENDOR), before, after, frozenset({"k"}), (taken,)) == ()


def test_the_reason_says_what_moved_and_what_stopped_it() -> None:
    (free,) = propose_by_rubric(
        MAIN, given(VENDOR), derived(huawei_cloud="2 3"), derived(huawei_cloud="2.2 3.6"), frozenset({"k"})
    )
    assert "in 'Parallel storage' 2.20–3.60 on what it states now and 2.00–3.00 before" in free.reason
    assert free.reason.endswith("the published score moved by as much, rounded, is 4.3.")
    peers = {"tencent_cloud": "3"}
    (stopped,) = propose_by_rubric(
        MAIN,
        given(VENDOR),
        derived(huawei_cloud="1", **peers),
        derived(huawei_cloud="3", **peers),
        frozenset({"k"}),
    )
    assert stopped.reason.endswith(
        "is 4.4, where it meets the published score of a peer that the rubric scores at least as high."
    )
