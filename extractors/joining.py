"""Neighbouring mentions that make one quantity, or share one unit: N × V, a to b, a ± b, 100, 200 and 400 Gbps."""

from __future__ import annotations

import re
from decimal import Decimal

from extractors.mention import Mention
from extractors.units import Dimension
from schemas.quantity import Bound

_CONNECTOR = re.compile(r" ?(?:[-~到至]|to(?= )|bis(?= )|sampai(?= )|から) ?")
_TIMES = re.compile(r" ?[×xX*路口] ?")
_PIECES_OF = re.compile(r" ?[张块条本根] ?")
_TIMES_CAPACITY = re.compile(r"(?:容量|capacity|size)[^\n,，。;；×x*]{0,14}[×x*] ?$", re.IGNORECASE)
_CAPPED = re.compile(
    r" ?[,，;；(（]? ?(?:(?:但)?(?:最高|上限|封顶|至多|不超过)|(?:up to|capped at|max(?:imum)?|at most|limited to)) ?",
    re.IGNORECASE,
)
_THEN_CAP = re.compile(r" ?[,，] ?(?:到|with)? ?")
_AT_THE_TOP = re.compile(r" ?(?:到顶|封顶|为止|上限|(?:max|cap|ceiling)(?![a-z]))", re.IGNORECASE)
_DUAL = re.compile(r"(?:双|(?<![A-Za-z])[Dd]ual) ?$")
_THEN = re.compile(r" ?(?:零|又|and|und|,)? ?", re.IGNORECASE)
_PLUS_MINUS = re.compile(r" ?± ?")
_AND = re.compile(r",? ?(?:and|or|und|oder|dan|和|与|及|或|/) ?")
_COMMA = re.compile(r"[,、] ?|/")
_BETWEEN = re.compile(r"(?:between|zwischen|antara|介于|在) ?$", re.IGNORECASE)
_TAKES_TIMES = frozenset(
    {Dimension.DATA_RATE, Dimension.TRUNCATED, Dimension.DATA, Dimension.OPS, Dimension.ACCELERATORS}
)
_SHARES_UNIT = frozenset(
    {
        Dimension.DATA_RATE,
        Dimension.TRUNCATED,
        Dimension.DATA,
        Dimension.RATE_DENSITY,
        Dimension.ACCELERATORS,
        Dimension.TIME,
        Dimension.OPS,
        Dimension.FRACTION,
    }
)
_LINK = re.compile(
    r" ?的?(?:单口|双口)? ?(?:RDMA|RoCE|InfiniBand|IB|ConnectX|CX|智能|高速|NDR"
    r"|HDR)?[ -]?\w{0,4} ?(?:网[卡口路]|网路卡|NIC|HCA|链路|端口|の?(?:NIC|リンク))"
)
_MOST_TIMES = 4096
_CARD_NAMES = frozenset(map(Decimal, (3090, 4090, 5090)))
_NEAR = 12


def join(text: str, mentions: list[Mention]) -> list[Mention]:
    """The mentions with neighbours joined where they make one quantity; order and offsets hold."""
    out: list[Mention] = []
    for mention in mentions:
        out.append(mention)
        # 2 × 2 × 100 Gbps joins from the right, so a joined pair is tried again with what stands before it.
        while len(out) > 1 and (joined := _pair(text, out[-2], out[-1])) is not None:
            out[-2:] = [joined]
        out[-1] = _dual(text, out[-1])
    return _share_units(text, _slopes(text, out))


def _pair(text: str, left: Mention, right: Mention) -> Mention | None:
    if right.start - left.end > 8 or left.low is None or right.low is None:
        return None
    between = text[left.end : right.start]
    if _TIMES.fullmatch(between) or (_PIECES_OF.fullmatch(between) and _is_link(text, right)):
        return _product(left, right)
    if _PLUS_MINUS.fullmatch(between):
        return _plus_minus(left, right)
    if _THEN.fullmatch(between) and left.dimension is right.dimension is Dimension.TIME:
        return _clock(left, right)
    if _CONNECTOR.fullmatch(between) or _is_between(text, left, between):
        return _range(left, right)
    return None


def _slopes(text: str, mentions: list[Mention]) -> list[Mention]:
    """容量 × 400 MB/s，400 GB/s 到顶: a slope and its cap are one formula, of which the cap is the figure."""
    out: list[Mention] = []
    for mention in mentions:
        left = out[-1] if out else None
        if (
            left is not None
            and left.dimension is mention.dimension
            and mention.low is not None
            and left.has_unit
        ):
            opened = _TIMES_CAPACITY.search(text, max(0, left.start - 24), left.start)
            between = text[left.end : mention.start]
            capped = _CAPPED.fullmatch(between) or (
                _THEN_CAP.fullmatch(between) and _AT_THE_TOP.match(text, mention.end)
            )
            if opened and capped and len(between) <= 12:
                end = mention.end
                if tail := _AT_THE_TOP.match(text, end):
                    end = tail.end()
                out[-1] = mention._replace(
                    start=opened.start(), end=end, low=None, high=mention.low, bound=Bound.FORMULA,
                    formula=text[opened.start() : end],
                )  # fmt: skip
                continue
        out.append(mention)
    return out


