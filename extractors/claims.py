"""From mentions to claims: whose number it is, of what, on which basis, under which condition."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from extractors.capabilities import find_capabilities
from extractors.flags import flag_names
from extractors.fold import fold
from extractors.guards import is_claimable, is_market_or_score, is_supplied
from extractors.headers import dress
from extractors.meaning import (
    Meaning,
    baseline_of,
    basis_of,
    condition_of,
    direction_of,
    improves,
    metric_of,
)
from extractors.mention import Mention
from extractors.quantities import find_mentions
from extractors.scopes import Page, Surroundings, surroundings
from extractors.subject import Subject, family_of, nearest_subject, product_names, vendor_names
from extractors.units import Dimension
from schemas.claim import Claim, Direction, Evidence
from schemas.document import Block, BlockKind
from schemas.quantity import Bound
from schemas.registry import Metric, registry
from schemas.source import Tier

GRAMMAR_VERSION = "1"
EXTRACTOR = f"grammar@{GRAMMAR_VERSION}"

_HEADER_BOUND = re.compile(
    r"最高|最大(?!集群|规模)|峰值|上限|\bmax(?:imum)?\b|\bpeak\b|up to|\bcap\b|ceiling", re.IGNORECASE
)
_HEADER_FLOOR = re.compile(r"最低|最小|\bmin(?:imum)?\b|低至", re.IGNORECASE)
_STORAGE_PAGE = re.compile(
    r"文件|存储|IOPS|吞吐|storage|file ?system|Lustre|throughput|\bSFS\b|\bNFS\b|\bPFS\b", re.IGNORECASE
)
_NETWORK_PAGE = re.compile(r"RDMA|InfiniBand|RoCE|网络|network|interconnect|fabric", re.IGNORECASE)
_CREDIT = re.compile(r"credit|赔偿|赔付|代金券|refund|返金", re.IGNORECASE)
_NEED_A_LIMIT = frozenset({"fs_capacity_max", "file_count_max", "clients_max"})
_LIMIT_WORDS = re.compile(
    r"上限|最大|最多|支持|可达|可扩展|配额|限制|\bmax|limit|quota|support|largest|up to|scale|grow|held|at most|mount",
    re.IGNORECASE,
)
_SCORED = frozenset({Dimension.FRACTION, Dimension.MONEY, Dimension.BARE})
_LIMITS = frozenset(
    {"fs_capacity_max", "file_count_max", "clients_max", "cluster_size_max", "sku_count", "model_count"}
)
_LABEL_FLOOR = re.compile(r" ?(?:以上|及以上|or more|and up)")
_GPU_MODEL = re.compile(
    r"(?:RTX ?(?:[A-Z]?\d{2,4}|\d0(?= ?系))|Tesla [A-Z]\d+|[HABVLP]\d{2,3}[sS]?|T4|MI\d{3}X?|GB\d{3}|910[BC]|昇腾 ?\d+[A-Z]?)(?: ?系)?"
)
_TIER = re.compile(
    r"型|档|级(?!别)|L\d|tier|class|^GP-|standard|premium|performance|capacity$|\d+ ?MB/s/TiB", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of the page before its first sentence.

    `article`: it is about no one vendor. `repeats`: it has a byline, so it repeats what others said.
    `best_measured_from`: the offset after which its tables hold best measured values.
    """

    source: str
    subject: Subject
    tier: Tier
    language: str
    article: bool
    repeats: bool = False
    best_measured_from: int | None = None


def read_claims(page: Page, context: Context) -> list[Claim]:
    """Every claim of a page, in the order of its text, each with a key of its own."""
    found = [*_figures(page, context), *_capabilities(page, context)]
    found.sort(key=lambda c: (c.evidence.start, c.evidence.end, c.metric))
    return _with_keys(found)


