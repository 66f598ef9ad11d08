"""From a figure to a score: anchors, what lies between them and beyond, and the last digit."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.criteria import Anchor, Measure
from schemas.record import Words
from warehouse.interpolation import PLACES, score_of

WHY = Words(en="for tests", zh="测试")
UP = [("10", "1"), ("1000", "3"), ("100000", "5")]
DOWN = [("1", "5"), ("10", "3"), ("100", "0")]


def measure(metric: str, kind: str, anchors: list[tuple[str, str]], **more: object) -> Measure:
    points = tuple(
        Anchor(name=f"a{n}", at=Decimal(at), score=Decimal(score), why=WHY)
        for n, (at, score) in enumerate(anchors)
    )
    return Measure.model_validate({"metric": metric, "map": kind, "anchors": points, **more})


LOG_UP = measure("sku_count", "log", UP)
LOG_DOWN = measure("checkpoint_time", "log", DOWN)
LINEAR_UP = measure("sku_count", "linear", UP)
STEPS_UP = measure("sku_count", "steps", UP, below=Decimal("0.5"))
STEPS_DOWN = measure("checkpoint_time", "steps", DOWN[:2], below=Decimal(0))
ALL = [LOG_UP, LOG_DOWN, LINEAR_UP, STEPS_UP, STEPS_DOWN]


@pytest.mark.parametrize(
    ("of", "figure", "score"),
    [
        (LOG_UP, "1", "1"),
        (LOG_UP, "10", "1"),
        (LOG_UP, "100", "2"),
        (LOG_UP, "1000", "3"),
        (LOG_UP, "10000", "4"),
        (LOG_UP, "100000", "5"),
        (LOG_UP, "1e30", "5"),
        # 1 + 2 · ln 2 / ln 100, of which the first digits are in every table of logarithms
        (LOG_UP, "20", "1.301029995664"),
        (LOG_DOWN, "0.5", "5"),
        (LOG_DOWN, "2", "4.397940008672"),
        (LOG_DOWN, "1e3", "0"),
        (LINEAR_UP, "505", "2"),
        (LINEAR_UP, "340", "1.666666666667"),
        (STEPS_UP, "9.999", "0.5"),
        (STEPS_UP, "10", "1"),
        (STEPS_UP, "99999", "3"),
        (STEPS_DOWN, "1", "5"),
        (STEPS_DOWN, "1.001", "3"),
        (STEPS_DOWN, "10.001", "0"),
    ],
)
def test_a_figure_scores(of: Measure, figure: str, score: str) -> None:
    assert score_of(of, Fraction(figure)) == Fraction(score)


figures = st.fractions(min_value=Fraction(1, 1000), max_value=10**6, max_denominator=10**6)


@given(st.sampled_from(ALL), figures, figures)
def test_a_better_figure_never_scores_less(of: Measure, one: Fraction, other: Fraction) -> None:
    better, worse = (max, min) if of.metric == "sku_count" else (min, max)
    assert score_of(of, better(one, other)) >= score_of(of, worse(one, other))


@given(st.sampled_from(ALL), figures)
def test_a_score_is_of_the_scale_and_has_so_many_places(of: Measure, figure: Fraction) -> None:
    score = score_of(of, figure)
    assert 0 <= score <= 5
    assert 10**PLACES % score.denominator == 0
