"""Where a claim's quote stands on its page: character for character, or not at all."""

from __future__ import annotations

import re
import unicodedata

from schemas.check import Verdict
from schemas.document import Document

VERSION = "1"


def ground(quote: str, start: int | None, document: Document) -> tuple[Verdict, str]:
    """Where the quote stands: at its offset, elsewhere once, several times, only hidden, or nowhere.

    Only exact characters or their NFKC forms with white space folded count; near misses are ABSENT.
    """
    text = document.text
    if start is not None and text[start : start + len(quote)] == quote:
        return Verdict.EXACT, f"the page's text at {start}"
    times = text.count(quote)
    if times == 1:
        return Verdict.EXACT, f"the page's text at {text.index(quote)}"
    if times > 1:
        return Verdict.NOT_UNIQUE, f"stands {times} times on the page and no place was given"
    wanted = _normal(quote)
    times = _normal(text).count(wanted) if wanted else 0
    if times == 1:
        return Verdict.NORMALISED, "stands on the page but for white space or character width"
    if times > 1:
        return Verdict.NOT_UNIQUE, f"stands {times} times on the page but for white space or character width"
    for hidden in document.hidden:
        if wanted and wanted in _normal(hidden.text):
            return Verdict.HIDDEN_TEXT, f"stands only in hidden text ({hidden.reason})"
    return Verdict.ABSENT, "does not stand on the page"


def _normal(text: str) -> str:
    return re.sub(r"\s+", " ", unicodedata.normalize("NFKC", text)).strip()
