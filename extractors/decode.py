"""From bytes to characters, with the reason why this encoding was believed."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)

# What a label on the web means in practice: the superset that pages of that label are really written in.
_SUPERSETS = {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "iso8859-1": "cp1252",
    "ascii": "cp1252",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
_ALIASES = {
    "x-gbk": "gbk",
    "gb_2312-80": "gb2312",
    "csgb2312": "gb2312",
    "x-sjis": "shift_jis",
    "utf8": "utf-8",
}

# Python knows codecs that are no character sets of pages (idna, unicode_escape…): only these are taken.
_ACCEPTED = (
    "utf-8 utf-16 utf-16-le utf-16-be gb18030 hz big5hkscs cp950 cp932 euc_jp iso2022_jp cp949 koi8-r koi8-u "
    "cp866 cp874 tis-620 mac-roman cp1250 cp1251 cp1252 cp1253 cp1254 cp1255 cp1256 cp1257 cp1258 "
    "iso8859-2 iso8859-3 iso8859-4 iso8859-5 iso8859-6 iso8859-7 iso8859-8 iso8859-10 iso8859-13 iso8859-14 "
    "iso8859-15 iso8859-16"
)
_SINGLE_BYTE = re.compile(r"cp125\d|cp8\d\d|iso8859|koi8|mac|tis")

_CHARSET_PARAM = re.compile(r"charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_META = re.compile(rb"<meta\b[^<>]*?charset\s*=\s*[\"']?\s*([\w.:+-]+)", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^<>]*?encoding\s*=\s*[\"']([\w.:+-]+)", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_META_WINDOW = 4096

# Form feeds and vertical tabs part words; the other control characters stand for nothing and make lxml raise.
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_DAMAGE = re.compile("[\udca0-\udcff]")  # as `surrogateescape` shows bytes from 0xA0 on that are no UTF-8
_SAMPLE = 20_000
_PLAUSIBLE_SHARE = 0.7
_TOO_FEW = 6  # characters to judge by
_BROKEN_AT_MOST = 50  # one broken character in so many that are not ASCII


@dataclass(frozen=True, slots=True)
class Decoded:
    """Characters, and why they were read so.

    `encoding_from` is one of "bom", "header", "meta", "utf-8", "gb18030", "detected". `notes` says what was
    odd: a declaration that the bytes contradict, a guess, a last character that was cut.
    """

    text: str
    encoding: str
    encoding_from: str
    notes: tuple[str, ...] = ()


def clean(text: str) -> str:
    """Takes out control characters (tab and line ends stay) and a byte order mark at the start."""
    if _CONTROLS.search(text):
        text = _CONTROLS.sub(lambda found: " " if found[0] in "\x0b\x0c" else "", text)
    return text.removeprefix("\ufeff")


def charset_of(content_type: str) -> str:
    """The charset parameter of a Content-Type header, as written; "" where there is none."""
    found = _CHARSET_PARAM.search(content_type)
    return found[1] if found else ""


def decode(body: bytes, content_type: str = "") -> Decoded:
    """Never fails and never leaves a replacement character where some strict reading fits the bytes.

    Order: byte order mark, the header's charset, the page's own declaration, strict UTF-8, strict GB18030,
    and only then a statistical guess, which `notes` names as one.
    """
    notes: list[str] = []
    for mark, codec in _BOMS:
        if body.startswith(mark):
            read = _strict(body[len(mark) :], codec)
            if read is not None:
                return _decoded(read, codec, "bom", notes)
            notes.append(f"the byte order mark says {codec}, but the bytes are not valid in it")
            break
    for label, origin in ((charset_of(content_type), "header"), (_declared(body), "meta")):
        found = _as_declared(body, label, origin, notes) if label else None
        if found is not None:
            return found
    return _undeclared(body, notes)


def _declared(body: bytes) -> str:
    window = _COMMENT.sub(b"", body[:_META_WINDOW])
    found = _XML.search(window) or _META.search(window)
    return found[1].decode("ascii", "replace") if found else ""


def _as_declared(body: bytes, label: str, origin: str, notes: list[str]) -> Decoded | None:
    codec = _codec(label)
    if origin == "meta" and codec.startswith("utf-16"):
        codec = "utf-8"  # a declaration that could be read as ASCII is not in UTF-16
    if not codec:
        notes.append(f"the {origin} declares an unknown charset {label[:40]!r}")
        return None
    if _SINGLE_BYTE.match(codec):
        # A one-byte charset fits any bytes, so that it fits proves nothing; that UTF-8 fits does.
        utf8 = _strict(body, "utf-8")
        if utf8 is not None and not utf8[0].isascii():
            notes.append(f"the {origin} declares {label}, but the bytes are valid UTF-8")
            return _decoded(utf8, "utf-8", "utf-8", notes)
    read = _strict(body, codec)
    if read is None:
        notes.append(f"the {origin} declares {label}, but the bytes are not valid in it")
        return None
    return _decoded(read, codec, origin, notes)


def _codec(label: str) -> str:
    name = label.strip().lower()
    try:
        name = codecs.lookup(_ALIASES.get(name, name)).name
    except (LookupError, ValueError):
        return ""
    name = _SUPERSETS.get(name, name)
    return name if name in _ACCEPTED.split() else ""


def _strict(body: bytes, codec: str) -> tuple[str, int] | None:
    """The text and how many bytes of a cut last character were left over; None where a byte is invalid."""
    decoder = codecs.getincrementaldecoder(codec)("strict")
    try:
        text = decoder.decode(body)
    except (UnicodeDecodeError, UnicodeError):
        return None
    # Only a few bytes can be pending: what whole characters leave over at the end of a cut page.
    return text, len(decoder.getstate()[0]) if hasattr(decoder, "getstate") else 0


def _undeclared(body: bytes, notes: list[str]) -> Decoded:
    utf8 = _strict(body, "utf-8")
    # A cut last character is believed where whole ones of several bytes stand before it.
    if utf8 is not None and (not utf8[1] or not utf8[0].isascii()):
        return _decoded(utf8, "utf-8", "utf-8", notes)
    if utf8 is None and (nearly := _nearly(body, "utf-8", notes)):
        return nearly
    gb18030 = _strict(body, "gb18030")
    if gb18030 is not None and (not gb18030[1] or utf8 is None):
        if not _plausible_chinese(gb18030[0]):
            notes.append("valid as gb18030, but it does not look like Chinese: the encoding may be another")
        return _decoded(gb18030, "gb18030", "gb18030", notes)
    if utf8 is not None:
        return _decoded(utf8, "utf-8", "utf-8", notes)
    return _nearly(body, "gb18030", notes) or _detected(body, notes)


def _nearly(body: bytes, codec: str, notes: list[str]) -> Decoded | None:
    """A long text with a few broken bytes: better read with holes than as another encoding's noise."""
    text = body.decode(codec, "replace")
    broken = text.count("\ufffd")
    if broken * _BROKEN_AT_MOST > sum(1 for character in text if not character.isascii()):
        return None
    # Bytes from 0x80 to 0x9F are quotes, dashes and the like in windows-1252, and signs of damage are others.
    pasted = codec == "utf-8" and not _DAMAGE.search(body.decode(codec, "surrogateescape"))
    if pasted and (whole := _strict(_untwisted(body), codec)) is not None:
        notes.append(f"{broken} characters within the UTF-8 were windows-1252 and read as such")
        return _decoded(whole, codec, codec, notes)
    notes.append(f"{broken} characters are broken in {codec} and could not be read")
    return _decoded((text, 0), codec, codec, notes)


