"""A page may say anything: nothing that it says becomes markup, a script, a link that acts, or a formula."""

from __future__ import annotations

import dataclasses
import io
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from report.changing import events
from report.edition import Edition, clean, file_name, web_address
from report.evidence import EvidencePage, PageText, Piece
from report.feeds import feeds
from report.markdown import escaped
from report.model import Content
from report.site import write_content
from report.workbook import as_workbook, looks_like_formula
from tests.report.test_site import Links

PAYLOADS = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</textarea></style><svg/onload=alert(1)>",
    "{{ 7*7 }}{% for x in y %}",
    "]]><!--",
    "\x1b[31m\u202etxt.exe\x00",
    '=HYPERLINK("http://x.example","y")',
    "|---|`[a](javascript:alert(1))`",
    "$\\frac{1}{2}$ & <b>",
)


@pytest.fixture(scope="module")
def hostile(content: Content) -> Content:
    """The demo's content in which every word of every page is an attack."""
    figures, changes = {}, []
    for number, (key, figure) in enumerate(content.figures.items()):
        word = PAYLOADS[number % len(PAYLOADS)]
        figures[key] = dataclasses.replace(
            figure,
            text=word,
            quote=word,
            path=(word,),
            qualifiers=(("tier", word),),
            condition=(("load", word),),
            url="javascript:alert(1)",
            why=word,
            baseline=word,
        )
    for number, change in enumerate(content.changes):
        word = PAYLOADS[number % len(PAYLOADS)]
        changes.append(
            {
                **change,
                "text_after": word,
                "quote_after": word,
                "quote_before": word,
                "source_url": "javascript:x",
            }
        )
    pages = tuple(
        {**page, "source_url": "javascript:alert(1)", "last_reason": PAYLOADS[0]} for page in content.pages
    )
    return dataclasses.replace(content, figures=figures, changes=tuple(changes), pages=pages)


@pytest.fixture(scope="module")
def attacked(hostile: Content, tmp_path_factory: pytest.TempPathFactory) -> Path:
    key = next(iter(hostile.figures))
    text = PageText(
        "0" * 64, tuple(Piece(word, (key,) if n == 0 else (), True) for n, word in enumerate(PAYLOADS))
    )
    page = EvidencePage(
        "evil", "javascript:alert(1)", '"><script>', None, tuple(hostile.figures.values()), (text,)
    )
    return write_content(hostile, (page,), tmp_path_factory.mktemp("hostile") / "report", ["en"]).folder


def test_no_word_of_a_page_becomes_markup_or_a_link_that_acts(attacked):
    for path in attacked.rglob("*.html"):
        page = Links(path.read_text(encoding="utf-8"))
        assert page.inline == 0, path
        assert [link for link in page.links if link.lower().startswith("javascript")] == []
        assert [x for x in page.loaded if not x.startswith(("../", "static/", "charts/", "feeds/"))] == []


def test_no_template_is_read_out_of_a_page(attacked):
    text = (attacked / "en" / "evidence" / "evil.html").read_text(encoding="utf-8")
    assert "{{ 7*7 }}" in text
    assert "\x1b" not in text
    assert "\u202e" not in text


def test_pictures_hold_words_as_words(attacked):
    pictures = sorted(attacked.rglob("*.svg"))
    assert pictures
    for picture in pictures:
        root = ElementTree.fromstring(picture.read_text(encoding="utf-8"))
        assert {element.tag.rpartition("}")[2] for element in root.iter()}.isdisjoint(
            {"script", "image", "a"}
        )
        assert [name for element in root.iter() for name in element.attrib if name.startswith("on")] == []


def test_feeds_are_well_formed_and_hold_text(hostile):
    edition = Edition(hostile, "zh")
    found = dict(feeds(edition, events(edition)))
    root = ElementTree.fromstring(found["feeds/vendor-huawei-cloud.xml"])
    atom = "{http://www.w3.org/2005/Atom}"
    assert len(root.findall(f"{atom}entry")) >= 3
    for path, text in found.items():
        root = ElementTree.fromstring(text)
        assert [e for e in root.iter() if not e.tag.startswith(atom)] == [], path
        assert all(
            entry.find(f"{atom}{name}") is not None
            for entry in root.findall(f"{atom}entry")
            for name in ("id", "title", "updated", "link")
        )


def test_no_cell_of_the_workbook_is_a_formula_or_a_link(hostile):
    edition = Edition(hostile, "en")
    with zipfile.ZipFile(io.BytesIO(as_workbook(edition, events(edition)))) as book:
        for name in book.namelist():
            if name.startswith("xl/worksheets/"):
                text = book.read(name).decode()
                assert "<f>" not in text
                assert "<hyperlink" not in text
        styles = book.read("xl/styles.xml").decode()
    assert 'quotePrefix="1"' in styles


@pytest.mark.parametrize("text", ["=1+1", "+1", "-2", "@SUM(A1)", " =1", "\t=1", "\r=1"])
def test_what_a_spreadsheet_could_compute_is_kept_as_text(text):
    assert looks_like_formula(text)


def test_ordinary_words_are_no_formulas():
    assert not looks_like_formula("3.2 Tbps")
    assert not looks_like_formula("≥ 3 = 3")


@pytest.mark.parametrize(
    ("url", "link"),
    [
        ("https://a.example/x", "https://a.example/x"),
        ("HTTP://a.example", "HTTP://a.example"),
        ("javascript:alert(1)", ""),
        (" javascript:alert(1)", ""),
        ("java\nscript:alert(1)", ""),
        ("data:text/html,x", ""),
        ("file:///etc/passwd", ""),
        ("//a.example", ""),
        ("", ""),
    ],
)
def test_only_web_addresses_are_followed(url, link):
    assert web_address(url) == link


@pytest.mark.parametrize("name", ["../../etc/passwd", "a/b", "..", "", "C:\\x", "A B"])
def test_no_name_leaves_its_folder(name):
    assert re.fullmatch(r"[a-z0-9][A-Za-z0-9._-]*", file_name(name))
    assert "/" not in file_name(name)


def test_markdown_shows_what_it_is_given():
    assert escaped("|a|`b` <c> [d](e) *f*\n# g") == "\\|a\\|\\`b\\` \\<c\\> \\[d\\](e) \\*f\\* \\# g"


def test_controls_and_turned_text_are_dropped():
    assert clean("a\x00b\u202ec\ufeffd\ud800") == "abcd"
