"""What one page gave: the document, its claims, and the flags and checks on them."""

from __future__ import annotations

from schemas.check import Check
from schemas.claim import Claim
from schemas.document import Document
from schemas.flag import Flag
from schemas.record import Record

MOST_CLAIMS = 20_000
"""A page that states more is a trap or a dump: extraction stops just past it and the ledger holds the page."""


class Extraction(Record):
    """Everything read from one snapshot. `reason` says why there are no claims where the page is unreadable.

    `extractor`: what read it, with its version, as its claims name it.
    """

    source: str
    document: Document | None
    claims: tuple[Claim, ...] = ()
    flags: tuple[Flag, ...] = ()
    checks: tuple[Check, ...] = ()
    reason: str = ""
    extractor: str = ""
