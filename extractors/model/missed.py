"""A figure that a model points at and the grammar has not: taken only as words that the grammar then reads."""

from __future__ import annotations

from extractors.claims import Figure
from extractors.context import Context
from extractors.guards import is_claimable
from extractors.headers import dress
from extractors.model.passages import Passage
from extractors.page import Page
from extractors.quantities import find_mentions
from extractors.scopes import surroundings
from extractors.units import Dimension
from extractors.whose import subject_of


def missed_figure(page: Page, context: Context, passage: Passage, quote: str) -> Figure | str:
    """The figure that the quoted words hold, or why they hold none that was missed."""
    if passage.text.count(quote) != 1:
        return f"the quote stands {passage.text.count(quote)} times in the passage; it must stand there once"
    start = passage.start + passage.text.index(quote)
    read = [
        m for m in find_mentions(page.folded[start : start + len(quote)], lang=context.language) if m.has_unit
    ]
    if len(read) != 1:
        return f"the grammar reads {len(read)} figures with a unit in the quote"
    mention = read[0]._replace(
        start=read[0].start + start,
        end=read[0].end + start,
        unit_start=read[0].unit_start + start,
        reach=read[0].reach + start,
        tail=read[0].tail + start,
    )
    block = page.document.blocks[passage.block]
    known = [
        m._replace(
            start=m.start + block.start,
            end=m.end + block.start,
            unit_start=m.unit_start + block.start,
            reach=m.reach + block.start,
            tail=m.tail + block.start,
        )
        for m in find_mentions(page.folded[block.start : block.end], lang=context.language)
    ]
    if any(m.start < mention.end and mention.start < m.end for m in known):
        return "the grammar has read that figure; it was not missed"
    if _goes_on(page.folded, mention.start - 1, mention.start) or _goes_on(
        page.folded, mention.end - 1, mention.end
    ):
        return "the quote cuts a figure in two"
    mentions = sorted([*known, mention], key=lambda m: m.start)
    around = surroundings(page, passage.block, mentions, mentions.index(mention))
    mention = dress(mention, around)
    if mention.dimension is Dimension.BARE or not is_claimable(mention, around, article=context.article):
        return "the figure states nothing of a product"
    return Figure(passage.block, mention, around, subject_of(around, context.subject, context), False, None)


def _goes_on(text: str, left: int, right: int) -> bool:
    """Whether a number or a unit runs across the place between two characters."""
    pair = text[max(0, left) : right + 1]
    if len(pair) < 2:
        return False
    inside = all(char.isalnum() or char in ".,/%" for char in pair)
    return inside and (pair[0].isascii() == pair[1].isascii() or any(char.isdigit() for char in pair))
