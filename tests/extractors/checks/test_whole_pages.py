"""Over whole pages, ours and the handed ones: nothing sound is called impossible or contradicted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

from extractors.checks import equations, plausibility
from extractors.checks.across import Standing, check_group, topic_of
from extractors.checks.origins import Page
from extractors.document import masked, read_document
from extractors.extract import extract
from schemas.check import Verdict
from schemas.claim import Claim

ROOT = Path(__file__).parents[3]
HANDED = ROOT.parent / "shared" / "gold" / "pages"
# On the handed pages four figures are printed in bytes that the hardware has in bits; they are the known slips.
SLIPS = {
    ("p10.html", "51.2TBps"),
    ("p21.html", "200 GB/s"),
    ("p21.html", "1.6 TB/s"),
    ("p22.html", "4× 400 GB/s"),
}


OURS = sorted(
    str(folder.relative_to(ROOT))
    for folder in (*(ROOT / "tests" / "cases").glob("pages*"), *(ROOT / "flows" / "demo_site").glob("*/*"))
    if folder.is_dir()
)
# By folder, the figures that stand against another page's: two of a vendor's pages that really differ.
AGAINST_ANOTHER_PAGE = {
    "tests/cases/pages3a": {("04-baidu-faq.html", "9.5GB/s"), ("12-compare.html", "8GB/s")},
}


@cache
def read(folder: Path) -> Mapping[str, tuple[Claim, ...]]:
    """By page, its claims."""
    return {
        page.name: extract(page.read_bytes(), source=page.name, name=page.name).claims
        for page in sorted(folder.iterdir())
        if page.suffix in (".html", ".md", ".txt")
    }


def above(folder: Path) -> set[tuple[str, str | None]]:
    return {
        (page, claim.text_value)
        for page, claims in read(folder).items()
        for claim in claims
        if plausibility.check(claim).verdict is Verdict.ABOVE_BOUND
    }


def against(folder: Path) -> set[tuple[str, str | None]]:
    """What would be CONFLICTING or would have failed, were each page its vendor's own."""
    groups: dict[tuple[str | None, str], list[Standing]] = defaultdict(list)
    values: dict[str, tuple[str, str | None]] = {}
    for name, claims in read(folder).items():
        for claim in claims:
            key = f"{name}/{claim.claim_key}"
            values[key] = name, claim.text_value
            page = Page(
                name, claim.vendor, "T2", f"https://{claim.vendor}.example/{name}", "en", claim.vendor, "T2"
            )
            group = claim.vendor, topic_of(claim.metric, claim.qualifiers.get("of", ""))
            groups[group].append(Standing(claim.model_copy(update={"claim_key": key}), 1, page))
    wrong = (Verdict.CONFLICT, Verdict.FAIL, Verdict.CHECK_FAILED)
    rows = [row for members in groups.values() for row in check_group(members)]
    found = {values[row.claim_key] for row in rows if row.verdict in wrong}
    for name, claims in read(folder).items():
        visible = masked(read_document((folder / name).read_bytes(), name=name))
        found |= {
            (name, claim.text_value)
            for claim in claims
            if equations.check_sentence(claim, visible).verdict is Verdict.FAIL
        }
    return found


@pytest.mark.parametrize("folder", OURS)
def test_nothing_on_our_own_pages_is_called_impossible(folder):
    assert above(ROOT / folder) == set()


@pytest.mark.parametrize("folder", OURS)
def test_nothing_on_our_own_pages_is_contradicted_that_is_not(folder):
    assert against(ROOT / folder) == AGAINST_ANOTHER_PAGE.get(folder, set())


def test_only_the_known_slips_of_the_handed_pages_are_named():
    if not HANDED.exists():
        pytest.skip(f"the handed pages are not here: {HANDED}")
    assert above(HANDED) == SLIPS
