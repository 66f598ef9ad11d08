"""From mentions to claims: whose number it is, of what, on which basis, under which condition."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple

from extractors.basis import Told, basis_of, direction_of
from extractors.capability_claims import capability_claims
from extractors.conditions import baseline_of, condition_of, improves
from extractors.context import EXTRACTOR, Context
from extractors.cues import metric_dimensions
from extractors.figures import (
    NEED_A_LIMIT,
    amounts_of,
    bound_of,
    contradicts,
    is_limit,
    is_threshold,
    qualifiers_of,
    quote_span,
)
from extractors.flags import flag_names
from extractors.guards import is_claimable, is_market_or_score, is_supplied
from extractors.headers import dress, said_before
from extractors.meaning import Meaning, metric_of, weights_of
from extractors.mention import Mention
from extractors.page import Page
from extractors.quantities import find_mentions
from extractors.scopes import Surroundings, surroundings
from extractors.subject import Subject, family_of
from extractors.units import Dimension
from extractors.whose import carry, only_vendor, subject_of
from schemas.claim import Claim, Direction, Evidence
from schemas.document import BlockKind
from schemas.extraction import MOST_CLAIMS
from schemas.quantity import Bound
from schemas.registry import Metric, registry

_SUM_OF_THEM = re.compile(
    r"共|合计|总计|总共|累计|in total|pooled|altogether|together|combined|sums? to", re.IGNORECASE
)
_STORAGE_PAGE = re.compile(
    r"文件|存储|IOPS|吞吐|storage|file ?system|Lustre|throughput|\bSFS\b|\bNFS\b|\bPFS\b", re.IGNORECASE
)
_NETWORK_PAGE = re.compile(r"RDMA|InfiniBand|RoCE|网络|network|interconnect|fabric", re.IGNORECASE)
_MEMORY = re.compile(r"高带宽内存|high-bandwidth memory|HBM|显存", re.IGNORECASE)
_PER_CAPACITY = re.compile(
    r"(?:每(?:个|增加|新增)? ?|(?:per|for each|for every|each|every) (?:\w+ )?)([TGP]i?B)(?![/A-Za-z])",
    re.IGNORECASE,
)
# 125, 250 or 500 MB/s of throughput per TiB
_LISTED_PER_TIB = re.compile(
    r"(?:,? (?:and |or )?|、|/)\d[^.;。；]{0,60}?(?:per TiB\b|每 ?TiB)(?!/)", re.IGNORECASE
)
_BARE_MULTIPLE = re.compile(r"翻倍|减半|(?i:halved|halves|doubles|doubled)")
_SORTS = {"fs_throughput": "throughput", "fs_iops": "iops", "fs_latency": "latency"}
_A_FILE_SYSTEM = re.compile(r"文件系统|file ?system|集群|cluster|聚合|aggregate|总", re.IGNORECASE)
_KEPT_AS_OTHER = frozenset({Dimension.MONEY, Dimension.FLOPS})
_SCORED = frozenset({Dimension.FRACTION, Dimension.MONEY, Dimension.BARE})


class Beside(NamedTuple):
    """The claim before this one in its block: its metric, its basis, and where its sentence begins."""

    metric: str
    basis: str
    sentence_start: int

    def is_with(self, around: Surroundings) -> bool:
        """Whether a figure with these surroundings stands in the same sentence of running text."""
        return self.sentence_start == around.sentence_start and around.block.cell is None


ALONE = Beside("", "", -1)


def read_claims(page: Page, context: Context) -> list[Claim]:
    """Every claim of a page, in the order of its text, each with a key of its own.

    At most one more than MOST_CLAIMS: a page that states more is a trap or a dump, which the ledger refuses.
    """
    figures = (figure.claim for figure in figures_of(page, context) if figure.claim is not None)
    return ordered(islice(chain(figures, capability_claims(page, context)), MOST_CLAIMS + 1))


def ordered(claims: Iterable[Claim]) -> list[Claim]:
    """The claims of one page in the order of its text, each with a key of its own."""
    return _with_keys(sorted(claims, key=lambda c: (c.evidence.start, c.evidence.end, c.metric)))


class Figure(NamedTuple):
    """A number that may state something, what stands around it, and the claim that the rules make of it, if any."""

    block: int
    mention: Mention
    around: Surroundings
    subject: Subject
    spec_sheet: bool
    claim: Claim | None
    beside: Beside = ALONE


def figures_of(page: Page, context: Context) -> Iterator[Figure]:
    """Every number of a page that is not ruled out as a claim, in order."""
    spec_tables = _spec_tables(page)
    carried, last_named = context.subject, Subject(None, None)
    for index, block in enumerate(page.document.blocks):
        text = page.folded[block.start : block.end]
        carried = carry(block, text, carried, context)
        last_named = Subject(None, None) if block.kind is BlockKind.HEADING else last_named
        if block.chrome or block.kind is BlockKind.CODE:
            continue
        mentions = [_shifted(m, block.start) for m in find_mentions(text, lang=context.language)]
        heading = (block.kind is BlockKind.HEADING and block.label is None) or (
            block.cell is not None and block.cell.is_header
        )
        # A bare number means nothing outside a cell, a card or a flattened row: most need no second look.
        headed = block.cell is not None or block.label is not None or index in page.flat_headers
        beside = ALONE
        for which, raw in enumerate(mentions):
            if not (raw.has_unit or raw.formula or headed or said_before(text[: raw.start - block.start])):
                continue
            around = surroundings(page, index, mentions, which)
            mention = dress(raw, around)
            if mention.dimension is Dimension.BARE or not is_claimable(
                mention, around, article=context.article
            ):
                continue
            if heading and mention.dimension is not Dimension.RATE_DENSITY:
                continue
            subject = subject_of(around, carried if carried.vendor else last_named, context)
            if context.article and not is_supplied(mention, around, vendor_known=subject.vendor is not None):
                continue
            spec = block.cell is not None and block.cell.table in spec_tables
            spec = spec or block.kind is BlockKind.DEFINITION
            claim = claim_of(page, mention, around, subject, context, spec_sheet=spec, beside=beside)
            if claim is not None and which and contradicts(page.folded, mentions[which - 1], raw):
                claim = claim.model_copy(update={"flags": (*claim.flags, "internal_error")})
            yield Figure(index, mention, around, subject, spec, claim, beside)
            if claim is not None:
                beside = Beside(claim.metric, claim.basis, around.sentence_start)
        if block.kind is not BlockKind.HEADING and index not in page.flat_headers:
            last_named = only_vendor(text) or last_named


def _shifted(mention: Mention, by: int) -> Mention:
    return mention._replace(
        start=mention.start + by,
        end=mention.end + by,
        unit_start=mention.unit_start + by,
        reach=mention.reach + by,
        tail=mention.tail + by,
    )


def _spec_tables(page: Page) -> frozenset[int]:
    """Tables that list one product's limits: they hold a formula or a figure per capacity."""
    found = set()
    for block in page.document.blocks:
        if block.cell is not None and block.cell.table not in found:
            text = page.folded[block.start : block.end]
            if re.search(r"min ?[{(]|B/s/|Bps/|/ ?Ti?B|Per TB|(?:1|2)\d{3} 表示", text):
                found.add(block.cell.table)
    return frozenset(found)


