"""Labelled pages read with and without a second reader, and what the difference costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from extractors.extract import SecondReader, extract
from extractors.mention import Mention
from extractors.quantities import find_mentions
from flows.scoring import Row, predict, read_labels, score
from schemas.asking import Asked
from schemas.extraction import Extraction

_BINARY = Decimal(2) ** 40 / Decimal(10) ** 12
_AS_WRITTEN = frozenset(
    factor * binary
    for factor in (Decimal(1), Decimal(8), Decimal("0.125"))
    for binary in (Decimal(1), _BINARY)
)


@dataclass(frozen=True)
class Evaluated:
    """How well labelled pages were read. `asked`: what each page's questions came to; none without a model.

    `values`: how many claims with a figure there are; `own`: of how many the figure is what the grammar reads at its
    place on the page. `seconds` is wall time.
    """

    claims: tuple[Row, ...]
    figures: dict[str, float]
    asked: tuple[Asked, ...]
    values: int
    own: int
    seconds: float

    @property
    def tokens(self) -> int:
        """All tokens, in and out, that were paid for."""
        return sum(a.input_tokens + a.output_tokens for a in self.asked)

    @property
    def cost(self) -> Decimal | None:
        """The money; None where no price is known."""
        known = [a.cost for a in self.asked if a.cost is not None]
        return sum(known, Decimal(0)) if known else None


def evaluate(
    folder: Path,
    labels: Path | Sequence[Row],
    key: str,
    second: SecondReader | None = None,
    before: Callable[[str], None] | None = None,
) -> Evaluated:
    """Reads every labelled page and scores it. `before` is called with each page's name before it is read."""
    rows = read_labels(labels) if isinstance(labels, Path) else list(labels)
    asked: list[Asked] = []
    counted = [0, 0]

    def read(name: str, body: bytes) -> Extraction:
        if before:
            before(name)
        got = extract(body, source=name, name=name, second=second)
        if got.asked is not None:
            asked.append(got.asked)
        for ours in _values_are_the_pages(got):
            counted[0] += 1
            counted[1] += ours
        return got

    started = time.monotonic()
    claims = predict(folder, (str(row[key]) for row in rows), key, read)
    seconds = time.monotonic() - started
    figures = score(rows, claims, key).figures()
    return Evaluated(tuple(claims), figures, tuple(asked), counted[0], counted[1], seconds)


def _values_are_the_pages(got: Extraction) -> list[bool]:
    """Of each claim with a figure, whether the grammar reads that figure at its place in the page's own words.

    A bare number in a cell has its unit in the header; of it only the words are compared.
    """
    if got.document is None:
        return []
    out = []
    for claim in got.claims:
        if claim.text_value is None:
            continue
        start, end = claim.evidence.start, claim.evidence.end
        block = next((b for b in got.document.blocks if b.start <= start < b.end), None)
        text = got.document.text[block.start : block.end] if block else ""
        stands = got.document.text[start:end] == claim.evidence.quote and claim.text_value in text
        said = claim.high if claim.low is None else claim.low
        out.append(
            stands
            and any(_is(said, m, text, claim.text_value) for m in find_mentions(text, lang=got.document.lang))
        )
    return out


def _is(said: Decimal | None, mention: Mention, text: str, words: str) -> bool:
    """Whether a mention bears the claim's words, and its figure but for bits and bytes and their binary prefixes."""
    figure = mention.high if mention.low is None else mention.low
    written = text[mention.start : mention.end]
    if written not in words and words not in written:
        return False
    if not mention.has_unit or not said or not figure:
        return True
    return said / figure in _AS_WRITTEN
