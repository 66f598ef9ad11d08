"""The desk's pages over the demo, from the queue to the changed ranking."""

from __future__ import annotations

import re
from decimal import Decimal
from urllib.parse import unquote

import pytest

from review.web.page_text import word_diff
from review.web.showing import _words, number
from warehouse.query import run_query


def decided(home):
    return run_query(home, "SELECT kind, reading, who, note FROM stored.decisions ORDER BY decision_id").rows


def test_the_queue_begins_with_what_moves_most_and_is_filtered_by_the_address(browser):
    page = browser.page("/")
    rows = page.select("tr[data-row]")
    assert len(rows) == 50
    assert "1st place" in rows[0].get_text()
    one = browser.page("/?vendor=tencent-cloud&metric=rdma_bandwidth")
    assert {row.select("td")[0].get_text() for row in one.select("tr[data-row]")} == {"Tencent Cloud"}
    assert one.select_one("select[name=vendor] option[selected]")["value"] == "tencent-cloud"
    assert not browser.page("/?vendor=nobody").select("tr[data-row]")
    assert browser.page("/?from=x&order=%00&flag=" + "a" * 999).select_one("h1").get_text() == "Queue"
    assert len(browser.page("/?from=50").select("tr[data-row]")) == len(run_query_open(browser)) - 50


def run_query_open(browser):
    text = browser.page("/").select_one("main > p").get_text()
    return range(int(text.split()[0]))


def test_a_claim_page_shows_the_words_in_their_place_and_what_each_reading_does(browser):
    flag = browser.flags()[0]
    page = browser.page(flag)
    assert page.select_one("mark.quote").get_text() == "分钟级自动恢复"
    assert page.select_one("mark").parent["class"] == ["li"]
    readings = page.select(".readings li")
    assert [r.select_one("button")["value"] for r in readings] == ["reading:any", "reading:some"]
    assert "rank 1," in readings[0].select_one(".effect").get_text()
    assert readings[0].select_one(".n").get_text() == "60–600 s"
    assert {"grounding", "entailment.value", "agreement"} <= {
        row.select_one("td").get_text()
        for row in page.select("section table tbody tr")
        if row.select_one("td")
    }
    whole = browser.page(page.select_one(".links a")["href"].partition("#")[0])
    assert whole.select_one("mark").get_text() == "分钟级自动恢复"


def test_a_decision_goes_to_the_next_flag_with_what_it_moved_and_can_be_undone(browser, copied):
    first, second = browser.flags()[:2]
    done = browser.post("/decide", {**browser.form(first), "action": "reading:any", "note": "spec <b>sheet"})
    assert done.status_code == 303
    assert done.headers["location"].partition("?")[0] == second
    page = browser.page(done.headers["location"])
    told = page.select_one(".done").get_text(" ", strip=True)
    assert "Stored." in told
    assert "Six questions to a training cloud Alibaba Cloud 1–4 1" in told
    assert decided(copied) == [("reading", "any", "ann", "spec <b>sheet")]
    assert first not in browser.flags()
    undo = page.select_one(".done form")
    back = browser.post("/undo", {"flag": undo.select_one("input[name=flag]")["value"]})
    assert back.headers["location"].partition("?")[0] == first
    assert browser.flags()[0] == first
    assert [row[0] for row in decided(copied)] == ["reading", "undone"]


def test_what_was_not_seen_is_not_decided(browser, copied):
    first = browser.flags()[0]
    form = browser.form(first)
    browser.post("/decide", {**form, "action": "reading:any"})
    again = browser.post("/decide", {**form, "action": "reading:some"})
    assert again.status_code == 409
    assert "ann decided on" in again.text
    assert len(decided(copied)) == 1


def test_the_same_question_on_other_claims_is_settled_with_it(browser, copied):
    page = next(page for flag in browser.flags() if (page := browser.page(flag)).select("input[name=also]"))
    also = [field["value"] for field in page.select("input[name=also]")]
    form = {field["name"]: field["value"] for field in page.select(".decide form input[type=hidden]")}
    value = page.select_one(".readings button")["value"]
    done = browser.post("/decide", {**form, "action": value, "also": also})
    assert done.status_code == 303
    assert [(row[0], row[1]) for row in decided(copied)] == [("reading", value.partition(":")[2])] * (
        1 + len(also)
    )
    flags = [
        field["value"] for field in browser.page(done.headers["location"]).select(".done input[name=flag]")
    ]
    assert browser.post("/undo", {"flag": flags}).status_code == 303
    assert len(browser.flags()) == 50


@pytest.mark.parametrize("action", ["unsure", "ask_vendor"])
def test_who_cannot_tell_says_so_and_the_flag_stays_open(browser, copied, action):
    first = browser.flags()[0]
    assert browser.post("/decide", {**browser.form(first), "action": action}).status_code == 303
    assert decided(copied) == [(action, "", "ann", "")]
    assert "ann could not tell" in browser.page(first).select_one(".decide").get_text()


