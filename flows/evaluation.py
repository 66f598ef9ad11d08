"""Labelled pages read with and without a second reader, and what the difference costs."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from extractors.extract import SecondReader, extract
from extractors.quantities import find_mentions
from flows.scoring import Row, predict, read_labels, score
from schemas.asking import Asked
from schemas.extraction import Extraction

_AS_WRITTEN = frozenset({Decimal(1), Decimal(8), Decimal("0.125")})


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
    """Of each claim with a figure, whether the grammar reads that figure at its place in the page's own words."""
    if got.document is None:
        return []
    out = []
    for claim in got.claims:
        if claim.text_value is None:
            continue
        start, end = claim.evidence.start, claim.evidence.end
        block = next((b for b in got.document.blocks if b.start <= start < b.end), None)
        text = got.document.text[block.start : block.end] if block else ""
        stands = block is not None and got.document.text[start:end] == claim.evidence.quote
        said = claim.low if claim.low is not None else claim.high
        out.append(
            stands
            and any(
                text[m.start : m.end] in claim.text_value or claim.text_value in text[m.start : m.end]
                for m in find_mentions(text)
                if said is not None
            )
            and claim.text_value in text
        )
    return out
