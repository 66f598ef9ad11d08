"""Bare numbers in table cells and cards get their unit from the header that stands over them."""

from __future__ import annotations

import re
from decimal import Decimal

from extractors.mention import Mention
from extractors.numerals import MAGNITUDES
from extractors.scopes import Surroundings
from extractors.units import Dimension, Unit, unit_at
from schemas.quantity import Bound

_IN_BRACKETS = re.compile(r"[(\[（]([^)\]）]{1,24})[)\]）]")
_UNIT_PLACES = re.compile(r"(?:^|[,，:：(（/]|\s|\bin |单位[为:：]?) ?(?=[A-Za-z%μu秒毫微分])", re.IGNORECASE)
_OF_A_DENSITY = re.compile(r"(?:B/s|Bps|IOPS) ?/ ?$")
_UNIT_STOPS = re.compile(
    r"\s*(?:$|[)）*†‡]|\d?$|(?:per|je|pro|for each|for every|each)\b|/ ?(?:instance|node|GPU|client|host|VM)|每)",
    re.IGNORECASE,
)
_UNIT_OF_TABLE = re.compile(
    r"(?:单位|單位|単位|units?(?: are)?|figures in|values in|all in|in)[为:： ]*([A-Za-z/·%]{1,12})(?![A-Za-z])",
    re.IGNORECASE,
)
_UNIT_SAID = re.compile(
    r"(?:单位|單位|単位|\bunits?(?: are| is)?|all (?:figures|values) (?:are )?in)[为是:： ]*([A-Za-z/·%]{1,12})(?![A-Za-z])",
    re.IGNORECASE,
)
_RATES = frozenset(
    {
        Dimension.TOKENS,
        Dimension.DATA_RATE,
        Dimension.OPS,
        Dimension.RATE_DENSITY,
        Dimension.OPS_DENSITY,
        Dimension.TIME,
        Dimension.DATA,
    }
)
_IN_MAGNITUDE = re.compile(r"(?:百万|千万|万|亿|million|thousand|[kKM](?![A-Za-z])) ?")
_CURRENCY = re.compile(
    r"\b(USD|EUR|CNY|RMB)\b|(美元|元)|(?i:(US dollars|euros))|(?<![A-Z])[$€¥￥](?=/| ?per\b)"
)
_NOUNS: tuple[tuple[re.Pattern[str], Dimension], ...] = (
    (re.compile(r"IOPS|每秒消息数|消息速率|message rate|\bPPS\b|包转发率", re.IGNORECASE), Dimension.OPS),
    (
        re.compile(
            r"(?:clients?|nodes?|hosts?) .{0,12}mount|mount(?!ed at)|client connections|客户端|用户端|挂载(?:数|节点|点)|^clients?\b",
            re.IGNORECASE,
        ),
        Dimension.CLIENTS,
    ),
    (
        re.compile(
            r"(?<!\d )(?<!\d)\bGPUs?\b(?! memory)|\bNPUs?\b|accelerators?|卡数|加速卡数|GPU ?(?:数|卡)",
            re.IGNORECASE,
        ),
        Dimension.ACCELERATORS,
    ),
    (re.compile(r"文件(?:与|和|及)?(?:目录)?(?:总|个)?数|\bfiles\b|inodes?", re.IGNORECASE), Dimension.FILES),
    (re.compile(r"模型(?!训练)|\bmodels\b", re.IGNORECASE), Dimension.MODELS),
    (re.compile(r"卡型|款|GPU types", re.IGNORECASE), Dimension.SKUS),
)
_UP_TO = r"(?:量|总量)?(?:的?(?:上限|最大值?|最多|最高|峰值))?(?:[为是达到:：]|可达|不超过|至多|最多|最高)? ?(?:约|≤|不超过)? ?$"
_COUNTS_BEFORE: tuple[tuple[re.Pattern[str], Dimension], ...] = (
    (re.compile(rf"(?:客户端|用户端|挂载点?|连接)(?:挂载|连接|接入)?数{_UP_TO}"), Dimension.CLIENTS),
    (re.compile(rf"(?:文件|inode) ?(?:总|个)?数{_UP_TO}", re.IGNORECASE), Dimension.FILES),
    (
        re.compile(
            r"(?:number of|maximum|max\.?) (?:concurrent )?(?:clients|mounts|client connections)(?: (?:is|are|of)|:)? (?:up to |at most )?$",
            re.IGNORECASE,
        ),
        Dimension.CLIENTS,
    ),
    (
        re.compile(
            r"(?:number of|maximum|max\.?) (?:files|inodes)(?: (?:is|are|of)|:)? (?:up to |at most )?$",
            re.IGNORECASE,
        ),
        Dimension.FILES,
    ),
)
_AFTER_EACH = re.compile(r"(?:每|\bper) ?$", re.IGNORECASE)
_FOR_EACH = re.compile(r"每|per\b|/", re.IGNORECASE)
_CURRENCIES = {
    "美元": "USD",
    "元": "CNY",
    "rmb": "CNY",
    "us dollars": "USD",
    "euros": "EUR",
    "$": "USD",
    "€": "EUR",
    "¥": "CNY",
    "￥": "CNY",
}
_PRICED = re.compile(r"价|费用|price|cost|rate|instant|reserved|on[- ]demand|spot", re.IGNORECASE)
_CLASSIFIERS = frozenset({"个", "台", "款", "种"})
_COUNTED = frozenset({Dimension.FILES, Dimension.CLIENTS, Dimension.MODELS, Dimension.SKUS})
_PIECES = frozenset("张颗块卡枚片")
_CARDS = re.compile(r"GPU|NPU|XPU|加速|显卡|智算卡|卡数|昇腾", re.IGNORECASE)
_PER_HOUR = re.compile(r"(?:per|/|每)[ -]?(?:\w+[- ])?(?:hour|hr|小?时)|-hour|卡时", re.IGNORECASE)
_TERMS = re.compile(
    r"\b(?:weeks?|months?|years?|commit\w*|on[- ]demand|spot|reserved)\b|按量|按需|按小?时|包月|包年|预留|竞价|抢占|折算|个月|年",
    re.IGNORECASE,
)
_COUNT_HEADER = re.compile(r"^(?:count|number|quantity|数量|数|Anzahl|台数)$", re.IGNORECASE)