def _figures(page: Page, context: Context) -> Iterator[Claim]:
    spec_tables = _spec_tables(page)
    carried, last_named = context.subject, Subject(None, None)
    for index, block in enumerate(page.document.blocks):
        text = page.folded[block.start : block.end]
        carried = _carry(block, text, carried, context)
        last_named = Subject(None, None) if block.kind is BlockKind.HEADING else last_named
        if block.chrome or block.kind is BlockKind.CODE:
            continue
        mentions = [_shifted(m, block.start) for m in find_mentions(text, lang=context.language)]
        heading = block.kind is BlockKind.HEADING or (block.cell is not None and block.cell.is_header)
        # A bare number means nothing outside a cell, a card or a flattened row: most need no second look.
        headed = block.cell is not None or block.label is not None or index in page.flat_headers
        for which, raw in enumerate(mentions):
            if not (raw.has_unit or raw.formula or headed):
                continue
            around = surroundings(page, index, mentions, which)
            mention = dress(raw, around)
            if mention.dimension is Dimension.BARE or not is_claimable(
                mention, around, article=context.article
            ):
                continue
            if heading and mention.dimension is not Dimension.RATE_DENSITY:
                continue
            if any(m.kind == "struck" and m.start <= mention.start < m.end for m in page.document.marks):
                continue
            subject = _subject(around, carried if carried.vendor else last_named, context)
            if context.article and not is_supplied(mention, around, vendor_known=subject.vendor is not None):
                continue
            spec = block.cell is not None and block.cell.table in spec_tables
            spec = spec or block.kind is BlockKind.DEFINITION
            claim = _claim(page, mention, around, subject, context, spec_sheet=spec)
            if claim is not None:
                yield claim
        if block.kind is not BlockKind.HEADING and index not in page.flat_headers:
            last_named = _only_vendor(text) or last_named


def _shifted(mention: Mention, by: int) -> Mention:
    return replace(
        mention,
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


def _carry(block: Block, text: str, carried: Subject, context: Context) -> Subject:
    """The subject that a heading (or a row's first words) sets for what follows it."""
    if block.kind is BlockKind.HEADING and block.level > 1:
        named = nearest_subject("", text)
        foreign = named.vendor_rule.endswith("(by product)") and context.subject.vendor not in (
            None,
            named.vendor,
        )
        if named.vendor is not None and not foreign:
            return replace(named, vendor_rule="heading", product_rule="heading" if named.product else "")
        return context.subject if context.subject.vendor else Subject(None, None)
    return carried


def _only_vendor(text: str) -> Subject | None:
    """The one vendor that a paragraph is about, for the next that says only "it"."""
    named = {vendor for vendor, _, _ in vendor_names(text)}
    return Subject(named.pop(), None, "paragraph before") if len(named) == 1 else None


def _subject(around: Surroundings, carried: Subject, context: Context) -> Subject:
    """Whose number it is: the sentence, the row, the column, the paragraph, the heading, the page, in that order."""
    if any(s.name == "flat" for s in around.scopes):
        row = around.text_of("earlier") + around.before
        vendor = vendor_names(row)[0][0] if vendor_names(row) else None
        if vendor is not None:
            own = [p for v, p, _, _ in product_names(row) if v == vendor]
            return Subject(vendor, own[-1] if own else None, "row", "row" if own else "")
    rows = " ".join(s.text for s in around.scopes if s.name == "row")
    columns = " ".join(s.text for s in around.scopes if s.name == "column")
    earlier = around.text_of("earlier")
    for text, rule in (
        (around.before, "sentence"),
        (rows, "row"),
        (columns, "column"),
        (earlier, "paragraph"),
    ):
        named = nearest_subject(text, "")
        if named.vendor is None:
            continue
        if named.vendor_rule.endswith("(by product)") and context.subject.vendor not in (None, named.vendor):
            continue  # on a vendor's own page a name that another vendor also uses is the page's own
        if context.subject.vendor in (None, named.vendor) or rule != "paragraph":
            product = named.product or (
                carried.product if carried.vendor == named.vendor else
                context.subject.product if context.subject.vendor == named.vendor else None
            )  # fmt: skip
            return Subject(named.vendor, product, rule, rule if named.product else carried.product_rule)
    if carried.vendor is not None:
        return carried
    return context.subject


def _claim(
    page: Page,
    mention: Mention,
    around: Surroundings,
    subject: Subject,
    context: Context,
    *,
    spec_sheet: bool,
) -> Claim | None:
    family = family_of(subject.vendor, subject.product)
    if family == "any":
        family = _family_here(page, around)
    meaning, dimension = _meaning(mention, around, family)
    if meaning is None or (mention.dimension in _SCORED and is_market_or_score(around)):
        return None
    metric = meaning.metric
    per_tib = re.search(r"(?i)TiB", around.text_of("column", "row")) is not None
    amounts = _amounts(mention, metric, dimension, binary=per_tib)
    if amounts is None:
        return None
    low, high, unit = amounts
    if metric.name == "sla_availability" and _is_threshold(page, mention, around):
        return None
    if metric.name in _NEED_A_LIMIT and not _is_limit(mention, around):
        return None
    if metric.floor is not None and low is not None and low < metric.floor:
        return None
    basis, basis_rule = basis_of(
        metric, mention, around, spec_sheet=spec_sheet and family in ("storage", "any")
    )
    bound, best_case = _bound(mention, metric, around, context)
    if bound is Bound.EXACT and high is not None:
        bound = Bound.RANGE
    qualifiers = _qualifiers(mention, metric, around)
    if metric.name == "relative_improvement" and (of := improves(around)):
        qualifiers["of"] = of
    start, end = _quote_span(page, mention, meaning, around)
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
        basis=basis,
        direction=Direction(direction_of(metric, around)),
        condition=condition_of(metric, mention, around),
        baseline=baseline_of(around) if metric.name == "relative_improvement" else None,
        qualifiers=qualifiers,
        evidence=Evidence(quote=page.document.text[start:end], start=start, end=end, path=around.path),
        extractor=EXTRACTOR,
        rules={
            "metric": meaning.rule,
            "basis": basis_rule,
            "vendor": subject.vendor_rule or "not named",
            "product": subject.product_rule or "not named",
        },
    )
    flags = flag_names(metric, mention, draft, around, tier=context.tier, repeats=context.repeats)
    return draft.model_copy(update={"flags": flags})


