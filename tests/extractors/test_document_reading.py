"""What bytes are taken for, what is refused and why, and that every document keeps its invariants."""

import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from extractors.document import MAX_BYTES, masked, read_document, read_html, read_markdown, read_text
from schemas.document import BlockKind, Document
from schemas.errors import UnreadableError

GOLD = Path(__file__).parents[3] / "shared" / "gold" / "pages"


def squeezed(text: str) -> str:
    return unicodedata.normalize("NFKC", "".join(text.split()))


def check(document: Document) -> None:
    text, at = document.text, 0
    for index, block in enumerate(document.blocks):
        assert at <= block.start < block.end <= len(text)
        assert not text[at : block.start].strip()
        assert text[block.start : block.end].strip()
        at = block.end
        if block.label is not None:
            assert 0 <= block.label < len(document.blocks)
            assert block.label != index
        if block.cell is not None:
            for header in (*block.cell.row_headers, *block.cell.col_headers):
                assert text[header.start : header.end] == header.text
                assert (header.start, header.end) != (block.start, block.end)
    assert not text[at:].strip()
    assert all(0 <= mark.start < mark.end <= len(text) for mark in document.marks)
    hidden_by_mask = masked(document)
    assert len(hidden_by_mask) == len(text)
    plain = hidden_by_mask.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-"))
    assert all(one in {other, " "} or other in "−⁰¹²³⁴⁵⁶⁷⁸⁹⁻" for one, other in zip(plain, text, strict=True))


@pytest.mark.skipif(not GOLD.is_dir(), reason="the gold pages are not part of this repository")
def test_the_gold_pages_keep_the_invariants_and_their_titles() -> None:
    pages = sorted(GOLD.glob("p*"))
    assert len(pages) == 30
    for page in pages:
        document = read_document(page.read_bytes(), name=page.name)
        check(document)
        assert document.title, page.name
        assert any(not block.chrome for block in document.blocks), page.name
        assert "\ufffd" not in document.text, page.name


TAGS = [
    "p",
    "div",
    "b",
    "li",
    "ul",
    "td",
    "tr",
    "table",
    "th",
    "h2",
    "sup",
    "s",
    "a",
    "dl",
    "dt",
    "dd",
    "nav",
]
TAGS += [
    "pre",
    "caption",
    "details",
    "summary",
    "button",
    "section",
    "thead",
    "svg",
    "msup",
    "aside",
    "figure",
]
TEXTS = st.text("3.2T每 \n\t\u00a0\u2009３<&", max_size=6)


@st.composite
def soup(draw: st.DrawFn) -> str:
    parts = []
    for _ in range(draw(st.integers(0, 25))):
        tag = draw(st.sampled_from(TAGS))
        shape = draw(
            st.sampled_from(
                ["<{0}>", "</{0}>", "<{0} colspan=2 rowspan=3>", "<{0} class=menu>", "{1}", "<br>"]
            )
        )
        parts.append(shape.format(tag, draw(TEXTS)))
    return "".join(parts)