def claim_of(
    page: Page,
    mention: Mention,
    around: Surroundings,
    subject: Subject,
    context: Context,
    *,
    spec_sheet: bool,
    beside: Beside,
    chosen: Meaning | None = None,
) -> Claim | None:
    """The claim that a mention makes; None where no metric fits. `chosen`: its metric, where others decided it."""
    family = family_of(subject.vendor, subject.product)
    if family == "any":
        family = _family_here(page, around)
    meaning, dimension = _meaning(mention, around, family)
    if meaning is not None and beside.is_with(around):
        meaning = _of_the_same(meaning, beside.metric, around)
    meaning = chosen or meaning or _sum_of(beside, around, dimension)
    if meaning is None and mention.dimension in _KEPT_AS_OTHER and not context.article:
        meaning = Meaning(
            registry().metric("other"), f"a figure in {mention.dimension.value} of no known metric"
        )
    if meaning is None or (mention.dimension in _SCORED and is_market_or_score(around)):
        return None
    metric = meaning.metric
    listed = _LISTED_PER_TIB.match(around.after)
    per = _PER_CAPACITY.search(around.text_of("near", "column", "row") + (listed.group() if listed else ""))
    amounts = amounts_of(mention, metric, dimension, per=per[1] if per else "TB")
    if amounts is None:
        return None
    low, high, unit = amounts
    if metric.name == "sla_availability" and is_threshold(page, mention, around):
        return None
    if metric.name in NEED_A_LIMIT and not is_limit(mention, around):
        return None
    told = _basis(basis_of(metric, mention, around, spec_sheet=spec_sheet), metric, beside, around)
    bound, best_case = bound_of(mention, metric, around, context)
    if bound is Bound.EXACT and high is not None:
        bound = Bound.RANGE
    qualifiers = qualifiers_of(mention, metric, around)
    if metric.name == "relative_improvement":
        of = improves(around)
        if of is None and _says_of_nothing(page, mention, around):
            return None
        qualifiers |= {"of": of} if of else {}
    start, end = quote_span(page, mention, meaning, told, around)
    draft = Claim(
        claim_key="draft",
        source=context.source,
        vendor=subject.vendor,
        product=subject.product,
        metric=metric.name,
        low=low,
        high=high,
        unit=unit,
        text_value=page.document.text[mention.start : mention.end],
        unit_as_written=page.document.text[mention.unit_start : mention.end].strip(),
        bound=bound,
        best_case=best_case,
        basis=told.basis,
        direction=Direction(direction_of(metric, around)),
        condition=condition_of(metric, mention, around),
        baseline=baseline_of(around) if metric.name == "relative_improvement" else None,
        qualifiers=qualifiers,
        evidence=Evidence(quote=page.document.text[start:end], start=start, end=end, path=around.path),
        extractor=EXTRACTOR,
        rules={
            "metric": meaning.rule,
            "basis": told.rule,
            "vendor": subject.vendor_rule or "not named",
            "product": subject.product_rule or "not named",
        },
    )
    return with_flags(page, mention, draft, around, context)


