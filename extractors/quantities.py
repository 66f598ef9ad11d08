"""The quantity grammar: every number with a unit in a text, with its bound and its exact place.

Offsets are those of the text that was given: folding is one to one, and where invisible characters had to be
taken out, offsets are mapped back. Time is linear in the text's length.
"""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache

from extractors.bounds import bound_after, bound_before
from extractors.fold import fold
from extractors.joining import join
from extractors.mention import Mention
from extractors.nouns import classifier_of, counts_things, unit_apart
from extractors.scanning import scan
from extractors.units import Dimension
from schemas.quantity import Bound, Quantity

COMMA_DECIMAL_LANGUAGES = frozenset(
    {"id", "de", "fr", "es", "it", "pt", "nl", "ru", "pl", "tr", "vi", "sv", "da"}
)
# A number like 0,1 or 10.000.000 settles it too, whatever language the page declares.
_COMMA_PROOF = re.compile(
    r"(?<![\d.,])0,\d(?!\d*[,\d]{3},)|(?<![\d.,])\d{1,3}(?:\.\d{3}){2,}(?![\d.,]*\d\.\d)"
)
_EACH_TIB = re.compile(r"(?:每 ?TiB|(?:each|every|per) TiB)(?!/)[^\d,，。.;；]{0,16}$", re.IGNORECASE)
_FROM_AFTER = re.compile(
    r" ?(?:/|每) ?(?:小?时|卡时|卡|台|月|年|GPU|实例|hour|GPU-hour)(?:[/·每](?:小?时|月))? ?起"
)
_ALIKE = re.compile(r" ?(?:and|und|et|和|与|及|以及|、) ?")
# 40 GB/s reading and 20 GB/s writing; 读 40 GB/s、写 20 GB/s
_READS_THEN_WRITES = re.compile(
    r" ?(?:(?:for |of |on )?(?:reads?|reading)|(?:for |of |on )?(?:writes?|writing))? ?[,，、]? ?(?:and|und|plus|和|与|及|而)? ?"
    r"(?:(?:顺序|随机)?[读写](?:入|取)?(?:带宽|吞吐)?|(?:sequential |random )?(?:reads?|writes?))? ?",
    re.IGNORECASE,
)
_ACCESS = re.compile(r"[读写]|\b(?:read|writ)", re.IGNORECASE)
_STARTS_AT = re.compile(r"(?:from|ab|starting at) ?$", re.IGNORECASE)
_INVISIBLE = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")


_SHORT = 200


def find_mentions(text: str, *, lang: str = "") -> list[Mention]:
    """Every quantity of `text` in order, and bare numbers too, which mean something only under a header.

    `lang` decides what a lone comma or dot between digits means (see COMMA_DECIMAL_LANGUAGES).
    """
    if _INVISIBLE.search(text):
        return _find_without_invisible(text, lang)
    folded = fold(text)
    comma = lang.split("-")[0].lower() in COMMA_DECIMAL_LANGUAGES or _proves_commas(folded)
    # Cells repeat, and what a claim quotes is read again to check it.
    read = _read_short if len(folded) <= _SHORT else _read
    return list(read(folded, comma_decimal=comma, lang="ja" if lang == "ja" else ""))


def _proves_commas(folded: str) -> bool:
    return ("0," in folded or folded.count(".") > 1) and _COMMA_PROOF.search(folded) is not None


def _read(folded: str, *, comma_decimal: bool, lang: str) -> tuple[Mention, ...]:
    return tuple(_bounded(folded, join(folded, list(scan(folded, comma_decimal=comma_decimal, lang=lang)))))


_read_short = lru_cache(maxsize=1024)(_read)


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
        elif bound is Bound.EXACT and out and _goes_on(text, out[-1], mention):
            last = out[-1]  # up to 20,000 IOPS and 1 GB/s
            if last.bound in (Bound.AT_MOST, Bound.AT_LEAST) and last.has_unit and mention.has_unit:
                bound, best = last.bound, last.best_case
        unit = unit_apart(text, floor, mention)
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
        if mention.dimension is Dimension.BARE and counts_things(unit):
            end = text.index(classifier_of(text, mention), end) + 1
        bounded = Mention(
            mention.start, end, mention.unit_start, low, high, unit, bound, best, mention.times, mention.formula,
            mention.scale, mention.level, mention.article, reach, max(tail, mention.tail, end),
        )  # fmt: skip
        out.append(bounded)
        floor = end
    return out


def _goes_on(text: str, last: Mention, mention: Mention) -> bool:
    """Whether what bounds the figure before bounds this one too: a second figure, or the writes after the reads."""
    between = text[last.end : mention.start]
    if _ALIKE.fullmatch(between):
        return True
    alike = last.dimension is mention.dimension and len(between) <= 28
    return alike and _ACCESS.search(between) is not None and _READS_THEN_WRITES.fullmatch(between) is not None


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
