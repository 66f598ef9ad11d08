"""Which weight turns which pair: by hand, and against weights that are changed and summed anew."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.errors import KoujingError
from tests.quality.oracle import random_card
from warehouse.uncertainty.evaluate import Limits, evaluate
from warehouse.uncertainty.sensitivity import mean_scores, sensitivity

Row = dict[str, Fraction]
SCORES = st.fractions(min_value=0, max_value=5, max_denominator=10)


def row(**scores: str) -> Row:
    return {name: Fraction(score) for name, score in scores.items()}


def total(scores: Row, weights: Row) -> Fraction:
    return sum((weights[name] * scores[name] for name in weights), Fraction(0))


def changed(weights: Row, name: str, weight: Fraction) -> Row:
    factor = (1 - weight) / (1 - weights[name])
    return {other: weight if other == name else own * factor for other, own in weights.items()}


def test_by_hand() -> None:
    # a leads by 1 in x, b by 3 in y: they are level where 3 y = 1 - y, so y from 1/5 to 1/4.
    found = sensitivity({"a": row(x="3", y="1"), "b": row(x="2", y="4")}, row(x="4/5", y="1/5"))
    assert found.smallest is not None
    assert (found.smallest.ahead, found.smallest.behind, found.smallest.dimension) == ("a", "b", "x")
    assert (found.smallest.tie_at, found.smallest.change) == (Fraction(3, 4), Fraction(-1, 20))


def test_a_pair_that_one_vendor_leads_everywhere_is_firm_and_equals_are_tied() -> None:
    scores = {"a": row(x="3", y="3"), "b": row(x="2", y="2"), "c": row(x="2", y="2")}
    found = sensitivity(scores, row(x="1/2", y="1/2"))
    assert (found.flips, found.firm, found.tied) == ((), (("a", "b"), ("a", "c")), (("b", "c"),))
    assert found.smallest is None


def test_a_pair_that_is_level_only_at_an_end_does_not_turn() -> None:
    found = sensitivity({"a": row(x="3", y="2"), "b": row(x="2", y="2")}, row(x="1/2", y="1/2"))
    assert (found.flips, found.firm) == ((), (("a", "b"),))


def test_a_dimension_that_has_all_the_weight_leaves_nothing_to_scale() -> None:
    found = sensitivity({"a": row(x="3", y="1"), "b": row(x="2", y="4")}, row(x="1", y="0"))
    assert [(f.dimension, f.tie_at) for f in found.flips] == [("y", Fraction(1, 4))]


@given(st.data())
def test_beyond_the_tie_the_pair_has_turned_and_no_smaller_change_turns_it(data: st.DataObject) -> None:
    names = "xyz"
    sizes = data.draw(st.lists(st.integers(1, 9), min_size=3, max_size=3))
    weights = {name: Fraction(size, sum(sizes)) for name, size in zip(names, sizes, strict=True)}
    scores = {vendor: {name: data.draw(SCORES) for name in names} for vendor in "abc"}
    found = sensitivity(scores, weights)
    assert len(found.flips) + len(found.firm) + len(found.tied) == 3
    assert list(found.flips) == sorted(found.flips, key=lambda flip: abs(flip.change))
    for flip in found.flips:
        ahead, behind = scores[flip.ahead], scores[flip.behind]
        at_tie = changed(weights, flip.dimension, flip.tie_at)
        assert sum(at_tie.values()) == 1
        assert total(ahead, at_tie) == total(behind, at_tie)
        end = Fraction(flip.change > 0)
        beyond = changed(weights, flip.dimension, (flip.tie_at + end) / 2)
        assert total(ahead, beyond) < total(behind, beyond)
        for name in names:  # a hair less, of any weight and either way, and the leader still leads
            for step in (abs(flip.change) * Fraction(999, 1000), -abs(flip.change) * Fraction(999, 1000)):
                if 0 <= weights[name] + step <= 1:
                    near = changed(weights, name, weights[name] + step)
                    assert total(ahead, near) > total(behind, near)
    for one, other in found.firm:
        for name in names:
            for weight in (Fraction(0), Fraction(1, 3), Fraction(2, 3), Fraction(1)):
                at = changed(weights, name, weight)
                assert total(scores[one], at) >= total(scores[other], at)


@given(st.integers(0, 10**6))
def test_totals_of_mean_scores_are_the_mean_totals(number: int) -> None:
    found = evaluate(random_card(number))
    means = mean_scores(found)
    assert {v: total(scores, found.weights) for v, scores in means.items()} == {
        s.vendor: s.mean for s in found.standings
    }


def test_means_that_were_not_computed_are_refused_with_the_way_out() -> None:
    card = next(c for c in map(random_card, range(99)) if evaluate(c).effects)
    with pytest.raises(
        KoujingError, match="was not computed, its readings give too many scores; settle flags"
    ):
        mean_scores(evaluate(card, limits=Limits(spread=0)))


def test_weights_that_do_not_sum_to_1_and_scores_that_are_missing_are_refused() -> None:
    with pytest.raises(KoujingError, match="the weights sum to 1/2; they must sum to 1"):
        sensitivity({}, row(x="1/2"))
    with pytest.raises(KoujingError, match="a has scores in x; weights are for x, y"):
        sensitivity({"a": row(x="1")}, row(x="1/2", y="1/2"))
