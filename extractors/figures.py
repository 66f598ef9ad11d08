"""A figure of a known metric: its amount in the canonical unit, its bound, its qualifiers, the words that carry it."""

from __future__ import annotations

import re
from decimal import Decimal

from extractors.basis import Told
from extractors.context import Context
from extractors.meaning import Meaning
from extractors.mention import Mention
from extractors.page import Page
from extractors.quantities import canonical_unit
from extractors.scopes import Surroundings
from extractors.units import Dimension, tib_in
from schemas.quantity import Bound
from schemas.registry import Metric

_HEADER_BOUND = re.compile(
    r"最高|最大(?!集群|规模)|峰值|上限|封顶|到顶|顶格|限额|\bmax(?:imum)?\b|\bpeak\b|up to|\bcap\b|ceiling"
    r"|upper bounds?|höchstens|maximal|tops? out|\b(?:largest|biggest)\b|\blimit\b(?!ed)|\btop\b|最大値|上限値",
    re.IGNORECASE,
)
_HEADER_FLOOR = re.compile(r"最低|最小|最快|最短|\bmin(?:imum)?\b(?!utes?)|低至|as low as", re.IGNORECASE)
_TOPS_OUT = re.compile(r"tops? out|upper bounds?|封顶", re.IGNORECASE)
_PROMISE = re.compile(r"commit|uptime|availab|可用性|可用率|承诺|SLA|稼働率|Verfügbarkeit", re.IGNORECASE)
_CREDIT = re.compile(r"credit|赔偿|赔付|代金券|refund|返金", re.IGNORECASE)
NEED_A_LIMIT = frozenset({"fs_capacity_max", "file_count_max", "clients_max"})
_THRESHOLD = re.compile(r"(?:不足|不到|高于|大于|小于|低于|超过|超出) ?$")
_IF = re.compile(r" ?(?:时|的(?!文件)|后|,|，)")
_VARIED = re.compile(
    r"(?:并发)?(?:客户端|节点|挂载点|文件)(?:数量?)?|(?:number of |concurrent |#)?(?:clients|nodes|files)",
    re.IGNORECASE,
)
_LIMIT_WORDS = re.compile(
    r"上限|最大|文件数|客户端数|单个?文件系统|最多|支持|可达|可扩展|配额|限制|\bmax|limit|quota|support|largest"
    r"|tops? out|ceiling|upper bound|maximal|höchstens|Grenzwert|Kontingent|up to|scale|grow|held|at most|mount"
    r"|仍可|仍能|稳定服务|\bstill\b|并发|同时|挂载|总数|concurrent|simultaneous",
    re.IGNORECASE,
)
_LIMITS = frozenset(
    {"fs_capacity_max", "file_count_max", "clients_max", "cluster_size_max", "sku_count", "model_count"}
)
# How many or how much is allowed is a quota, however it is worded.
_AT_MOST = re.compile(r" at (?:the )?most", re.IGNORECASE)
_GROWS = re.compile(r"grow|up to|as (?:large|big|much) as|scal|可达|扩展|扩容|高达|最高|まで", re.IGNORECASE)
_QUOTAS = frozenset({"file_count_max", "clients_max", "sku_count", "model_count"})
_PEAK_OF = re.compile(r"\bpeak (?:[\w-]+ ){1,3}of ?$", re.IGNORECASE)
_RATES = frozenset({"bit/s", "byte/s", "1/s"})
_CAPPED = re.compile(
    r"(?:capped at|limited to|höchstens|\ba (?:limit|cap|ceiling) of|\bmaximum (?:\w+ ){1,4}(?:is|of)|(?:ceiling|cap|limit) (?:is|of)"
    r"|上限(?:则?[为是]|提到|到)?) ?$",
    re.IGNORECASE,
)
_LABEL_FLOOR = re.compile(r" ?(?:以上|及以上|or more|and up)")
_GPU_MODEL = re.compile(
    r"(?:RTX ?(?:[A-Z]?\d{2,4}|\d0(?= ?系))|Tesla [A-Z]\d+|[HABVLP]\d{2,3}[sS]?|T4|MI\d{3}X?|GB\d{3}|910[BC]|昇腾 ?\d+[A-Z]?)(?: ?系)?"
)
_TIER = re.compile(
    r"型|档|级(?!别)|L\d|tier|class|^GP-|standard|premium|performance|capacity$|\d+ ?MB/s/TiB", re.IGNORECASE
)
_ABSURD = Decimal(10) ** 24
_RESTATES = re.compile(r" ?[(（]?(?:即|也就是|相当于|合|i\.e\.,?|that is,?|=) ?")