def dress(mention: Mention, around: Surroundings) -> Mention:
    """The mention with the unit its headers give it; as it is where it has one or no header gives any."""
    if mention.dimension is Dimension.COUNT and mention.unit.noun in _CLASSIFIERS:
        counted = _unit_over(around)
        fits = counted is not None and counted.dimension in _COUNTED
        return mention._replace(unit=counted) if counted is not None and fits else mention
    if mention.dimension is not Dimension.BARE:
        return mention
    if "flat" in {s.name for s in around.scopes}:
        flat = around.text_of("flat")
        worded = mention.scale != 1 or mention.level
        return (
            mention._replace(unit=Unit(Dimension.OPS, Decimal(1))) if worded and "IOPS" in flat else mention
        )
    if around.block.cell is None and around.block.label is None and not mention.formula:
        unit = said_before(around.before)
        return mention if unit is None else mention._replace(unit=unit)
    unit = _unit_over(around)
    if unit is None:
        return mention
    factor = unit.factor * _magnitude_over(around)
    return mention._replace(
        unit=unit,
        low=None if mention.low is None else mention.low * factor,
        high=None if mention.high is None else mention.high * factor,
        bound=mention.bound if mention.high is not None or mention.bound is not Bound.RANGE else Bound.EXACT,
    )


def said_before(text: str) -> Unit | None:
    """What a bare number counts by the words right before it: 客户端挂载数上限 1 万."""
    for pattern, dimension in _COUNTS_BEFORE:
        if pattern.search(text):
            return Unit(dimension, Decimal(1))
    return None


