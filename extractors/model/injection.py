"""Text on a page that speaks to a machine instead of a reader: where it stands, and of which kind it is.

Such text is blanked before anything is read, so that it is neither a claim, nor a cue, nor something to quote.
"""

from __future__ import annotations

import html
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
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
    "аеорсухіјѕԁһӏԛԝвкмнтгıİАВЕКМНОРСТУХІЈЅԚԜαεορνικτυχγΑΒΕΖΗΙΚΜΝΟΡΤΥΧ",
    "aeopcyxijsdhlqwbkmhtriIABEKMHOPCTYXIJSQWaeopviktuxyABEZHIKMNOPTYX",
)
_SENTENCE_END = re.compile(r"[。！？!?\n；]|\.(?=\s|$)")
_ATTRIBUTE = re.compile(
    r"(?<![\w-])(alt|title|content|placeholder|aria-[a-z]+|data-[\w-]+|value|summary|label)\s*=\s*"
    r"(?:\"([^\"]{4,})\"|'([^']{4,})')",
    re.IGNORECASE,
)
_MARKS = " \t\r\n,.;:!，。；：！"
"""What may stand before an order and belongs to the sentence before it."""
_LONGEST_SHOWN = 200
_LONGEST_SENTENCE = 400


class _Pattern(Record):
    holds: tuple[str, ...] = Field(min_length=1)
    pattern: str


class _Kind(Record):
    name: str
    patterns: tuple[_Pattern, ...] = Field(min_length=1)


class _Kinds(Record):
    kinds: tuple[_Kind, ...]
    follows: tuple[str, ...]


class _Sign(NamedTuple):
    """A pattern of one kind, and the words without one of which it matches nothing."""

    kind: str
    holds: tuple[str, ...]
    pattern: re.Pattern[str]


class Span(NamedTuple):
    """A stretch of a text that speaks to a machine."""

    start: int
    end: int
    kind: str


def _load() -> tuple[tuple[_Sign, ...], re.Pattern[str]]:
    text = (files("extractors") / "model" / "injection.yaml").read_text(encoding="utf-8")
    found = parse_data(text, _Kinds, name="extractors/model/injection.yaml")
    signs = tuple(
        _Sign(kind.name, one.holds, re.compile(one.pattern, re.IGNORECASE))
        for kind in found.kinds
        for one in kind.patterns
    )
    return signs, re.compile("|".join(found.follows), re.IGNORECASE)


_SIGNS, _FOLLOWS = _load()


class _Plain(dict[str, str]):
    """What a character looks like to a reader, found out once for each."""

    def __missing__(self, char: str) -> str:
        made = "" if _INVISIBLE.match(char) else unicodedata.normalize("NFKC", char).translate(_LOOKALIKES)
        return self.setdefault(char, made)


_PLAIN = _Plain()


def find_attempts(text: str, signs: Sequence[_Sign] = _SIGNS) -> list[Span]:
    """Every stretch that speaks to a machine, whole sentences, in order and apart from each other.

    `signs`: those that the text may hold, where that is known of a text around it.
    """
    plain = _plain(text)
    hits = sorted(
        (m.end() - len(m.group().lstrip(_MARKS)), m.end(), sign.kind)
        for sign in _possible(plain, signs)
        for m in sign.pattern.finditer(plain)
        if m.group().strip(_MARKS)
    )
    overrides = () if text.isascii() else _OVERRIDES.finditer(text)
    out = [Span(*match.span(), "reordered or invisible letters") for match in overrides]
    if hits:
        places = [place for place, char in enumerate(text) for _ in _PLAIN[char]]
        out += [Span(places[s.start], places[s.end - 1] + 1, s.kind) for s in _sentences(plain, hits)]
    return _apart_from_each_other(sorted(out))


def _possible(plain: str, signs: Sequence[_Sign] = _SIGNS) -> list[_Sign]:
    small = plain.lower()
    return [sign for sign in signs if any(map(small.__contains__, sign.holds))]


def _plain(text: str) -> str:
    """The text as an attacked reader would take it, with look-alikes made plain and nothing invisible."""
    return text if text.isascii() else "".join(map(_PLAIN.__getitem__, text))


def _sentences(text: str, hits: list[tuple[int, int, str]]) -> list[Span]:
    """The sentences of the hits (in order), each with those after it that go on giving orders."""
    marks = [match.span() for match in _SENTENCE_END.finditer(text)]
    starts, ends = [first for first, _ in marks], [last for _, last in marks]

    def begin(place: int) -> int:
        before = bisect_right(ends, place)
        return max(ends[before - 1] if before else 0, place - _LONGEST_SENTENCE)

    def end(place: int) -> int:
        after = bisect_left(starts, place)
        return ends[after] if after < len(ends) else len(text)

    out: list[Span] = []
    for start, last, kind in hits:
        if out and last <= out[-1].end:
            continue
        first, reached = begin(start), end(last)
        while reached < len(text) and _FOLLOWS.search(text, reached, further := end(reached + 1)):
            reached = further
        out.append(Span(first, max(reached, first + 1), kind))
    return out


def _apart_from_each_other(spans: list[Span]) -> list[Span]:
    merged: list[Span] = []
    for span in spans:
        if merged and span.start <= merged[-1].end:
            merged[-1] = merged[-1]._replace(end=max(merged[-1].end, span.end))
        else:
            merged.append(span)
    return merged


def attempts_in(document: Document) -> tuple[Suspicion, ...]:
    """Every attempt in a document's shown and hidden text; those in shown text with their offsets in it."""
    found = []
    signs = _possible(_plain(document.text))
    for block in document.blocks:
        for span in find_attempts(document.text[block.start : block.end], signs):
            start, end = block.start + span.start, block.start + span.end
            words = document.text[start:end].strip()[:_LONGEST_SHOWN]
            found.append(Suspicion(kind=span.kind, place="shown text", text=words, start=start, end=end))
    for place, text in [
        ("title", document.title),
        *((f"hidden: {h.reason}", h.text) for h in document.hidden),
    ]:
        found += [_apart(span, place, text) for span in find_attempts(text)]
    return tuple(found)


def attempts_in_markup(body: bytes, encoding: str = "utf-8") -> tuple[Suspicion, ...]:
    """Attempts in what markup holds and no reader sees: comments and attributes."""
    source = body.decode(encoding, "replace")
    found = []
    for place, text in _unseen(source):
        found += [_apart(span, place, text) for span in find_attempts(text)]
    return tuple(found)


def _unseen(source: str) -> Iterator[tuple[str, str]]:
    place = source.find("<!--")
    while place >= 0:
        end = source.find("-->", place)
        yield "comment", html.unescape(source[place + 4 : end if end >= 0 else len(source)])
        place = source.find("<!--", end) if end >= 0 else -1
    for match in _ATTRIBUTE.finditer(source):
        yield f"attribute: {match[1].lower()}", html.unescape(match[2] or match[3])


def _apart(span: Span, place: str, text: str) -> Suspicion:
    return Suspicion(kind=span.kind, place=place, text=text[span.start : span.end].strip()[:_LONGEST_SHOWN])


def blanked(text: str, suspicions: tuple[Suspicion, ...]) -> str:
    """The text with every attempt that stands in it made spaces, so that all offsets hold."""
    chars = list(text)
    for found in suspicions:
        for place in range(found.start, found.end):
            if chars[place] != "\n":
                chars[place] = " "
    return "".join(chars)
