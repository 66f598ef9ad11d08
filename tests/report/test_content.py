"""What the report says of the demo, figure by figure."""

from __future__ import annotations

import dataclasses
from datetime import timedelta

import pytest

from report.changing import between, events, periods
from report.edition import Edition
from report.honesty import cautions
from report.model import Content
from report.standing import flag_lines, lead, matrices, pair_lines, turn_lines
from report.tables import metric_table


def card(content: Content, name: str):
    return next(card for card in content.cards if card.id == name)


def row(edition, metric, vendor):
    return next(row for row in metric_table(edition, metric).rows if row.vendor == vendor)


def test_a_row_holds_the_figure_as_worded_normalised_with_basis_marks_tier_and_date(english):
    found = row(english, "rdma_bandwidth", "tencent-cloud").main
    assert (found.text, found.normalised, found.basis) == ("3.2T", "3.2 Tbit/s", "not said")
    assert [mark.text for mark in found.marks] == ["basis not said", "unit cut short"]
    assert all(mark.title.endswith("?") for mark in found.marks)
    assert (found.tier, found.since) == ("T1 · product page", "2026-05-01")
    assert found.href == f"evidence/tencent-xingmai.html#{found.figure.key}"


def test_the_unit_of_a_header_stands_beside_the_number(english):
    assert row(english, "network_latency", "volcengine").main.text == "5 [5 µs]"


def test_bases_that_are_mixed_are_named(english):
    found = metric_table(english, "rdma_bandwidth")
    assert found.bases == ("not said", "per accelerator", "per instance", "per machine", "per node")
    assert found.asks_basis


def test_a_vendor_that_is_silent_says_so(english):
    assert row(english, "message_rate", "ucloud").main is None
    assert len(metric_table(english, "message_rate").rows) == len(english.content.vendors)


def test_other_figures_of_a_vendor_stand_beside_the_one_that_speaks_for_it(english):
    found = row(english, "rdma_bandwidth", "huawei-cloud")
    assert found.main.basis == "per node"
    assert [(other.text, other.basis) for other in found.also] == [("400\xa0Gbps", "per accelerator")]


def test_who_leads(english, chinese, content):
    said = lead(english, card(content, "small-clusters")).sentences
    assert said[0] == "By the published scores UCloud leads with 4.55, 0.19 points ahead of Volcengine."
    assert "5 open questions keep scores apart from single values." in said
    assert (
        lead(chinese, card(content, "stability-poc"))
        .sentences[1]
        .startswith("按页面所述，无论待确认问题如何回答，华为云都居首，得 ")
    )


def test_one_leader_two_leaders_and_nobody(english, content):
    found = card(content, "ten-thousand-cards")
    first, second, *rest = found.published
    alone = dataclasses.replace(found, published=(first,))
    tied = dataclasses.replace(found, published=(first, dataclasses.replace(second, best=1, worst=1), *rest))
    nobody = dataclasses.replace(found, published=(), derived=None)
    assert lead(english, alone).sentences[0].endswith("Alibaba Cloud is the only one ranked, with 4.76.")
    assert "Alibaba Cloud and Volcengine share the first place with 4.76" in lead(english, tied).sentences[0]
    assert lead(english, nobody).sentences == (
        "No scores were published with these weights; the ranks follow from the claims alone.",
        "No order follows from the claims that were read.",
    )
    assert lead(english, nobody).rows == ()


def test_matrices_mark_scores_whose_claims_changed(english, content):
    published, claims = matrices(english, card(content, "ten-thousand-cards"))
    huawei = next(row for row in published.rows if row.vendor == "huawei-cloud")
    assert [(c.text, c.stale) for c in huawei.cells if c.dimension == "storage_io"] == [("4.1", True)]
    assert [c.text for c in claims.rows[0].cells][:2] == ["5.00", "4.55"]


def test_pairs_flags_and_weights(english, chinese, content):
    found = card(content, "ten-thousand-cards")
    assert "Huawei Cloud is ahead of Tencent Cloud in 64% of the readings, behind in 36%." in pair_lines(
        english, found
    )
    first = flag_lines(english, found)[0]
    assert (first.vendor, first.flag, first.decides) == (
        "tencent-cloud",
        "basis not said",
        "its order with Huawei Cloud",
    )
    turn = turn_lines(chinese, found)[0]
    assert (turn.ahead, turn.behind, turn.weight, turn.change) == (
        "huawei-cloud",
        "baidu-ai-cloud",
        "10.0%",
        "+2.4",
    )


