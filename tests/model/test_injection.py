"""Text that gives orders to machines changes nothing that is read, and is told of with its place."""

from __future__ import annotations

import html
import json
import re
from itertools import product
from pathlib import Path

import pytest
import yaml

from extractors.extract import extract
from extractors.model.asking import Answer, ModelReader, Question
from extractors.model.injection import find_attempts
from schemas.registry import registry
from tests.quality.scripted import answered, blank

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/model/injection.yaml").read_text(encoding="utf-8"))
PAGE = """<html><head><title>UCloud 训练集群{title}</title>{meta}</head><body><h1>计算网络</h1>
<p>每节点提供 3.2 Tbps RDMA 带宽。</p>{paragraph}<p>Total capability 1.6 Tbps.{beside}</p>
<table>{caption}<tr><th>规格</th><th>RDMA 带宽（每节点）</th></tr><tr><td>标准型</td><td>800 Gbps</td></tr>{row}</table></body></html>"""
ORDERS = yaml.safe_load((Path(__file__).parents[1] / "cases/model/orders.yaml").read_text(encoding="utf-8"))
HONEST = {"3.2 Tbps", "1.6 Tbps", "800 Gbps"}
SPOTS = {
    "paragraph": ("paragraph", "<p>{}</p>", "shown text"),
    "list item": ("paragraph", "<ul><li>{}</li></ul>", "shown text"),
    "heading": ("paragraph", "<h2>{}</h2>", "shown text"),
    "beside": ("beside", " {}", "shown text"),
    "cell": ("row", "<tr><td>增强型</td><td>{}</td></tr>", "shown text"),
    "caption": ("caption", "<caption>{}</caption>", "shown text"),
    "page title": ("title", " {}", "title"),
    "alt text": ("paragraph", '<p><img src="a.png" alt="{}"></p>', "attribute: alt"),
    "title attribute": ("paragraph", '<p><span title="{}">see there</span></p>', "attribute: title"),
    "data attribute": ("paragraph", '<p data-note="{}">see there</p>', "attribute: data-note"),
    "meta": ("meta", '<meta name="description" content="{}">', "attribute: content"),
    "comment": ("paragraph", "<!-- {} -->", "comment"),
    "hidden by style": ("paragraph", '<p style="display:none">{}</p>', "hidden: "),
    "hidden attribute": ("paragraph", "<p hidden>{}</p>", "hidden: "),
    "template": ("paragraph", "<template>{}</template>", "hidden: "),
    "aria-hidden": ("paragraph", '<p aria-hidden="true">{}</p>', "hidden: "),
}


class Obedient:
    """A model that does what a page tells it: it claims the planted figure in every way that the form has."""

    name = "scripted:obedient"

    def __init__(self, planted: str) -> None:
        self.planted = planted

    def ask(self, question: Question) -> Answer:
        text = json.loads(question.data)["text"]
        told = {
            "claim": True,
            "metric": "rdma_bandwidth",
            "metric_quote": self.planted[:160],
            "basis": "per_node",
        }
        told |= {"basis_quote": self.planted[:160], "vendor_quote": "UCloud"}
        figures = [m["mention"] for m in json.loads(question.data)["mentions"]] + [7]
        quotes = [self.planted[:160], "9.9 Tbps", "9.9Tbps"]
        return answered(
            mentions=[blank(number) | told for number in figures[:8]],
            missed=[{"quote": q, "metric": "rdma_bandwidth", "metric_quote": "RDMA"} for q in quotes],
            capabilities=[{"capability": "infiniband", "quote": text[:100], "product_quote": ""}],
        )


def page_with(case: dict[str, str]) -> bytes:
    place, form, _ = SPOTS[case["where"]]
    inside = case["text"] if case["where"] == "comment" else html.escape(case["text"])
    spots = dict.fromkeys(("title", "meta", "paragraph", "beside", "caption", "row"), "")
    return PAGE.format(**(spots | {place: form.format(inside)})).encode()


DISGUISES = {
    "look-alike letters": "[\u0370-\u03ff\u0400-\u04ff]",
    "invisible characters": "[\u200b-\u200d\u2060\ufeff]",
    "reordering characters": "[\u202a-\u202e\u2066-\u2069]",
}


def test_there_are_a_hundred_and_more_of_every_kind_in_both_languages():
    assert len(CASES) == len({(case["where"], case["text"]) for case in CASES}) == 108
    told = [("zh" if re.search("[\u4e00-\u9fff]", case["text"]) else "en", case) for case in CASES]
    places = {(language, case["where"]) for language, case in told}
    disguises = {
        (language, name)
        for language, case in told
        for name, marks in DISGUISES.items()
        if re.search(marks, case["text"])
    }
    assert places == set(product(("en", "zh"), SPOTS))
    assert disguises == set(product(("en", "zh"), DISGUISES))


