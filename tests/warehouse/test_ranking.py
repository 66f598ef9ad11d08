"""The published tables come out exactly, ties share a rank, and weights that are given are kept."""

from __future__ import annotations

import random
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import KoujingError
from schemas.ranking import DimensionScore, Ranking, ScoreStatus
from schemas.record import Words
from schemas.scorecard import Dimension, EditorialScore, Scorecard
from warehouse.cards import builtin_cards, card
from warehouse.ranking import WEIGHT_PLACES, rank, reweight, scores

MAIN = card("ten-thousand-cards", builtin_cards())
SMALL = card("small-clusters", builtin_cards())
OPEN = card("six-dimensions", builtin_cards())
TEXT = Words(en="x", zh="x")


def made(weights: dict[str, str], table: dict[str, list[str]], decimals: int = 2) -> Scorecard:
    """A card of these weights and, for each vendor, the scores in their order."""
    return Scorecard(
        id="made",
        name=TEXT,
        origin=TEXT,
        scale_min=Decimal(-5),
        decimals=decimals,
        dimensions=tuple(
            Dimension(id=name, label=TEXT, weight=Decimal(weight), why=TEXT)
            for name, weight in weights.items()
        ),
        editorial={
            vendor: {
                name: EditorialScore(score=Decimal(score)) for name, score in zip(weights, row, strict=True)
            }
            for vendor, row in table.items()
        },
    )


def shown(ranking: Ranking) -> list[tuple[int, str, str]]:
    return [(p.rank, p.vendor, p.shown) for p in ranking.placements]


def test_the_first_published_table() -> None:
    assert shown(rank(MAIN, scores(MAIN, ()))) == [
        (1, "alibaba-cloud", "4.76"),
        (2, "volcengine", "4.61"),
        (3, "tencent-cloud", "4.54"),
        (4, "huawei-cloud", "4.52"),
        (5, "baidu-ai-cloud", "4.50"),
        (6, "ucloud", "3.81"),
    ]


def test_the_second_published_table() -> None:
    assert shown(rank(SMALL, scores(SMALL, ()))) == [
        (1, "ucloud", "4.55"),
        (2, "volcengine", "4.36"),
        (3, "tencent-cloud", "4.24"),
        (4, "baidu-ai-cloud", "4.13"),
        (5, "alibaba-cloud", "4.02"),
        (6, "huawei-cloud", "3.90"),
    ]


def test_binary_floats_would_print_another_figure() -> None:
    weights = [float(d.weight) for d in SMALL.dimensions]
    row = [float(SMALL.editorial["volcengine"][d.id].score) for d in SMALL.dimensions]
    assert f"{sum(w * s for w, s in zip(weights, row, strict=True)):.2f}" == "4.35"
    placement = next(p for p in rank(SMALL, scores(SMALL, ())).placements if p.vendor == "volcengine")
    assert (placement.total, placement.shown) == (Decimal("4.355"), "4.36")


def test_a_total_is_rounded_once_and_half_away_from_zero() -> None:
    table = {"ucloud": ["0.0445"], "azure": ["-0.005"], "aws": ["0.005"]}
    assert shown(rank(made({"a": "1"}, table), scores(made({"a": "1"}, table), ()))) == [
        (1, "ucloud", "0.04"),
        (2, "aws", "0.01"),
        (3, "azure", "-0.01"),
    ]


def test_a_total_of_more_digits_than_the_decimal_context_stays_exact() -> None:
    weights = {"a": "0.333333333333333333", "b": "0.666666666666666667"}
    fine = made(weights, {"ucloud": ["1.000000000000000001", "4"]})
    (placement,) = rank(fine, scores(fine, ())).placements
    assert placement.total == Decimal("3.000000000000000001333333333333333333")