def test_changes_have_both_quotes_and_rankings_their_cause(chinese):
    found = events(chinese)
    new = next(e for e in found if e.kind == "new" and e.what == "文件系统吞吐")
    assert (new.before, new.after, new.quote_after) == ("", "2\xa0TB/s · 每文件系统", "最高 2\xa0TB/s")
    moved = [e for e in found if e.kind == "moved" and e.vendor == "huawei-cloud" and "建议" in e.what]
    assert (moved[0].before, moved[0].after) == ("4 · 4.52", "2 · 4.61")
    assert "并行存储读写，同行所述如此" in moved[0].note
    assert [e.what for e in found if e.kind == "held"] == ["kingsoft-xingliu"]
    assert {e.kind for e in found} == {"new", "moved", "held", "flag_opened"}


DECIDED = (
    (
        {"name": "basis_unspecified", "kind": "reading", "reading": "per_node"},
        "question settled",
        "per_node, says ann",
    ),
    ({"name": "basis_unspecified", "kind": "unsure"}, "looked at, left open", "says ann"),
    ({"name": "basis_unspecified", "kind": "ask_vendor"}, "to be asked of the vendor", "says ann"),
    ({"name": "basis_unspecified", "kind": "undone"}, "decision taken back", "says ann"),
    ({"name": "claim", "kind": "rejected"}, "claim rejected", "says ann"),
    (
        {"name": "claim", "kind": "corrected", "corrections": '{"basis": "per_node"}'},
        "claim corrected",
        "basis: per_node, says ann",
    ),
)


@pytest.mark.parametrize(("decision", "label", "after"), DECIDED)
def test_each_kind_of_decision_is_told_as_what_it_is(content, decision, label, after):
    figure = next(f for f in content.figures.values() if f.metric == "rdma_bandwidth")
    row = {
        "decision_id": 1,
        "claim_key": figure.key,
        "vendor": figure.vendor,
        "metric": figure.metric,
        "reading": "",
        "corrections": "{}",
        "who": "ann",
        "note": "",
        "decided_at": content.at,
        **decision,
    }
    edition = Edition(dataclasses.replace(content, decisions=(row,)), "en")
    (told,) = (e for e in events(edition) if e.name.startswith("decision"))
    before = "" if decision["name"] == "claim" else "basis not said"
    assert (told.label, told.before, told.after) == (label, before, after)


def test_periods_tell_each_event_once(english):
    found = events(english)
    told = periods(english, found)
    assert [p.id for p in told] == ["run", "week", "month", "earlier"]
    assert sum(len(p.events) for p in told) == len(found)
    assert [p.total for p in told] == [len(found), len(found), len(found), 0]


def test_two_dates_choose_what_lies_between(english):
    found = events(english)
    at = found[0].at
    assert between(english, found, at, at + timedelta(days=1)).total >= 1
    assert between(english, found, at - timedelta(days=9), at - timedelta(days=8)).events == ()


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("secondhand", "Every claim stands on a page of the vendor's own, or in an official paper."),
        ("against", "No claim was found that another contradicts, or that no hardware can reach."),
        ("model", "No claim rests on an answer of a language model."),
    ],
)
def test_what_is_not_there_is_said_not_to_be(english, name, sentence):
    found = next(c for c in cautions(english) if c.id == name)
    assert (found.sentences, found.shown) == ((sentence,), ())


def test_cautions_follow_the_data(content):
    key, figure = next((k, f) for k, f in content.figures.items() if f.vendor == "ucloud")
    changed = dataclasses.replace(figure, tier="T4", not_seen=0, roll_up="CONFLICTING", extractor="llm:x:y@1")
    edition = Edition(dataclasses.replace(content, figures={**content.figures, key: changed}), "en")
    found = {c.id: c for c in cautions(edition)}
    for name in ("secondhand", "against", "model"):
        assert found[name].sentences[0].startswith("One claim")
        assert [shown.figure.key for shown in found[name].shown] == [key]


def test_how_far_apart_the_top_ones_are(english):
    found = next(c for c in cautions(english) if c.id == "error")
    assert (
        "“Pre-training on ten thousand cards and more”: 3 pairs of neighbours by published scores are nearer than 0.1, "
        "the step in which scores are given; rounding each score by up to 0.05 could turn them."
    ) in found.sentences