def with_flags(page: Page, mention: Mention, claim: Claim, around: Surroundings, context: Context) -> Claim:
    """The claim with the flags that its fields as they are call for."""
    top = page.tops.get(around.block.cell.table, "") if around.block.cell is not None else ""
    metric = registry().metric(claim.metric)
    # What a vendor prints of another vendor is a copy.
    own = context.subject
    foreign = None not in (own.vendor, claim.vendor) and claim.vendor != own.vendor
    foreign = foreign and own.vendor_rule in ("source", "title", "heading", "frame")
    flags = flag_names(
        metric, mention, claim, around, tier=context.tier, repeats=context.repeats or foreign, top=top
    )
    kept = ("internal_error",) if "internal_error" in claim.flags else ()
    return claim.model_copy(update={"flags": (*flags, *kept)})


def rivals_of(
    page: Page, mention: Mention, around: Surroundings, subject: Subject
) -> tuple[dict[str, float], Dimension]:
    """The metrics that words around a mention name, each with its weight, and the dimension it is read under."""
    family = family_of(subject.vendor, subject.product)
    family = _family_here(page, around) if family == "any" else family
    dimension = _meaning(mention, around, family)[1]
    return weights_of(mention, around, family, dimension)[0], dimension


def _says_of_nothing(page: Page, mention: Mention, around: Surroundings) -> bool:
    """FP8 doubles, writes are halved: no improvement of anything that is named."""
    alone = _BARE_MULTIPLE.fullmatch(page.folded[mention.start : mention.end]) is not None
    return alone and baseline_of(around) is None


def _sum_of(beside: Beside, around: Surroundings, dimension: Dimension) -> Meaning | None:
    """128GB/NPU，超节点共 48TB: a sum that names no metric is of the figure before it, where that is counted alike."""
    if not beside.is_with(around) or _SUM_OF_THEM.search(around.text_of("near")) is None:
        return None
    before = registry().metric(beside.metric)
    return (
        Meaning(before, "the sum of the figures before it")
        if dimension in metric_dimensions(before)
        else None
    )