def _family_here(page: Page, around: Surroundings) -> str:
    """What a page or a table of an unknown product is about, by its title and its column titles."""
    top = page.tops.get(around.block.cell.table, "") if around.block.cell is not None else ""
    heading = around.text_of("heading", "title")
    for text in (top, heading):
        storage, network = _STORAGE_PAGE.search(text), _NETWORK_PAGE.search(text)
        if storage and not network:
            return "storage"
        if network and not storage:
            return "network"
    return "any"


def _is_threshold(page: Page, mention: Mention, around: Surroundings) -> bool:
    """A step of a credit table (below 99.9 %: 10 % back) promises nothing by itself."""
    top = page.tops.get(around.block.cell.table, "") if around.block.cell is not None else ""
    return mention.bound is Bound.AT_MOST or _CREDIT.search(top) is not None


def _is_limit(mention: Mention, around: Surroundings) -> bool:
    """Whether a capacity or a count is given as what is supported at most, not as the size of one thing."""
    if mention.bound is not Bound.EXACT:
        return True
    return _LIMIT_WORDS.search(around.sentence + "\n" + "\n".join(around.headers)) is not None


def _meaning(mention: Mention, around: Surroundings, family: str) -> tuple[Meaning | None, Dimension]:
    """The metric, and the dimension under which the figure is read (GB worded as a rate is a rate)."""
    dimension = mention.dimension
    if dimension is Dimension.DATA:
        near = around.text_of("near", "label", "column")
        if re.search(r"吞吐|每秒|throughput|带宽", near):
            dimension = Dimension.DATA_RATE
    if dimension is Dimension.DATA_RATE and mention.dimension is Dimension.DATA_RATE:
        columns = around.text_of("column", "row")
        if re.search(r"(?i)per ?Ti?B\b|每 ?Ti?B", columns):
            return Meaning(registry().metric("throughput_per_capacity"), f"column: {columns}"), dimension
    return metric_of(mention, around, family, dimension), dimension


def _amounts(
    mention: Mention, metric: Metric, dimension: Dimension, *, binary: bool
) -> tuple[Decimal | None, Decimal | None, str] | None:
    """The figure in the metric's canonical unit."""
    unit, factor = metric.unit, Decimal(1)
    written = mention.dimension
    if written is Dimension.DATA_RATE:
        factor = Decimal(1) if unit == "bit/s" else Decimal("0.125")
        if unit == "byte/s/TiB" and not binary:
            factor *= Decimal(2) ** 40 / Decimal(10) ** 12
    elif written is Dimension.DATA and dimension is Dimension.DATA_RATE and unit == "bit/s":
        factor = Decimal(8)
    elif written is Dimension.MONEY:
        unit = mention.unit.currency
    elif written is Dimension.RATIO:
        unit = "ratio"
    elif written is Dimension.FRACTION:
        unit = "fraction"
    if metric.name != "relative_improvement" and unit == "ratio":
        return None
    low = None if mention.low is None else mention.low * factor
    high = None if mention.high is None else mention.high * factor
    return low, high, unit


def _bound(mention: Mention, metric: Metric, around: Surroundings, context: Context) -> tuple[Bound, bool]:
    bound, best = mention.bound, mention.best_case
    headers = "\n".join(around.headers)
    if metric.name == "relative_improvement":
        return bound, best
    if bound is Bound.EXACT and _LABEL_FLOOR.match(around.text_of("label")):
        return Bound.AT_LEAST, best
    if _HEADER_BOUND.search(headers):
        if bound is Bound.EXACT:
            bound = Bound.AT_MOST
        best = best or (metric.name not in _LIMITS and bound is not Bound.FORMULA)
    elif bound is Bound.EXACT and _HEADER_FLOOR.search(headers):
        bound, best = Bound.AT_LEAST, metric.better == "lower"
    measured = context.best_measured_from is not None and mention.start >= context.best_measured_from
    if measured and metric.family == "storage" and bound is Bound.EXACT and around.block.cell is not None:
        bound, best = Bound.AT_MOST, True
    return bound, best


