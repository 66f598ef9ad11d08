"""A quote stands on the page character for character, or the check says how it does not."""

from decimal import Decimal

import pytest

from extractors.checks import check_claim
from extractors.checks.grounding import ground
from extractors.document import masked, read_html, read_text
from extractors.extract import extract
from schemas.check import ON_PAGE, Verdict
from schemas.quantity import Bound

GROUND = [
    (
        "a Chinese quote inside a run of characters",
        "万卡集群时延低至3微秒,双上联",
        "3微秒",
        None,
        Verdict.EXACT,
    ),
    ("a quote that stands twice", "甲云 1.6Tbps;乙云 1.6Tbps", "1.6Tbps", None, Verdict.NOT_UNIQUE),
    ("told apart by its place", "甲云 1.6Tbps;乙云 1.6Tbps", "1.6Tbps", 14, Verdict.EXACT),
    ("a non-breaking space", "吞吐 7\u00a0TB/s", "吞吐 7 TB/s", None, Verdict.NORMALISED),
    ("full-width digits", "吞吐 ７ TB/s", "吞吐 7 TB/s", None, Verdict.NORMALISED),
    ("a bracket is no pattern", "线性度 93% (千卡", "93% (千卡", None, Verdict.EXACT),
    ("one digit changed", "每节点 1.6Tbps", "每节点 1.7Tbps", None, Verdict.ABSENT),
    ("one letter's case changed", "每节点 1.6TB/s", "每节点 1.6Tb/s", None, Verdict.ABSENT),
    ("a space is not glued away", "实例 3 2T 内存", "3 2T", None, Verdict.EXACT),
    ("digits do not join over a space", "实例 3 2T 内存", "32T", None, Verdict.ABSENT),
]


@pytest.mark.parametrize(
    ("page", "quote", "start", "verdict"), [g[1:] for g in GROUND], ids=[g[0] for g in GROUND]
)
def test_grounding(page, quote, start, verdict):
    assert ground(quote, start, read_text(page))[0] is verdict


def test_hidden_text_is_never_evidence():
    page = read_html('<p>带宽 <span style="display:none">9.9Tbps</span>800Gbps</p>')
    assert ground("9.9Tbps", None, page)[0] is Verdict.HIDDEN_TEXT
    assert ground("800Gbps", None, page)[0] is Verdict.EXACT


PAGE = (
    "<html lang=zh><head><title>乙云 GPU 集群</title></head><body><h1>优刻得 GPU 裸金属</h1>"
    "<p>每台机器 RDMA 带宽 1.6Tbps，端到端时延低至 3 微秒（千卡规模）。</p>"
    "<table><tr><th>文件系统</th><th>读吞吐 (GB/s)</th></tr><tr><td>标准型</td><td>40</td></tr></table></body></html>"
)


def test_every_claim_is_checked_on_every_axis():
    got = extract(PAGE.encode(), source="p", name="p.html")
    assert len(got.claims) == 3
    for claim in got.claims:
        checks = {c.name: c for c in got.checks if c.claim_key == claim.claim_key}
        assert set(checks) == set(ON_PAGE)
        assert checks["grounding"].verdict is Verdict.EXACT
        assert all(c.verdict in ON_PAGE[c.name] for c in checks.values())
    values = {
        c.text_value: v.verdict
        for c in got.claims
        for v in got.checks
        if (v.claim_key, v.name) == (c.claim_key, "entailment.value")
    }
    assert values == {"1.6Tbps": Verdict.STATED, "3 微秒": Verdict.STATED, "40": Verdict.DERIVED}


@pytest.mark.parametrize(
    ("old", "new"), [("1.6Tbps", "1.7Tbps"), ("1.6Tbps", "1.6TBps"), ("3 微秒", "8 微秒")]
)
def test_a_changed_digit_or_letter_in_the_page_fails_the_check(old, new):
    got = extract(PAGE.encode(), source="p", name="p.html")
    claim = next(c for c in got.claims if c.text_value == old)
    changed = read_html(PAGE.replace(old, new))
    verdicts = {c.name: c.verdict for c in check_claim(claim, changed, masked(changed))}
    assert verdicts["grounding"] is Verdict.ABSENT


