"""Claims against each other: origins, agreement, conflicts inside a vendor, arithmetic across a product."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from extractors.checks import across, origins
from extractors.checks.across import Standing, check_group, topic_of
from extractors.checks.origins import Page
from schemas.check import ACROSS, Verdict
from schemas.claim import Claim, Evidence
from schemas.quantity import Bound

DOCS = Page("docs-en", "volcengine", "T2", "https://www.volcengine.com/docs/en", "en", "volcengine", "T2")
DOCS_ZH = Page("docs-zh", "volcengine", "T2", "https://www.volcengine.com/docs/zh", "zh", "volcengine", "T2")
LAB = Page("lab", None, "T3", "https://lab.example/test", "en")
BLOG = Page("blog", None, "T4", "https://blog.example/post", "en")


def claim(key: str, low: str, **fields) -> Claim:
    quote = fields.pop("quote", f"{low} here")
    base = {
        "source": "page",
        "vendor": "volcengine",
        "product": "vepfs",
        "metric": "fs_iops",
        "unit": "1/s",
        "text_value": low,
        "bound": Bound.EXACT,
        "basis": "per_filesystem",
        "extractor": "grammar@1",
    }
    return Claim(
        claim_key=key,
        low=Decimal(low),
        evidence=Evidence(quote=quote, start=0, end=len(quote)),
        **{**base, **fields},
    )


def verdicts(*members: Standing) -> dict[tuple[str, str], Verdict]:
    return {(row.claim_key, row.name): row.verdict for row in check_group(members)}


def rows(*members: Standing) -> dict[tuple[str, str], object]:
    return {(row.claim_key, row.name): row for row in check_group(members)}


def test_every_claim_has_a_row_of_each_check_whatever_the_order():
    members = [Standing(claim("a", "1000000"), 1, DOCS), Standing(claim("b", "4000000"), 1, DOCS_ZH)]
    assert set(verdicts(*members)) == {(key, name) for key in "ab" for name in ACROSS}
    assert check_group(members) == check_group(members[::-1])


def test_two_languages_of_one_vendor_that_differ_are_a_conflict_inside_it_with_both_quotes():
    found = rows(
        Standing(claim("a", "1000000", quote="up to 1,000,000 IOPS"), 1, DOCS),
        Standing(claim("b", "4000000", quote="4,000,000 IOPS"), 1, DOCS_ZH),
    )["a", "agreement"]
    assert found.verdict is Verdict.CONFLICT
    assert found.reason == "inside the vendor: two values of one thing: 1000000 and 4000000 (docs-zh)"
    detail = json.loads(found.detail)
    assert (detail["quote"], detail["other_quote"]) == ("up to 1,000,000 IOPS", "4,000,000 IOPS")
    assert (detail["language"], detail["other_language"]) == ("en", "zh")


def test_two_pages_of_a_vendor_are_one_origin_and_a_third_party_that_measured_is_another():
    same = verdicts(Standing(claim("a", "1000000"), 1, DOCS), Standing(claim("b", "1000000"), 1, DOCS_ZH))
    assert same["a", "agreement"] is Verdict.SINGLE
    measured = verdicts(Standing(claim("a", "1000000"), 1, DOCS), Standing(claim("b", "1000000"), 1, LAB))
    assert measured["a", "agreement"] is measured["b", "agreement"] is Verdict.AGREE


def test_a_repetition_neither_supports_nor_contradicts_the_official_page():
    for low, own in (("1000000", Verdict.SINGLE), ("9000000", Verdict.CONFLICT)):
        found = verdicts(Standing(claim("a", "1000000"), 1, DOCS), Standing(claim("b", low), 1, BLOG))
        assert found["a", "agreement"] is Verdict.SINGLE
        assert found["b", "agreement"] is own
        assert found["b", "authority"] is Verdict.T4


def test_a_page_with_several_figures_contradicts_only_where_none_fits():
    tiers = [Standing(claim(k, low), 1, DOCS_ZH) for k, low in (("b", "1000000"), ("c", "4000000"))]
    assert verdicts(Standing(claim("a", "1000000"), 1, DOCS), *tiers)["a", "agreement"] is Verdict.SINGLE
    assert verdicts(Standing(claim("a", "2000000"), 1, DOCS), *tiers)["a", "agreement"] is Verdict.CONFLICT
    assert verdicts(*tiers)["b", "agreement"] is Verdict.SINGLE
    # The English page has the first of the two rows: it says nothing against the second.
    assert verdicts(Standing(claim("a", "1000000"), 1, DOCS), *tiers)["c", "agreement"] is Verdict.SINGLE
    found = verdicts(
        *(Standing(claim(k, n), 1, DOCS) for k, n in (("a", "1000000"), ("d", "2000000"))), *tiers
    )
    assert found["c", "agreement"] is found["d", "agreement"] is Verdict.CONFLICT
    assert found["a", "agreement"] is found["b", "agreement"] is Verdict.SINGLE


def test_pages_that_do_not_say_whose_figures_they_have_neither_agree_nor_contradict():
    for low in ("1000000", "4000000"):
        found = rows(
            Standing(claim("a", "1000000", vendor=None), 1, LAB),
            Standing(claim("b", low, vendor=None), 1, BLOG),
        )["a", "agreement"]
        assert found.verdict is Verdict.SINGLE
        assert found.reason == "it does not say whose it is: nothing is compared with it"


def test_what_is_no_longer_on_its_page_contradicts_nothing():
    gone = Standing(claim("b", "4000000"), 1, DOCS_ZH, not_seen=2)
    found = rows(Standing(claim("a", "1000000"), 1, DOCS), gone)
    assert found["a", "agreement"].verdict is Verdict.SINGLE
    assert found["b", "staleness"].verdict is Verdict.NOT_SEEN
    assert found["b", "staleness"].reason == "not on its page for 2 visits; that is no retraction"


@pytest.mark.parametrize(
    ("version", "visited", "verdict"),
    [(1, False, Verdict.NEW), (1, True, Verdict.SAME), (2, True, Verdict.CHANGED)],
)
def test_staleness(version, visited, verdict):
    assert verdicts(Standing(claim("a", "1"), version, DOCS, 0, visited))["a", "staleness"] is verdict


def test_a_silence_is_contradicted_by_a_figure_of_any_product():
    silent = claim(
        "a", "1", metric="capability", unit="bool", text_value=None, product=None, basis="unspecified",
        qualifiers={"capability": "not_disclosed", "of": "fs_iops"},
    )  # fmt: skip
    article = Page("article", None, "T3", "https://article.example", "zh")
    found = rows(Standing(silent, 1, article), Standing(claim("b", "1000000"), 1, DOCS))["a", "agreement"]
    assert found.verdict is Verdict.CONFLICT
    assert found.reason.startswith("one says that no fs_iops is published; the other publishes 1000000")
    assert topic_of("capability", "fs_iops") == topic_of("fs_iops")


def test_a_ceiling_that_density_and_capacity_cannot_reach_fails():
    density = claim(
        "d",
        "400000000",
        metric="throughput_per_capacity",
        unit="byte/s/TiB",
        basis="per_capacity",
        text_value="400 MB/s/TiB",
    )
    size = claim(
        "s",
        "1125899906842624",
        metric="fs_capacity_max",
        unit="byte",
        bound=Bound.AT_MOST,
        text_value="1 PiB",
    )
    top = claim(
        "t",
        "2000000000000",
        metric="fs_throughput",
        unit="byte/s",
        bound=Bound.AT_MOST,
        best_case=True,
        text_value="2 TB/s",
    )
    found = rows(*(Standing(c, 1, DOCS) for c in (density, size, top)))["t", "arithmetic"]
    assert found.verdict is Verdict.FAIL
    assert found.reason == "400 MB/s/TiB × 1024 TiB = 0.4096 TB/s, and 2 TB/s is printed"
    assert json.loads(found.detail)["programs"][0]["operation"] == "product"
    reached = top.model_copy(update={"low": Decimal(409600000000), "text_value": "409.6 GB/s"})
    assert (
        verdicts(*(Standing(c, 1, DOCS) for c in (density, size, reached)))["t", "arithmetic"] is Verdict.OK
    )
    sizes = {
        "low": Decimal(2**43),
        "high": Decimal(2**50),
        "bound": Bound.RANGE,
        "text_value": "8 TiB ~ 1 PiB",
    }
    spread = (density, size.model_copy(update=sizes), reached)
    assert verdicts(*(Standing(c, 1, DOCS) for c in spread))["t", "arithmetic"] is Verdict.OK


def test_cards_times_what_each_has_make_the_node():
    count = claim("c", "8", metric="accelerator_count", unit="accelerators", basis="per_node", text_value="8")
    each = claim(
        "e",
        "400000000000",
        metric="rdma_bandwidth",
        unit="bit/s",
        basis="per_accelerator",
        text_value="400Gbps",
    )
    total = claim(
        "t", "3200000000000", metric="rdma_bandwidth", unit="bit/s", basis="per_node", text_value="3.2Tbps"
    )
    found = rows(*(Standing(c, 1, DOCS) for c in (count, each, total)))
    assert found["t", "arithmetic"].verdict is Verdict.OK
    assert found["e", "arithmetic"].verdict is Verdict.NOT_APPLICABLE


def test_a_claim_that_cannot_be_compared_is_a_failed_check():
    broken = claim("a", "1").model_copy(update={"low": None, "text_value": "much"})
    assert verdicts(Standing(broken, 1, DOCS))["a", "agreement"] is Verdict.CHECK_FAILED


def test_a_check_that_breaks_is_recorded_and_never_a_pass(monkeypatch):
    monkeypatch.setattr("extractors.checks.staleness.check", lambda *_: 1 / 0)
    found = rows(Standing(claim("a", "1"), 1, DOCS))["a", "staleness"]
    assert found.verdict is Verdict.CHECK_FAILED
    assert found.reason == "ZeroDivisionError: division by zero"


def test_a_group_of_many_figures_is_compared_with_the_nearest_only():
    members = [
        Standing(claim(f"k{n:05}", str(1_000_000 + n * 50_000)), 1, DOCS if n % 2 else DOCS_ZH)
        for n in range(500)
    ]
    table = across._Table(members, {m.claim.claim_key: Verdict.T2 for m in members})
    for member in members:
        table.agreement(member)
    assert len(table.results) <= 500 * across.NEAREST


AUTHORITY = [
    (DOCS, "volcengine", Verdict.T2, "volcengine's own host"),
    (DOCS, "ucloud", Verdict.T4, "a page of volcengine about ucloud"),
    (Page("p", "volcengine", "T1", "https://volcengine.com/product", "zh", "volcengine", "T1"), "volcengine", Verdict.T1, "own host"),
    (Page("p", "volcengine", "T1", "https://mirror.example/docs", "zh"), "volcengine", Verdict.T1, "the source list says so"),
    (Page("p", "volcengine", "T1", "https://mirror.example/docs", "zh"), "ucloud", Verdict.T4, "about ucloud"),
    (Page("p", "volcengine", "T1", "https://developer.volcengine.com/a", "zh", "volcengine", "T4"), "volcengine", Verdict.T4, "what others write on volcengine's host"),
    (LAB, "volcengine", Verdict.T3, "the source list says so"),
    (Page("p", None, "T3", original="docs-en", how="its words are the same"), "volcengine", Verdict.T4, "repeats docs-en"),
]  # fmt: skip


@pytest.mark.parametrize(("page", "vendor", "verdict", "reason"), AUTHORITY)
def test_authority(page, vendor, verdict, reason):
    found = origins.authority(page, vendor)
    assert found.verdict is verdict
    assert reason in found.reason


def test_copies_and_translations():
    quotes = [f"figure {n} of the page" for n in range(10)]
    assert origins.is_copy(quotes[:9], quotes)
    assert not origins.is_copy(quotes[:3], quotes)
    assert not origins.is_copy([*quotes[:5], *"abcde"], quotes)
    assert origins.is_translation(range(10), range(9))
    assert not origins.is_translation(range(10), range(40))


@pytest.mark.parametrize(
    ("head", "link"),
    [
        (
            '<link rel="canonical" href="https://www.volcengine.com/docs/1">',
            "https://www.volcengine.com/docs/1",
        ),
        ("<link href=https://www.volcengine.com/docs/1 rel=canonical>", "https://www.volcengine.com/docs/1"),
        (
            '<meta property="og:url" content="https://www.volcengine.com/docs/1">',
            "https://www.volcengine.com/docs/1",
        ),
        ('<link rel="canonical" href="/own">', ""),
        ('<link rel="canonical" href="javascript:alert(1)">', ""),
        ('<link rel="canonical" href="https://[bad">', ""),
        ("", ""),
    ],
)
def test_canonical_link(head, link):
    assert origins.canonical_link(f"<html><head>{head}</head>".encode(), "https://mirror.example/x") == link
