"""On the handed articles' own claims, the derived scorecards order the vendors as the published scores do."""

from fractions import Fraction

import pytest

from tests.quality.derived import (
    ARTICLES,
    HANDED,
    demo,
    disagreements,
    kendall,
    labelled,
    published_totals,
    totals,
)
from warehouse.cards import builtin_cards, card
from warehouse.rubric import derive
from warehouse.uncertainty.evaluate import evaluate

MAIN = card("ten-thousand-cards", builtin_cards())
SMALL = card("small-clusters", builtin_cards())
handed = pytest.mark.skipif(
    not (HANDED / "gold" / "seeds.jsonl").is_file(), reason="the handed labels are not beside this checkout"
)


@pytest.fixture(scope="module")
def facts():
    return labelled(ARTICLES[0])


@handed
def test_the_main_card_orders_the_vendors_as_its_published_scores_do(facts):
    own = totals(derive(MAIN, facts, vendors=MAIN.editorial))
    assert kendall(published_totals(MAIN), own) >= Fraction(4, 5)


@handed
def test_the_last_of_the_main_card_is_last_by_a_clear_gap(facts):
    own = totals(derive(MAIN, facts, vendors=MAIN.editorial))
    last, fifth, *_ = sorted(own.values())
    assert own["ucloud"] == last
    # As far below the next as the published totals put it, or farther.
    assert fifth - last >= Fraction(69, 100)


@handed
def test_it_is_last_under_every_open_reading(facts):
    found = evaluate(derive(MAIN, facts, vendors=MAIN.editorial))
    ends = {standing.vendor: standing.total for standing in found.standings}
    assert ends["ucloud"].high < min(total.low for vendor, total in ends.items() if vendor != "ucloud")


@handed
def test_the_small_card_puts_the_same_vendor_first(facts):
    own = totals(derive(SMALL, facts, vendors=SMALL.editorial))
    assert [v for v, total in own.items() if total == max(own.values())] == ["ucloud"]


@handed
def test_every_disagreement_is_told(facts):
    rows = disagreements(MAIN, derive(MAIN, facts, vendors=MAIN.editorial))
    assert len(rows) == 36
    widest = max(rows, key=lambda row: abs(row[4]))
    assert widest[:2] == ("ready_to_use", "baidu-ai-cloud")


def test_so_do_the_claims_of_the_demos_site():
    site = demo()
    own = totals(derive(MAIN, site, vendors=MAIN.editorial))
    assert kendall(published_totals(MAIN), own) >= Fraction(4, 5)
    assert min(own, key=own.__getitem__) == "ucloud"
    small = totals(derive(SMALL, site, vendors=SMALL.editorial))
    assert max(small, key=small.__getitem__) == "ucloud"


def test_tau_of_known_orders():
    one = {"a": Fraction(3), "b": Fraction(2), "c": Fraction(1)}
    assert kendall(one, one) == 1
    assert kendall(one, {"a": Fraction(1), "b": Fraction(2), "c": Fraction(3)}) == -1
    assert kendall(one, {"a": Fraction(2), "b": Fraction(3), "c": Fraction(1)}) == Fraction(1, 3)
    assert kendall(one, {"a": Fraction(1), "b": Fraction(1), "c": Fraction(1)}) == 0
