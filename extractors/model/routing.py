"""Which passages a model is asked about: those that the rules leave open, and no others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from extractors.basis import bases_named
from extractors.capabilities import clause_of, is_denied
from extractors.claims import Figure, rivals_of
from extractors.cues import basis_hits, capability_cues
from extractors.model.passages import Passage, metrics_for, passages, shown
from extractors.page import Page
from extractors.subject import product_names, vendor_names
from schemas.claim import Claim
from schemas.document import BlockKind
from schemas.registry import registry

METRIC_UNKNOWN = "metric unknown"
METRIC_DISPUTED = "metric disputed"
BASIS_OPEN = "basis not said here"
SUBJECT_OPEN = "subject unclear"
NO_HEADERS = "table without headers"
CAPABILITY = "capability not settled"

_CLOSE = 1.5
"""A rival within so much of the winner's weight makes the metric disputed. A strong word weighs 3, a weak one 1."""
_LOUD = 0.5
_MOST_ELSEWHERE = 4
_BASIS_FLAGS = frozenset({"basis_unspecified", "scale_scope_unclear"})


@dataclass(frozen=True, slots=True)
class Routed:
    """The questions about a page, and of how many blocks it has how many they show."""

    passages: tuple[Passage, ...]
    blocks: int
    sent: int


def route(page: Page, figures: Sequence[Figure], claims: Sequence[Claim]) -> Routed:
    """What is asked of a page whose figures and claims these are, in the order of its text. Pure."""
    by_block: dict[int, list[Figure]] = defaultdict(list)
    for figure in figures:
        by_block[figure.block].append(figure)
    capabilities = _open_capabilities(page, claims)
    named = bool(vendor_names(page.folded))
    found: list[Passage] = []
    for block in sorted({*by_block, *capabilities}):
        here = by_block.get(block, [])
        reasons = {i: _reasons(page, figure, page_names_a_vendor=named) for i, figure in enumerate(here)}
        asked = {i: why for i, why in reasons.items() if why}
        if block in capabilities:
            asked[-1] = {CAPABILITY}
        if asked:
            bases = any(BASIS_OPEN in why for why in asked.values())
            elsewhere = _elsewhere(page, block, here) if bases else ()
            found += passages(page, block, here, asked, elsewhere)
    shown = {passage.block for passage in found}
    return Routed(tuple(found), sum(not b.chrome for b in page.document.blocks), len(shown))


def _reasons(page: Page, figure: Figure, *, page_names_a_vendor: bool) -> set[str]:
    claim, block = figure.claim, page.document.blocks[figure.block]
    if claim is None or claim.metric == "other":
        weights = _rivals(page, figure)
        headless = block.cell is not None and not block.cell.col_headers and not block.cell.row_headers
        if headless and metrics_for(figure):
            return {NO_HEADERS}
        return {METRIC_UNKNOWN} if max(weights.values(), default=0) > 0 else set()
    out = set()
    if len(disputed(page, figure)) > 1:
        out.add(METRIC_DISPUTED)
    if _BASIS_FLAGS & set(claim.flags) and _elsewhere(page, figure.block, [figure]):
        out.add(BASIS_OPEN)
    if claim.vendor is None and page_names_a_vendor:
        out.add(SUBJECT_OPEN)
    return out


def disputed(page: Page, figure: Figure) -> frozenset[str]:
    """The metrics between which the words about a figure leave a doubt: the one read, and those close to it."""
    if figure.claim is None:
        return frozenset()
    weights = _rivals(page, figure)
    own = weights.get(figure.claim.metric, 0.0)
    close = {name for name, weight in weights.items() if weight >= max(_LOUD, own - _CLOSE)}
    return frozenset(close | {figure.claim.metric})


def _rivals(page: Page, figure: Figure) -> dict[str, float]:
    return rivals_of(page, figure.mention, figure.around, figure.subject)[0]


def _elsewhere(page: Page, block: int, figures: Sequence[Figure]) -> tuple[str, ...]:
    """Sentences of other blocks that name a basis on which one of the figures can be, as the page has them in order.

    They are the nearest before and after by their turn, not by a distance: other blocks that come or go between them
    change nothing, and what was asked once is found in the cache.
    """
    metrics = {figure.claim.metric for figure in figures if figure.claim}
    if not metrics:
        return ()
    before: list[tuple[int, str]] = []
    after: list[tuple[int, str]] = []
    for index, other in enumerate(page.document.blocks):
        if other.chrome or index == block or other.kind is BlockKind.CODE:
            continue
        folded = page.folded[other.start : min(other.end, other.start + 1200)]
        hits = basis_hits(folded)
        if not hits:
            continue
        at = other.start + hits[0].start
        text = shown(page, max(other.start, at - 80), min(other.end, at + 100)).strip()
        if any(bases_named(text, registry().metric(name)) for name in metrics):
            (before if index < block else after).append((index, text))
    near = [hit for pair in zip_longest(reversed(before), after) for hit in pair if hit]
    return tuple(text for _, text in sorted(near[:_MOST_ELSEWHERE]))


def _open_capabilities(page: Page, claims: Sequence[Claim]) -> set[int]:
    """Blocks that name a capability which the rules took from nowhere, or took for another product."""
    known: dict[str, set[str | None]] = defaultdict(set)
    for claim in claims:
        if claim.metric == "capability":
            known[claim.qualifiers["capability"]].add(claim.product)
    out = set()
    for index, block in enumerate(page.document.blocks):
        if block.chrome or block.kind in (BlockKind.HEADING, BlockKind.CODE):
            continue
        text = page.folded[block.start : block.end]
        for (capability, against), cues in capability_cues().of(text):
            if capability.name == "not_disclosed":
                continue
            for match in cues.finditer(text):
                start, end = clause_of(text, match.start(), match.end())
                if against is not None and against.search(text[start:end]):
                    continue
                if is_denied(page, index, text, match.start(), match.end()):
                    continue
                products = {product for _, product, _, _ in product_names(text)}
                if capability.name not in known or products - known[capability.name]:
                    out.add(index)
    return out
