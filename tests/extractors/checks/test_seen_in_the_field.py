"""What readers of real pages stumbled over, from the sentence to the verdict: each slip is caught, each sound pair is not."""

from __future__ import annotations

import pytest

from extractors.checks.across import Standing, check_group, topic_of
from extractors.checks.arithmetic import Verdict as Held
from extractors.checks.on_page import check_claim
from extractors.checks.origins import Page
from extractors.checks.statements import judge
from extractors.document import masked, read_document
from extractors.extract import extract
from schemas.check import Check, Verdict


def read(vendor: str, product: str, *pages: str) -> list[Check]:
    """The rows of all claims of the pages, which are one vendor's own and each of another language or part."""
    rows: list[Check] = []
    standing: dict[str, list[Standing]] = {}
    for n, words in enumerate(pages):
        body = f"<title>{product}</title><p>{words}</p>".encode()
        got = extract(body, source=f"p{n}", name="p.html", vendor=vendor, product=product, tier="T2")
        document = read_document(body, name="p.html")
        visible = masked(document)
        page = Page(f"p{n}", vendor, "T2", f"https://{vendor}.example/{n}", "en", vendor, "T2")
        for claim in got.claims:
            rows += check_claim(claim, document, visible)
            topic = topic_of(claim.metric, claim.qualifiers.get("of", ""))
            standing.setdefault(topic, []).append(Standing(claim, 1, page))
    for members in standing.values():
        rows += check_group(members)
    assert rows
    return rows


def reasons(rows: list[Check], verdict: Verdict) -> list[str]:
    return [row.reason for row in rows if row.verdict is verdict]


def test_bytes_for_bits_pass_the_product_and_fail_what_the_hardware_can_do():
    rows = read(
        "azure",
        "nd-a100-v4",
        "Eight 200 GB/s HDR links (8 × 200 GB/s = 1.6 TB/s) give each VM 1.6 TB/s of RDMA bandwidth.",
    )
    assert Verdict.FAIL not in {row.verdict for row in rows}
    assert any("likely a slip of B for b" in reason for reason in reasons(rows, Verdict.ABOVE_BOUND))


@pytest.mark.parametrize(
    ("vendor", "product", "one", "other"),
    [
        (
            "volcengine",
            "vepfs",
            "A single file system serves 1,000,000 read IOPS.",
            "单文件系统读 IOPS 为 400 万。",
        ),
        (
            "alibaba-cloud",
            "cpfs",
            "<table><tr><th>Capacity<th>Throughput<tr><td>2 TB<td>1 Gbit/s</table>",
            "<table><tr><th>容量<th>吞吐<tr><td>2 TB<td>1GB/s</table>",
        ),
    ],
)
def test_two_languages_of_one_vendor_that_differ(vendor, product, one, other):
    found = reasons(read(vendor, product, one, other), Verdict.CONFLICT)
    assert len(found) == 2
    assert all(reason.startswith("inside the vendor: ") for reason in found)


def test_figures_twice_apart_name_both_ways_and_chip_or_die():
    rows = read(
        "huawei-cloud",
        "cloudmatrix384",
        "每个 NPU 的 UB 互联带宽为 392GB/s。",
        "每个 NPU 的 UB 互联带宽为 196GB/s。",
    )
    found = reasons(rows, Verdict.CONFLICT)
    assert len(found) == 2
    assert all("twice apart: one way or both, chip or die" in reason for reason in found)


@pytest.mark.parametrize(
    ("vendor", "product", "one", "other"),
    [
        (
            "azure",
            "nd-h100-v5",
            "Each VM has 3.2 Tbps of InfiniBand bandwidth.",
            "Each VM has an Ethernet network bandwidth of 80,000 Mbps.",
        ),
        (
            "azure",
            "nd-h100-v5",
            "Each VM has 3200 Gbps of RDMA bandwidth.",
            "Each VM has 400 GB/s of RDMA bandwidth.",
        ),
        (
            "aws",
            "p5",
            "Each instance has 3,200 Gbps of RDMA bandwidth.",
            "Each instance has 3,600 Gbps of network bandwidth in total.",
        ),
    ],
)
def test_what_must_not_be_called_a_conflict(vendor, product, one, other):
    assert reasons(read(vendor, product, one, other), Verdict.CONFLICT) == []


def statement(result: tuple[str, str, str], *parts: dict[str, str]) -> dict[str, object]:
    role, value, unit = result
    return {"parts": [*parts, {"role": role, "value": value, "unit": unit}]}


def test_an_order_of_magnitude_that_is_four_times():
    parts = [
        {"role": "term", "value": "800", "unit": "Gbps"},
        {"role": "term", "value": "3.2", "unit": "Tbps"},
    ]
    outcome = judge(statement(("ratio", "10", "倍"), *parts))
    assert (outcome.verdict, outcome.reason) == (
        Held.INCONSISTENT,
        "800 Gbps : 3.2 Tbps = 4 倍, and 10 倍 is printed",
    )


def test_half_a_year_against_a_full_one():
    start = {"role": "start", "value": "223", "unit": "亿元", "period": "2025 年上半年"}
    end = {"role": "end", "value": "1930", "unit": "亿元", "period": "2030 年"}
    assert judge(statement(("cagr", "54", "%"), start, end)).verdict is Held.NOT_COMPARABLE


def test_a_vendor_of_whom_it_is_said_that_it_publishes_nothing():
    silent = "优刻得未披露并行文件系统吞吐。"
    rows = read("ucloud", "upfs", "UPFS 单文件系统读吞吐最高 60000MB/s。", silent)
    found = [r for r in reasons(rows, Verdict.CONFLICT) if "publishes" in r]
    assert found
