"""Pictures: words stay words, colours are the reader's, what would show nothing is not drawn."""

from __future__ import annotations

import dataclasses
import re
from datetime import timedelta
from xml.etree import ElementTree

import pytest

from report.charts import of_all, of_cards
from report.charts.drawing import cut, width_of
from report.edition import Edition
from report.standing import matrices


@pytest.fixture(scope="module")
def card(content):
    return next(card for card in content.cards if card.id == "ten-thousand-cards")


def words(svg):
    root = ElementTree.fromstring(svg)
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


def test_ranks_are_words_numbers_and_both_kinds_of_total(chinese, card):
    svg = of_cards.ranks(chinese, card)
    assert {"阿里云", "火山引擎", "3–5", "指标", "公开"} <= set(words(svg))
    # A stand-in that is left would be a colour that nobody chose.
    assert re.findall(r"#0[1-7]0[0-9]0[0-9]", svg) == []
    assert "prefers-color-scheme:dark" in svg
    assert "DOCTYPE" not in svg


def test_the_heat_map_has_its_numbers(english, card):
    published = matrices(english, card)[0]
    found = words(of_cards.matrix(english, card, published))
    assert [text for text in found if text == "4.8"] == ["4.8"] * 3


def test_flags_weights_and_coverage(english, card):
    assert any("0.72 ◆" in text for text in words(of_cards.worth(english, card)))
    assert "+2.4" in words(of_cards.turns(english, card))
    assert {"RDMA bandwidth", "Volcengine"} <= set(words(of_all.coverage(english)))


def test_one_ranking_is_no_history(english, card, content):
    first = [row for row in content.rankings if row["scorecard"] == card.id and row["variant"] == "standing"]
    once = [row for row in first if row["run_id"] == 1]
    later = [{**row, "ranked_at": row["ranked_at"] + timedelta(days=3)} for row in once]
    assert (
        of_cards.history(Edition(dataclasses.replace(content, rankings=tuple(once)), "en"), card, "standing")
        == ""
    )
    svg = of_cards.history(
        Edition(dataclasses.replace(content, rankings=(*once, *later)), "en"), card, "standing"
    )
    assert "Alibaba Cloud" in words(svg)


def test_claims_that_never_changed_have_no_timeline(english):
    assert of_all.claims_over_time(english, "ucloud") == ""
    assert "file-system throughput" in words(of_all.claims_over_time(english, "huawei-cloud"))


def test_the_same_content_is_the_same_picture(english, card):
    assert of_cards.ranks(english, card) == of_cards.ranks(english, card)


def test_a_chinese_letter_is_as_wide_as_high():
    assert width_of(["云云"], 36) == pytest.approx(1.0)
    assert cut("abcdef", 4) == "abc…"
