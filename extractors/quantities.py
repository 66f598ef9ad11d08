"""The quantity grammar: every number with a unit in a text, with its bound and its exact place.

Offsets are those of the text that was given: folding is one to one, and where invisible characters had to be
taken out, offsets are mapped back. Time is linear in the text's length.
"""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from extractors.bounds import bound_after, bound_before
from extractors.fold import fold
from extractors.joining import join
from extractors.mention import Mention
from extractors.scanning import scan
from extractors.units import Dimension, Unit
from schemas.quantity import Bound, Quantity

COMMA_DECIMAL_LANGUAGES = frozenset(
    {"id", "de", "fr", "es", "it", "pt", "nl", "ru", "pl", "tr", "vi", "sv", "da"}
)
# A number like 0,1 or 10.000.000 settles it too, whatever language the page declares.
_COMMA_PROOF = re.compile(
    r"(?<![\d.,])0,\d(?!\d*[,\d]{3},)|(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.,]*\d\.\d)"
)
_OPS_BEFORE = re.compile(r"(?:IOPS|每秒消息数|消息速率)[^\d,，。;；、\n\t|]{0,40}$")
_PER_SECOND_BEFORE = re.compile(r"每秒[^\d,，。;；、\n\t|]{0,10}$")
_EACH_TIB = re.compile(r"(?:每 ?TiB|(?:each|every|per) TiB)(?!/)[^\d,，。.;；]{0,16}$", re.IGNORECASE)
_OPERATIONS_AFTER = re.compile(
    r" ?(?:[a-z-]+ ){0,3}(?:reads?|writes?|operations|requests|I/?Os?|messages|packets|lookups|stats) ?(?:(?:a|per|each|every) second|/ ?s(?![a-z]))",
    re.IGNORECASE,
)
_EVERY_SECOND = re.compile(r"[毎每]秒 ?(?:约|最大)? ?$")
_TOKENS_AFTER = re.compile(r" ?(?:个 ?)?(?:tokens?|词元)(?![A-Za-z/])", re.IGNORECASE)
_MESSAGES_AFTER = re.compile(r" ?(?:条|个|次)?(?:消息|报文|数据包|包|请求|I/?O|操作)")
_COUNTED_BEFORE: tuple[tuple[re.Pattern[str], str, Unit], ...] = tuple(
    (
        re.compile(
            rf"(?:{noun})(?:数量?|总数|规模)?(?:共有?|已?达到?|超过?|突破|逾|累计|合计|为|有|不少于|不低于|最多|可达| ){{0,3}}$"
        ),
        counted,
        unit,
    )
    for noun, counted, unit in (
        (r"(?<!数据)模型", "个款种", Unit(Dimension.MODELS, Decimal(1), noun="model")),
        (r"卡型|型号|机型|实例规格|GPU 规格", "个款种", Unit(Dimension.SKUS, Decimal(1), noun="sku")),
        (r"客户端|用户端|挂载点", "个台", Unit(Dimension.CLIENTS, Decimal(1), noun="client")),
        (
            r"加速卡|智算卡|算力卡|显卡|GPU[をは]?|NPU",
            "张块颗枚片基",
            Unit(Dimension.ACCELERATORS, Decimal(1), noun="accelerator"),
        ),
    )
)
_FILES_BEFORE = re.compile(r"(?:文件数(?:量|上限)?|number of files|inodes?)[^\d,，。;；、\n\t|]{0,8}$")
_FROM_AFTER = re.compile(
    r" ?(?:/|每) ?(?:小?时|卡时|卡|台|月|年|GPU|实例|hour|GPU-hour)(?:[/·每](?:小?时|月))? ?起"
)
_ALIKE = re.compile(r" ?(?:and|und|和|与|及|以及|、) ?")
_STARTS_AT = re.compile(r"(?:from|ab|starting at) ?$", re.IGNORECASE)
_CLIENTS_BEFORE = re.compile(r"(?:\bclients|客户端数|挂载点数)[^\d,，。;；、\n\t|]{0,14}$", re.IGNORECASE)
_CLIENTS = Unit(Dimension.CLIENTS, Decimal(1))
_FILES = Unit(Dimension.FILES, Decimal(1))
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_TOKENS = Unit(Dimension.TOKENS, Decimal(1))
_OPS = Unit(Dimension.OPS, Decimal(1))
_COUNTED_NOUNS = frozenset(unit.noun for _, _, unit in _COUNTED_BEFORE)


