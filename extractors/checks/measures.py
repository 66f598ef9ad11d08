"""Numbers with units as statements print them, in one exact form: an amount in base units and its dimensions.

Base units are the bit, the second and the currency; counted things (cards, nodes, ports) have no dimension, so
that eight cards times a rate is a rate. A unit that nobody knows is a dimension of its own.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache

Dimensions = tuple[tuple[str, int], ...]
"""Exponents by dimension, in order of their names, none of them 0; () for a pure number."""

_PREFIX = {"": 0, "k": 1, "K": 1, "M": 2, "G": 3, "T": 4, "P": 5, "E": 6}
_TIMES = {
    word: Fraction(seconds)
    for words, seconds in (
        ("ns nanosecond nanoseconds 纳秒", "1e-9"),
        ("us usec microsecond microseconds 微秒", "1e-6"),
        ("ms msec millisecond milliseconds 毫秒", "1e-3"),
        ("s sec secs second seconds 秒 秒钟", "1"),
        ("min mins minute minutes 分钟", "60"),
        ("h hr hrs hour hours 小时 个小时 时", "3600"),
        ("d day days 天 日", "86400"),
        ("week weeks 周 星期", "604800"),
        ("month months mo 月 个月", "2592000"),
        ("year years yr yrs a 年", "31536000"),
    )
    for word in words.split()
}
_MONEY = {
    word: code
    for words, code in (
        ("CNY RMB 元 人民币 ¥ yuan", "CNY"),
        ("USD US$ $ 美元 美金 dollar dollars", "USD"),
        ("EUR € 欧元 euro euros", "EUR"),
        ("JPY 日元 円", "JPY"),
        ("GBP £ 英镑", "GBP"),
        ("HKD 港元 港币", "HKD"),
    )
    for word in words.split()
}
_MONEY_CENTS = {"cent": "USD", "cents": "USD", "¢": "USD", "角": "CNY", "分钱": "CNY"}
_NUMBER_WORDS = (
    ("万亿", 10**12), ("千亿", 10**11), ("百亿", 10**10), ("十亿", 10**9), ("千万", 10**7), ("百万", 10**6),
    ("十万", 10**5), ("亿", 10**8), ("万", 10**4), ("千", 10**3), ("百", 100),
    ("thousand", 10**3), ("million", 10**6), ("billion", 10**9), ("trillion", 10**12),
)  # fmt: skip
_FRACTIONS = {
    "%": "0.01", "percent": "0.01", "per cent": "0.01", "pct": "0.01", "‰": "0.001", "成": "0.1", "bp": "0.0001",
    "percentage points": "0.01", "percentage point": "0.01", "percent points": "0.01", "pp": "0.01", "pts": "0.01",
    "个百分点": "0.01", "百分点": "0.01",
}  # fmt: skip
_COUNTED = re.compile(
    r"(?:count|ratio|fraction|factor|x|×|times?|fold|-fold|倍|unit|units|pieces?|score|scores"
    r"|(?:.*[ -])?(?:accelerators?|[gcnxt]pus?|cards?|chips?|dies?|nodes?|servers?|machines?|hosts?|vms?|instances?|ports?|links?"
    r"|lanes?|nics?|switch(?:es)?|planes?|rails?|racks?|clusters?|disks?|drives?|volumes?|osts?|files?|clients?|requests?|stops?"
    r"|faults?|failures?|interruptions?|events?|errors?|jobs?|tasks?|messages?|msgs?|packets?|ops|i/os?|ios?|tokens?|models?"
    r"|params?|parameters?|samples?|steps?|steps|users?|customers?|regions?|zones?|people|skus?|vcpus?|cores?|threads?"
    r"|superpods?|supernodes?|pods?|nines|dimensions?|categories|items?|copies|replicas?|shards?|images?|points?)"
    r"|[个张块颗枚台套次条卡款家项篇件位分点名人路口]|[张块颗枚台]?(?:加速卡|显卡|节点|服务器|机器|卡|芯片|端口|链路|网卡|盘|文件|客户端|实例|机柜|请求|故障|次故障|参数|模型|平面)数?)",
    re.IGNORECASE,
)
_DATA = re.compile(r"([kKMGTPE]?)(i?)(bits?|Bits?|bytes?|Bytes?|b|B)")
_DATA_WORD = re.compile(r"(kilo|mega|giga|tera|peta|exa)(bit|byte)s?", re.IGNORECASE)
_PER_SECOND = re.compile(r"([kKMGTPE]?i?(?:b|B|bit|byte))ps", re.ASCII)
_EVENTS = re.compile(r"([kKMG]?)(?:IOPS|OPS|QPS|RPS|TPS|pps|iops|qps)")
_WITH_PREFIX = re.compile(r"([kMGTPE]?)(FLOPS?|flops?|Hz|Wh|W)")
_WORKED = re.compile(
    r"(?:gpu|npu|card|node|server|instance|卡|机)s?[ ·*-]?(hours?|h|days?|时|小时|天)", re.IGNORECASE
)
_TRUNCATED = re.compile(r"[kKMGTP]")
_DIGITS = r"[-+−]?(?:(?:\d{1,3}(?:[,， _']\d{3})+|\d+)(?:\.\d+)?(?:[eE][-+]?\d+)?|\.\d+)"
_NUMBER = re.compile(_DIGITS)
_WHOLE = re.compile(
    rf"[×x$¥€£]? ?(?P<digits>{_DIGITS}) ?(?:{'|'.join(word for word, _ in _NUMBER_WORDS)})?s? ?(?:[%‰×x倍+]|-?fold)?",
    re.IGNORECASE,
)
_RANGE = re.compile(
    rf"\s*(?P<low>{_DIGITS}%?)\s*(?:-|–|—|~|～|至|到|to)\s*(?P<high>{_DIGITS}%?)\s*", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Measure:
    """An exact amount in base units. `step`: what one unit of its last printed digit is worth, likewise."""

    amount: Fraction
    dimensions: Dimensions
    step: Fraction


@dataclass(frozen=True, slots=True)
class UnitOfMeasure:
    """What a unit is worth in base units. `truncated`: T or G alone, which says neither bits nor time."""

    factor: Fraction
    dimensions: Dimensions
    truncated: bool = False


def measure(value: object, unit: str, *, like: str = "") -> Measure:
    """The number as printed with its unit; ValueError where there is no number in it.

    `like` is a unit whose kind a truncated one (T, G) takes; the bit per second where it is not given.
    """
    number, step = read_number(value)
    text = str(value)
    for word, scale in _NUMBER_WORDS:
        if word in text:
            number, step = number * scale, step * scale
            break
    if "%" in text and "%" not in unit:
        number, step = number / 100, step / 100
    meaning = unit_of(unit)
    if meaning.truncated:
        letter = re.sub(r"[^kKMGTP]", "", normal_unit(unit))[:1]
        rest = re.search(r"(?:bps|Bps|(?:bit|byte|b|B)(?:/s)?)\b.*", normal_unit(like))
        meaning = unit_of(letter + (rest[0] if rest else "bps"))
    return Measure(number * meaning.factor, meaning.dimensions, step * meaning.factor)


def read_number(value: object) -> tuple[Fraction, Fraction]:
    """The number as printed, and the worth of its last printed digit. A bare integer is exact to the unit.

    ValueError where the text is anything else than one number, with or without a word such as 万 or a % behind it.
    """
    text = _plain_text(value)
    found = None if any(unicodedata.category(c) == "No" for c in str(value)) else _WHOLE.fullmatch(text)
    if found is None or not isinstance(value, str | int | Decimal | Fraction) or isinstance(value, bool):
        raise ValueError(f"{str(value)[:60]!r} is no number")
    return _number(found["digits"], text)


def first_number(text: str) -> Fraction:
    """The first number in a text; ValueError where there is none."""
    found = _NUMBER.search(_plain_text(text))
    if found is None:
        raise ValueError(f"{text[:60]!r} holds no number")
    return _number(found[0], text)[0]


def ends(value: str) -> tuple[str, str] | None:
    """The two ends of a range such as 2-3 or 1.5 到 2; None where it is none."""
    found = _RANGE.fullmatch(_plain_text(value))
    return (found["low"], found["high"]) if found else None


def _plain_text(value: object) -> str:
    return unicodedata.normalize("NFKC", str(value)).strip()


def _number(found: str, text: str) -> tuple[Fraction, Fraction]:
    digits = re.sub(r"[,， _']", "", found).replace("−", "-").replace("+", "")
    mantissa, _, exponent = digits.lower().partition("e")
    if len(mantissa) > 60 or len(exponent) > 4 or abs(int(exponent or 0)) > 60:
        raise ValueError(f"{text[:40]!r} is no figure of this domain")
    places = len(mantissa.partition(".")[2])
    return Fraction(digits), Fraction(10) ** (int(exponent or 0) - places)


@lru_cache(maxsize=4096)
def normal_unit(unit: str) -> str:
    """The unit in one spelling: half width, µ as u, words for "per" as a slash, single spaces."""
    text = unicodedata.normalize("NFKC", unit).replace("μ", "u").replace("µ", "u").replace("Ω", "O")
    text = re.sub(
        r"\s+per\s+(?!cent)|\s*/\s*|(?<=\S)每(?=\S)|\s+a\s+(?=(?:second|hour|day|month|year)\b)",
        "/",
        text.strip(),
    )
    return re.sub(r"\s+", " ", text).strip()


@lru_cache(maxsize=4096)
def unit_of(unit: str) -> UnitOfMeasure:
    """What the unit is worth. One that nobody knows is a dimension of its own, by its name."""
    text = normal_unit(unit)
    if _TRUNCATED.fullmatch(text):
        return UnitOfMeasure(Fraction(1000) ** _PREFIX[text], (("truncated", 1),), truncated=True)
    above, *below = text.split("/")
    if above in ("", "1") and below:
        above = "count"
    factor, powers = _simple(above)
    total = dict(powers)
    for part in below:
        worth, exponents = _simple(part)
        factor /= worth
        for name, exponent in exponents.items():
            total[name] = total.get(name, 0) - exponent
    return UnitOfMeasure(factor, tuple(sorted((name, e) for name, e in total.items() if e)))


def _simple(text: str) -> tuple[Fraction, dict[str, int]]:
    """A unit without a slash: what it is worth, and its exponents."""
    text = text.strip()
    if text.lower() in _FRACTIONS:
        return Fraction(_FRACTIONS[text.lower()]), {}
    if (counted := _behind_a_number_word(text)) is not None:
        return counted
    if not text or _COUNTED.fullmatch(text):
        return Fraction(1), {}
    if per_second := _PER_SECOND.fullmatch(text):
        factor, _ = _simple(per_second[1])
        return factor, {"bit": 1, "s": -1}
    if (data := _data(text)) is not None:
        return data, {"bit": 1}
    if (known := _time_or_money(text)) is not None:
        return known
    if events := _EVENTS.fullmatch(text):
        return Fraction(1000) ** _PREFIX[events[1]], {"s": -1}
    return _less_common(text)


def _less_common(text: str) -> tuple[Fraction, dict[str, int]]:
    if worked := _WORKED.fullmatch(text):
        return _TIMES[worked[1].lower()], {"s": 1}
    if scaled := _WITH_PREFIX.fullmatch(text):
        name = scaled[2].rstrip("sS").upper() if scaled[2].lower().startswith("flop") else scaled[2]
        return Fraction(1000) ** _PREFIX[scaled[1]], {name: 1}
    if text in ("M", "B", "K", "k"):  # 4M, 70B: counts in words of one letter
        return Fraction({"M": 10**6, "B": 10**9}.get(text, 1000)), {}
    return Fraction(1), {text.lower().removesuffix("s"): 1}


def _behind_a_number_word(text: str) -> tuple[Fraction, dict[str, int]] | None:
    """亿元, 万 IOPS, million tokens: the rest of the unit, so many times."""
    for word, scale in _NUMBER_WORDS:
        for rest in (
            text[len(word) :] if text.lower().startswith(word) else None,
            text.removesuffix(f" {word}"),
        ):
            if rest is not None and rest != text:
                factor, powers = _simple(rest.removeprefix("s "))
                return factor * scale, powers
    return None


def _data(text: str) -> Fraction | None:
    if word := _DATA_WORD.fullmatch(text):
        letter = {"kilo": 1, "mega": 2, "giga": 3, "tera": 4, "peta": 5, "exa": 6}[word[1].lower()]
        return Fraction(1000) ** letter * (8 if word[2].lower() == "byte" else 1)
    if (short := _DATA.fullmatch(text)) is None:
        return None
    base = Fraction(1024 if short[2] else 1000)
    is_bytes = short[3] == "B" or short[3].lower().startswith("byte")
    return base ** _PREFIX[short[1]] * (8 if is_bytes else 1)


def _time_or_money(text: str) -> tuple[Fraction, dict[str, int]] | None:
    for spelling in (text, text.lower()):
        if spelling in _TIMES:
            return _TIMES[spelling], {"s": 1}
        if spelling in _MONEY:
            return Fraction(1), {_MONEY[spelling]: 1}
        if spelling in _MONEY_CENTS:
            return Fraction(1, 100), {_MONEY_CENTS[spelling]: 1}
    if text.upper() in _MONEY:
        return Fraction(1), {_MONEY[text.upper()]: 1}
    return None