def _basis(told: Told, metric: Metric, beside: Beside, around: Surroundings) -> Told:
    """The basis, where none is said that of the storage figure before it in the sentence."""
    if metric.family != "storage" or not beside.is_with(around):
        return told
    owner = metric.name.partition("_")[0]
    if (
        owner in ("block", "client")
        and told.rule == "implied by the metric"
        and beside.metric.startswith(owner)
    ):
        return Told(beside.basis, "as the figure before it")
    if told.basis != "unspecified":
        return told
    return Told(beside.basis, "as the figure before it") if beside.metric == metric.name else told


def _of_the_same(meaning: Meaning, before: str, around: Surroundings) -> Meaning:
    """One client reads 3 GB/s and writes 2 GB/s: a figure that follows a client's or a volume's is theirs too."""
    owner, _, _ = before.partition("_")
    sort = _SORTS.get(meaning.metric.name)
    if owner not in ("client", "block") or sort is None or _A_FILE_SYSTEM.search(around.text_of("near")):
        return meaning
    name = f"{owner}_bandwidth" if (owner, sort) == ("client", "throughput") else f"{owner}_{sort}"
    metric = registry().metrics.get(name)
    return Meaning(metric, f"as the figure before it: {before}") if metric is not None else meaning


def _family_here(page: Page, around: Surroundings) -> str:
    """What a page or a table of an unknown product is about, by its title and its column titles."""
    top = page.tops.get(around.block.cell.table, "") if around.block.cell is not None else ""
    heading = around.text_of("heading", "title")
    return next((family for family in map(_family_in, (top, heading)) if family != "any"), "any")


@lru_cache(maxsize=1024)
def _family_in(text: str) -> str:
    storage, network = _STORAGE_PAGE.search(text), _NETWORK_PAGE.search(text)
    if (storage is None) == (network is None):
        return "any"
    return "storage" if storage else "network"


def _meaning(mention: Mention, around: Surroundings, family: str) -> tuple[Meaning | None, Dimension]:
    """The metric, and the dimension under which the figure is read (GB worded as a rate is a rate)."""
    dimension = mention.dimension
    if dimension is Dimension.DATA:
        near = around.text_of("near", "label", "column")
        written_in_bits = mention.unit.bytes_written is False
        at = around.sentence_start
        if "iB" in around.sentence[mention.unit_start - at : mention.end - at]:
            pass  # a TiB that is bought, though its sentence speaks of throughput
        elif (
            re.search(r"(?i)吞吐|每秒|throughput|带宽|频宽|bandwidth", near) and not _MEMORY.search(near)
        ) or (
            written_in_bits
            and _NETWORK_PAGE.search(around.text_of("near", "segment", "label", "column", "row"))
        ):
            dimension = Dimension.DATA_RATE
    if dimension is Dimension.DATA_RATE and mention.dimension is Dimension.DATA_RATE:
        columns = around.text_of("column", "row")
        if re.search(r"(?i)per ?[TG]i?B\b|每 ?[TG]i?B", columns):
            return Meaning(registry().metric("throughput_per_capacity"), f"column: {columns}"), dimension
    if dimension is Dimension.DATA_RATE and (
        _PER_CAPACITY.search(around.text_of("near")) or _LISTED_PER_TIB.match(around.after)
    ):
        return Meaning(registry().metric("throughput_per_capacity"), "near: per TiB"), dimension
    if dimension is Dimension.OPS and _PER_CAPACITY.search(around.text_of("near", "column", "row")):
        return Meaning(registry().metric("iops_per_capacity"), "near: per TiB"), dimension
    return metric_of(mention, around, family, dimension), dimension


def _with_keys(claims: list[Claim]) -> list[Claim]:
    """Keys by what the statement is about, never by its value; the n-th of several alike is told by its place."""
    counts: Counter[str] = Counter()
    out = []
    for claim in claims:
        qualifiers = {k: v for k, v in claim.qualifiers.items() if k != "formula"}
        parts = (
            claim.source,
            claim.vendor or "",
            claim.product or "",
            claim.metric,
            claim.basis,
            claim.condition.get("access", ""),
            claim.condition.get("size", ""),
            *(f"{k}={v}" for k, v in sorted(qualifiers.items())),
        )
        about = "\x1f".join(parts)
        counts[about] += 1
        digest = hashlib.sha256(f"{about}\x1f{counts[about]}".encode()).hexdigest()[:16]
        out.append(claim.model_copy(update={"claim_key": digest}))
    return out
