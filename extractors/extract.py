"""One page in, everything it says out: bytes → document → claims, flags and checks."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Protocol

from extractors.checks import check_claim
from extractors.claims import read_claims
from extractors.context import EXTRACTOR, Context
from extractors.document import masked, read_document
from extractors.flags import readings_of
from extractors.fold import fold
from extractors.model.injection import attempts_in, attempts_in_markup, blanked
from extractors.page import Page, page_of
from extractors.plain import restructure
from extractors.subject import Subject, page_subject, vendor_names
from schemas.asking import Asked
from schemas.claim import Claim
from schemas.document import BlockKind, Document
from schemas.errors import UnreadableError
from schemas.extraction import Extraction, Suspicion
from schemas.source import Tier

_BREADCRUMB = re.compile(r"\S (?:[>＞»›/／|»]) \S|[>＞»›].*[>＞»›]")
_LONG_TEXT = 1500
_BYLINE = re.compile(
    r"^(?-i:By [A-Z])|记者|記者|编辑部|編集部|責任編集|来源[:：]|作者[:：]|作者 ?[\u4e00-\u9fff]{2,4} ?[|｜·]|(?:文|撰文|作者|编辑|整理|采写) ?["
    r"|｜/／丨] ?[\u4e00-\u9fff]{2,4}"
    r"|(?:根据|依据|参考|综合)[^。\n]{0,16}(?:官网|公开(?:资料|演讲|信息|数据|报道))[^。\n]{0,10}(?:整理|汇总|编写|梳理)"
    r"|(?:抄自|转自|摘自|整理自)|paper club|reading group|desk report"
    r"|\(joined \d{4}|\d posts\b|Forum »|wrote on",
    re.IGNORECASE | re.MULTILINE,
)
_READING_TIME = re.compile(r"\bmin(?:ute)?s? read\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:we|our|ours|us)\b|我们|我們|团队|当社|弊社", re.IGNORECASE)
_DOCUMENTATION = re.compile(
    r"Documentation|\bDocs\b|Last updated|文档|帮助中心|更新时间|Updated on", re.IGNORECASE
)
_BEST_MEASURED = re.compile(
    r"(?:以下|下表|下列|below|following).{0,16}(?:实测最优|最优值|best (?:measured|result|case))",
    re.IGNORECASE,
)


class SecondReader(Protocol):
    """Whoever is asked about a page after the rules: see `extractors.model`."""

    name: str

    def read(
        self, page: Page, context: Context, visible: str, claims: list[Claim]
    ) -> tuple[list[Claim], Asked]:
        """The page's claims as they are then, and what asking came to."""


def extract(
    body: bytes,
    *,
    source: str,
    content_type: str = "",
    name: str = "",
    vendor: str | None = None,
    product: str | None = None,
    language: str = "",
    tier: Tier = "T1",
    second: SecondReader | None = None,
) -> Extraction:
    """Everything that the bytes of one page claim; an unreadable page gives no claims and the reason.

    `vendor` and `product` are the page's subject where the source list knows it; otherwise title, breadcrumb
    and headings decide. `name` (a file name or address) helps to tell HTML, Markdown and plain text apart.
    `second` is asked about what the rules leave open, once they are done.
    """
    try:
        document = read_document(body, content_type=content_type, name=name or source)
    except UnreadableError as error:
        return Extraction(source=source, document=None, reason=str(error), extractor=reader_name(second))
    unseen = attempts_in_markup(body, document.encoding) if document.form in ("html", "markdown") else ()
    return extract_document(
        document,
        source=source,
        vendor=vendor,
        product=product,
        language=language,
        tier=tier,
        second=second,
        unseen=unseen,
    )


def reader_name(second: SecondReader | None) -> str:
    """What a page is read by: the grammar with its version, and the second reader where there is one."""
    return EXTRACTOR if second is None else f"{EXTRACTOR}+{second.name}"


def extract_document(
    document: Document,
    *,
    source: str,
    vendor: str | None = None,
    product: str | None = None,
    language: str = "",
    tier: Tier = "T1",
    second: SecondReader | None = None,
    unseen: tuple[Suspicion, ...] = (),
) -> Extraction:
    """Everything that a document claims, for one that was read before. `unseen`: attempts that its text has not."""
    flat: dict[int, str] = {}
    if document.form == "text":
        document, flat = restructure(document)
    suspicions = (*attempts_in(document), *unseen)
    visible = blanked(masked(document), suspicions)
    page = page_of(document, visible, flat)
    subject = _subject(document, vendor, product)
    context = Context(
        source=source,
        subject=subject,
        tier=tier,
        language=language or document.lang,
        article=subject.vendor is None and _is_article(document),
        repeats=_repeats(document.text[:3000]),
        best_measured_from=next((m.end() for m in [_BEST_MEASURED.search(document.text)] if m), None),
    )
    claims, asked = read_claims(page, context), None
    if second is not None:
        claims, asked = second.read(page, context, visible, claims)
    claims = _flagged_beside(claims, document, suspicions)
    flags = tuple(readings_of(claim, flag) for claim in claims for flag in claim.flags)
    checks = tuple(check for claim in claims for check in check_claim(claim, document, visible))
    return Extraction(
        source=source,
        document=document,
        claims=tuple(claims),
        flags=flags,
        checks=checks,
        extractor=reader_name(second),
        asked=asked,
        suspicions=suspicions,
    )


def _flagged_beside(
    claims: list[Claim], document: Document, suspicions: tuple[Suspicion, ...]
) -> list[Claim]:
    """The claims, flagged where words for machines stand in their block."""
    places = [found.start for found in suspicions if found.end]
    if not places:
        return claims
    starts = [block.start for block in document.blocks]
    spoilt = {bisect_right(starts, place) for place in places}
    return [
        claim.model_copy(update={"flags": (*claim.flags, "suspicious_text")})
        if bisect_right(starts, claim.evidence.start) in spoilt
        else claim
        for claim in claims
    ]


def _repeats(opening: str) -> bool:
    """Whether the page has a byline; a reading time alone makes one of a post, not of documentation."""
    if _BYLINE.search(opening):
        return True
    own = _DOCUMENTATION.search(opening[:600]) or _FIRST_PERSON.search(opening)
    return _READING_TIME.search(opening) is not None and own is None


def _is_article(document: Document) -> bool:
    """A page about no one vendor that names several, or a long text without structure."""
    named = {vendor for vendor, _, _ in vendor_names(fold(document.text[:200_000]))}
    return len(named) > 1 or (document.form == "text" and len(document.text) > _LONG_TEXT)


def _subject(document: Document, vendor: str | None, product: str | None) -> Subject:
    if vendor is not None and product is not None:
        return Subject(vendor, product, "source", "source")
    chrome = (document.text[b.start : b.end] for b in document.blocks if b.chrome or b.end < 400)
    crumbs = next((text for text in chrome if _BREADCRUMB.search(text)), "")
    headings = tuple(
        document.text[b.start : b.end]
        for b in document.blocks
        if b.kind is BlockKind.HEADING and not b.chrome
    )
    frame = "\n".join(document.text[b.start : b.end] for b in document.blocks if b.chrome)
    body = "\n".join(document.text[b.start : b.end] for b in document.blocks if not b.chrome)
    found = page_subject(document.title, crumbs, headings, body, frame[:_LONG_TEXT] + frame[-_LONG_TEXT:])
    if vendor is None:
        return found
    product = found.product if found.vendor == vendor else None
    return Subject(vendor, product, "source", found.product_rule if product else "")