def test_a_claim_is_corrected_or_rejected_as_a_whole(browser, copied):
    first = browser.flags()[0]
    page = browser.page(first)
    form = {f["name"]: f["value"] for f in page.select("details form input[type=hidden]")}
    wrong = browser.post("/decide", {**form, "action": "correct", "correct.value": "9 minutes"})
    assert (wrong.status_code, "does not stand in the quote" in wrong.text) == (400, True)
    right = {"action": "correct", "correct.value": "9 minutes", "source": "their mail", "note": "asked"}
    assert browser.post("/decide", {**form, **right}).status_code == 303
    (row,) = run_query(copied, "SELECT low::INT, version, roll_up FROM claims WHERE version > 1").rows
    assert row[:2] == (540, 2)
    page = browser.page(first)
    assert "a reviewer wrote it" in page.select_one(".timeline").get_text()
    form = {f["name"]: f["value"] for f in page.select("details form input[type=hidden]")}
    assert browser.post("/decide", {**form, "action": "reject", "note": "old"}).status_code == 303
    (why,) = run_query(copied, "SELECT why FROM claims WHERE version > 1").rows
    assert why == ("a reviewer rejected it: ann: old",)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"action": "reading:any"},
        {"action": "x", "subject": "a:b|1|0"},
        {"action": "reading:any", "subject": "a:b|x|0"},
    ],
)
def test_a_form_that_is_not_whole_is_refused(browser, copied, form):
    browser.get("/")
    assert browser.post("/decide", form).status_code == 400
    assert decided(copied) == []


def test_language_and_theme_follow_the_browser_and_then_the_setting(browser):
    assert "待裁定" in browser.get("/", headers={"accept-language": "zh-CN,en;q=0.5"}).text
    assert "Queue" in browser.get("/", headers={"accept-language": "fr"}).text
    done = browser.post("/settings", {"lang": "zh", "theme": "dark", "back": "//evil.example"})
    assert done.headers["location"] == "/"
    page = browser.page("/")
    assert (page.html["lang"], page.html["class"]) == ("zh-CN", ["dark"])


def test_every_phrase_is_there_in_both_languages_with_the_same_gaps():
    gaps = {
        name: [set(re.findall(r"{(\w+)}", text)) for text in (w.en, w.zh)] for name, w in _words().items()
    }
    assert [name for name, (en, zh) in gaps.items() if en != zh] == []


def test_other_pages_answer(browser):
    assert "Six questions" in browser.page("/rankings").get_text()
    assert browser.page("/decisions").select_one("h1").get_text() == "Decisions"
    assert browser.get("/nothing").status_code == 404
    assert browser.get("/flag/no:such").status_code == 404
    export = browser.get("/decisions.jsonl")
    assert export.headers["content-disposition"] == 'attachment; filename="decisions.jsonl"'


def test_a_query_is_answered_by_a_process_of_its_own_under_the_safe_settings(browser):
    browser.get("/sql")
    good = browser.post("/sql", {"query": "SELECT count(*) AS n, '<b>' AS x FROM claims"})
    assert "&lt;b&gt;" in good.text
    assert "<b>" not in good.text.partition("<main")[2]
    for bad in ("SELECT * FROM read_csv('/etc/passwd')", "DROP TABLE x", "ATTACH '/tmp/x'"):
        assert 'role="alert"' in browser.post("/sql", {"query": bad}).text


def test_a_flag_s_address_leads_back_to_it(browser):
    flag = browser.flags()[0]
    key = unquote(flag).removeprefix("/flag/").partition(":")[0]
    assert browser.get(f"/claim/{key}").headers["location"] == flag


@pytest.mark.parametrize(
    ("before", "after", "diff"),
    [
        (
            "up to 3 GB/s",
            "up to 4 GB/s",
            [("same", "up to "), ("gone", "3"), ("new", "4"), ("same", " GB/s")],
        ),
        ("带宽高", "带宽低", [("same", "带宽"), ("gone", "高"), ("new", "低")]),
        ("same", "same", [("same", "same")]),
        ("", "x", [("new", "x")]),
    ],
)
def test_words_are_compared_one_by_one(before, after, diff):
    assert word_diff(before, after) == diff


@pytest.mark.parametrize(
    ("low", "high", "unit", "shown"),
    [
        (Decimal(3200000000000), None, "bit/s", "3.2 Tbit/s"),
        (Decimal(60), Decimal(600), "s", "60–600 s"),
        (Decimal("0.999"), None, "fraction", "99.9 %"),
        (Decimal(100000), None, "accelerators", "100,000 accelerators"),
        (None, None, "s", ""),
    ],
)
def test_numbers_are_shown_with_their_units(low, high, unit, shown):
    assert number(low, high, unit) == shown
