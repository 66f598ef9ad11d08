"""Where the walk through a page stands: what running text is just now, and what was found so far."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from extractors.html_tree import Element
from extractors.page_text import PageText
from extractors.tables import RawCell, Table
from schemas.document import BlockKind, Hidden, MarkKind

Close = Callable[[], None]
"""What an element that opened something leaves behind, to be called at its end."""


class State(NamedTuple):
    """What running text is at this point. `solid`: block elements only start a new line of the block."""

    kind: BlockKind = BlockKind.PARAGRAPH
    level: int = 0
    solid: bool = False
    raw: bool = False
    cell: RawCell | None = None
    table: Table | None = None
    outer: State | None = None  # what an unclosed heading falls back to


@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of the document's text that an element covers, with what decides whether it is chrome."""

    start: int
    end: int
    links: int
    named_by_tag: bool
    has_h1: bool = False
    has_heading: bool = False
    is_header: bool = False


class Reading:
    """What a page gave: its text, hidden text, title, and the regions that may be its frame."""

    def __init__(self) -> None:
        self.page = PageText()
        self.hidden: list[Hidden] = []
        self.regions: list[Region] = []
        self.title = ""
        self.state = State()
        self.tables = 0
        self.svg = 0  # how many open elements there are of these two kinds
        self.sections = 0
        self.special: dict[Element, MarkKind | None] = {}  # parts of formulas: a mark, or a new line

    def boundary(self) -> None:
        """Ends the block; where it is solid, the line."""
        if self.state.solid:
            self.page.soft_break()
        else:
            self.page.finish()

    def become(self, state: State) -> Close:
        """Ends the present block and reads on in another state; the result goes back to this one."""
        before = self.state
        self.page.finish()
        self.state = state

        def back() -> None:
            self.page.finish()
            self.state = before

        return back

    def hide(self, text: str, reason: str) -> None:
        """Keeps text apart that the page does not show."""
        text = " ".join(text.split())
        if text:
            self.hidden.append(Hidden(text=text, reason=reason))