def test_equal_totals_share_a_rank_and_the_next_is_skipped() -> None:
    ties = made(
        {"a": "0.5", "b": "0.5"},
        {"aws": ["4", "4"], "gcp": ["3", "5"], "azure": ["5", "5"], "ucloud": ["1", "1"]},
    )
    assert shown(rank(ties, scores(ties, ()))) == [
        (1, "azure", "5.00"),
        (2, "aws", "4.00"),
        (2, "gcp", "4.00"),
        (4, "ucloud", "1.00"),
    ]


def test_totals_that_only_print_alike_do_not_share_a_rank() -> None:
    near = made({"a": "1"}, {"aws": ["4.001"], "gcp": ["4.002"]})
    assert shown(rank(near, scores(near, ()))) == [(1, "gcp", "4.00"), (2, "aws", "4.00")]


def test_a_hundred_shuffled_inputs_give_one_order() -> None:
    ties = made(
        {"a": "0.5", "b": "0.5"}, {name: ["4.5", "4.5"] for name in ("ucloud", "aws", "gcp", "azure")}
    )
    rows = list(scores(ties, ()))
    orders = set()
    for seed in range(100):
        random.Random(seed).shuffle(rows)
        orders.add(tuple(shown(rank(ties, tuple(rows)))))
    assert orders == {tuple((1, name, "4.50") for name in ("aws", "azure", "gcp", "ucloud"))}


def test_a_tie_under_scaled_weights_stays_a_tie() -> None:
    # b is scaled to 0.2222333…, and c to twice that: cut to decimals, they no longer balance.
    thirds = made({"a": "0.1", "b": "0.3", "c": "0.6"}, {"aws": ["4", "4", "1"], "gcp": ["4", "2", "2"]})
    weights, _ = reweight(thirds, {"a": Decimal("0.3333")})
    assert {p.rank for p in rank(thirds, scores(thirds, ()), weights=weights).placements} == {1}
    assert {p.rank for p in rank(thirds, scores(thirds, ()), weights=dict(weights)).placements} == {1, 2}
    assert sum(map(Fraction, weights.values())) == 1


def test_a_card_without_scores_has_no_order_and_says_so() -> None:
    ranking = rank(OPEN, scores(OPEN, ()))
    assert (ranking.placements, ranking.note) == ((), "six-dimensions has no scores, so there is no order")


def test_a_weight_that_is_given_is_kept_and_the_rest_scaled() -> None:
    weights, note = reweight(MAIN, {"storage_io": Decimal("0.25")})
    assert weights["storage_io"] == Decimal("0.25")
    assert weights["rdma"] == Decimal("0.201219512195")
    assert weights.exact["rdma"] == Fraction(22, 100) * Fraction(75, 82)
    assert note == (
        "storage_io=0.25 is as given; the others are scaled to sum to 1 with it: rdma 0.2012, "
        "interconnect 0.1829, scheduling_recovery 0.1829, storage_io 0.25, cluster_size 0.0915, "
        "ready_to_use 0.0915"
    )
    ranking = rank(MAIN, scores(MAIN, ()), weights=weights, variant="reweighted", note=note)
    assert (ranking.variant, ranking.note, ranking.weights) == ("reweighted", note, dict(weights))
    assert shown(ranking) == [
        (1, "alibaba-cloud", "4.76"),
        (2, "volcengine", "4.62"),
        (3, "tencent-cloud", "4.53"),
        (4, "baidu-ai-cloud", "4.51"),
        (5, "huawei-cloud", "4.48"),
        (6, "ucloud", "3.81"),
    ]


def test_no_given_weight_changes_nothing() -> None:
    weights, note = reweight(SMALL, {})
    assert (dict(weights), note) == ({d.id: d.weight for d in SMALL.dimensions}, "")


def test_all_weights_may_be_given() -> None:
    own = {"sku_breadth": "0.1", "billing_flexibility": "0.2", "single_machine_interconnect": "0.7"}
    weights, note = reweight(
        SMALL, {**{name: Decimal(text) for name, text in own.items()}, "delivery_speed": Decimal(0)}
    )
    assert sum(weights.values()) == 1
    assert "no other is left to scale" in note


