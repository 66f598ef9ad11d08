"""What stands in a qualifier or a condition, in one spelling, so that one thing under two names is one thing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from functools import cache, lru_cache
from importlib.resources import as_file, files

from pydantic import field_validator

from extractors.checks.periods import read_day, read_period
from extractors.numerals import CJK_NUMERAL, MAGNITUDES, read_cjk
from schemas.datafile import read_data_file
from schemas.record import Record, plain
from schemas.registry import registry

_OF_TIME = frozenset({"date", "period", "valid_from", "valid_to"})


class _File(Record):
    keys: dict[str, tuple[str, ...]]
    fillers: dict[str, tuple[str, ...]]
    names: dict[str, dict[str, tuple[str, ...]]]

    @field_validator("fillers")
    @classmethod
    def _compile(cls, value: dict[str, tuple[str, ...]]) -> dict[str, tuple[str, ...]]:
        for pattern in (p for patterns in value.values() for p in patterns):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"the filler {pattern!r} is no regular expression: {error}") from None
        return value


@cache
def _table() -> _File:
    with as_file(files("extractors.checks") / "spellings.yaml") as path:
        return read_data_file(path, _File)


@cache
def _keys() -> dict[str, str]:
    return {other: key for key, others in _table().keys.items() for other in others}


@cache
def _names(key: str) -> dict[str, str]:
    names = {
        word(other): name for name, others in _table().names.get(key, {}).items() for other in (name, *others)
    }
    if key == "of":
        for metric in registry().metrics.values():
            for name in (metric.name, metric.label.en, metric.label.zh):
                names.setdefault(word(name), word(metric.name))
    return names


def key_of(key: str) -> str:
    """The key under which a qualifier or a condition is compared: `version` is `release`."""
    plain_key = key.strip().casefold().replace(" ", "_").replace("-", "_")
    return _keys().get(plain_key, plain_key)


@lru_cache(maxsize=65536)
def word(text: str) -> str:
    """Words in one spelling: half width, lower case, without white space; 4 KiB, 4KB and 4k are one size."""
    text = re.sub(r"[\s_\-]+", "", unicodedata.normalize("NFKC", text)).casefold()
    if size := re.fullmatch(r"(\d+(?:\.\d+)?)([kmgtp]?)i?(?:b|byte|bytes)?(?:block|blocks|块)?", text):
        return f"{size[1]}{size[2]}"
    return text


@lru_cache(maxsize=65536)
def one_spelling(key: str, text: str, product: tuple[str, ...] = ()) -> str:
    """The text that stands under `key` (as `key_of` gives it) in the spelling in which it is compared.

    `product`: the names of what it is said of, which a release may repeat (星脉 2.0).
    """
    if key in _OF_TIME and (when := _time(text)) is not None:
        return when
    if key == "scale" and (count := _count(text)) is not None:
        return count
    spelled = word(text)
    if key == "release":
        spelled = _without(spelled, [rf"^{re.escape(word(name))}(?=.)" for name in product])
    spelled = _without(spelled, _table().fillers.get(key, ()))
    if key == "release":
        spelled = _release(spelled)
    return _names(key).get(spelled, spelled)


def _without(text: str, fillers: Iterable[str]) -> str:
    """The text without its fillers, as long as something is left."""
    for filler in fillers:
        rest = re.sub(filler, "", text)
        text = rest or text
    return text


def _time(text: str) -> str | None:
    if (day := read_day(text)) is not None:
        return "-".join(map(str, day))
    period = read_period(text)
    return None if period is None else f"{period.year}/{period.months}/{period.begins}"


def _release(text: str) -> str:
    """2.0 is 2, and 二 too."""
    numeral = read_cjk(text) if re.fullmatch(CJK_NUMERAL, text) else None
    if numeral is not None:
        return plain(numeral.low)
    return re.sub(r"(?<=\d)(?:\.0)+$", "", text)


_COUNTED = {
    "accelerators": r"[张块颗枚]?(?:加速卡|显卡|卡|gpus?|npus?|xpus?|芯片)|cards?|accelerators?|chips?|[张块颗枚]",
    "machines": r"[台个]?(?:节点|服务器|机器|主机)|[台机]|nodes?|servers?|machines?|hosts?|vms?|instances?",
}
_AMOUNT = re.compile(
    rf"(?P<number>\d[\d,]*(?:\.\d+)?)(?P<times>{'|'.join(m.casefold() for m in MAGNITUDES if m not in 'wW')}|w)?"
    rf"|(?P<words>{CJK_NUMERAL})"
)


def _count(text: str) -> str | None:
    """12,288 GPUs, 12288 卡 and 1.2288 万卡 are one scale; None where it is no count of cards or machines."""
    spelled = _without(word(text), _table().fillers.get("scale", ()))
    found = _AMOUNT.match(spelled)
    if found is None:
        return None
    rest = spelled[found.end() :]
    noun = next((name for name, pattern in _COUNTED.items() if re.fullmatch(pattern, rest)), None)
    if noun is None and not (rest == "" and not found["times"]):
        return None
    number = _number(found)
    return None if number is None else f"{plain(number)} {noun or 'accelerators'}"


def _number(found: re.Match[str]) -> Decimal | None:
    if found["words"]:
        numeral = read_cjk(found["words"])
        # "Thousands of cards" is no number, and 千卡 is what people call a thousand.
        return None if numeral is None or numeral.more else numeral.low
    times = {name.casefold(): worth for name, worth in MAGNITUDES.items()}.get(
        found["times"] or "", Decimal(1)
    )
    try:
        return Decimal(found["number"].replace(",", "")) * times
    except InvalidOperation:
        return None