@given(soup())
@settings(max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_any_soup_of_tags_keeps_the_invariants(page: str) -> None:
    check(read_html(page))


@st.composite
def tree(draw: st.DrawFn, depth: int = 3) -> tuple[str, str]:
    """Well-formed HTML and the characters that are seen of it."""
    html, seen = [], []
    for _ in range(draw(st.integers(0, 3))):
        words = draw(st.text("3.2Tb每節\u00a0 \n", max_size=5))
        html.append(words)
        seen.append(words)
        if depth and draw(st.booleans()):
            inner, inner_seen = draw(tree(depth - 1))
            tag, shown = draw(
                st.sampled_from(
                    [
                        ("div", True),
                        ("b", True),
                        ("sup", True),
                        ("section", True),
                        ("div hidden", False),
                        ("nav", True),
                    ]
                )
            )
            html.append(f"<{tag}>{inner}</{tag.split()[0]}>")
            seen.append(inner_seen if shown else "")
    return "".join(html), "".join(seen)


@given(tree())
@settings(max_examples=100, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
def test_no_visible_character_is_lost_or_doubled(page: tuple[str, str]) -> None:
    html, seen = page
    document = read_html(f"<body>{html}</body>")
    check(document)
    assert squeezed(document.text) == squeezed(seen)


@given(st.text(max_size=200))
@settings(max_examples=100, deadline=None, derandomize=True)
def test_plain_text_keeps_its_own_offsets(text: str) -> None:
    check(read_text(text))


@pytest.mark.parametrize(
    "tag", ["div", "ul><li", "table><tr><td", "section class=menu", "sup", "details", "h2"]
)
def test_nesting_of_ten_thousand_is_read(tag: str) -> None:
    document = read_html(f"<{tag}>" * 10_000 + "3.2T")
    assert document.text == "3.2T"


@pytest.mark.parametrize(
    ("body", "content_type", "reason"),
    [
        (b"", "", "the page is empty: 0 bytes"),
        (b" \n\t ", "", "nothing but white space"),
        ("\u3000\u00a0".encode(), "", "nothing but white space"),
        (b"%PDF-1.7 ...", "", "the PDF cannot be read: it is not readable as a PDF"),
        (b"PK\x03\x04....", "text/html", "a zip archive"),
        (b"\x89PNG\r\n\x1a\n", "", "a PNG picture"),
        (b"\xff\xd8\xff\xe0", "", "a JPEG picture"),
        (b"<p>a\x00b", "", "byte 4 is NUL"),
        (b"<html><body><script>go()</script><div id=app></div>", "", "looks like a script shell (1 scripts)"),
        (b"<html><body><p hidden>x</p></body></html>", "", "the page holds no visible text"),
    ],
)
def test_unreadable_bytes_are_refused_with_the_reason(body: bytes, content_type: str, reason: str) -> None:
    with pytest.raises(UnreadableError) as caught:
        read_document(body, content_type=content_type)
    assert reason in str(caught.value)


def test_a_page_too_large_is_refused_with_its_size() -> None:
    with pytest.raises(UnreadableError, match=r"16,777,217 bytes, and at most 16,777,216 \(16 MiB\)"):
        read_document(b"a" * (MAX_BYTES + 1))


@pytest.mark.parametrize(
    ("body", "content_type", "name", "kind"),
    [
        ("# 带宽", "text/markdown; charset=utf-8", "", BlockKind.HEADING),
        ("# 带宽", "", "https://a.example/x.md?v=1#top", BlockKind.HEADING),
        ("# 带宽", "text/plain", "page.md.txt", BlockKind.HEADING),
        ("# 带宽", "text/plain", "", BlockKind.PARAGRAPH),
        ("# 带宽", "", "notes.txt", BlockKind.PARAGRAPH),
        ("<h2>带宽", "text/plain", "notes.txt", BlockKind.PARAGRAPH),
        ("<h2>带宽", "text/html", "notes.txt", BlockKind.HEADING),
        ("<h2>带宽", "", "x.bin", BlockKind.HEADING),
        ("a < b", "", "", BlockKind.PARAGRAPH),
    ],
)
def test_what_a_page_is_told_by_type_then_name_then_content(
    body: str, content_type: str, name: str, kind: BlockKind
) -> None:
    document = read_document(body.encode(), content_type=content_type, name=name)
    assert document.blocks[0].kind is kind


def test_a_document_says_how_its_bytes_were_read() -> None:
    document = read_document(
        "<html><p>镕铸 <b>3.2T</b>".encode("gb18030"), content_type="text/html; charset=utf-8"
    )
    assert (document.text, document.encoding, document.encoding_from) == ("镕铸 3.2T", "gb18030", "gb18030")
    assert document.notes == (
        "the header declares utf-8, but the bytes are not valid in it",
        "the page has no end: it may have been cut",
    )


def test_markdown_tables_have_headers_and_front_matter_is_the_title() -> None:
    document = read_markdown(
        "---\ntitle: 配额\nrelease: 9.9\n---\n\n# 上限\n\n| 项 | 值 |\n| --- | --- |\n| 节点 | 2,000 |\n\n"
        "<!-- 1,000 -->\n~~旧 7~~ <b>新</b>\n"
    )
    assert document.title == "配额"
    assert document.text == "上限\n项\t值\n节点\t2,000\n旧 7 新"
    cell = document.blocks[4].cell
    assert cell is not None
    assert [one.text for one in (*cell.row_headers, *cell.col_headers)] == ["节点", "值"]
    assert masked(document) == "上限\n项\t值\n节点\t2,000\n    新"


def test_plain_text_keeps_every_character_but_the_layout() -> None:
    document = read_text("甲 \u00a03.2T\r\n\r\n  乙\t400G \n")
    assert document.text == "甲 \u00a03.2T\n乙\t400G"
    assert [document.text[one.start : one.end] for one in document.blocks] == ["甲 \u00a03.2T", "乙\t400G"]


def test_a_large_menu_beside_a_small_page_is_still_a_menu() -> None:
    menu = "".join(f"<li><a>Product {number} with a rather long name</a></li>" for number in range(200))
    document = read_html(
        f"<div class='sidebar'><h3>All</h3><ul>{menu}</ul></div><div><h1>T</h1><p>3 GB/s</p></div>"
    )
    content = [document.text[one.start : one.end] for one in document.blocks if not one.chrome]
    assert content == ["T", "3 GB/s"]


def test_a_page_sized_wrapper_with_a_frame_class_is_content() -> None:
    words = "<p>Every machine has eight cards and one network of its own.</p>" * 20
    document = read_html(f"<div class='menu'>{words}</div><p>end</p>")
    assert not any(block.chrome for block in document.blocks)


def test_a_page_of_replacement_characters_is_no_text() -> None:
    lost = "<p>�ڵ㻥�� 3.2 Tbps</p>".replace("㻥", "\ufffd").replace("ڵ", "\ufffd\ufffd")
    with pytest.raises(
        UnreadableError, match=r"characters are replacement characters: its encoding was lost"
    ):
        read_document(lost.encode(), content_type="text/html; charset=utf-8")


def test_a_few_replacement_characters_in_a_long_page_cost_nothing() -> None:
    page = "<p>" + "每台机器的互联带宽 3.2 Tbps，" * 20 + "\ufffd\ufffd\ufffd\ufffd</p>"
    assert read_document(page.encode()).text.count("\ufffd") == 4