@pytest.mark.parametrize(
    ("given_weights", "says"),
    [
        ({"storage": "0.2"}, "no dimension 'storage'; it has rdma, interconnect, scheduling_recovery"),
        ({"rdma": "1.1"}, "the weight of rdma is 1.1; it must be from 0 to 1"),
        ({"rdma": "-0.1"}, "the weight of rdma is -0.1; it must be from 0 to 1"),
        ({"rdma": "NaN"}, "the weight of rdma is NaN; it must be from 0 to 1"),
        ({"rdma": "sNaN"}, "the weight of rdma is sNaN; it must be from 0 to 1"),
        ({"rdma": "Infinity"}, "the weight of rdma is Infinity; it must be from 0 to 1"),
        ({"rdma": "1E-13"}, "at most 12 places are kept"),
        ({"rdma": "0.6", "storage_io": "0.5"}, "rdma=0.6, storage_io=0.5 sum to 1.1"),
        (
            {d.id: "0.1" for d in MAIN.dimensions},
            "all weights of ten-thousand-cards are given and sum to 0.6",
        ),
    ],
)
def test_weights_that_cannot_be_used_are_refused(given_weights: dict[str, str], says: str) -> None:
    with pytest.raises(KoujingError) as caught:
        reweight(MAIN, {name: Decimal(text) for name, text in given_weights.items()})
    assert says in str(caught.value)


@given(
    st.dictionaries(
        st.sampled_from([d.id for d in MAIN.dimensions]),
        st.decimals(min_value=0, max_value=Decimal("0.2"), places=WEIGHT_PLACES),
        min_size=1,
        max_size=5,
    )
)
def test_reweighted_weights_sum_to_exactly_1_and_keep_the_given(chosen: dict[str, Decimal]) -> None:
    weights, _ = reweight(MAIN, chosen)
    assert sum(map(Fraction, weights.values())) == 1
    assert sum(weights.exact.values()) == 1
    assert {name: weights[name] for name in chosen} == chosen
    unit = Fraction(1, 10**WEIGHT_PLACES)
    assert all(abs(Fraction(weights[name]) - weights.exact[name]) < unit for name in weights)
    own = {d.id: Fraction(d.weight) for d in MAIN.dimensions if d.id not in chosen}
    assert len({weights.exact[name] / weight for name, weight in own.items()}) == 1


def score(vendor: str, dimension: str) -> DimensionScore:
    return DimensionScore(vendor=vendor, dimension=dimension, score=Decimal(4))


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([score("aws", "a")], "aws has no score in b"),
        ([score("aws", "a"), score("aws", "a"), score("aws", "b")], "the score of aws in a stands twice"),
        ([score("aws", "a"), score("aws", "b"), score("aws", "c")], "aws in c is no dimension of made"),
    ],
)
def test_scores_that_do_not_fit_the_card_are_refused(rows: list[DimensionScore], says: str) -> None:
    with pytest.raises(KoujingError) as caught:
        rank(made({"a": "0.5", "b": "0.5"}, {}), tuple(rows))
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"a": Decimal(1)}, "weights are given for a; made has a, b"),
        ({"a": Decimal("0.5"), "b": Decimal("0.4")}, "the weights sum to 0.9; they must sum to 1"),
    ],
)
def test_weights_that_do_not_fit_the_card_are_refused(weights: dict[str, Decimal], says: str) -> None:
    with pytest.raises(KoujingError) as caught:
        rank(made({"a": "0.5", "b": "0.5"}, {}), (), weights=weights)
    assert says in str(caught.value)


def test_scores_without_claims_stand() -> None:
    assert {s.status for s in scores(MAIN, (), frozenset({"k"}))} == {ScoreStatus.STANDING}
    assert len(scores(MAIN, ())) == 36