def find_mentions(text: str, *, lang: str = "") -> list[Mention]:
    """Every quantity of `text` in order, and bare numbers too, which mean something only under a header.

    `lang` decides what a lone comma or dot between digits means (see COMMA_DECIMAL_LANGUAGES).
    """
    if _INVISIBLE.search(text):
        return _find_without_invisible(text, lang)
    folded = fold(text)
    comma = lang.split("-")[0].lower() in COMMA_DECIMAL_LANGUAGES or _COMMA_PROOF.search(folded) is not None
    return _bounded(folded, join(folded, list(scan(folded, comma_decimal=comma, lang=lang))))


def _find_without_invisible(text: str, lang: str) -> list[Mention]:
    places = [i for i, char in enumerate(text) if not _INVISIBLE.match(char)]
    places.append(len(text))
    return [
        m._replace(
            start=places[m.start],
            end=places[m.end - 1] + 1,
            unit_start=places[m.unit_start],
            reach=places[m.reach],
            tail=places[m.tail - 1] + 1,
        )
        for m in find_mentions(_INVISIBLE.sub("", text), lang=lang)
    ]


def _bounded(text: str, mentions: list[Mention]) -> list[Mention]:
    out: list[Mention] = []
    floor = 0
    for mention in mentions:
        before, best, reach = bound_before(text, mention.start, floor)
        if mention.article and before is None:
            continue  # "an hour" counts under "within" and not in "$2 an hour"
        after, topmost, tail = bound_after(text, mention.end)
        best = best or topmost
        bound, high, said = mention.bound, mention.high, after or before
        if bound is Bound.EXACT and said is not None:
            bound = said
        elif bound is Bound.ORDER_OF_MAGNITUDE and said is Bound.AT_LEAST:
            bound, high = Bound.AT_LEAST, None
        elif bound is Bound.EXACT and out and _ALIKE.fullmatch(text[out[-1].end : mention.start]):
            last = out[-1]  # up to 20,000 IOPS and 1 GB/s
            if last.bound in (Bound.AT_MOST, Bound.AT_LEAST) and last.has_unit and mention.has_unit:
                bound, best = last.bound, last.best_case
        unit = _named_before(text, floor, mention)
        low = mention.low
        if unit.dimension is Dimension.DATA_RATE and mention.dimension is Dimension.DATA:
            low = None if low is None else low * 8  # data are counted in bytes, rates in bits
            high = None if high is None else high * 8
        if mention.times is not None and text[reach : mention.start].strip().lower() == "over":
            bound = mention.bound  # RDMA over 8 × 400 Gbps
        if unit.dimension is Dimension.MONEY and bound is Bound.EXACT:
            said_after = _FROM_AFTER.match(text, mention.end)
            bound = Bound.AT_LEAST if said_after else bound
            starts = _STARTS_AT.search(text, max(floor, mention.start - 8), mention.start)
            bound, best = (Bound.AT_LEAST, True) if starts else (bound, best)
        end = mention.end
        if mention.dimension is Dimension.BARE and unit.noun in _COUNTED_NOUNS:
            end = text.index(_classifier(text, mention), end) + 1
        out.append(
            mention._replace(
                end=end,
                bound=bound,
                low=low,
                high=high,
                best_case=best,
                unit=unit,
                reach=reach,
                tail=max(tail, mention.tail, end),
            )
        )
        floor = end
    return out


def _classifier(text: str, mention: Mention) -> str:
    """The classifier right behind a bare number: 2 万张, 20 种."""
    return text[mention.end : mention.end + 2].strip()[:1]


