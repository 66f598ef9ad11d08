"""The report in a real browser, from disk: Debian's Chromium, both languages, both widths, without a script too.

Screenshots are kept where REPORT_SHOTS names a folder.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.long]
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
BROKEN = "[...document.images].filter(i => !i.complete || !i.naturalWidth).map(i => i.src)"
PAGES = (
    "index.html",
    "cards/ten-thousand-cards.html",
    "cards/stability-poc.html",
    "dimensions/ten-thousand-cards.storage_io.html",
    "vendors/huawei-cloud.html",
    "evidence/huawei-sfs-turbo.html",
    "changes.html",
    "questions.html",
    "honesty.html",
    "coverage.html",
    "method.html",
)


@pytest.fixture
def opened(chromium, site):
    """A page in a window of that kind; asking for anything but files, and complaints, fail the test."""
    contexts, complaints = [], []

    def open_window(**options):
        context = chromium.new_context(**options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(message.text))
        page.on("pageerror", lambda error: complaints.append(str(error)))
        page.on("requestfailed", lambda request: complaints.append(request.url))
        page.on("request", lambda r: None if r.url.startswith("file://") else complaints.append(r.url))
        return page

    yield open_window
    for context in contexts:
        context.close()
    assert complaints == []


def keep(page, name):
    if folder := os.environ.get("REPORT_SHOTS"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        page.screenshot(path=str(Path(folder) / f"{name}.png"), full_page=True)


@pytest.mark.parametrize(
    ("language", "width", "scheme", "with_axe"),
    [
        ("zh", 1280, "light", PAGES),
        ("zh", 390, "dark", ()),
        ("en", 1280, "dark", ()),
        ("en", 390, "light", ()),
        ("en", 390, "dark", PAGES[1:6:2]),
    ],
)
def test_every_kind_of_page_fits_its_window_and_is_open_to_everybody(
    opened, site, language, width, scheme, with_axe
):
    page = opened(viewport={"width": width, "height": 900}, color_scheme=scheme)
    faults = []
    for path in PAGES:
        page.goto((site / language / path).as_uri())
        keep(page, f"{language}-{width}-{scheme}-{path.replace('/', '-')}")
        if page.evaluate("document.documentElement.scrollWidth > window.innerWidth"):
            faults.append((path, "wider than the window"))
        faults += [(path, image) for image in page.evaluate(BROKEN)]
        faults += [(path, *told) for told in (inaccessible(page) if path in with_axe else ())]
    assert faults == []


def inaccessible(page):
    """What axe finds against WCAG A and AA."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="axe is not installed").Axe()
    # Without its look into the styles, which no page that is a file may read again.
    found = axe.run(page, options={"runOnly": AXE_RULES, "preload": False}).response["violations"]
    return [(rule["id"], n["target"], n["failureSummary"]) for rule in found for n in rule["nodes"][:2]]


def test_a_column_sorts_and_never_mixes_bases(opened, site):
    page = opened()
    page.goto((site / "en" / "dimensions" / "ten-thousand-cards.rdma.html").as_uri())
    table = page.locator("#rdma_bandwidth table")
    table.get_by_role("button", name="Normalised").click()
    rows = table.locator("tbody tr")
    told = [row.locator("td").all_inner_texts()[:3] for row in rows.all()]
    bases = [cells[2] for cells in told if cells[2]]
    assert bases == sorted(bases)
    assert [cells[0] for cells in told[-2:]] == ["not stated", "not stated"]
    assert table.locator("th[aria-sort=ascending]").count() == 1
    table.get_by_role("button", name="Normalised").click()
    assert [cells[0] for cells in [r.locator("td").all_inner_texts() for r in rows.all()][-2:]] == [
        "not stated"
    ] * 2


def test_a_number_shows_its_proof_and_leads_to_its_words(opened, site):
    page = opened()
    page.goto((site / "en" / "dimensions" / "ten-thousand-cards.storage_io.html").as_uri())
    row = page.locator("#fs_throughput tbody tr", has_text="Huawei Cloud")
    row.locator("button.why").click()
    proof = row.locator(".proof")
    assert proof.is_visible()
    assert "最高 2" in proof.inner_text()
    proof.get_by_role("link", name="The claim's page").click()
    assert page.locator("article:target").is_visible()
    page.locator("article:target").get_by_role("link", name="in the text").click()
    assert page.locator("mark:has(:target)").inner_text().startswith("最高 2")


def test_without_scripts_every_page_reads_the_same(opened, site):
    page = opened(java_script_enabled=False)
    page.goto((site / "zh" / "dimensions" / "ten-thousand-cards.rdma.html").as_uri())
    assert page.locator("#rdma_bandwidth tbody tr").count() == 8


def test_a_page_prints(opened, site, tmp_path):
    page = opened()
    page.goto((site / "zh" / "cards" / "ten-thousand-cards.html").as_uri())
    page.pdf(path=str(tmp_path / "card.pdf"))
    assert (tmp_path / "card.pdf").read_bytes().startswith(b"%PDF")
