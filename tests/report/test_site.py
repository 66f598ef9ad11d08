"""The site as a reader finds it: every link leads somewhere, every figure to its words, the same input the same bytes."""

from __future__ import annotations

import dataclasses
import hashlib
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from report.site import MARKER, write_content, write_report
from schemas.errors import KoujingError, QueryError
from warehouse.cards import builtin_cards
from warehouse.home import Home

ROOT = Path(__file__).parents[2]


class Links(HTMLParser):
    """The links, names and scripts of one page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: list[str] = []
        self.loaded: list[str] = []
        self.inline = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if "id" in named:
            self.ids.append(named["id"] or "")
        for name in ("href", "src"):
            if name in named:
                (self.links if tag == "a" else self.loaded).append(named[name] or "")
        self.inline += tag == "script" and "src" not in named
        self.inline += any(name.startswith("on") or name == "style" for name in named)


@pytest.fixture(scope="module")
def read(site: Path) -> dict[Path, Links]:
    return {path: Links(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}


def test_every_link_of_the_site_leads_to_a_place_in_it(site, read):
    dead = []
    for path, page in read.items():
        for link in (*page.links, *page.loaded):
            parts = urlsplit(link)
            if parts.scheme:
                assert parts.scheme in ("http", "https"), (path, link)
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            known = target.is_file() and target.is_relative_to(site)
            if not known or (parts.fragment and unquote(parts.fragment) not in read[target].ids):
                dead.append((str(path.relative_to(site)), link))
    assert dead == []


def test_nothing_is_loaded_from_elsewhere_and_no_page_holds_a_script_of_its_own(read):
    assert [(path, link) for path, page in read.items() for link in page.loaded if "//" in link] == []
    assert [path for path, page in read.items() if page.inline] == []


def test_no_name_stands_twice_on_a_page(read):
    assert [path for path, page in read.items() if len(set(page.ids)) < len(page.ids)] == []


def test_every_claim_has_a_place_under_its_key_with_its_quote_marked_in_the_text(site, content):
    for figure in content.figures.values():
        text = (site / "en" / "evidence" / f"{figure.source_id}.html").read_text(encoding="utf-8")
        assert f'<article id="{figure.key}">' in text
        assert f'<span id="q-{figure.key}"></span>' in text


def test_both_languages_have_the_same_pages(site):
    zh, en = ({p.relative_to(site / lang) for p in (site / lang).rglob("*.html")} for lang in ("zh", "en"))
    assert zh == en
    assert Path("cards/ten-thousand-cards.html") in zh


def test_the_front_page_says_who_leads_and_by_how_much(site):
    en = (site / "en" / "index.html").read_text(encoding="utf-8")
    zh = (site / "zh" / "index.html").read_text(encoding="utf-8")
    assert "By the published scores Alibaba Cloud leads with 4.76, 0.15 points ahead of Volcengine." in en
    assert "按公开评分，阿里云以 4.76 分居首，领先火山引擎 0.15 分。" in zh
    assert "Alibaba Cloud and Volcengine can each be first" in en
    assert len(en.encode()) < 300_000


def test_the_same_ledger_gives_the_same_bytes(home, site, tmp_path):
    write_report(home, builtin_cards(), tmp_path / "again", ["en"])
    assert digests(tmp_path / "again" / "en").keys() == digests(site / "en").keys()
    # Alone in its language it links to no other one.
    for name in ("charts/coverage.svg", "feeds/vendor-huawei-cloud.xml", "report.md", "report.xlsx"):
        assert (tmp_path / "again" / "en" / name).read_bytes() == (site / "en" / name).read_bytes()
    for path in sorted((site / "en").rglob("*.html")):
        again = (tmp_path / "again" / "en" / path.relative_to(site / "en")).read_text(encoding="utf-8")
        assert again == re.sub(r'<a class="language".*?</a>', "", path.read_text(encoding="utf-8")), path


@pytest.mark.long
def test_editions_written_side_by_side_are_those_written_one_after_the_other(home, site, tmp_path):
    """In a process of its own, where alone it may be: it takes the seconds of a whole report."""
    script = (
        "import sys; from pathlib import Path; from report import site; from warehouse.cards import builtin_cards; "
        "from warehouse.home import Home; site._LARGE = 1; "
        "site.write_report(Home(Path(sys.argv[1])), builtin_cards(), Path(sys.argv[2]))"
    )
    apart = tmp_path / "apart"
    subprocess.run(
        [sys.executable, "-c", script, str(home.root), str(apart)], check=True, cwd=ROOT, timeout=120
    )
    assert digests(apart) == digests(site)


def digests(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_folder_that_holds_something_else_is_left_alone(home, tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(KoujingError, match="holds something that is no report"):
        write_report(home, builtin_cards(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_an_earlier_report_is_replaced_as_a_whole(content, tmp_path):
    folder = tmp_path / "report"
    folder.mkdir()
    (folder / MARKER).write_text("")
    (folder / "old.html").write_text("")
    write_content(dataclasses.replace(content, cards=()), (), folder, ["en"])
    assert not (folder / "old.html").exists()
    assert sorted(path.name for path in folder.iterdir()) == [MARKER, "en", "index.html", "static"]


def test_without_a_ledger_it_says_what_to_do(tmp_path):
    with pytest.raises(QueryError, match="koujing demo"):
        write_report(Home(tmp_path), builtin_cards(), tmp_path / "report")


def test_report_md_has_the_tables_and_links_each_figure(site):
    text = (site / "zh" / "report.md").read_text(encoding="utf-8")
    assert "## 万卡及以上预训练" in text
    row = next(line for line in text.splitlines() if line.startswith("| 阿里云 | [3.2Tb/s]"))
    assert re.fullmatch(
        r"\| 阿里云 \| \[3\.2Tb/s\]\(evidence/alibaba-lingjun\.html#\w{16}\) \| 3\.2 Tbit/s \| 每台机器 \|.*",
        row,
    )