def _named_before(text: str, floor: int, mention: Mention) -> Unit:
    """A bare number takes its unit from the noun right before it: IOPS 最高 3000 万, 文件数 20 亿."""
    if mention.dimension is Dimension.DATA and _EVERY_SECOND.search(
        text, max(0, mention.start - 6), mention.start
    ):
        bits = mention.unit.bytes_written is False
        return replace(
            mention.unit,
            dimension=Dimension.DATA_RATE,
            factor=mention.unit.factor * 8,
            bytes_written=not bits,
        )
    if mention.dimension in (Dimension.BARE, Dimension.COUNT):
        window = (max(floor, mention.start - 44), mention.start)
        if _OPERATIONS_AFTER.match(text, mention.end):
            return _OPS
        if _PER_SECOND_BEFORE.search(text, *window):
            if _TOKENS_AFTER.match(text, mention.end):
                return _TOKENS
            if _MESSAGES_AFTER.match(text, mention.end) or _MESSAGES_AFTER.match(text, mention.end - 1):
                return _OPS
        classifier = mention.unit.noun or _classifier(text, mention)
        for pattern, counted, unit in _COUNTED_BEFORE:
            if (
                classifier
                and classifier in counted
                and (mention.low or 0) > 1
                and pattern.search(text, *window)
            ):
                return unit
    if mention.dimension is Dimension.BARE:
        if _CLIENTS_BEFORE.search(text, *window):
            return _CLIENTS
        if _OPS_BEFORE.search(text, *window):
            return _OPS
        if _FILES_BEFORE.search(text, *window):
            return _FILES
    return mention.unit


_CANONICAL = {
    Dimension.RATE_DENSITY: "byte/s/TiB",
    Dimension.OPS_DENSITY: "1/s/TiB",
    Dimension.OPS: "1/s",
    Dimension.TIME: "s",
    Dimension.FRACTION: "fraction",
    Dimension.RATIO: "ratio",
    Dimension.ACCELERATORS: "accelerators",
    Dimension.FILES: "files",
    Dimension.CLIENTS: "clients",
    Dimension.COUNT: "count",
    Dimension.MODELS: "count",
    Dimension.SKUS: "count",
    Dimension.TOKENS: "token/s",
    Dimension.FLOPS: "flop/s",
}
_STORAGE_NEAR = re.compile(
    r"(?i)吞吐|存储|文件系统|云盘|throughput|storage|file ?system|\bread\b|\bwrite\b|读|写"
)
_SWITCH_NEAR = re.compile(r"(?i)交换|端口|switch|\bports?\b")
_MEMORY_NEAR = re.compile(r"(?i)显存|HBM|memory|内存|容量|capacity|VRAM")
_RATE_NEAR = re.compile(r"(?i)吞吐|带宽|每秒|throughput|bandwidth")


def canonical_unit(mention: Mention, near: str) -> tuple[str, Decimal]:
    """The canonical unit of a mention without its metric, and the factor from its base unit.

    `near` is the text around it, which settles `T` and `G` without b or B, and GB worded as a rate.
    """
    unit = mention.unit
    if unit.dimension is Dimension.DATA_RATE:
        return ("byte/s", Decimal("0.125")) if unit.bytes_written else ("bit/s", Decimal(1))
    if unit.dimension is Dimension.DATA:
        return ("byte/s", Decimal(1)) if _RATE_NEAR.search(near) else ("byte", Decimal(1))
    if unit.dimension is Dimension.TRUNCATED:
        if _SWITCH_NEAR.search(near):
            return "bit/s", Decimal(1)
        if _MEMORY_NEAR.search(near):
            return "byte", Decimal(1)
        return ("byte/s", Decimal(1)) if _STORAGE_NEAR.search(near) else ("bit/s", Decimal(1))
    if unit.dimension is Dimension.MONEY:
        return unit.currency, Decimal(1)
    return _CANONICAL.get(unit.dimension, ""), Decimal(1)


def find_quantities(text: str, *, lang: str = "") -> tuple[Quantity, ...]:
    """Every quantity of a text in canonical units, without knowing what it is a quantity of."""
    out = []
    folded = fold(text)
    for mention in find_mentions(text, lang=lang):
        if mention.dimension is Dimension.BARE:
            continue
        near = fold(text[max(0, mention.start - 12) : mention.end + 12])
        unit, factor = canonical_unit(mention, near)
        if unit == "byte/s" and _EACH_TIB.search(folded, max(0, mention.start - 24), mention.start):
            unit = "byte/s/TiB"
        out.append(
            Quantity(
                low=None if mention.low is None else mention.low * factor,
                high=None if mention.high is None else mention.high * factor,
                unit=unit,
                bound=mention.bound,
                best_case=mention.best_case,
                text=text[mention.start : mention.end],
                start=mention.start,
                end=mention.end,
            )
        )
    return tuple(out)