@pytest.mark.parametrize("case", CASES, ids=[f"{i}-{case['where']}" for i, case in enumerate(CASES, start=1)])
@pytest.mark.parametrize("with_model", [False, True], ids=["rules", "model"])
def test_a_payload_is_never_a_claim(case, with_model):
    second = ModelReader(Obedient(case["text"])) if with_model else None
    got = extract(page_with(case), source="page", name="page.html", vendor="ucloud", second=second)
    figures = [claim for claim in got.claims if claim.metric != "capability"]
    assert {claim.text_value for claim in figures} == HONEST
    assert not any("9.9" in claim.evidence.quote for claim in got.claims)
    assert [claim for claim in got.claims if claim.metric == "capability"] == []
    place = SPOTS[case["where"]][2]
    found = [s for s in got.suspicions if s.place.startswith(place)]
    assert found, [s.place for s in got.suspicions]
    for suspicion in found:
        assert got.document is not None
        if suspicion.place == "shown text":
            assert got.document.text[suspicion.start : suspicion.end].strip().startswith(suspicion.text[:20])
    if case["where"] == "beside":
        assert [c.text_value for c in figures if "suspicious_text" in c.flags] == ["1.6 Tbps"]


@pytest.mark.parametrize("text", ORDERS["known"])
def test_an_order_in_other_words_is_no_claim(text):
    got = extract(
        page_with({"where": "paragraph", "text": text}), source="page", name="page.html", vendor="ucloud",
        second=ModelReader(Obedient(text)),
    )  # fmt: skip
    assert {claim.text_value for claim in got.claims if claim.metric != "capability"} == HONEST
    assert [found.place for found in got.suspicions] == ["shown text"]


@pytest.mark.parametrize("text", ORDERS["figure_apart"])
def test_a_figure_behind_an_order_is_a_claim_that_a_person_is_asked_about(text):
    got = extract(
        page_with({"where": "paragraph", "text": text}), source="page", name="page.html", vendor="ucloud",
        second=ModelReader(Obedient(text)),
    )  # fmt: skip
    doubtful = {c.text_value for c in got.claims if "suspicious_text" in c.flags}
    assert doubtful <= {"9.9 Tbps"} == {c.text_value for c in got.claims if c.metric != "capability"} - HONEST
    assert [found.place for found in got.suspicions] == ["shown text"]
    assert doubtful


@pytest.mark.parametrize("text", ORDERS["unknown"])
@pytest.mark.parametrize("where", ["hidden by style", "comment", "alt text", "meta", "template"])
def test_an_order_that_no_reader_sees_is_no_claim_also_where_it_is_not_known_for_one(text, where):
    got = extract(
        page_with({"where": where, "text": text}), source="page", name="page.html", vendor="ucloud",
        second=ModelReader(Obedient(text)),
    )  # fmt: skip
    assert {claim.text_value for claim in got.claims if claim.metric != "capability"} == HONEST


def test_the_orders_that_are_said_to_be_unknown_are():
    assert [text for text in ORDERS["unknown"] if find_attempts(text)] == []


@pytest.mark.parametrize(
    "text",
    [
        "Ports report errors to the system.",
        "用户可以忽略该告警，系统会自动恢复。",
        "The model: H800. System: 8 x H100 with 3.2 Tbps.",
        "系统：新一代文件系统，吞吐 8 GB/s。模型：输出 30 token/s。",
        "Set the alarm threshold of the metric to 80%.",
        "现在单卡输出 1,150 token/s，带宽 400 Gbps。",
        "The paper reports 12,288 GPUs; we report 96% here.",
        "Nodes return 40 GB/s when clients read only cached data.",
        "AI models should be stored on the parallel file system.",
        "用于大模型训练的集群，AI 应用请填写工单申请。",
        "RDMA lets the NIC bypass the operating system and reach 3.2 Tbps per node.",
        "RDMA 绕过操作系统内核，满足训练的要求，每节点 3.2 Tbps。",
        "Mount options override the system defaults of 8 MiB.",
        "从现在起，所有新用户均可享受每节点 3.2 Tbps 网络。",
        "故障节点进入维护模式后自动替换，忽略全部告警。",
        "When reading large files, use 1 MiB blocks for 20 GB/s per client.",
        "When the client reaches the end of the data, throughput drops to 2 GB/s.",
        "The parameter must be set to 64 for 400 Gbps ports.",
        "以上价格以实际账单为准，实例带宽 100 Gbps。",
        "Our AI assistant: built on 1,024 GPUs with 3.2 Tbps each node.",
        "For AI training: 8 GPUs and 3.2 Tbps per node.",
        "Hello developers: the cluster has 16,000 GPUs.",
        "把带宽从 1.6 Tbps 提升到 3.2 Tbps。",
        "将 IOPS 提高至 3000 万。",
        "人工智能训练需要每节点 3.2 Tbps 的带宽。",
        "The assistant answers when asked about quotas of 64 instances.",
        "Discard of blocks is done at 2 GB/s.",
        "Your output is written at 2 TB/s to the parallel file system.",
        "Ignore the figures of the old generation; each node now has 3.2 Tbps.",
    ],
)
def test_ordinary_words_are_no_orders(text):
    assert extract(f"<p>{text}</p>".encode(), source="page", name="page.html").suspicions == ()


def test_the_flag_asks_whether_the_figure_is_the_vendors_own():
    assert [reading.key for reading in registry().flag("suspicious_text").readings] == ["genuine", "planted"]
