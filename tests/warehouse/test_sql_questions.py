"""The guide's questions that the demo has no row for, and of cards, asked of a ledger that was made to have some."""

from __future__ import annotations

import re
from decimal import Decimal

import pytest

from schemas.registry import registry
from warehouse.query import run_query
from warehouse.reference import read_questions

QUESTIONS = {question["ask"]: question for question in read_questions()}
NAMES = {
    "metric": set(registry().metrics),
    "basis": set(registry().bases),
    "vendor": set(registry().vendors),
    "tier": {"T1", "T2", "T3", "T4"},
}


@pytest.fixture
def made(visits, home, claim):
    """Two vendors with a price and a bandwidth a card, one with neither; a value that rises; what cannot be told."""

    def of(key, vendor, metric, low, unit, **more):
        place = {"path": (key,), "basis": "per_accelerator"} | more
        return claim(key, low, vendor=vendor, product=None, metric=metric, unit=unit, **place)

    dear = of("dear", "huawei-cloud", "price_per_accelerator_hour", "40", "CNY")
    slow = of("slow", "huawei-cloud", "rdma_bandwidth", "400000000000", "bit/s")
    cheap = of("cheap", "tencent-cloud", "price_per_accelerator_hour", "30", "CNY")
    fast = of("fast", "tencent-cloud", "rdma_bandwidth", "800000000000", "bit/s")
    machine = of("machine", "aws", "rdma_bandwidth", "3200000000000", "bit/s", basis="per_machine")
    visits.page(dear, slow, source_id="one")
    visits.page(cheap, fast.model_copy(update={"low": Decimal(400000000000)}), machine, source_id="two")
    visits.page(cheap, fast, machine, source_id="two")
    visits.page(claim("x", "1", quote="at 1"), claim("y", "2", quote="at 2"), source_id="three")
    visits.page(claim("z", "3", quote="at 3"), source_id="three")
    visits.page(claim("r", "5"), source_id="four")
    visits.reread(claim("r", "50", extractor="grammar@2"), source_id="four")
    visits.ledger.publish()
    return home


ANSWERS = {
    "Who states the most bandwidth for a single card?": [
        ("tencent-cloud", 800),
        ("huawei-cloud", 400),
    ],
    "Whose bandwidth a card is the cheapest, by the published price of a card hour?": [
        ("tencent-cloud", Decimal(30)),
        ("huawei-cloud", Decimal(40)),
    ],
    "Which changes raised a number, and by how much?": [("tencent-cloud", 2)],
    "Which claims could not be told apart from others when their page changed?": [("z", ["x", "y"])],
    "What did a newer reader read otherwise on pages that had not changed?": [("changed", ["low"])],
}
SHOWN = {
    "Who states the most bandwidth for a single card?": ("vendor", "gbit_per_s"),
    "Whose bandwidth a card is the cheapest, by the published price of a card hour?": ("vendor", "price"),
    "Which changes raised a number, and by how much?": ("vendor", "factor"),
    "Which claims could not be told apart from others when their page changed?": ("claim_key", "candidates"),
    "What did a newer reader read otherwise on pages that had not changed?": ("kind", "fields"),
}


@pytest.mark.parametrize("ask", ANSWERS)
def test_a_question_that_the_demo_leaves_open_has_an_answer(made, ask):
    result = run_query(made, QUESTIONS[ask]["sql"])
    places = [result.columns.index(name) for name in SHOWN[ask]]
    assert [tuple(row[place] for place in places) for row in result.rows] == ANSWERS[ask]


def test_every_such_question_is_asked_here():
    assert {ask for ask, question in QUESTIONS.items() if question.get("empty")} <= ANSWERS.keys()


@pytest.mark.parametrize("ask", QUESTIONS)
def test_the_names_in_a_question_are_of_the_vocabulary(ask):
    for column, listed in re.findall(
        r"\b(metric|basis|vendor|tier) (?:= |IN \()('[^')]*'(?:, '[^']*')*)", QUESTIONS[ask]["sql"]
    ):
        assert set(re.findall(r"'([^']*)'", listed)) <= NAMES[column]
