"""What one page gave: the document, its claims, and the flags and checks on them."""

from __future__ import annotations

from pydantic import Field

from schemas.asking import Asked
from schemas.check import Check
from schemas.claim import Claim
from schemas.document import Document
from schemas.flag import Flag
from schemas.record import Record

MOST_CLAIMS = 20_000
"""A page that states more is a trap or a dump: extraction stops just past it and the ledger holds the page."""


class Suspicion(Record):
    """Words of a page that speak to a machine and not to a reader. Nothing is ever read from them.

    `place`: shown text, the title, hidden text with the reason, a comment, or an attribute with its name. Those in
    shown text stand at `start:end` of the document's text; for others both are 0. `text` is cut where it is long.
    """

    kind: str
    place: str
    text: str
    start: int = Field(default=0, ge=0)
    end: int = Field(default=0, ge=0)


class Extraction(Record):
    """Everything read from one snapshot. `reason` says why there are no claims where the page is unreadable.

    `extractor`: what read it, with its version, as its claims name it. `asked`: what a model was asked about the
    page; None where none was. `suspicions`: what on the page spoke to a machine.
    """

    source: str
    document: Document | None
    claims: tuple[Claim, ...] = ()
    flags: tuple[Flag, ...] = ()
    checks: tuple[Check, ...] = ()
    reason: str = ""
    extractor: str = ""
    asked: Asked | None = None
    suspicions: tuple[Suspicion, ...] = ()
