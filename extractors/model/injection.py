"""Text on a page that speaks to a machine instead of a reader: where it stands, and of which kind it is.

Such text is blanked before anything is read, so that it is neither a claim, nor a cue, nor something to quote.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from importlib.resources import files
from typing import NamedTuple

from pydantic import Field

from schemas.datafile import parse_data
from schemas.document import Document
from schemas.extraction import Suspicion
from schemas.record import Record

_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f"
    "\ufeff\U000e0000-\U000e01ef]"
)
_OVERRIDES = re.compile("[\u202d\u202e][^\u202c\n]*\\w[^\u202c\n]*|[\U000e0020-\U000e007e]+")
_LOOKALIKES = str.maketrans(
    "аеорсухіјѕԁһӏԛԝвкмнтгАВЕКМНОРСТУХІЈЅԚԜαεορνικτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlqwbkmhtrABEKMHOPCTYXIJSQWaeopviktuxyABEZHIKMNOPTYX",
)
_SENTENCE_END = re.compile(r"[。！？!?\n；]|\.(?=\s|$)")
_ATTRIBUTE = re.compile(
    r"(?<![\w-])(alt|title|content|placeholder|aria-[a-z]+|data-[\w-]+|value|summary|label)\s*=\s*"
    r"(?:\"([^\"]{4,2000})\"|'([^']{4,2000})')",
    re.IGNORECASE,
)
_COMMENT = re.compile(r"<!--(.{4,4000}?)-->", re.DOTALL)
_MARKS = " \t\r\n,.;:!，。；：！"
"""What may stand before an order and belongs to the sentence before it."""
_LONGEST_SHOWN = 200


class _Kind(Record):
    name: str
    patterns: tuple[str, ...] = Field(min_length=1)


class _Kinds(Record):
    kinds: tuple[_Kind, ...]
    follows: tuple[str, ...]


class Span(NamedTuple):
    """A stretch of a text that speaks to a machine."""

    start: int
    end: int
    kind: str


def _load() -> tuple[tuple[tuple[str, re.Pattern[str]], ...], re.Pattern[str]]:
    text = (files("extractors") / "model" / "injection.yaml").read_text(encoding="utf-8")
    found = parse_data(text, _Kinds, name="extractors/model/injection.yaml")
    kinds = tuple((k.name, re.compile("|".join(k.patterns), re.IGNORECASE)) for k in found.kinds)
    return kinds, re.compile("|".join(found.follows), re.IGNORECASE)


_KINDS, _FOLLOWS = _load()


def find_attempts(text: str) -> list[Span]:
    """Every stretch that speaks to a machine, whole sentences, in order and apart from each other."""
    plain, places = _plain(text)
    hits = [(m, kind) for kind, pattern in _KINDS for m in pattern.finditer(plain) if m.group().strip(_MARKS)]
    spans = [_whole(plain, m.end() - len(m.group().lstrip(_MARKS)), m.end(), kind) for m, kind in hits]
    out = [Span(places[s.start], places[s.end - 1] + 1, s.kind) for s in spans]
    out += [Span(*match.span(), "reordered or invisible letters") for match in _OVERRIDES.finditer(text)]
    merged: list[Span] = []
    for span in sorted(out):
        if merged and span.start <= merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def _plain(text: str) -> tuple[str, list[int]]:
    """The text as an attacked reader would take it: look-alikes made plain, and the place of each character."""
    if text.isascii():
        return text, list(range(len(text)))
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        if _INVISIBLE.match(char):
            continue
        for made in unicodedata.normalize("NFKC", char).translate(_LOOKALIKES):
            chars.append(made)
            places.append(place)
    return "".join(chars), places


def _sentence(text: str, start: int, end: int) -> tuple[int, int]:
    left = max(
        (m.end() for m in _SENTENCE_END.finditer(text, max(0, start - 400), start)),
        default=max(0, start - 400),
    )
    right = _SENTENCE_END.search(text, end)
    return left, right.end() if right else len(text)


def _whole(text: str, start: int, end: int, kind: str) -> Span:
    """The sentence, and those after it that go on giving orders."""
    first, last = _sentence(text, start, end)
    while last < len(text):
        _, further = _sentence(text, last + 1, last + 1)
        if not _FOLLOWS.search(text[last:further]):
            break
        last = further
    return Span(first, max(last, first + 1), kind)


def attempts_in(document: Document) -> tuple[Suspicion, ...]:
    """Every attempt in a document's shown and hidden text; those in shown text with their offsets in it."""
    found = []
    for block in document.blocks:
        for span in find_attempts(document.text[block.start : block.end]):
            start, end = block.start + span.start, block.start + span.end
            words = document.text[start:end].strip()[:_LONGEST_SHOWN]
            found.append(Suspicion(kind=span.kind, place="shown text", text=words, start=start, end=end))
    for place, text in [
        ("title", document.title),
        *((f"hidden: {h.reason}", h.text) for h in document.hidden),
    ]:
        found += [_apart(span, place, text) for span in find_attempts(text)]
    return tuple(found)


def attempts_in_markup(body: bytes) -> tuple[Suspicion, ...]:
    """Attempts in what markup holds and no reader sees: comments and attributes."""
    source = body.decode("utf-8", "replace")
    found = []
    for place, text in _unseen(source):
        found += [_apart(span, place, text) for span in find_attempts(text)]
    return tuple(found)


def _unseen(source: str) -> Iterator[tuple[str, str]]:
    for match in _COMMENT.finditer(source):
        yield "comment", html.unescape(match[1])
    for match in _ATTRIBUTE.finditer(source):
        yield f"attribute: {match[1].lower()}", html.unescape(match[2] or match[3])


def _apart(span: Span, place: str, text: str) -> Suspicion:
    return Suspicion(kind=span.kind, place=place, text=text[span.start : span.end].strip()[:_LONGEST_SHOWN])


def blanked(text: str, suspicions: tuple[Suspicion, ...]) -> str:
    """The text with every attempt that stands in it made spaces, so that all offsets hold."""
    for found in suspicions:
        if found.end:
            gap = "".join("\n" if char == "\n" else " " for char in text[found.start : found.end])
            text = text[: found.start] + gap + text[found.end :]
    return text