def _magnitude_over(around: Surroundings) -> Decimal:
    """IOPS（万）: the figures below are in ten thousands."""
    for scope in around.scopes:
        if scope.name in ("column", "row", "label"):
            for bracket in _IN_BRACKETS.finditer(scope.text):
                if found := _IN_MAGNITUDE.match(bracket[1].strip()):
                    return MAGNITUDES[found.group().strip()]
    return Decimal(1)


def _unit_over(around: Surroundings) -> Unit | None:
    """The unit written in the nearest header, else given for the whole table, else the things a header counts."""
    headers = [s.text for s in around.scopes if s.name in ("column", "row", "label")]
    for found in (_in_brackets, _last_or_money):
        for header in headers:
            if (unit := found(header, around)) is not None:
                return unit
    if around.block.cell is not None and (unit := _unit_of_table(around)) is not None:
        return unit
    for header in headers:
        if (unit := _counted_in(header, around)) is not None:
            return unit
    if around.block.cell is None:
        return None
    # A currency in the caption counts for the columns that are prices, or terms of a price.
    caption, column = around.text_of("caption", "intro"), around.text_of("column")
    priced = _PRICED.search(column + "\n" + around.text_of("row"))
    return _money(caption) if priced or (_TERMS.search(column) and _PER_HOUR.search(caption)) else None


def _in_brackets(header: str, around: Surroundings) -> Unit | None:
    for bracket in _IN_BRACKETS.finditer(header):
        inside = _IN_MAGNITUDE.sub("", bracket[1].strip()).strip()
        if _FOR_EACH.match(inside):
            continue  # IOPS 密度（每 TiB）: for each of them, not in them
        if inside in _PIECES and _CARDS.search(around.text_of("column", "row", "corner", "caption")):
            return Unit(Dimension.ACCELERATORS, Decimal(1))
        found = unit_at(inside, 0)
        if found is not None and (found[1] == len(inside) or inside[found[1]] in " ,，/"):
            return found[0]
    return None


def _last_or_money(header: str, _around: Surroundings) -> Unit | None:
    return _last_word(header) or _money(header)


def _counted_in(header: str, around: Surroundings) -> Unit | None:
    for pattern, dimension in _NOUNS:
        if pattern.search(header):
            return Unit(dimension, Decimal(1))
    counted = _COUNT_HEADER.match(header.strip()) is not None
    if counted and re.search(r"(?i)accelerator|GPU|加速", around.text_of("heading", "column")):
        return Unit(Dimension.ACCELERATORS, Decimal(1))
    return None


def _last_word(header: str) -> Unit | None:
    """The unit that ends a header without brackets: "Read, GiB/s", "Throughput in MB/s"."""
    text = header.strip()
    for place in _UNIT_PLACES.finditer(text):
        found = unit_at(text, place.end())
        if _OF_A_DENSITY.search(text, 0, place.end()):
            continue  # 125 MB/s/TiB is a tier's name
        if _AFTER_EACH.search(text, 0, place.end()):
            continue  # IOPS 密度（每 TiB）
        if text[: place.end()].rstrip()[-1:].isdigit():
            continue  # "2 weeks" is a term, not a unit
        if found is None or found[0].dimension not in _RATES or found[1] - place.end() < 2:
            continue
        if _UNIT_STOPS.match(text, found[1]):
            return found[0]
    return None


def _unit_of_table(around: Surroundings) -> Unit | None:
    """The unit that a caption, a corner or the words before give for all a table's bare figures: "(all in GB/s)"."""
    told = [*_UNIT_OF_TABLE.finditer(around.text_of("caption", "corner"))]
    for written in told or _UNIT_SAID.finditer(around.text_of("intro")):
        found = unit_at(written[1], 0)
        if found is not None and found[1] == len(written[1]) and found[0].dimension in _RATES:
            return found[0]
    return None


def _money(text: str) -> Unit | None:
    currency = _CURRENCY.search(text)
    if currency is None:
        return None
    name = _CURRENCIES.get(currency.group().lower(), currency.group())
    return Unit(Dimension.MONEY, Decimal(1), currency=name)
