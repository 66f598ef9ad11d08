"""Heads of quantities (digits, numerals, bare levels such as 微秒级) and what completes each at its own place.

One scan over the folded text; every head is completed by matches anchored at its end, so time is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from functools import cache

from extractors.mention import BARE, Mention
from extractors.numerals import (
    CJK_NUMERAL,
    ENGLISH_NUMERAL,
    MAGNITUDES,
    Numeral,
    read_cjk,
    read_digits,
    read_english,
)
from extractors.sieve import openings
from extractors.units import CURRENCY_SIGNS, Dimension, Unit, unit_at
from schemas.quantity import Bound

# A number does not begin inside a name (A100, HPN-7.0), but may follow the x of 2x25GE.
_DIGITS = (
    r"(?:(?<![A-Za-z0-9_.'])|(?<=\d[xX])|(?<=[A-Za-z\d] [xX]))(?:(?<![A-Za-z][-.])|(?<=sub-))"
    r"(?:\d+(?:[.,']\d+)*|(?<![\w.)\]])\.\d+)(?:[eE][+-]?\d{1,4}(?![\dA-Za-z]))?"
)
_LEVEL_UNIT = (
    r"(?:纳秒|微秒|毫秒|秒|分钟|小时|天|周|月|[TGPM]i?B/s|[TGP]bps|[TGPE]B)(?= ?(?:级|量级))"
    r"|(?i:(?:nano|micro|milli)second)(?=[- ](?:level|scale|class))"
    r"|(?<= in )(?:(?:nano|micro|milli)?seconds|minutes|hours)(?![\w-]| of\b)"
)
# "reported in seconds" names a unit, "back in seconds" a magnitude.
_EXPRESSED = re.compile(
    r"(?:measured|expressed|given|stated|specified|reported|shown|counted|displayed|time|latency|duration|period|values?|unit|\d) in $",
    re.IGNORECASE,
)
_PART = (
    r"(?P<part>(?<![A-Za-z])(?i:(?:a|one) third|two thirds|a quarter|one quarter|one half)(?= of (?!an? (?:hour|minute|second|day)))"
    r"|(?<![A-Za-z])(?i:half)(?= as (?:much|many|long|expensive)| the (?:price|cost|time|latency)))"
)
HEADS = (
    r"(?P<formula>(?i:min) ?(?:\{[^{}\n]{1,80}\}|\((?:[^(){}\n]|\([^(){}\n]{0,20}\)){1,80}\)))",
    r"(?P<scientific>(?:(?<![A-Za-z0-9_.])\d+(?:\.\d+)? ?[×x*] ?)?(?<![A-Za-z0-9_.])10(?:\^-?\d{1,2}|[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]{1,3}))",
    r"(?P<clock>(?<![A-Za-z0-9_.])\d{1,3} ?m(?:in)? ?\d{1,2} ?s(?:ec)?(?![A-Za-z])|(?<![A-Za-z0-9_.])\d{1,3} ?h(?:ours?)? ?\d{1,2} ?m(?:in(?:utes?)?)?(?![A-Za-z]))",
    r"(?P<halved>(?<![\d.])\d{1,3} ?(?:个半小时|个半月|分半钟?|年半|天半|小时半|秒半)(?!径|导))",
    r"(?P<tenths>[一二三四五六七八九]成[一二三四五六七八九]|(?<!\d)[1-9]割[1-9]分)",
    rf"(?P<money>(?:US\$|(?<![A-Z])[$¥€]|(?<![A-Za-z])(?:USD|CNY|RMB|EUR)) ?)?(?P<digits>{_DIGITS})",
    r"(?P<share>[一二三四五六七八九十百千万]{1,4}分之[一二三四五六七八九十百]{1,6})",
    r"(?P<quarter>[一三]刻钟)",
    r"(?P<halving>减半|(?<![A-Za-z])(?i:halved|halves)(?![A-Za-z]))",
    r"(?P<half>[一二两三四五六七八九](?:个半小时|个半月|分半钟?|年半|天半|小时半|秒半))",
    r"(?P<once>(?<![A-Za-z])(?i:once (?:a|an|per|every|each) (?:second|minute|hour|day))(?![A-Za-z]))",
    r"(?P<nines>[一二两三四五六七八九]个 ?[9九](?:[、，,]? ?[一1]个 ?[5五])?)",
    r"(?P<double>翻了?(?:[一两二]番|倍)(?![到至])|(?<![A-Za-z])(?i:twice|doubles|doubled|triples|tripled)(?![A-Za-z]))",
    _PART,
    rf"(?P<level>(?<![数几半百千十万亿\d])(?<!\d ){_LEVEL_UNIT})",
    r"(?P<sub>亚毫秒|亚微秒|サブミリ秒|(?i:sub-?(?:milli|micro)seconds?))",
    rf"(?P<cjk>{CJK_NUMERAL})",
    rf"(?P<english>(?<![A-Za-z])(?i:{ENGLISH_NUMERAL}))",
)
_SMALL_LETTERS = "abcdefghijklmnopqrstuvwxyz"
# Heads that may begin within a word (10x8 aside): a formula, a currency, the unit of a level.
_WITHIN_WORDS = r"(?=(?i:min ?[{(]|nano|micro|milli|sub-?m)|US\$|[TGPM]i?B/s|[TGP]bps|[TGPE]B)"


@cache
def _by_opening() -> tuple[re.Pattern[str], dict[str, re.Pattern[str]]]:
    """Where a head may begin, and by its first character the heads that may begin so, in their order."""
    first = [openings(head) for head in HEADS]
    every = frozenset().union(*first)
    heads = {
        one: re.compile("|".join(head for head, ones in zip(HEADS, first, strict=True) if one in ones))
        for one in every
    }
    letters = "".join(sorted(one for one in every if one.lower() in _SMALL_LETTERS))
    signs = "".join(sorted(re.escape(one) for one in every if one.lower() not in _SMALL_LETTERS))
    return re.compile(rf"[\d{signs}]|(?<![A-Za-z])[{letters}]|{_WITHIN_WORDS}"), heads


_MAGNITUDE = re.compile(
    r" ?(?P<mag>万亿|千亿|百亿|十亿|亿|千万|百万|十万|万|千(?!兆|瓦)|百(?!分)"
    r"|(?:thousand|million|billion|trillion|Millionen|Milliarden)(?![A-Za-z])|(?:Mio|Mrd)\.?(?![A-Za-z])"
    r"|[wWkKM](?![A-Za-z0-9]))(?: ?(?P<rest>\d{1,4}) ?千(?!兆"
    r"|瓦)|(?<=万) ?(?P<tail>\d{4})(?![\d.,年]))?"
)
_MORE = re.compile(r"(?: ?\+(?! ?\d)| ?余| ?多(?=[款种个张卡万])|多(?=[,，。;；\s)]|$))")
_NAMED_AHEAD = re.compile(r"(?:IOPS|文件数|客户端数|消息速率)[^\d,，。;；、\n\t|]{0,10}$")
_BLOCK_SIZE = re.compile(
    r"[ -]?(?:随机|顺序|混合|random|sequential|block|块|[读写](?![^。]{0,3}IOPS ?\d))", re.IGNORECASE
)
_GAP_TO_UNIT = re.compile(r" {0,2}(?:个(?=[小文客星模主档](?!作)))?(?:-(?=(?!fold)[A-Za-z]))?")
_LEVEL = re.compile(r" ?(?:级(?!联|别)|级别|量级)|[- ](?:level|scale|class)(?![A-Za-z])")
_OPENS_RANGE = re.compile(r" ?(?:[-~到至]|to(?= )|bis(?= )|から)")
_DATE_AFTER = re.compile(r" ?[月日号](?!间)|(?P<mark>[-/])\d{1,2}(?P=mark)\d{1,4}(?!\d)")
_NAME_BEFORE = re.compile(r"(?<![A-Za-z])(?!sub-)[A-Za-z]\w*-$")
_ROUND_THE_CLOCK = re.compile(r"(?<!\d)7 ?[×xX*] ?$|24/$")
_MOBILE = re.compile(r"(?![ ]?(?:端口|网卡|网口|带宽|显存|内存|RDMA|ports?|NICs?))")
_NINES = re.compile(r" ?个 ?[9九](?!\d)| nines(?![A-Za-z])")
_LAST_NUMBER = re.compile(r"\d[\d.,']*$")
_LAST_WITH_UNIT = re.compile(r"(\d[\d.,']*) ?[A-Za-z]{1,5}(?:/[A-Za-z]{1,3}){0,2}$")
_TIME = Unit(Dimension.TIME, Decimal(1))
_RATIO = Unit(Dimension.RATIO, Decimal(1))
_FRACTION = Unit(Dimension.FRACTION, Decimal(1))
_FEW_ARE_NO_COUNT = frozenset(
    {Dimension.MODELS, Dimension.SKUS, Dimension.COUNT, Dimension.FILES, Dimension.CLIENTS}
)
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")
_DOUBLES = {"twice": 2, "doubles": 2, "doubled": 2, "triples": 3, "tripled": 3}
_PARTS = {
    "third": Decimal(1) / 3,
    "thirds": Decimal(2) / 3,
    "quarter": Decimal("0.25"),
    "half": Decimal("0.5"),
}
_HALVES = {
    "小时半": 3600,
    "分半": 60,
    "秒半": 1,
    "个半小时": 3600,
    "个半月": 2592000,
    "分半钟": 60,
    "年半": 31536000,
    "天半": 86400,
}
_LONGEST = 60
# Behind one of these, or at the end, nothing belongs to a number any more.
_ENDINGS = frozenset({"", *"\n\t,;:!?)]}|，。；：！？）】、"})


def scan(text: str, *, comma_decimal: bool, lang: str = "") -> Iterator[Mention]:
    """Every number of a folded text in order, with the unit that follows it; bare numbers too."""
    position = 0
    while (head := head_from(text, position)) is not None:
        mention = _complete(text, head, comma_decimal)
        if mention is not None and lang == "ja" and text[mention.end : mention.end + 1] == "分":
            mention = _japanese_minutes(mention)
        if mention is not None:
            yield mention
        position = max(head.end() if mention is None else mention.end, head.start() + 1)


def head_from(text: str, position: int) -> re.Match[str] | None:
    """The first head at or after `position`: what one search for all heads would find, in less time."""
    opening, heads = _by_opening()
    while (found := opening.search(text, position)) is not None:
        position = found.start()
        first = text[position]
        if head := heads["0" if first.isdecimal() else first].match(text, position):
            return head
        position += 1
    return None


def _japanese_minutes(mention: Mention) -> Mention:
    """A bare number before 分 is minutes in Japanese; in Chinese it may be a score."""
    if mention.dimension is not Dimension.BARE or mention.low is None:
        return mention
    unit = Unit(Dimension.TIME, Decimal(60))
    return mention._replace(end=mention.end + 1, low=mention.low * 60, unit=unit)


def _complete(text: str, head: re.Match[str], comma: bool) -> Mention | None:
    match head.lastgroup:
        case "digits":
            return _number(text, head, comma)
        case "cjk":
            return _numeral(text, head, read_cjk(head.group()))
        case "english":
            return _numeral(text, head, read_english(head.group()))
        case "formula":
            return _formula(text, head, comma)
        case "scientific":
            return _scientific(text, head)
        case "level":
            return _level(text, head)
        case "sub":
            return _sub(text, head)
        case _:
            return _fixed(head)


def _fixed(head: re.Match[str]) -> Mention | None:
    """Expressions whose words are number and unit at once: 三分之一, 翻了一番, 九成五, five nines, 1h30m."""
    words, start = head.group(), head.start()
    unit, value = _RATIO, Decimal(2)
    match head.lastgroup:
        case "double":
            value = Decimal(_DOUBLES.get(words.lower(), 4 if re.search("[两二]", words) else 2))
        case "part":
            value = _PARTS[words.lower().split()[-1]].quantize(Decimal("1e-12"))
        case "tenths":
            unit, value = _FRACTION, Decimal("0.1") * _figure(words[0]) + Decimal("0.01") * _figure(words[2])
        case "quarter":
            unit, value = _TIME, _digit(words[0]) * 900
        case "halving":
            unit, value = _FRACTION, Decimal("0.5")
        case "once":
            last = words.lower().split()[-1]
            unit, value = _TIME, Decimal({"second": 1, "minute": 60, "hour": 3600, "day": 86400}[last])
        case "nines":
            missing = Decimal(10) ** -int(_digit(words[0]))
            unit, value = (
                _FRACTION,
                1 - (missing / 2 if words[-1] in "5五" else missing),
            )  # 三个 9 一个 5: 99.95 %
        case "half":
            unit, value = _TIME, (_digit(words[0]) + Decimal("0.5")) * _HALVES[words[1:]]
        case "halved":
            figure = re.match(r"\d+", words)
            number = figure.group() if figure else "0"
            unit, value = _TIME, (Decimal(number) + Decimal("0.5")) * _HALVES[words[len(number) :].strip()]
        case "clock":
            whole, part = (Decimal(n) for n in re.findall(r"\d+", words))
            unit, value = _TIME, (whole * 3600 + part * 60 if "h" in words else whole * 60 + part)
        case _:
            below, above = (read_cjk(part) for part in words.split("分之"))
            if below is None or above is None or below.low == 0:
                return None
            unit = _FRACTION if below.low in (100, 1000, 10000) else _RATIO
            value = (above.low / below.low).quantize(Decimal("1e-12"))
    return Mention(start, head.end(), start, value, None, unit)


def _figure(word: str) -> Decimal:
    return Decimal(word) if word.isdigit() else _digit(word)


def _digit(word: str) -> Decimal:
    numeral = read_cjk(word)
    return numeral.low if numeral is not None else Decimal(0)


def _number(text: str, head: re.Match[str], comma: bool) -> Mention | None:
    digits, start, end, scale = head["digits"], head.start(), head.end(), Decimal(1)
    alone = text[end : end + 1] in _ENDINGS
    if len(digits) > _LONGEST or (not alone and _is_date(text, digits, end)):
        return None
    if text[start - 1 : start] == "-" and _NAME_BEFORE.search(text, max(0, start - 12), start):
        return None
    value = read_digits(digits, comma_decimal=comma)
    if value is None:
        return None
    if not alone and (found := _MAGNITUDE.match(text, end)):
        if found["mag"] in "kK" and _BLOCK_SIZE.match(text, found.end()):
            return None  # 4K random reads: the size of a block
        scale, end = MAGNITUDES[found["mag"]], found.end()
        value += Decimal(found["rest"]) * 1000 / scale if found["rest"] else 0
        value += Decimal(found["tail"]) / scale if found["tail"] else 0
    if head["money"]:
        unit = Unit(Dimension.MONEY, Decimal(1), currency=CURRENCY_SIGNS[head["money"].strip()])
        return Mention(start, end, start, value * scale, None, unit, scale=scale)
    if alone:
        return Mention(start, end, end, value, None, BARE)
    mention = _with_unit(text, start, end, Numeral(value * scale), scale)
    if mention.dimension is Dimension.BARE and scale == 1 and text[end : end + 1].isascii():
        named = text[end : end + 1].isalpha() and not re.match(r"[xX]\d", text[end : end + 2])
        return None if named else mention  # 910C, 4090D: a model's name
    if mention.dimension is Dimension.TIME and _ROUND_THE_CLOCK.search(text, max(0, start - 5), start):
        return None
    generation = mention.dimension is Dimension.TRUNCATED and digits in "23456" and mention.unit_start == end
    return None if generation and text[end] == "G" and _MOBILE.match(text, end + 1) else mention


def _is_date(text: str, digits: str, end: int) -> bool:
    if len(digits) == 4 and re.match(r" ?年", text[end : end + 2]):
        return True
    return _DATE_AFTER.match(text, end) is not None


def _numeral(text: str, head: re.Match[str], numeral: Numeral | None) -> Mention | None:
    """A numeral in words counts only with a unit or 级 behind it: 一致 and 万一 are no numbers."""
    if numeral is None:
        return None
    mention = _with_unit(text, head.start(), head.end(), numeral, Decimal(1))
    if head.group().startswith("半") and text[head.start() - 1 : head.start()] in ("上", "下"):
        return None  # 下半年 is a date
    if head.group() == "一" and text[mention.unit_start : mention.end] == "卡":
        return None  # 一卡难求: a card, not a count
    if mention.dimension is Dimension.BARE and not mention.level:
        named = _NAMED_AHEAD.search(text, max(0, head.start() - 20), head.start())
        return mention if named or _OPENS_RANGE.match(text, head.end()) else None
    if mention.dimension is Dimension.FRACTION and mention.low == Decimal("0.1"):
        return None  # 一成 says "all of it" or "done" as often as a tenth
    if mention.dimension in _FEW_ARE_NO_COUNT and numeral.low < 10 and not numeral.decade:
        return None  # 一个模型, 一款: an article, not a count
    article = head.group().strip().lower() in ("a", "an")
    return Mention(
        mention.start, mention.end, mention.unit_start, mention.low, mention.high, mention.unit,
        mention.bound, level=mention.level, article=article,
    )  # fmt: skip


def _with_unit(text: str, start: int, end: int, numeral: Numeral, scale: Decimal) -> Mention:
    if (nines := _NINES.match(text, end)) and 1 <= numeral.low <= 12:
        return Mention(start, nines.end(), end, 1 - Decimal(10) ** -int(numeral.low), None, _FRACTION)
    more, level = numeral.more, False
    if found := _MORE.match(text, end):
        more, end = True, found.end()
    if found := _LEVEL.match(text, end):
        level, end = True, found.end()
    gap = _GAP_TO_UNIT.match(text, end)
    unit_start = gap.end() if gap else end
    unit, unit_end = unit_at(text, unit_start) or (BARE, end)
    if text[unit_start - 1 : unit_start] == "-" and not _takes_hyphen(unit, text[unit_start:unit_end]):
        unit, unit_end = BARE, end
    unit_start = min(unit_start, unit_end)
    if unit is not BARE and not more and (found := _MORE.match(text, unit_end)):
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


def _takes_hyphen(unit: Unit, written: str) -> bool:
    """3.2-Tbps and 8-GPU are quantities; 64-bit and 8-bit name kinds of software and of numbers."""
    if unit.dimension is Dimension.DATA:
        return written not in ("bit", "bits", "b")
    return unit.dimension in (Dimension.TIME, Dimension.ACCELERATORS, Dimension.DATA_RATE)


def _power_of_ten(value: Decimal) -> bool:
    return value >= 10 and value.normalize().as_tuple().digits == (1,)


def _scientific(text: str, head: re.Match[str]) -> Mention | None:
    """3×10⁷ and 10^6; a number that is no power of ten times a figure stays digits."""
    base, _, power = head.group().rpartition("10")
    exponent = int(power.lstrip("^").translate(_SUPERSCRIPTS) or 0)
    figure = re.match(r"\d+(?:\.\d+)?", base)
    value = (Decimal(figure.group()) if figure else Decimal(1)).scaleb(exponent)
    return _with_unit(text, head.start(), head.end(), Numeral(value), Decimal(10))


def _sub(text: str, head: re.Match[str]) -> Mention:
    limit = Decimal("0.001") if re.search("(?i)毫|milli|ミリ", head.group()) else Decimal("0.000001")
    suffix = _LEVEL.match(text, head.end())
    end = suffix.end() if suffix else head.end()
    return Mention(head.start(), end, head.start(), limit, None, _TIME, Bound.AT_MOST, level=True)


def _level(text: str, head: re.Match[str]) -> Mention | None:
    """微秒级, TB/s 级, microsecond-level: the decade that begins at one unit."""
    found = unit_at(text, head.start()) or unit_at(text.lower(), head.start())
    suffix = _LEVEL.match(text, head.end())
    loose = text[: head.start()].endswith(" in ") and not _EXPRESSED.search(
        text, max(0, head.start() - 40), head.start()
    )
    if found is None or (suffix is None and not loose):
        return None
    unit, start = found[0], head.start()
    spread = (unit.factor, unit.factor * 10, unit, Bound.ORDER_OF_MAGNITUDE)
    return Mention(start, suffix.end() if suffix else head.end(), start, *spread, level=True)


def _formula(text: str, head: re.Match[str], comma: bool) -> Mention | None:
    """min{a × capacity, cap}: only the cap is a figure; the formula is kept."""
    formula = head.group()
    inside = formula.rstrip("})").rstrip()
    last = _LAST_NUMBER.search(inside)
    if last is None and (united := _LAST_WITH_UNIT.search(inside)):  # min{0.2 × capacity, 20 GB/s}
        last = _LAST_NUMBER.search(inside, 0, united.end(1))
    said = (
        unit_at(inside, last.end() + len(inside[last.end() :]) - len(inside[last.end() :].lstrip()))
        if last
        else None
    )
    if last is None or not re.search(r"[×xX*+]", inside):
        return None
    cap = read_digits(last.group(), comma_decimal=comma)
    if cap is None:
        cap = read_digits(re.split(r"[,，]", inside)[-1].strip(), comma_decimal=comma)
    if cap is None:
        return None
    gap = _GAP_TO_UNIT.match(text, head.end())
    unit_start = gap.end() if gap else head.end()
    unit, end = unit_at(text, unit_start) or (said[0] if said else BARE, head.end())
    place = (head.start(), end, min(unit_start, end))
    return Mention(*place, None, cap * unit.factor, unit, Bound.FORMULA, formula=formula)
