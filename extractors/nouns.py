"""Units that stand apart from their number: IOPS 最高 3000 万, 加速卡突破 2 万张, 每秒 2 亿条消息, 毎秒200GB."""

from __future__ import annotations

import re
from dataclasses import replace
from decimal import Decimal

from extractors.mention import Mention
from extractors.units import Dimension, Unit

_TOKENS = Unit(Dimension.TOKENS, Decimal(1))
_OPS = Unit(Dimension.OPS, Decimal(1))
_FILES = Unit(Dimension.FILES, Decimal(1))
_CLIENTS = Unit(Dimension.CLIENTS, Decimal(1))
_GPUS_BEFORE = re.compile(r"(?:GPUs?|accelerators?|加速卡|NPUs?)(?:数量?)?[:：] ?$", re.IGNORECASE)
_CARDS = Unit(Dimension.ACCELERATORS, Decimal(1), noun="GPU")
_OPS_AGAIN = re.compile(r"IOPS[,，] ?(?:封顶|上限|最高|最大|up to|max(?:imum)?)? ?$", re.IGNORECASE)
_OPS_BEFORE = re.compile(r"(?:IOPS|每秒消息数|消息速率)[^\d,，。;；、\n\t|]{0,40}$")
_FILES_BEFORE = re.compile(r"(?:文件数(?:量|上限)?|number of files|inodes?)[^\d,，。;；、\n\t|]{0,8}$")
_NOUN = re.compile(
    r"IOPS|消息|文件数|files|inode|clients|客户端数|挂载点数|[GN]PU|accelerator|加速卡", re.IGNORECASE
)  # one of these is in each
_CLIENTS_BEFORE = re.compile(r"(?:\bclients|客户端数|挂载点数)[^\d,，。;；、\n\t|]{0,14}$", re.IGNORECASE)
_PER_SECOND_BEFORE = re.compile(r"每秒[^\d,，。;；、\n\t|]{0,10}$")
_TOKENS_AFTER = re.compile(r" ?(?:个 ?)?(?:tokens?|词元)(?![A-Za-z/])", re.IGNORECASE)
_MESSAGES_AFTER = re.compile(r" ?(?:条|个|次)?(?:消息|报文|数据包|包|请求|I/?O|操作)")
_OPERATIONS_AFTER = re.compile(
    r" ?(?:[a-z-]+ ){0,3}(?:reads?|writes?|operations|requests|I/?Os?|messages|packets|lookups|stats) ?(?:(?:a|per|each|every) second|/ ?s(?![a-z]))",
    re.IGNORECASE,
)
_EVERY_SECOND = re.compile(r"[毎每]秒 ?(?:约|最大)? ?$")
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
_COUNTED_NOUNS = frozenset(unit.noun for _, _, unit in _COUNTED_BEFORE)


_CARD_TIMES = re.compile(
    r"(?:(?<!\d)[345]090D?|(?<![A-Za-z])(?:[ABHLVP]\d{2,3}[sS]?|MI\d{3}X?|GB?\d{3})|910[BC]\d?|昇腾 ?\w{3,4}|P800) ?[×x*] ?$"
)


def unit_apart(text: str, floor: int, mention: Mention) -> Unit:
    """The unit that words around a number give it, not before position `floor`; its own where none do."""
    if mention.dimension is Dimension.DATA:
        return _rate_of(text, mention)
    if mention.dimension not in (Dimension.BARE, Dimension.COUNT):
        return mention.unit
    window = (max(floor, mention.start - 44), mention.start)
    if mention.scale == 1 and text[mention.start - 1 : mention.start] in ("×", "x", "*", " "):
        following = text[mention.end : mention.end + 4]
        if _CARD_TIMES.search(text, *window) and not following.lstrip()[:1].isalnum():
            return _CARDS  # H20×8
    if (unit := _each_second(text, window, mention)) is not None:
        return unit
    classifier = mention.unit.noun or classifier_of(text, mention)
    if classifier and (mention.low or 0) > 1:
        for pattern, counted, unit in _COUNTED_BEFORE:
            if classifier in counted and pattern.search(text, *window):
                return unit
    if mention.dimension is Dimension.BARE and _NOUN.search(text, *window):
        for pattern, unit in (
            (_CLIENTS_BEFORE, _CLIENTS),
            (_OPS_BEFORE, _OPS),
            (_FILES_BEFORE, _FILES),
            (_GPUS_BEFORE, _CARDS),
            (_OPS_AGAIN, _OPS),
        ):
            if pattern.search(text, *window):
                return unit
    return mention.unit


def counts_things(unit: Unit) -> bool:
    """Whether the unit came from a noun before the number, so that the classifier behind it belongs to it."""
    return unit.noun in _COUNTED_NOUNS


def classifier_of(text: str, mention: Mention) -> str:
    """The classifier right behind a bare number: 2 万张, 20 种."""
    return text[mention.end : mention.end + 2].strip()[:1]


def _rate_of(text: str, mention: Mention) -> Unit:
    """Data said to move 毎秒 are a rate, counted in bits."""
    unit = mention.unit
    if _EVERY_SECOND.search(text, max(0, mention.start - 6), mention.start) is None:
        return unit
    is_bytes = unit.bytes_written is not False
    return replace(unit, dimension=Dimension.DATA_RATE, factor=unit.factor * 8, bytes_written=is_bytes)


def _each_second(text: str, window: tuple[int, int], mention: Mention) -> Unit | None:
    following = text[mention.end : mention.end + 1]
    if (following == " " or following.isalpha() or following == "-") and _OPERATIONS_AFTER.match(
        text, mention.end
    ):
        return _OPS
    if _PER_SECOND_BEFORE.search(text, *window) is None:
        return None
    if _TOKENS_AFTER.match(text, mention.end):
        return _TOKENS
    messages = _MESSAGES_AFTER.match(text, mention.end) or _MESSAGES_AFTER.match(text, mention.end - 1)
    return _OPS if messages else None
