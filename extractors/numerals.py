"""Numbers in words: Chinese and Japanese numerals (十万, 两三, 数十, 半, 三分之一) and English ones (tens of thousands)."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import NamedTuple

_DIGITS = {c: Decimal(i) for i, c in enumerate("零一二三四五六七八九")} | {
    "〇": Decimal(0),
    "两": Decimal(2),
}
_LONGEST = 20
_SMALL = {"十": Decimal(10), "百": Decimal(100), "千": Decimal(1000)}
_LARGE = {"万": Decimal(10) ** 4, "亿": Decimal(10) ** 8}

CJK_NUMERAL = (
    "(?:(?:[零〇一二两三四五六七八九十百千万亿半]|(?<!整)[数几上](?=[十百千万亿周天月分小秒个倍微毫纳マミナ])|(?<=[十百千万])[几余多数])++"
    "(?:点[零一二三四五六七八九]++)?|个位数)"
)

MAGNITUDES: dict[str, Decimal] = {
    "万亿": Decimal(10) ** 12,
    "千亿": Decimal(10) ** 11,
    "百亿": Decimal(10) ** 10,
    "十亿": Decimal(10) ** 9,
    "亿": Decimal(10) ** 8,
    "千万": Decimal(10) ** 7,
    "百万": Decimal(10) ** 6,
    "十万": Decimal(10) ** 5,
    "万": Decimal(10) ** 4,
    "千": Decimal(10) ** 3,
    "百": Decimal(10) ** 2,
    "w": Decimal(10) ** 4,
    "W": Decimal(10) ** 4,
    "k": Decimal(10) ** 3,
    "K": Decimal(10) ** 3,
    "M": Decimal(10) ** 6,
    "thousand": Decimal(10) ** 3,
    "million": Decimal(10) ** 6,
    "billion": Decimal(10) ** 9,
    "trillion": Decimal(10) ** 12,
    "Mio": Decimal(10) ** 6,
    "Mio.": Decimal(10) ** 6,
    "Millionen": Decimal(10) ** 6,
    "Mrd": Decimal(10) ** 9,
    "Mrd.": Decimal(10) ** 9,
    "Milliarden": Decimal(10) ** 9,
}

_ENGLISH = {
    word: Decimal(n)
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
        "sixteen seventeen eighteen nineteen".split()
    )
} | {
    word: Decimal(n)
    for n, word in zip(
        range(20, 100, 10), "twenty thirty forty fifty sixty seventy eighty ninety".split(), strict=True
    )
}
_ENGLISH_SCALES = {"dozen": Decimal(12), "hundred": Decimal(100)} | {
    word: MAGNITUDES[word] for word in ("thousand", "million", "billion", "trillion")
}
_FIXED = {
    "half a": Decimal("0.5"),
    "half an": Decimal("0.5"),
    "a quarter of a": Decimal("0.25"),
    "a quarter of an": Decimal("0.25"),
    "a": Decimal(1),
    "an": Decimal(1),
    "a couple of": Decimal(2),
}
_FEW = frozenset({"a few", "several", "single-digit"})

_PLURALS = {
    "tens": Decimal(10),
    "dozens": Decimal(10),
    "hundreds": Decimal(100),
    "thousands": Decimal(1000),
    "millions": Decimal(10) ** 6,
    "billions": Decimal(10) ** 9,
}

_WORD = f"(?:{'|'.join([*_ENGLISH, *_ENGLISH_SCALES])})(?![A-Za-z])"
_PLURAL = f"(?:{'|'.join(_PLURALS)})"
ENGLISH_NUMERAL = (
    rf"(?:{_PLURAL} of (?:{_PLURAL} of )?"
    rf"|(?:a quarter of an?|a couple of|a few|several|single-digit|(?:half )?an? (?={'|'.join(_ENGLISH_SCALES)})"
    rf"(?:{'|'.join(_ENGLISH_SCALES)})|half an?|{_WORD}(?:(?: and |[ -]){_WORD})*(?: and a half)?|an?)(?=[ -]))"
)


class Numeral(NamedTuple):
    """What a numeral in words says. `high` is set for a spread (两三) or a decade (千万, 数十).

    `decade`: it names a magnitude and no digit of it, so only the order of magnitude is known.
    `more`: it says "and some" (二十余), which makes it a lower bound.
    """

    low: Decimal
    high: Decimal | None = None
    decade: bool = False
    more: bool = False


def read_cjk(text: str) -> Numeral | None:
    """Read a folded Chinese numeral; None where it is no number (a stray 几, 万一)."""
    if len(text) > _LONGEST:
        return None
    if text == "个位数":
        return Numeral(Decimal(1), Decimal(10), decade=True)
    if "点" in text:
        whole, _, fraction = text.partition("点")
        base, digits = _compose(whole), "".join(str(_DIGITS[c]) for c in fraction)
        return None if base is None else Numeral(Decimal(f"{base}.{digits}"))
    more = text.endswith(("余", "多"))
    text = text.rstrip("余多") if more else text
    if text == "半":
        return Numeral(Decimal("0.5"))
    if text[0] in "数几上":
        rest = _compose(text[1:]) if len(text) > 1 else Decimal(1)
        return None if rest is None else Numeral(rest, rest * 10, decade=True)
    if text.endswith(("几", "数")):
        base = _compose(text[:-1])
        return None if base is None else Numeral(base, base * 2)
    spread = re.fullmatch(r"([一二三四五六七八九两])([一二三四五六七八九])([十百千万亿]*)", text)
    if spread and (_DIGITS[spread[2]] - _DIGITS[spread[1]] == 1 or spread[1] + spread[2] == "三五"):
        scale = _compose(spread[3]) if spread[3] else Decimal(1)
        if scale is not None:
            return Numeral(_DIGITS[spread[1]] * scale, _DIGITS[spread[2]] * scale)
    value = _compose(text)
    if value is None:
        return None
    if all(c in "十百千万亿" for c in text) and text != "十":
        return Numeral(value, value * 10, decade=not more, more=more)
    return Numeral(value, more=more)


def _compose(text: str) -> Decimal | None:
    """The value of digits and magnitudes in place notation: 三万亿 is 3e12, 千万 is 1e7, 二十 is 20."""
    total, section, digit = Decimal(0), Decimal(0), None
    for char in text:
        if char in _DIGITS:
            if digit is not None and digit != 0:
                return None  # two digits in a row are a name, not a number
            digit = _DIGITS[char]
        elif char in _SMALL:
            section += (Decimal(1) if digit is None else digit) * _SMALL[char]
            digit = None
        elif char in _LARGE:
            section += digit or 0
            if section == 0:
                total = (total or Decimal(1)) * _LARGE[char]
            elif char == "亿":
                total, section = (total + section) * _LARGE[char], Decimal(0)
            else:
                total, section = total + section * _LARGE[char], Decimal(0)
            digit = None
        else:
            return None
    value = total + section + (digit or 0)
    return value if text else None


def read_english(text: str) -> Numeral | None:
    """Read an English numeral that `ENGLISH_NUMERAL` matched."""
    words = text.strip().lower()
    if words in _FIXED:
        return Numeral(_FIXED[words])
    if words in _FEW:
        return Numeral(Decimal(1), Decimal(10), decade=True)
    if words.split(" ", 1)[0] in _PLURALS:
        scale = Decimal(1)
        for word in words.replace(" of", "").split():
            scale *= _PLURALS[word]
        return Numeral(scale, scale * 10, decade=True)
    total, section = Decimal(0), Decimal(0)
    for word in words.replace("-", " ").split():
        if word in _ENGLISH:
            section += _ENGLISH[word]
        elif word in ("dozen", "hundred"):
            section = (section or Decimal(1)) * _ENGLISH_SCALES[word]
        elif word in _ENGLISH_SCALES:
            total, section = total + (section or Decimal(1)) * _ENGLISH_SCALES[word], Decimal(0)
        elif word == "half":
            section += Decimal("0.5")
    value = total + section
    return Numeral(value) if value or words == "zero" else None


def read_digits(text: str, *, comma_decimal: bool = False) -> Decimal | None:
    """Read a number in digits with separators; None where the separators do not settle its value.

    The last of two different separators is the decimal point. A lone separator followed by exactly three
    digits is read by the page's language (`comma_decimal`); grouping must be in threes.
    """
    if text.isdecimal() and len(text) <= 40:
        return Decimal(text)
    mantissa, _, exponent = re.sub("[eE]", "e", text.replace("'", "")).partition("e")
    commas, dots = mantissa.count(","), mantissa.count(".")
    if commas and dots:
        point = "," if mantissa.rfind(",") > mantissa.rfind(".") else "."
    elif commas:
        grouped = re.fullmatch(r"\d{1,3}(?:,\d{3})+", mantissa) and not (comma_decimal and commas == 1)
        point = "." if grouped else ","
    elif dots > 1 or (dots == 1 and comma_decimal and re.fullmatch(r"[1-9]\d{0,2}\.\d{3}", mantissa)):
        point = ","
    else:
        point = "."
    group = "." if point == "," else ","
    whole, _, fraction = mantissa.partition(point)
    if group in fraction or point in fraction:
        return None
    if group in whole and not re.fullmatch(rf"\d{{1,3}}(?:{re.escape(group)}\d{{3}})+", whole):
        return None
    if len(whole) > 40 or len(exponent) > 5:
        return None  # no figure of this domain; a run of digits must not become a huge power
    digits = (whole.replace(group, "") or "0") + ("." + fraction[:40] if fraction else "")
    value = Decimal(digits)
    if not exponent:
        return value
    return value.scaleb(int(exponent)) if abs(int(exponent)) <= 30 else None
