"""From a snapshot's bytes to the document its reader sees: visible text, blocks, headers, offsets."""

from __future__ import annotations

import re
from itertools import islice
from pathlib import PurePosixPath

from extractors import chrome, pdf
from extractors.decode import Decoded, charset_of, clean, decode
from extractors.html_tree import parse_html
from extractors.languages import settle_language
from extractors.markup import read_markup
from extractors.page_text import MOST_BLOCKS, Draft
from extractors.plain_layout import read_layout
from extractors.reading import Reading
from schemas.document import BlockKind, Document, MarkKind
from schemas.errors import UnreadableError

MAX_BYTES = 16 * 1024 * 1024

_MAGIC = (
    (b"PK\x03\x04", "a zip archive (or an Office file)"),
    (b"PK\x05\x06", "an empty zip archive"),
    (b"\x89PNG", "a PNG picture"),
    (b"GIF8", "a GIF picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x1f\x8b", "gzip data"),
    (b"BZh", "bzip2 data"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"Rar!\x1a", "a RAR archive"),
    (b"\x28\xb5\x2f\xfd", "zstd data"),
    (b"\x7fELF", "a program"),
    (b"\xd0\xcf\x11\xe0", "an old Office file"),
    (b"OggS", "an Ogg file"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
)
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")

_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml"})
_MARKDOWN_TYPES = frozenset({"text/markdown", "text/x-markdown"})
_SUFFIXES = {
    ".html": "html",
    ".htm": "html",
    ".xhtml": "html",
    ".md": "markdown",
    ".markdown": "markdown",
    ".txt": "text",
}
_LOOKS_LIKE_HTML = re.compile(
    r"<(?:!doctype\s+html|/?(?:html|head|body|title|meta|div|p|span|table|tr|td|th|ul|ol|li|dl|h[1-6]|section|article|main"
    r"|nav|header|footer|br|a|b|strong|em|pre|script|style)\b[^<>]*>)",
    re.IGNORECASE,
)
_SNIFFED = 4096
_SHELL_TEXT = 40
_LOST_AT_LEAST = 4
_LOST_ONE_OF = 20
_LANG_SAMPLE = 400

_MARKDOWN_NESTING = 100  # deeper quotes and lists are dropped by the Markdown library
_XML_DECLARATION = re.compile(r"<\?xml[^<>]*>")
_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*[\"']?(.*?)[\"']?[ \t]*$", re.MULTILINE)


def read_document(body: bytes, *, content_type: str = "", name: str = "") -> Document:
    """Reads a page's bytes, or says why they hold no readable page.

    What they are is told by `content_type` (the header as sent), then by the extension of `name` (a file
    name or a URL), then by the content. A `text/plain` that is named as Markdown or HTML is read as what its
    name says: servers send it for files that they do not know.
    A PDF is read by its text; its tables keep their spans.
    Raises UnreadableError: empty, too large, binary, or without visible text.
    """
    if body[:1024].lstrip().startswith(pdf.MAGIC) and len(body) <= MAX_BYTES:
        document = read_html(pdf.pdf_to_html(body.lstrip()))
        if not document.text.strip():
            raise UnreadableError("the PDF holds no text that can be read")
        _refuse_lost_text(document.text)
        return document.model_copy(update={"form": "pdf", "encoding": "", "encoding_from": "pdf"})
    _refuse_unreadable(body, content_type)
    decoded = decode(body, content_type)
    if not decoded.text.strip():
        raise UnreadableError("the page is empty: it holds nothing but white space")
    form = _form(decoded.text, content_type, name)
    if form == "markdown":
        document = read_markdown(decoded.text)
    elif form == "html":
        document = read_html(decoded.text)
    else:
        document = read_text(decoded.text)
    _refuse_lost_text(document.text)
    notes = (*decoded.notes, *_notes_on(document, decoded, form))
    return document.model_copy(
        update={
            "encoding": decoded.encoding,
            "encoding_from": decoded.encoding_from,
            "notes": notes,
            "form": form,
        }
    )


def _refuse_unreadable(body: bytes, content_type: str) -> None:
    if len(body) > MAX_BYTES:
        raise UnreadableError(
            f"the page is too large: {len(body):,} bytes, and at most {MAX_BYTES:,} (16 MiB) are read"
        )
    if not body.strip():
        raise UnreadableError(
            "the page is empty: it holds nothing but white space" if body else "the page is empty: 0 bytes"
        )
    start = body[:1024].lstrip()
    for magic, what in _MAGIC:
        if start.startswith(magic):
            raise UnreadableError(f"the page is binary: it is {what}")
    if start[4:8] == b"ftyp" or (start[:4] == b"RIFF" and start[8:12] in {b"WEBP", b"AVI ", b"WAVE"}):
        raise UnreadableError("the page is binary: it is a picture, sound or film")
    is_wide = body.startswith(_WIDE_MARKS) or charset_of(content_type).lower().startswith("utf-16")
    if not is_wide and b"\x00" in body:
        raise UnreadableError(f"the page is binary: byte {body.index(0):,} is NUL, which no text holds")


def _refuse_lost_text(text: str) -> None:
    """A page of replacement characters was broken before it came to us: what it said is not there to be read."""
    lost = text.count("\ufffd")
    shown = sum(map(len, text.split()))
    if lost >= _LOST_AT_LEAST and lost * _LOST_ONE_OF > shown:
        raise UnreadableError(
            f"{lost:,} of the page's {shown:,} characters are replacement characters: "
            "its encoding was lost before it came; open it in a browser, and tell the site"
        )


def _form(text: str, content_type: str, name: str) -> str:
    kind = content_type.partition(";")[0].strip().lower()
    if kind in _HTML_TYPES:
        return "html"
    if kind in _MARKDOWN_TYPES:
        return "markdown"
    path = PurePosixPath(re.split(r"[?#]", name, maxsplit=1)[0].lower())
    # Some vendors publish their pages' Markdown twins as page.md.txt.
    suffix = path.suffixes[-2] if path.suffixes[-2:] == [".md", ".txt"] else path.suffix
    by_name = _SUFFIXES.get(suffix, "")
    if kind == "text/plain":
        return by_name or "text"
    return by_name or ("html" if _LOOKS_LIKE_HTML.search(text[:_SNIFFED]) else "text")


def _notes_on(document: Document, decoded: Decoded, form: str) -> list[str]:
    if form != "html":
        if not document.text.strip():
            raise UnreadableError("the page holds no visible text")
        return []
    lowered = decoded.text.lower()
    scripts = lowered.count("<script")
    shown = sum(map(len, document.text.split()))
    if not shown:
        shell = (
            f"; it looks like a script shell ({scripts} scripts): save the page from a browser"
            if scripts
            else ""
        )
        raise UnreadableError(f"the page holds no visible text{shell}")
    notes = []
    if scripts and shown < _SHELL_TEXT:
        notes.append(f"looks like a script shell: {scripts} scripts and {shown} visible characters")
    if "<html" in lowered and "</html" not in lowered:
        notes.append("the page has no end: it may have been cut")
    return notes


def read_html(text: str) -> Document:
    """Reads HTML, however broken; a page without visible text gives a document without blocks.

    Raises UnreadableError: nested a hundred thousand deep, or hundreds of thousands of blocks.
    """
    text = _XML_DECLARATION.sub("", clean(text).replace("\r\n", "\n").replace("\r", "\n"))
    roots = parse_html(text)
    declared = (roots[0].get("lang", "") or roots[0].get("xml:lang", "")) if roots else ""
    reading = read_markup(roots)
    drafts = reading.page.drafts
    _mark_chrome(reading)
    return Document(
        text=reading.page.text(),
        blocks=tuple(draft.block() for draft in drafts),
        marks=tuple(sorted(reading.page.marks, key=lambda mark: (mark.start, mark.end))),
        hidden=tuple(reading.hidden),
        title=reading.title,
        lang=settle_language(declared, _sample(drafts)),
    )


def _mark_chrome(reading: Reading) -> None:
    """Marks the blocks that lie in the page's frame."""
    page = reading.page.pos
    regions = [
        region
        for region in reading.regions
        if not (region.is_header and region.has_heading)
        and chrome.accepted(
            named_by_tag=region.named_by_tag,
            has_h1=region.has_h1,
            size=region.end - region.start,
            links=region.links,
            page=page,
        )
    ]
    regions.sort(key=lambda region: region.start)
    reach, next_region = -1, 0
    for draft in reading.page.drafts:
        while next_region < len(regions) and regions[next_region].start <= draft.start:
            reach = max(reach, regions[next_region].end)
            next_region += 1
        draft.chrome = draft.chrome or draft.end <= reach


def _sample(drafts: list[Draft]) -> str:
    content = [
        draft.text[:_LANG_SAMPLE] for draft in islice((one for one in drafts if not one.chrome), _LANG_SAMPLE)
    ]
    return "\n".join(content or [draft.text[:_LANG_SAMPLE] for draft in drafts[:_LANG_SAMPLE]])


def read_markdown(text: str) -> Document:
    """Reads Markdown, tables included; the title is its front matter's, else its first heading."""
    from markdown_it import MarkdownIt  # needed for few pages

    text = clean(text).replace("\r\n", "\n").replace("\r", "\n")
    title = ""
    if front := _FRONT_MATTER.match(text):
        found = _FRONT_TITLE.search(front[1])
        title = found[1] if found else ""
        text = text[front.end() :]
    document = read_html(
        MarkdownIt("commonmark", {"maxNesting": _MARKDOWN_NESTING})
        .enable(["table", "strikethrough"])
        .render(text)
    )
    first = next((one for one in document.blocks if one.kind is BlockKind.HEADING), None)
    title = title or document.title or (document.text[first.start : first.end] if first else "")
    return document.model_copy(update={"title": title})


def read_text(text: str) -> Document:
    """Reads plain text: wrapped lines joined, tables held together by white space as cells, else a paragraph a line."""
    document = read_layout(clean(text))
    if len(document.blocks) > MOST_BLOCKS:
        raise UnreadableError(f"the text has more than {MOST_BLOCKS:,} lines: split it")
    return document.model_copy(update={"lang": settle_language("", document.text[: _LANG_SAMPLE * 50])})


# A reference to a note: a number, letter or sign, bare or in brackets; several of them; TM and its kin.
_NOTE_SIGN = r"(?:注?\d{1,3}|[A-Za-z]{1,3}|[*†‡§¶#※]{1,3}|[①-⑳])"
_FOOTNOTE = re.compile(
    rf"^(?:[\[(（【［〔]\s*{_NOTE_SIGN}\s*[\])）】］〕]|{_NOTE_SIGN}(?:\s*[,，、–-]\s*{_NOTE_SIGN})*)+$"
)
_POWER = re.compile(r"[-−]?\d{1,2}")
_RAISED = str.maketrans("0123456789-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁻")
_ORDINAL = re.compile(r"^(?:st|nd|rd|th)$", re.IGNORECASE)
_POWER_BASE = re.compile(r"(?:^|[^\d.,])(?:10|2|１０|２)$")
_POWER_UNIT = re.compile(r"(?:^|[^A-Za-z])[kcdmµμ]?m$")


def masked(document: Document) -> str:
    """The document's text with note marks and struck text blanked, character for character.

    Offsets stay what they are; white space stays. A superscript that is a power (10<sup>6</sup>) stays too,
    in superscript digits (10⁶), so that nobody reads it as 106.
    """
    text = document.text
    pieces: list[str] = []
    done = 0
    for mark in document.marks:
        start = max(mark.start, done)
        if start >= mark.end or mark.kind is MarkKind.SUBSCRIPT:
            continue
        pieces.append(text[done:start])
        inside = text[start : mark.end]
        if _is_blanked(text, mark.kind, mark.start, mark.end):
            inside = re.sub(r"\S", " ", inside)
        elif _POWER.fullmatch(inside) and _POWER_BASE.search(text, max(0, mark.start - 4), mark.start):
            inside = inside.translate(_RAISED)
        pieces.append(inside)
        done = mark.end
    pieces.append(text[done:])
    return "".join(pieces)


def _is_blanked(text: str, kind: MarkKind, start: int, end: int) -> bool:
    if kind is MarkKind.STRUCK:
        return True
    sign = text[start:end].strip()
    if kind is not MarkKind.SUPERSCRIPT or not _FOOTNOTE.match(sign):
        return False
    before = text[max(0, start - 4) : start]
    if before[-1:].isdigit() and _ORDINAL.match(sign):
        return False
    if sign.isdigit() and _POWER_BASE.search(before):
        return False
    return not (sign in {"2", "3"} and _POWER_UNIT.search(before))