def _untwisted(body: bytes) -> bytes:
    """UTF-8 into which quotes or dashes were pasted as windows-1252, all in UTF-8."""
    from bs4.dammit import UnicodeDammit  # needed for few pages

    return b"\n".join(
        line if _strict(line, "utf-8") else UnicodeDammit.detwingle(line) for line in body.split(b"\n")
    )


def _plausible_chinese(text: str) -> bool:
    rare_or_not = [character for character in text[:_SAMPLE] if not character.isascii()]
    common = sum(1 for character in rare_or_not if character.encode("gb2312", "ignore"))
    return len(rare_or_not) < _TOO_FEW or common >= _PLAUSIBLE_SHARE * len(rare_or_not)


def _detected(body: bytes, notes: list[str]) -> Decoded:
    from charset_normalizer import from_bytes  # slow to import and rarely needed

    best = from_bytes(body[:_SAMPLE]).best()
    codec = best.encoding if best is not None else "cp1252"
    notes.append(f"the encoding was guessed: {codec}")
    text = body.decode(codec, "replace")
    if "\ufffd" in text:
        notes.append(f"{text.count(chr(0xFFFD))} characters could not be read")
    return _decoded((text, 0), codec, "detected", notes)


def _decoded(read: tuple[str, int], codec: str, origin: str, notes: list[str]) -> Decoded:
    text, pending = read
    if pending:
        notes.append("the last character is cut")
    return Decoded(clean(text), codec, origin, tuple(notes))
