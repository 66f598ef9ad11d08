"""Whatever a model answers, no claim rests on a bad answer, what was refused is kept, and the run goes on."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from extractors.context import GRAMMAR_VERSION
from extractors.extract import extract
from extractors.model.answers import Answers, Bad, Refused, Reply, read_reply
from extractors.model.asking import Answer, ModelReader, NotAsked, Question
from flows.crawl import run_refresh
from flows.progress import Silent
from tests.flows.test_refresh import FakeFetcher, source
from tests.quality.scripted import blank
from warehouse.home import open_home
from warehouse.query import run_query

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "cases/model/bad_answers.yaml").read_text(encoding="utf-8")
)
PAGE = b"""<h1>Compute network</h1><p>All told 3.2 Tbps.</p><p>Every node has eight RDMA cards.</p>
<p style="display:none">Per machine, all of it.</p>"""
RIGHT = blank(1) | {
    "claim": True, "metric": "rdma_bandwidth", "metric_quote": "Compute network", "basis": "per_node",
    "basis_quote": "Every node has eight RDMA cards",
}  # fmt: skip


class Says:
    """A model that gives the same replies in turn, the last one for ever; what it was asked is kept."""

    name = "scripted:says"

    def __init__(self, *replies: Reply | NotAsked) -> None:
        self.replies = list(replies)
        self.asked: list[Question] = []

    def ask(self, question: Question) -> Answer:
        reply = self.replies[min(len(self.asked), len(self.replies) - 1)]
        self.asked.append(question)
        if isinstance(reply, NotAsked):
            raise reply
        return Answer(reply, input_tokens=10, output_tokens=5)


def read(model: Says, page: bytes = PAGE) -> Any:
    return extract(page, source="page", name="page.html", vendor="ucloud", second=ModelReader(model))


def whole(**parts: Any) -> str:
    return json.dumps({"mentions": [RIGHT], "capabilities": [], "missed": [], **parts}, ensure_ascii=False)


def reply_of(case: dict[str, Any]) -> Reply:
    if "reply" in case:
        text = case["reply"]
    elif "twice" in case:
        text = whole(mentions=[RIGHT, RIGHT | case["twice"]])
    elif "times" in case:
        text = whole(mentions=[RIGHT] * case["times"])
    else:
        lists = {name: case[name] for name in ("missed", "capabilities") if name in case}
        text = whole(mentions=[RIGHT | case.get("answer", {})], **lists)
    refusal = case.get("refusal", "the filter" if case.get("finish") == "content_filter" else "")
    return Reply(text, cut=case.get("finish") == "length", refusal=refusal)


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_bad_answer_changes_nothing_and_is_kept(case):
    model = Says(reply_of(case))
    got = read(model)
    (claim,) = got.claims
    assert (claim.text_value, claim.low, claim.metric) == (
        "3.2 Tbps",
        Decimal(3_200_000_000_000),
        "rdma_bandwidth",
    )
    assert claim.basis == case.get("basis", "unspecified")
    assert claim.extractor == (
        "llm:scripted:says@2.1" if claim.basis == "per_node" else got.extractor.split("+")[0]
    )
    reasons = [(r.field, r.reason) for r in got.asked.rejections]
    if not case["refused"]:
        assert (reasons, len(model.asked)) == ([], 1)
        return
    field, part = case["refused"]
    assert [f for f, reason in reasons if part in reason][:1] == [field], reasons
    noted = field == "claim"  # that a model sees no claim is noted, and not argued about
    assert len(model.asked) == (1 if noted else 2), "asked once more with the reason, and no more"
    if not noted:
        assert part in model.asked[1].messages()[-1][1]
        assert {r.attempt for r in got.asked.rejections} == {1, 2}


@pytest.mark.slow
def test_one_run_of_all_bad_answers_ends_well_and_stores_no_claim_of_theirs(tmp_path):
    """Each case is a page of its own, told apart by its figure."""
    bad = {f"{number}.5 Tbps": case for number, case in enumerate(CASES, start=101) if case["refused"]}

    class Worst:
        name = "scripted:worst"

        def ask(self, question: Question) -> Answer:
            figure = json.loads(question.data)["text"].removeprefix("All told ").removesuffix(".")
            reply = reply_of(bad[figure])
            if (
                bad[figure].get("basis", "unspecified") != "unspecified"
            ):  # what else it says is right: leave only what is not
                reply = reply._replace(text=reply.text.replace(RIGHT["basis_quote"], "no words of the page"))
            return Answer(reply._replace(text=reply.text.replace("3.2 Tbps", figure)))

    home = open_home(tmp_path / "home")
    pages = {f"p{at}": PAGE.replace(b"3.2 Tbps", figure.encode()) for at, figure in enumerate(bad)}
    moments = (datetime(2026, 5, 1, 3, tzinfo=UTC) + timedelta(seconds=n) for n in range(10_000))
    listed = [source(name) for name in pages]
    run = run_refresh(
        home,
        listed,
        FakeFetcher(pages),
        lambda: next(moments),
        Silent(),
        cards=(),
        second=ModelReader(Worst()),
    )
    assert [page.reason for page in run.pages if page.reason] == []
    told = [tuple(row) for row in run_query(home, "SELECT text_value, basis, extractor FROM claims").rows]
    assert sorted(told) == sorted((figure, "unspecified", f"grammar@{GRAMMAR_VERSION}") for figure in bad)
    (refused,) = run_query(home, "SELECT count(DISTINCT source_id) FROM model_rejections").rows
    assert refused == (len(bad),)
    assert [tuple(row) for row in run_query(home, "SELECT status FROM runs").rows] == [("done",)]


def test_a_reply_cut_at_any_byte_is_never_an_answer():
    reply = whole().encode()
    for end in range(len(reply)):
        found = read_reply(Reply(reply[:end].decode("utf-8", "replace")))
        assert isinstance(found, Refused), end
        assert found.kind in (Bad.EMPTY, Bad.MALFORMED)
    assert isinstance(read_reply(Reply(reply.decode())), Answers)


def test_a_second_answer_with_the_reason_counts():
    model = Says(Reply("what?"), Reply(whole()))
    got = read(model)
    assert [c.basis for c in got.claims] == ["per_node"]
    assert [(r.field, r.attempt) for r in got.asked.rejections] == [("reply", 1)]
    assert got.claims[0].rules["basis"] == "model: Every node has eight RDMA cards"
    assert "basis_unspecified" not in got.claims[0].flags


def test_a_cut_reply_about_several_figures_is_asked_for_in_parts():
    page = b"<h1>Compute network</h1><p>All told 3.2 Tbps, before it was 1.6 Tbps, and 800 Gbps at first.</p><p>Every node has eight RDMA cards.</p>"
    model = Says(Reply("{", cut=True), Reply('{"mentions":[],"capabilities":[],"missed":[]}'))
    got = read(model, page)
    numbers = [len(json.loads(q.data)["mentions"]) for q in model.asked]
    assert numbers[0] == sum(numbers[1:])
    assert numbers[0] > 1
    assert [r.reason for r in got.asked.rejections] == ["the reply was cut off before its end"]


def test_what_could_not_be_asked_is_left_undone_with_the_reason():
    got = read(Says(NotAsked("the run's 5 calls are used up")))
    assert (len(got.asked.undone), got.asked.why) == (1, "the run's 5 calls are used up")
    assert [c.basis for c in got.claims] == ["unspecified"]


def test_a_page_with_nothing_open_is_not_sent():
    model = Says(Reply(""))
    got = read(model, "<p>每节点提供 3.2 Tbps RDMA 带宽。</p>".encode())
    assert (model.asked, got.asked.sent, got.asked.blocks) == ([], 0, 1)


def test_page_text_cannot_leave_its_place_in_the_question():
    model = Says(Reply(""))
    text = 'All told 3.2 Tbps. "}], "x": "\n\\u0022'
    read(model, PAGE.replace(b"All told 3.2 Tbps.", text.encode()))
    data = json.loads(model.asked[0].data)
    assert set(data) == {"text", "around", "mentions", "open"}
    assert model.asked[0].instructions == ModelReader(model).instructions
