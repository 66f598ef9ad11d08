"""Where words that a model quotes stand: whole words and whole figures, but for white space and character width."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from extractors.basis import bases_told
from extractors.cues import AGAINST, metric_hits
from extractors.fold import fold
from extractors.model.passages import Passage
from extractors.units import Dimension
from schemas.registry import Metric

_WIDTH = {code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)}
_NUMERAL = "0-9零〇一二两兩三四五六七八九十百千万萬亿億几幾数數半"
_CUT = re.compile(
    rf"(?<=[A-Za-z0-9_])(?=[A-Za-z0-9_])|(?<=[{_NUMERAL}])(?=[{_NUMERAL}])"
    # 1,024 and 3.2, a 10 000 in two groups, 4-64 and 1/2, and node in multi-node
    r"|(?<=[0-9][.,'’\u00a0\u2009\u202f])(?=[0-9])|(?<=[0-9])(?=[.,'’\u00a0\u2009\u202f][0-9])"
    r"|(?<=[0-9] )(?=[0-9]{3}(?![0-9]))|(?<=[0-9])(?= [0-9]{3}(?![0-9]))"
    r"|(?<=[0-9][-–—~～/×x*^])(?=[0-9])|(?<=[0-9])(?=[-–—~～/×x*^][0-9])"
    r"|(?<=[A-Za-z0-9]-)(?=[A-Za-z0-9])|(?<=[A-Za-z0-9])(?=-[A-Za-z0-9])"
    # what says of a figure that it is none, or a bound, or of another size
    r"|(?<=[<>≤≥±≈~+$€£¥￥-])(?=[0-9])|(?<=[0-9])(?=[%‰°+])|(?<=[0-9.,])(?=[⁰¹²³⁴-⁹₀-₉½¼¾])|(?<=[⁰¹²³⁴-⁹₀-₉½¼¾])(?=[0-9])"
)
_DENIED = re.compile(
    r"(?:\bnot|n['’]t|\bno|\bnor|\bnever|\bneither|\brather than|\binstead of|\bunlike|不是|并非|而非|不按|不以|不指|没有)"
    r"(?: \w+){0,2} ?$",
    re.IGNORECASE,
)


class Words(NamedTuple):
    """Quoted words in the text that holds them. `in_passage`: whether that is the passage's own."""

    text: str
    start: int
    end: int
    in_passage: bool


def standing(passage: Passage, quote: str) -> Iterator[Words]:
    """Every place where the words stand in the passage or over it, and cut no word and no figure in two."""
    parts = quote.translate(_WIDTH).split()
    if not parts:
        return
    wanted = re.compile(r"\s+".join(map(re.escape, parts)))
    for text, own in [(passage.text, True), *((text, False) for _, text in passage.around)]:
        for match in wanted.finditer(text.translate(_WIDTH)):
            if not (_CUT.match(text, match.start()) or _CUT.match(text, match.end())):
                yield Words(text, *match.span(), own)


def stands_cut(passage: Passage, quote: str) -> bool:
    """Whether the characters stand there all the same, as a part of other words."""
    wanted = " ".join(quote.translate(_WIDTH).split())
    texts = (passage.text, *(text for _, text in passage.around))
    return bool(wanted) and any(wanted in " ".join(text.translate(_WIDTH).split()) for text in texts)


def bases_in(words: Words, metric: Metric) -> frozenset[str]:
    """The bases that the quoted words name where they stand: not what only a part of a longer word names."""
    found = bases_told(words.text, metric)
    return frozenset(
        hit.name
        for hit in found
        if words.start <= hit.start
        and hit.end <= words.end
        and not _DENIED.search(words.text[: hit.start][-40:])
    )


def cue_in(words: Words, metric: str, dimension: Dimension) -> tuple[int, int] | None:
    """Where in the text the quoted words name the metric; None where they do not, or speak against it."""
    hits = [
        hit
        for hit in metric_hits(fold(words.text), dimension)
        if hit.name == metric and words.start <= hit.start and hit.end <= words.end
    ]
    if not hits or any(hit.weight == AGAINST for hit in hits):
        return None
    return hits[0].start, hits[0].end
