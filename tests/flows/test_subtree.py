"""The pages below a source's own, and which sources are due."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from flows.crawl import due, run_refresh
from flows.demo_server import DemoServer
from flows.fetch import Fetcher, Limits
from flows.progress import Silent
from flows.subtree import Subtree, child_of, is_below, is_child_of
from flows.summary import RunSummary
from schemas.source import Scope, Source
from warehouse.home import Home, open_home
from warehouse.query import run_query

DOCS = Source(
    id="docs",
    vendor="huawei-cloud",
    url="https://vendor.example/docs/sfs/index.html",
    tier="T2",
    every="1d",
    crawl=Scope(depth=2, pages=4),
)
NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("url", "below"),
    [
        ("https://vendor.example/docs/sfs/a.html", True),
        ("https://vendor.example/docs/sfs/deep/er/", True),
        ("https://VENDOR.example/docs/sfs/a.html", True),
        ("https://vendor.example/docs/a.html", False),
        ("https://vendor.example/docs/sfs/../a.html", False),
        ("https://vendor.example/docs/sfs/a.html?page=2", False),
        ("https://vendor.example/docs/sfs/a.PNG", False),
        ("https://vendor.example/docs/sfs/a.pdf", True),
        ("http://vendor.example/docs/sfs/a.html", False),
        ("https://vendor.example.evil.example/docs/sfs/a.html", False),
        ("https://vendor.example:8443/docs/sfs/a.html", False),
        ("https://[bad", False),
    ],
)
def test_only_pages_of_the_same_folder_belong_to_a_source(url: str, below: bool) -> None:
    assert is_below(DOCS, url) is below


def test_another_folder_can_be_named() -> None:
    wide = DOCS.model_copy(update={"crawl": Scope(under="/docs/")})
    assert is_below(wide, "https://vendor.example/docs/a.html")
    assert not is_below(wide, "https://vendor.example/blog/a.html")


def test_links_are_followed_nearest_first_to_the_depth_and_number_of_pages() -> None:
    tree = Subtree(DOCS, listed={"https://vendor.example/docs/sfs/own.html"})
    at = "https://vendor.example/docs/sfs/"
    tree.found(DOCS, [f"{at}a", f"{at}own.html", f"{at}index.html", f"{at}a#top", f"{at}b"])
    seen = []
    for page in tree:
        seen.append(page.url.removeprefix(at))
        tree.found(page, [page.url + "1", f"{at}b"])
    assert seen == ["a", "b", "a1", "b1"]


def test_what_earlier_runs_found_comes_last_and_is_no_further_followed() -> None:
    at = "https://vendor.example/docs/sfs/"
    old, moved = child_of(DOCS, f"{at}old"), child_of(DOCS, "https://vendor.example/elsewhere/x")
    tree = Subtree(DOCS, known=[old, child_of(DOCS, f"{at}a"), moved])
    tree.found(DOCS, [f"{at}a"])
    seen = []
    for page in tree:
        seen.append(page.url.removeprefix(at))
        if page.id == old.id:
            tree.found(page, [f"{at}new"])
    assert seen == ["a", "old"]


def test_a_page_below_is_its_parent_s_in_all_but_its_place() -> None:
    child = child_of(DOCS, "https://vendor.example/docs/sfs/deep/Spec%20Sheet.html")
    assert child.id.startswith("docs--deep-spec-sheet-")
    assert (child.vendor, child.tier, child.crawl, child.every) == ("huawei-cloud", "T2", None, "")
    assert is_child_of(DOCS, child.id)
    assert not is_child_of(DOCS, "docs-other")
    assert child.id != child_of(DOCS, "https://vendor.example/docs/sfs/deep/Spec-Sheet.html").id
    long = DOCS.model_copy(update={"id": "d" * 80})
    name = child_of(long, "https://vendor.example/docs/sfs/" + "规格" * 60).id
    assert Source(id=name, url="https://x.example/").id == name
    assert is_child_of(long, name)


@pytest.mark.parametrize(
    ("every", "hours", "is_due"),
    [
        ("", 0.1, True),
        ("1d", 24, True),
        ("1d", 21.6, True),
        ("1d", 21.5, False),
        ("12h", 11, True),
        ("12h", 10, False),
        ("2w", 13 * 24, True),
        ("2w", 12 * 24, False),
    ],
)
def test_a_page_is_due_when_its_interval_is_over_but_for_a_tenth(
    every: str, hours: float, is_due: bool
) -> None:
    page = DOCS.model_copy(update={"every": every})
    assert due([page], {"docs": NOON - timedelta(hours=hours)}, NOON) == ((page,) if is_due else ())
    assert due([page], {}, NOON) == (page,)


@pytest.mark.parametrize("every", ["0d", "1", "d", "-1d", "1.5h", "1m", "99999h"])
def test_an_interval_that_says_nothing_is_refused(every: str) -> None:
    with pytest.raises(ValueError, match="every"):
        Source(id="a", url="https://x.example/", every=every)


# --- on a site ---------------------------------------------------------------------------------------------

PAGE = "<title>SFS Turbo</title><h1>SFS Turbo</h1><p>文件系统总吞吐最高 {n} GB/s。</p>{links}"


def pages(*names: str, linked: bool = True) -> dict[str, bytes]:
    links = "".join(f'<a href="{name}.html">{name}</a>' for name in names) if linked else ""
    index = PAGE.format(n=1, links=links)
    below = {f"/docs/{name}.html": PAGE.format(n=n + 2, links="") for n, name in enumerate(names)}
    return {path: text.encode() for path, text in {"/docs/index.html": index, **below}.items()}


Refresh = Callable[..., RunSummary]


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return open_home(tmp_path / "home")


@pytest.fixture
def refreshed(home: Home, tmp_path: Path) -> Iterator[Refresh]:
    moments = iter(NOON + timedelta(seconds=n) for n in range(100_000))

    def show(folder: Path, shown: dict[str, bytes]) -> Path:
        for path, body in shown.items():
            (folder / path.lstrip("/")).parent.mkdir(parents=True, exist_ok=True)
            (folder / path.lstrip("/")).write_bytes(body)
        return folder

    with (
        DemoServer([show(tmp_path / "first", pages("a", "b"))]) as site,
        Fetcher(allow_loopback=True, limits=Limits(delay_seconds=0)) as fetcher,
    ):

        def go(shown: dict[str, bytes], name: str, scope: Scope | None = None) -> RunSummary:
            site.show([show(tmp_path / name, shown)])
            source = Source(
                id="docs",
                vendor="huawei-cloud",
                product="sfs-turbo",
                url=f"{site.base_url}/docs/index.html",
                crawl=scope or Scope(depth=1, pages=10),
            )
            return run_refresh(home, [source], fetcher, lambda: next(moments), Silent(), cards=())

        yield go


def test_a_subtree_is_read_into_the_ledger_page_by_page(home: Home, refreshed: Refresh) -> None:
    first = refreshed(pages("a", "b"), "day1")
    names = [row.source_id for row in first.pages]
    assert [name[:8] for name in names] == ["docs", "docs--a-", "docs--b-"]
    assert [row.status.value for row in first.pages] == ["changed"] * 3
    claims = run_query(home, "SELECT source_id, low FROM claims ORDER BY low").rows
    assert [(name, int(low) // 10**9) for name, low in claims] == list(zip(names, (1, 2, 3), strict=True))
    again = refreshed(pages("a", "b"), "day2")
    assert [(row.source_id, row.status.value) for row in again.pages] == [(n, "unchanged") for n in names]


def test_a_page_that_is_linked_no_more_is_visited_and_told(refreshed: Refresh) -> None:
    first = refreshed(pages("a", "b"), "day1")
    dropped = refreshed(pages("a"), "day2")
    last = {row.source_id: row.status.value for row in dropped.pages}
    assert last == {first.pages[0].source_id: "changed", first.pages[1].source_id: "unchanged"} | {
        first.pages[2].source_id: "gone"
    }


def test_a_scope_s_count_is_kept(refreshed: Refresh) -> None:
    found = refreshed(pages(*"abcdefgh"), "day1", Scope(depth=1, pages=3))
    assert [row.source_id.partition("--")[2][:1] for row in found.pages] == ["", "a", "b", "c"]