def amounts_of(
    mention: Mention, metric: Metric, dimension: Dimension, *, per: str
) -> tuple[Decimal | None, Decimal | None, str] | None:
    """The figure in the metric's canonical unit. `per`: the capacity that its words give it for (TiB, GB)."""
    unit, factor = metric.unit, Decimal(1)
    written = mention.dimension
    if written is Dimension.DATA_RATE:
        factor = Decimal(1) if unit == "bit/s" else Decimal("0.125")
        if unit == "byte/s/TiB":
            factor *= tib_in(per)
    elif written is Dimension.DATA and dimension is Dimension.DATA_RATE and unit == "bit/s":
        factor = Decimal(8)
    elif written is Dimension.OPS and unit == "1/s/TiB":
        factor = tib_in(per)  # 每 TB 6000 IOPS
    elif written is Dimension.MONEY:
        unit = mention.unit.currency
    elif written is Dimension.RATIO:
        unit = "ratio"
    elif written is Dimension.FRACTION:
        unit = "fraction"
    if metric.name == "other":
        unit = canonical_unit(mention, "")[0]
    if metric.name != "relative_improvement" and unit == "ratio":
        return None
    low = None if mention.low is None else mention.low * factor
    high = None if mention.high is None else mention.high * factor
    if max(abs(low or Decimal(0)), abs(high or Decimal(0))) >= _ABSURD:
        return None  # no machine has it, and no ledger can hold it
    return low, high, unit


def _is_quota(metric: Metric, around: Surroundings) -> bool:
    """Whether the words say how much is allowed, and not how far something reaches at best."""
    if metric.name in _QUOTAS or (metric.name in _LIMITS and _AT_MOST.match(around.after)):
        return True
    return metric.name == "fs_capacity_max" and _GROWS.search(around.sentence) is None


def bound_of(mention: Mention, metric: Metric, around: Surroundings, context: Context) -> tuple[Bound, bool]:
    """The bound and whether the words call it the best attainable: the figure's own, then its headers'."""
    bound, best = mention.bound, mention.best_case
    headers = "\n".join(around.headers)
    if (
        around.block.cell is not None
        and around.block.headings
        and _TOPS_OUT.search(around.block.headings[-1])
    ):
        headers += "\nmax"
    if metric.name == "relative_improvement":
        return bound, best
    if bound is Bound.AT_MOST and _is_quota(metric, around):
        return bound, False
    if bound is Bound.EXACT and _PEAK_OF.search(around.before[-32:]):
        return Bound.AT_MOST, True
    if bound is Bound.EXACT and _LABEL_FLOOR.match(around.text_of("label")):
        return Bound.AT_LEAST, best
    if (
        bound in (Bound.AT_MOST, Bound.EXACT)
        and metric.unit in _RATES
        and _CAPPED.search(around.before[-48:])
    ):
        return Bound.AT_MOST, True  # a ceiling of performance, unlike a quota, is what is reached at best
    if metric.unit.endswith("/TiB"):
        return bound, best  # a slope is no ceiling, whatever its table is called
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


def is_threshold(page: Page, mention: Mention, around: Surroundings) -> bool:
    """A step of a credit table (below 99.9 %: 10 % back) promises nothing by itself."""
    top = page.tops.get(around.block.cell.table, "") if around.block.cell is not None else ""
    if mention.bound is Bound.AT_MOST:
        return True
    if _CREDIT.search(top) is None:
        return False
    column = around.text_of("column")
    promised = _PROMISE.search(column) is not None and _CREDIT.search(column) is None
    named = around.block.cell is not None and around.block.cell.col > 0
    return not (promised and named and mention.bound is Bound.EXACT)


def is_limit(mention: Mention, around: Surroundings) -> bool:
    """Whether a capacity or a count is given as what is supported at most, not as the size of one thing."""
    if _THRESHOLD.search(around.before[-8:]) and _IF.match(around.after):
        return False  # below 1.2 TiB, 1.2 TiB is counted
    if mention.bound is not Bound.EXACT:
        return True
    column = around.text_of("column").split("\n")[0].strip()
    if around.block.cell is not None and _VARIED.fullmatch(column):
        return False  # a column of client counts says how each row was measured
    over = around.text_of("heading", "corner", "caption") if around.block.cell is not None else ""
    return _LIMIT_WORDS.search(around.sentence + "\n" + "\n".join(around.headers) + "\n" + over) is not None


def contradicts(text: str, left: Mention, right: Mention) -> bool:
    """Whether a figure is given again in another unit and is not the same (2 PiB, that is 1024 TiB)."""
    restated = _RESTATES.fullmatch(text[left.end : right.start]) is not None
    if not restated or left.low is None or right.low is None or left.dimension is not right.dimension:
        return False
    return left.has_unit and abs(left.low - right.low) > Decimal("0.05") * max(left.low, right.low)


def qualifiers_of(mention: Mention, metric: Metric, around: Surroundings) -> dict[str, str]:
    """What tells the figure from its neighbours on the page: tier, model, plane, formula."""
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


def quote_span(
    page: Page, mention: Mention, meaning: Meaning, told: Told, around: Surroundings
) -> tuple[int, int]:
    """The words that carry the claim: the figure with its bound, what it measures and what it is per."""
    start, end = min(mention.reach, mention.start), max(mention.tail, mention.end)
    sentence_end = around.sentence_start + len(around.sentence)
    if around.sentence_start <= meaning.cue_start and meaning.cue_end <= sentence_end:
        start, end = min(start, meaning.cue_start), max(end, meaning.cue_end)
    if around.sentence_start <= told.start and told.end <= sentence_end:
        start, end = min(start, told.start), max(end, told.end)
    text = page.document.text
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
