"""Whatever the bytes, extract gives claims that stand on the page, or a reason; a real claim survives the mess."""

import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.extract import extract
from tests.fuzz.invariants import check_page, check_quantities

FRAGMENTS = st.sampled_from(
    [
        "3.2T", "每节点", "RDMA", "最高", " ", "，", "。", "3000 万", "IOPS", "到", "~", "×", "8", "400Gbps", "min{", "}", "1e9", "¥",
        "十几", "千万级", "half a ", "twenty-", "分之", "%", "10^", "1'000", "±", "²", "<td>", "<tr>", "<table>", "</table>", "<sup>1</sup>",
        "<div hidden>", "</div>", "<s>", "\u200b", "\u00a0", "\ufffd", "９", "ＴＢ／ｓ", "&#51;", "<!--", "<script>", "]]>", "\x00", "\x1b[31m",
    ]
)  # fmt: skip
SOUP = st.lists(FRAGMENTS | st.text(max_size=6), max_size=40).map("".join)
SEED = "每台机器 RDMA 带宽 1.6Tbps"


@settings(max_examples=150, deadline=None)
@given(SOUP, st.sampled_from(["page.html", "page.md", "page.txt"]))
def test_any_soup_gives_claims_that_stand_on_the_page(soup, name):
    check_page(soup.encode("utf-8", "surrogatepass"), name)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=400), st.sampled_from(["page.html", "page.md", "page.txt", ""]))
def test_any_bytes_give_claims_or_a_reason(body, name):
    check_page(body, name)


@settings(max_examples=200, deadline=None)
@given(SOUP, st.sampled_from(["", "en", "zh", "de", "ja"]))
def test_quantities_stand_where_they_say_and_in_order(text, lang):
    check_quantities(text, lang)


@settings(max_examples=60, deadline=None)
@given(
    SOUP.filter(lambda s: "<!--" not in s and "<script" not in s and "hidden" not in s and "\x00" not in s)
)
def test_a_real_claim_survives_what_stands_before_it(soup):
    body = f"<html><body><div>{soup}</div><p>{SEED}。</p></body></html>".encode("utf-8", "surrogatepass")
    got = extract(body, source="page", name="page.html", vendor="ucloud")
    if "<s>" in soup or "<table>" in soup or "<t" in soup:
        return  # the mess may strike out or swallow the paragraph
    assert any(c.metric == "rdma_bandwidth" and c.text_value == "1.6Tbps" for c in got.claims)


@pytest.mark.parametrize("depth", [500, 10_000])
@pytest.mark.parametrize("tag", ["div", "table><tr><td", "ul><li", "b", "blockquote"])
def test_deep_nesting_is_read(depth, tag):
    closing = "".join(f"</{t}>" for t in reversed(tag.split("><")))
    got = extract((f"<{tag}>" * depth + SEED + closing * depth).encode(), source="page", name="page.html")
    assert got.document is not None
    assert SEED in got.document.text


def test_a_tower_of_elements_is_refused_before_it_takes_the_memory():
    got = extract(b"<b>" * 150_000 + SEED.encode(), source="page", name="page.html")
    assert got.reason == "the page nests deeper than 100,000 elements: no reader sees such a page"


@pytest.mark.parametrize(
    ("unit", "name", "reason"),
    [
        ("<p>x", "page.html", "the page has more than 300,000 blocks of text: split it"),
        ("x\n", "page.txt", "the text has more than 300,000 lines: split it"),
    ],
)
def test_a_heap_of_blocks_is_refused_before_it_takes_the_memory(unit, name, reason):
    assert extract((unit * 300_001).encode(), source="page", name=name).reason == reason


def test_a_page_ninety_thousand_deep_is_read_in_time_that_grows_with_it():
    got = extract(b"<b>" * 90_000 + SEED.encode(), source="page", name="page.html", vendor="ucloud")
    assert [claim.text_value for claim in got.claims] == ["1.6Tbps"]


@pytest.mark.parametrize(
    "unit",
    [
        "网络延迟 2 微秒，",
        "NVLink 900GB/s，",
        "half an hour ",
        "支持 RoCE，",
        "<td>3.2T",
        "12<sup>1</sup> Gbps ",
    ],
)
@pytest.mark.long
def test_a_page_without_full_stops_costs_no_more_a_character(unit):
    def cost(size: int) -> int:
        """Counts calls, which do not depend on how busy the machine is."""
        calls = 0

        def count(_frame: object, event: str, _arg: object) -> None:
            nonlocal calls
            calls += event in ("call", "c_call")

        body = (unit * size)[:size].encode()
        sys.setprofile(count)
        try:
            extract(body, source="page", name="page.html", vendor="huawei-cloud")
        finally:
            sys.setprofile(None)
        return calls

    cost(500)  # what is compiled once is not counted
    assert cost(8_000) / cost(2_000) < 5


@pytest.mark.parametrize(
    "text", ["1" + "亿" * 100_000, "万" * 100_000, "9" * 100_000 + "亿", "10^99 GB/s", "1e4999 IOPS"]
)
def test_an_absurd_number_is_no_claim_and_no_error(text):
    assert extract(f"文件系统吞吐 {text} GB/s".encode(), source="page", name="page.txt").claims == ()