def _qualifiers(mention: Mention, metric: Metric, around: Surroundings) -> dict[str, str]:
    out: dict[str, str] = {}
    if mention.formula:
        out["formula"] = mention.formula
    if metric.name == "gpu_memory":
        models = _GPU_MODEL.findall(around.before) or _GPU_MODEL.findall("\n".join(around.headers))
        if models:
            out["model"] = models[-1].strip()
    if metric.family == "storage":
        for scope in around.scopes:
            if scope.name in ("row", "column") and _TIER.search(scope.text) and len(scope.text) <= 40:
                out["tier"] = scope.text.strip()
                break
        else:
            tier = re.findall(
                r"(?:极速型|标准型|增强型|通用型|性能型|容量型)(?: ?L\d)?|L\d(?: 极速型)?", around.before
            )
            if tier:
                out["tier"] = tier[-1]
    if (plane := re.findall(r"([A-Z]{2,5}) ?平面", around.before)) and metric.family == "network":
        out["plane"] = plane[-1]
    return out


def _quote_span(page: Page, mention: Mention, meaning: Meaning, around: Surroundings) -> tuple[int, int]:
    """The words that carry the claim: the figure with its bound, and the deciding cue of the same sentence."""
    start, end = min(mention.reach, mention.start), max(mention.tail, mention.end)
    sentence_end = around.sentence_start + len(around.sentence)
    if around.sentence_start <= meaning.cue_start and meaning.cue_end <= sentence_end:
        start, end = min(start, meaning.cue_start), max(end, meaning.cue_end)
    text = page.document.text
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _capabilities(page: Page, context: Context) -> Iterator[Claim]:
    seen: set[tuple[str | None, str | None, str, str | None]] = set()
    vendors_named = bool(vendor_names(page.folded))
    at_block, last_named = -1, Subject(None, None)
    for found in find_capabilities(page):
        block = page.document.blocks[found.block]
        before = page.folded[block.start : found.cue_start]
        headings = fold("\n".join(block.headings if context.article else block.headings[1:]))
        rows = "\n".join(fold(h.text) for h in block.cell.row_headers) if block.cell else ""
        subject = context.subject if context.subject.vendor else last_named
        if found.block != at_block:
            at_block, last_named = found.block, _named_before(page, found.block)
            subject = context.subject if context.subject.vendor else last_named
        for text, rule in ((before, "sentence"), (rows, "row"), (headings, "heading")):
            named = _first_of_row(text) if found.block in page.flat_headers else nearest_subject(text, "")
            foreign = named.vendor_rule.endswith("(by product)") and context.subject.vendor
            if named.vendor is not None and foreign in (None, "", False, named.vendor):
                subject = replace(named, vendor_rule=rule, product_rule=rule if named.product else "")
                break
        if subject.vendor is None and (context.article and vendors_named):
            continue  # a general remark in an article about several vendors
        place = block.headings[-1] if context.article and block.headings else subject.product
        key = (subject.vendor, place, found.name, found.of)
        if key in seen:
            continue
        seen.add(key)
        qualifiers = {"capability": found.name} | ({"of": found.of} if found.of else {})
        on_request = found.name in ("allowlist_only", "by_ticket_only")
        flags = (
            ("on_request_only",)
            if on_request
            else ("not_disclosed",)
            if found.name == "not_disclosed"
            else ()
        )
        yield Claim(
            claim_key="draft",
            source=context.source,
            vendor=subject.vendor,
            product=subject.product,
            metric="capability",
            low=Decimal(1),
            unit="bool",
            text_value=None,
            bound=Bound.EXACT,
            basis="unspecified",
            qualifiers=qualifiers,
            evidence=Evidence(
                quote=page.document.text[found.start : found.end],
                start=found.start,
                end=found.end,
                path=tuple(block.headings),
            ),
            flags=flags,
            extractor=EXTRACTOR,
            rules={"metric": "cue", "vendor": subject.vendor_rule or "not named"},
        )


def _named_before(page: Page, index: int) -> Subject:
    """The one vendor that the paragraphs before this one, in its section, are about."""
    for block in reversed(page.document.blocks[max(0, index - 4) : index]):
        if block.kind is BlockKind.HEADING:
            break
        if named := _only_vendor(page.folded[block.start : block.end]):
            return named
    return Subject(None, None)


def _first_of_row(row: str) -> Subject:
    named = vendor_names(row)
    return Subject(named[0][0], None, "row") if named else Subject(None, None)


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