def _dual(text: str, mention: Mention) -> Mention:
    """双 200GE and dual 200 Gbps are twice the figure."""
    if mention.times is not None or mention.low is None or mention.dimension not in _TAKES_TIMES:
        return mention
    word = _DUAL.search(text, max(0, mention.start - 6), mention.start)
    if word is None or mention.dimension is Dimension.ACCELERATORS:
        return mention
    return mention._replace(start=word.start(), low=mention.low * 2, times=Decimal(2))


def _is_link(text: str, right: Mention) -> bool:
    """8 张 400G 网卡: so many links of a rate, named as such."""
    rate = right.dimension in (Dimension.DATA_RATE, Dimension.TRUNCATED)
    return rate and _LINK.match(text, right.end) is not None


def _is_between(text: str, left: Mention, between: str) -> bool:
    return _AND.fullmatch(between) is not None and bool(
        _BETWEEN.search(text, max(0, left.start - _NEAR), left.start)
    )


def _product(left: Mention, right: Mention) -> Mention | None:
    if left.low is None or right.low is None:
        return None
    count, value = (left, right) if left.dimension is Dimension.BARE else (right, left)
    whole = count.low is not None and count.low == count.low.to_integral_value() and count.low <= _MOST_TIMES
    takes = value.dimension in _TAKES_TIMES or (value.dimension is Dimension.BARE and not value.formula)
    if left.dimension is right.dimension is Dimension.BARE and left.low in _CARD_NAMES:
        return None  # 4090×8 is eight cards
    if count.dimension is not Dimension.BARE or not whole or not takes:
        return None
    times = (count.low or Decimal(1)) * (value.times or Decimal(1))
    return value._replace(start=left.start, end=right.end, low=left.low * right.low, times=times)


def _plus_minus(left: Mention, right: Mention) -> Mention | None:
    if left.low is None or right.low is None:
        return None
    if left.dimension is Dimension.BARE:
        middle, spread, whole = left.low * right.unit.factor, right.low, right
    elif right.dimension is Dimension.FRACTION:
        middle, spread, whole = left.low, left.low * right.low, left
    else:
        return None
    return whole._replace(
        start=left.start, end=right.end, low=middle - spread, high=middle + spread, bound=Bound.RANGE
    )


def _clock(left: Mention, right: Mention) -> Mention | None:
    """1 小时 30 分钟 is one duration; 1 分钟 3 分钟 is two."""
    finer = right.unit.factor < left.unit.factor and Bound.EXACT is left.bound is right.bound
    if not finer or left.low is None or right.low is None or right.low >= left.unit.factor:
        return None
    return right._replace(start=left.start, unit_start=left.unit_start, low=left.low + right.low)


def _range(left: Mention, right: Mention) -> Mention | None:
    if left.low is None or right.low is None:
        return None
    whole = right
    if left.dimension is Dimension.BARE:
        low = left.low * right.unit.factor
        if left.scale == 1 and left.bound is Bound.EXACT:
            low *= right.scale
    elif left.dimension is right.dimension:
        low = left.low
    elif left.dimension is Dimension.MONEY and right.dimension is Dimension.BARE:
        low, whole = left.low, left._replace(end=right.end)
    else:
        return None
    high = right.high if right.bound is Bound.ORDER_OF_MAGNITUDE else right.low
    if high is None or high <= low or Bound.RANGE in (left.bound, right.bound):
        return None
    return whole._replace(start=left.start, low=low, high=high, bound=Bound.RANGE, level=False)


def _share_units(text: str, mentions: list[Mention]) -> list[Mention]:
    """100, 200 and 400 Gbps: the bare numbers of a list take the unit of its last member."""
    out = list(mentions)
    for position in range(len(out) - 1, 0, -1):
        right, left = out[position], out[position - 1]
        shares = right.dimension in _SHARES_UNIT and right.bound is Bound.EXACT and not right.level
        if not shares or left.dimension is not Dimension.BARE or left.low is None or left.formula:
            continue
        between = text[left.end : right.start]
        linked = _AND.fullmatch(between) or (right.tail and _COMMA.fullmatch(between))
        if linked and left.scale == 1 and right.times is None:
            # `tail` marks the list: its members are quoted up to the unit that they share.
            end = right.tail or right.end
            out[position - 1] = left._replace(unit=right.unit, low=left.low * right.unit.factor, tail=end)
            out[position] = right._replace(tail=end)
    return out