def test_a_check_that_breaks_is_recorded_and_never_a_pass(monkeypatch):
    got = extract(PAGE.encode(), source="p", name="p.html")
    monkeypatch.setattr("extractors.checks.grounding.ground", lambda *_: 1 / 0)
    verdicts = {c.name: c for c in check_claim(got.claims[0], got.document, masked(got.document))}
    assert verdicts["grounding"].verdict is Verdict.CHECK_FAILED
    assert verdicts["grounding"].reason == "ZeroDivisionError: division by zero"
    assert verdicts["entailment.value"].verdict is Verdict.STATED


SAID = (
    "<html lang=zh><title>GPU</title><h1>火山引擎 GPU 云服务器</h1>"
    "<p>单机 RDMA 带宽最高 3.2Tbps。</p><p>故障恢复小于 10 分钟。</p><p>读吞吐 1.5TB/s 到 2TB/s。</p></html>"
)


@pytest.mark.parametrize(
    ("metric", "field", "changes", "reason"),
    [
        ("rdma_bandwidth", "value", {"low": Decimal(5 * 10**12)}, "'3.2Tbps' is not 5000000000000 bit/s in any unit"),
        ("rdma_bandwidth", "value", {"low": Decimal(32 * 10**14)}, "'3.2Tbps' is not 3200000000000000 bit/s in any unit"),
        ("fault_recovery_time", "value", {"low": Decimal(660)}, "'10 分钟' is not 660 s in any unit"),
        ("fault_recovery_time", "value", {"low": Decimal(10)}, "'10 分钟' is not 10 s in any unit"),
        ("fs_throughput", "value", {"high": Decimal(3 * 10**12)}, "'1.5TB/s 到 2TB/s' is not 1500000000000 byte/s in any unit"),
        ("rdma_bandwidth", "bound", {"bound": Bound.AT_LEAST}, "the quote reads as at_most"),
        ("fault_recovery_time", "bound", {"bound": Bound.AT_LEAST}, "the quote reads as at_most"),
        ("rdma_bandwidth", "unit", {"unit": "s"}, "Tbps measures data, and s does not"),
        ("rdma_bandwidth", "unit", {"unit": "accelerators"}, "Tbps measures data, and accelerators does not"),
        ("fault_recovery_time", "unit", {"unit": "bit/s"}, "分钟 measures time, and bit/s does not"),
        ("rdma_bandwidth", "basis", {"basis": "per_accelerator", "rules": {}}, "'单机' in the quote says per_machine"),
    ],
)  # fmt: skip
def test_a_field_that_its_quote_does_not_bear_out_is_contradicted(metric, field, changes, reason):
    document = read_html(SAID)
    claim = next(c for c in extract(SAID.encode(), source="p", name="p.html").claims if c.metric == metric)
    rows = {c.name: c for c in check_claim(claim.model_copy(update=changes), document, masked(document))}
    assert (rows[f"entailment.{field}"].verdict, rows[f"entailment.{field}"].reason) == (
        Verdict.CONTRADICTED,
        reason,
    )


@pytest.mark.parametrize(
    ("text", "metric", "low"),
    [
        ("<table><tr><th>容量<th>读吞吐 (GB/s)<tr><td>100 TiB<td>40</table>", "fs_throughput", 40 * 10**9),
        ("<table><tr><th>故障<th>恢复时间（分钟）<tr><td>节点<td>10</table>", "fault_recovery_time", 600),
        ("<p>单文件系统最多 1.000 MB/s 吞吐。</p>", "fs_throughput", 10**6),
        ("<p>万卡集群，MFU 55%。</p>", "mfu", Decimal("0.55")),
        ("<p>UFS 每 TB 提供 120Mbps 吞吐。</p>", "throughput_per_capacity", None),
    ],
)
def test_a_unit_that_stands_elsewhere_contradicts_nothing(text, metric, low):
    page = f"<html lang=zh><title>vePFS</title><h1>火山引擎 vePFS</h1>{text}</html>"
    document = read_html(page)
    claims = [c for c in extract(page.encode(), source="p", name="p.html").claims if c.metric == metric]
    for claim in claims:
        assert low is None or claim.low == low
        rows = check_claim(claim, document, masked(document))
        assert [row.name for row in rows if row.verdict is Verdict.CONTRADICTED] == []
    assert claims
