"""The quantity grammar: every number with a unit in a text, with its bound and its exact place.

Offsets are those of the text that was given; folding is one to one. Time is linear in the text's length: one
scan finds heads (digits, numerals, bare levels such as 微秒级), each head is completed at its own place, and
one pass joins neighbours into ranges and products.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from decimal import Decimal

from extractors.bounds import bound_after, bound_before
from extractors.fold import fold
from extractors.numerals import (
    CJK_NUMERAL,
    ENGLISH_NUMERAL,
    MAGNITUDES,
    Numeral,
    read_cjk,
    read_digits,
    read_english,
)
from extractors.units import CURRENCY_SIGNS, Dimension, Unit, unit_at
from schemas.quantity import Bound, Quantity

COMMA_DECIMAL_LANGUAGES = frozenset(
    {"id", "de", "fr", "es", "it", "pt", "nl", "ru", "pl", "tr", "vi", "sv", "da"}
)


@dataclass(frozen=True, slots=True)
class Mention:
    """A quantity as found. `low` and `high` are in the unit's base (see `units`), before any metric is known.

    `start:end` covers the expression with its unit (8 × 400 Gbps whole), `unit_start` is where the unit
    begins, `reach:tail` takes in the bounding words. `times` is the N of N×V; `formula` the text of min{…};
    `scale` the 万 or million behind the digits; `level`: worded as a magnitude (级).
    """

    start: int
    end: int
    unit_start: int
    low: Decimal | None
    high: Decimal | None
    unit: Unit
    bound: Bound = Bound.EXACT
    best_case: bool = False
    times: Decimal | None = None
    formula: str = ""
    scale: Decimal = Decimal(1)
    level: bool = False
    reach: int = 0
    tail: int = 0

    @property
    def has_unit(self) -> bool:
        """Whether it means something without a header."""
        return self.unit.dimension is not Dimension.BARE

    @property
    def dimension(self) -> Dimension:
        """What the mention measures."""
        return self.unit.dimension


_DIGITS = r"(?<![A-Za-z0-9_.])(?<![A-Za-z][-.])\d+(?:[.,]\d+)*(?:[eE][+-]?\d{1,4}(?![\dA-Za-z]))?"
_LEVEL_UNIT = r"(?:纳秒|微秒|毫秒|秒|分钟|小时|天|周|月|[TGPM]B/s|[TGP]bps|[TGP]B)(?= ?(?:级|量级))"
_HEAD = re.compile(
    r"(?P<formula>min ?(?:\{[^{}\n]{1,80}\}|\([^(){}\n]{1,80}\)))"
    rf"|(?P<money>[$¥€] ?)?(?P<digits>{_DIGITS})"
    r"|(?P<share>[一二三四五六七八九十百]{1,4}分之[一二三四五六七八九十百]{1,6})"
    r"|(?P<double>翻了?(?:[一两二]番|倍)(?![到至]))"
    rf"|(?P<level>(?<![数几半百千十万亿\d])(?<!\d ){_LEVEL_UNIT})"
    r"|(?P<sub>亚毫秒|亚微秒|(?i:sub-?(?:milli|micro)seconds?))"
    rf"|(?P<cjk>{CJK_NUMERAL})"
    rf"|(?P<english>(?<![A-Za-z])(?i:{ENGLISH_NUMERAL}))"
)
_MAGNITUDE = re.compile(
    r" ?(?P<mag>万亿|千亿|百亿|十亿|亿|千万|百万|十万|万|千(?!兆|瓦)|百(?!分)"
    r"|(?:thousand|million|billion|trillion)(?![A-Za-z])|[wWkKM](?![A-Za-z0-9]))"
)
_MORE = re.compile(r" ?(?:\+|余|多(?=[款种个张卡万]))")
_GAP_TO_UNIT = re.compile(r" {0,2}(?:个(?=[小月文客星模主]))?-?")
_LEVEL = re.compile(r" ?(?:级(?!联|别)|级别|量级)")
_CONNECTOR = re.compile(r" ?(?:[-~到至]|to(?= )) ?")
_TIMES = re.compile(r" ?[×xX*路] ?")
_PLUS_MINUS = re.compile(r" ?± ?")
_OPS_BEFORE = re.compile(r"(?:IOPS|每秒消息数)[^\d,，。;；、\n\t|]{0,8}$")
_DATE_AFTER = re.compile(r" ?[年月日号](?!间)|(?P<mark>[-/])\d{1,2}(?P=mark)\d{1,4}(?!\d)")
_COMMA_PROOF = re.compile(
    r"(?<![\d.,])0,\d(?!\d*[,\d]{3},)|(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.,]*\d\.\d)"
)
_NINES = re.compile(r" ?(?:个 ?9|nines)")
_BARE = Unit(Dimension.BARE, Decimal(1))
_OPS = Unit(Dimension.OPS, Decimal(1))
_TIMES_TAKES = frozenset({Dimension.DATA_RATE, Dimension.TRUNCATED, Dimension.DATA, Dimension.OPS})
_NEVER_FEW = frozenset(
    {Dimension.MODELS, Dimension.SKUS, Dimension.COUNT, Dimension.FILES, Dimension.CLIENTS}
)
_MOST_TIMES = 4096


def find_mentions(text: str, *, lang: str = "") -> list[Mention]:
    """Every quantity of `text` in order, and bare numbers too, which mean something only under a header.

    `lang` decides what a lone comma or dot between digits means (see COMMA_DECIMAL_LANGUAGES).
    """
    folded = fold(text)
    # A number like 0,1 or 10.000.000 settles it too, whatever language the page declares.
    comma = lang.split("-")[0].lower() in COMMA_DECIMAL_LANGUAGES or _COMMA_PROOF.search(folded) is not None
    return _bounded(folded, _joined(folded, list(_scan(folded, comma))))


def _scan(text: str, comma: bool) -> Iterator[Mention]:
    position = 0
    while (head := _HEAD.search(text, position)) is not None:
        mention = _complete(text, head, comma)
        if mention is not None:
            yield mention
        position = max(head.end() if mention is None else mention.end, position + 1)


def _complete(text: str, head: re.Match[str], comma: bool) -> Mention | None:
    match head.lastgroup:
        case "formula":
            return _formula(text, head, comma)
        case "digits":
            return _number(text, head, comma)
        case "cjk":
            return _numeral(text, head, read_cjk(head.group()))
        case "english":
            return _numeral(text, head, read_english(head.group()))
        case "share":
            return _share(head)
        case "double":
            factor = Decimal(4) if re.search("[两二]", head.group()) else Decimal(2)
            return Mention(*head.span(), head.start(), factor, None, Unit(Dimension.RATIO, Decimal(1)))
        case "sub":
            return _sub(text, head)
        case _:
            return _level(text, head)


def _number(text: str, head: re.Match[str], comma: bool) -> Mention | None:
    digits, end, scale = head["digits"], head.end(), Decimal(1)
    if len(digits) > 60 or _DATE_AFTER.match(text, end):
        return None
    value = read_digits(digits, comma_decimal=comma)
    if value is None:
        return None
    if found := _MAGNITUDE.match(text, end):
        scale, end = MAGNITUDES[found["mag"]], found.end()
    if head["money"]:
        unit = Unit(Dimension.MONEY, Decimal(1), currency=CURRENCY_SIGNS[head["money"].strip()])
        return Mention(head.start(), end, head.start(), value * scale, None, unit, scale=scale)
    mention = _with_unit(text, head.start(), end, Numeral(value * scale), scale)
    if (
        mention.dimension is Dimension.BARE
        and scale == 1
        and text[end : end + 1].isascii()
        and text[end : end + 1].isalpha()
    ):
        return None  # 910C, 4090D: a model's name
    return mention


def _numeral(text: str, head: re.Match[str], numeral: Numeral | None) -> Mention | None:
    """A numeral in words counts only with a unit or 级 behind it: 一致 and 万一 are no numbers."""
    if numeral is None:
        return None
    mention = _with_unit(text, head.start(), head.end(), numeral, Decimal(1))
    if mention.dimension is Dimension.BARE and not mention.level:
        opens_range = numeral.decade and _CONNECTOR.match(text, head.end())
        return mention if opens_range else None
    if mention.dimension is Dimension.FRACTION and mention.low == Decimal("0.1"):
        return None  # 一成 says "all of it" or "done" as often as a tenth
    if mention.dimension in _NEVER_FEW and numeral.low < 10:
        return None  # 一个模型, 一款: an article, not a count
    return mention


def _with_unit(text: str, start: int, end: int, numeral: Numeral, scale: Decimal) -> Mention:
    if found := _NINES.match(text, end):
        share = 1 - Decimal(10) ** -int(min(numeral.low, Decimal(12)))
        return Mention(start, found.end(), end, share, None, Unit(Dimension.FRACTION, Decimal(1)))
    more, level = numeral.more, False
    if found := _MORE.match(text, end):
        more, end = True, found.end()
    if found := _LEVEL.match(text, end):
        level, end = True, found.end()
    gap = _GAP_TO_UNIT.match(text, end)
    unit_start = gap.end() if gap else end
    unit, unit_end = unit_at(text, unit_start) or (_BARE, end)
    unit_start = min(unit_start, unit_end)
    if unit is not _BARE and not more and (found := _MORE.match(text, unit_end)):
        more, unit_end = True, found.end()
    if found := _LEVEL.match(text, unit_end):
        level, unit_end = True, found.end()
    low = numeral.low * unit.factor
    high = None if numeral.high is None else numeral.high * unit.factor
    bound = Bound.EXACT if high is None else Bound.RANGE
    if numeral.decade or (level and high is None and _power_of_ten(numeral.low)):
        bound, high = Bound.ORDER_OF_MAGNITUDE, low * 10
    if more:
        bound, high = Bound.AT_LEAST, None
    return Mention(start, unit_end, unit_start, low, high, unit, bound, scale=scale, level=level)


def _power_of_ten(value: Decimal) -> bool:
    return value >= 10 and value.normalize().as_tuple().digits == (1,)


def _sub(text: str, head: re.Match[str]) -> Mention:
    limit = Decimal("0.001") if re.search("(?i)毫|milli", head.group()) else Decimal("0.000001")
    suffix = _LEVEL.match(text, head.end())
    end = suffix.end() if suffix else head.end()
    unit = Unit(Dimension.TIME, Decimal(1))
    return Mention(head.start(), end, head.start(), limit, None, unit, Bound.AT_MOST, level=True)


def _level(text: str, head: re.Match[str]) -> Mention | None:
    """微秒级, TB/s 级: the decade that begins at one unit."""
    found, suffix = unit_at(text, head.start()), _LEVEL.match(text, head.end())
    if found is None or suffix is None:
        return None
    unit, start = found[0], head.start()
    spread = (unit.factor, unit.factor * 10, unit, Bound.ORDER_OF_MAGNITUDE)
    return Mention(start, suffix.end(), start, *spread, level=True)


def _share(head: re.Match[str]) -> Mention | None:
    """三分之一 is a ratio of 1/3; 百分之九十 is 90 %."""
    below, above = (read_cjk(part) for part in head.group().split("分之"))
    if below is None or above is None or below.low == 0:
        return None
    dimension = Dimension.FRACTION if below.low == 100 else Dimension.RATIO
    value = (above.low / below.low).quantize(Decimal("1e-12"))
    return Mention(*head.span(), head.start(), value, None, Unit(dimension, Decimal(1)))


def _formula(text: str, head: re.Match[str], comma: bool) -> Mention | None:
    """min{a × capacity, cap}: only the cap is a figure; the formula is kept."""
    inside = head.group().rstrip("})").rstrip()
    last = re.search(r"\d[\d.,]*$", inside)
    if last is None or not re.search(r"[×xX*+]", inside):
        return None
    cap = read_digits(last.group(), comma_decimal=comma)
    if cap is None:
        cap = read_digits(re.split(r"[,，]", inside)[-1].strip(), comma_decimal=comma)
    if cap is None:
        return None
    gap = _GAP_TO_UNIT.match(text, head.end())
    unit_start = gap.end() if gap else head.end()
    unit, end = unit_at(text, unit_start) or (_BARE, head.end())
    formula = head.group()
    return Mention(
        head.start(), end, min(unit_start, end), None, cap * unit.factor, unit, Bound.FORMULA, formula=formula
    )


def _joined(text: str, mentions: list[Mention]) -> list[Mention]:
    """Neighbours that make one quantity: N × V, V × N, a ± b, a to b."""
    out: list[Mention] = []
    for mention in mentions:
        joined = _join(text, out[-1], mention) if out else None
        if joined is None:
            out.append(mention)
        else:
            out[-1] = joined
    return out


def _join(text: str, left: Mention, right: Mention) -> Mention | None:
    if right.start - left.end > 4 or left.low is None or right.low is None:
        return None
    between = text[left.end : right.start]
    if _TIMES.fullmatch(between):
        return _product(left, right)
    if _PLUS_MINUS.fullmatch(between) and left.dimension is Dimension.BARE:
        middle, spread = left.low * right.unit.factor, right.low
        return replace(right, start=left.start, low=middle - spread, high=middle + spread, bound=Bound.RANGE)
    if _CONNECTOR.fullmatch(between):
        return _range(left, right)
    return None


def _product(left: Mention, right: Mention) -> Mention | None:
    if left.low is None or right.low is None:
        return None
    count, value = (left, right) if left.dimension is Dimension.BARE else (right, left)
    whole = count.low is not None and count.low == count.low.to_integral_value() and count.low <= _MOST_TIMES
    if count.dimension is not Dimension.BARE or not whole or value.dimension not in _TIMES_TAKES:
        return None
    product = left.low * right.low
    return replace(
        value, start=left.start, end=right.end, low=product, times=count.low, unit_start=value.unit_start
    )


def _range(left: Mention, right: Mention) -> Mention | None:
    if left.low is None or right.low is None:
        return None
    if left.dimension is Dimension.BARE:
        low = left.low * right.unit.factor
        if left.scale == 1 and left.bound is Bound.EXACT:
            low *= right.scale
    elif left.dimension is right.dimension:
        low = left.low
    else:
        return None
    high = right.high if right.bound is Bound.ORDER_OF_MAGNITUDE else right.low
    if high is None or high <= low or Bound.RANGE in (left.bound, right.bound):
        return None
    return replace(right, start=left.start, low=low, high=high, bound=Bound.RANGE, level=False)


def _bounded(text: str, mentions: list[Mention]) -> list[Mention]:
    out: list[Mention] = []
    floor = 0
    for mention in mentions:
        before, best, reach = bound_before(text, mention.start, floor)
        after, tail = bound_after(text, mention.end)
        bound, high = mention.bound, mention.high
        said = after or before
        if bound is Bound.EXACT and said is not None:
            bound = said
        elif bound is Bound.ORDER_OF_MAGNITUDE and said is Bound.AT_LEAST and after is not None:
            bound, high = Bound.AT_LEAST, None
        unit = mention.unit
        if unit.dimension is Dimension.BARE and _OPS_BEFORE.search(
            text, max(floor, mention.start - 20), mention.start
        ):
            unit = _OPS
        out.append(
            replace(mention, bound=bound, high=high, best_case=best, unit=unit, reach=reach, tail=tail)
        )
        floor = mention.end
    return out


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
        if _MEMORY_NEAR.search(near):
            return "byte", Decimal(1)
        return ("byte/s", Decimal(1)) if _STORAGE_NEAR.search(near) else ("bit/s", Decimal(1))
    if unit.dimension is Dimension.MONEY:
        return unit.currency, Decimal(1)
    return _CANONICAL.get(unit.dimension, ""), Decimal(1)


def find_quantities(text: str, *, lang: str = "") -> tuple[Quantity, ...]:
    """Every quantity of a text in canonical units, without knowing what it is a quantity of."""
    out = []
    for mention in find_mentions(text, lang=lang):
        if mention.dimension is Dimension.BARE:
            continue
        near = fold(text[max(0, mention.start - 12) : mention.end + 12])
        unit, factor = canonical_unit(mention, near)
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
