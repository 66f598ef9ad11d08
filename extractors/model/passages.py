"""What a model is shown: one block with its numbered figures and all that stands over them, as data."""

from __future__ import annotations

import json
from dataclasses import dataclass

from extractors.claims import Figure
from extractors.cues import metric_dimensions
from extractors.model.injection import find_attempts
from extractors.page import Page
from extractors.scopes import Surroundings
from schemas.registry import registry

MOST_FIGURES = 8
_WIDEST = 1600
_MARGIN = 500
_LONGEST_AROUND = 240


@dataclass(frozen=True, slots=True)
class Passage:
    """One question: the block's words, its figures (numbered from 1), and the words that may be quoted.

    `reasons` per figure, by its number; reason 0 is the block's own. `around`: what stands over or elsewhere, each
    with what it is. `start`: where `text` begins in the document. Two passages with the same `data` are the same
    question, wherever they stand on whichever page.
    """

    block: int
    reasons: tuple[tuple[int, str], ...]
    figures: tuple[Figure, ...]
    text: str
    start: int
    around: tuple[tuple[str, str], ...]

    @property
    def data(self) -> str:
        """The passage as one JSON object. Nothing in the page's words can end it or begin another."""
        return json.dumps(
            {
                "text": self.text,
                "around": [{"is": name, "text": text} for name, text in self.around],
                "mentions": [
                    {
                        "mention": number,
                        "in": self._in_place(figure),
                        "may_be": list(metrics_for(figure)),
                        "open": sorted(reason for at, reason in self.reasons if at == number),
                        "read_as": figure.claim.metric if figure.claim else "",
                    }
                    for number, figure in enumerate(self.figures, start=1)
                ],
                "open": sorted(reason for at, reason in self.reasons if at == 0),
            },
            ensure_ascii=False,
        )

    def _in_place(self, figure: Figure) -> str:
        start, end = figure.mention.start - self.start, figure.mention.end - self.start
        return f"{self.text[max(0, start - 16) : start]}⟦{self.text[start:end]}⟧{self.text[end : end + 16]}"

    def split(self) -> tuple[Passage, ...]:
        """Two smaller questions about the same block; none where there is one figure or less."""
        if len(self.figures) < 2:
            return ()
        half = len(self.figures) // 2
        return tuple(
            Passage(
                self.block,
                tuple(
                    (at - first if at else 0, why)
                    for at, why in self.reasons
                    if at == 0 or first < at <= last
                ),
                self.figures[first:last],
                self.text,
                self.start,
                self.around,
            )
            for first, last in ((0, half), (half, len(self.figures)))
        )


def metrics_for(figure: Figure) -> tuple[str, ...]:
    """The metrics that a figure of this dimension can be of, `other` left out."""
    names = registry().metrics.values()
    found = [m.name for m in names if figure.mention.dimension in metric_dimensions(m) and m.name != "other"]
    if figure.claim is not None and figure.claim.metric not in (*found, "other"):
        found.append(figure.claim.metric)
    return tuple(found)


def passages(
    page: Page,
    block: int,
    figures: list[Figure],
    reasons: dict[int, set[str]],
    elsewhere: tuple[str, ...],
) -> list[Passage]:
    """The questions about one block: several where it holds many figures.

    `reasons`: by the index of a figure, and by -1 for the block itself, why it is asked about.
    """
    at = page.document.blocks[block]
    out = []
    for first in range(0, max(1, len(figures)), MOST_FIGURES):
        some = figures[first : first + MOST_FIGURES]
        start, end = at.start, at.end
        if end - start > _WIDEST and some:
            start = max(start, some[0].mention.start - _MARGIN)
            end = min(end, some[-1].mention.end + _MARGIN)
        end = min(end, start + 4 * _WIDEST)
        some = [figure for figure in some if figure.mention.end <= end]
        why = {(number, reason) for number in range(len(some)) for reason in reasons.get(first + number, ())}
        numbered = {(number + 1, reason) for number, reason in why}
        numbered |= {(0, reason) for reason in reasons.get(-1, ())}
        out.append(
            Passage(
                block,
                tuple(sorted(numbered)),
                tuple(some),
                shown(page, start, end),
                start,
                _around(page, block, some[0].around if some else None, elsewhere),
            )
        )
    return out


def shown(page: Page, start: int, end: int) -> str:
    """The page's words at a place, with spaces for what is blanked: struck out, note marks, words for machines."""
    pairs = zip(page.document.text[start:end], page.folded[start:end], strict=True)
    return "".join(" " if folded == " " and not char.isspace() else char for char, folded in pairs)


def _around(
    page: Page, index: int, around: Surroundings | None, elsewhere: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """The words over a block, as they stand on the page, each once."""
    block = page.document.blocks[index]
    found = [("title", page.document.title)]
    found += [("heading", heading) for heading in block.headings]
    if block.cell is not None:
        found += [("row header", header.text) for header in block.cell.row_headers]
        found += [("column header", header.text) for header in block.cell.col_headers]
        found.append(("caption", block.caption))
    if block.label is not None:
        label = page.document.blocks[block.label]
        found.append(("label", shown(page, label.start, label.end)))
    if around is not None:
        names = {
            "note": "footnote",
            "lead": "introduction",
            "intro": "introduction",
            "row": "row header",
            "sibling": "same row",
        }
        found += [(names[s.name], s.text) for s in around.scopes if s.name in names]
    found += [("elsewhere on the page", text) for text in elsewhere]
    seen: set[str] = set()
    out = []
    for name, text in found:
        short = text.strip()[:_LONGEST_AROUND]
        if short and short not in seen and not find_attempts(short):
            seen.add(short)
            out.append((name, short))
    return tuple(out)
