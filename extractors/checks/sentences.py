"""Calculations that a sentence prints: products, shares, growth, multiples, differences and sums, as programs."""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractors.fold import fold
from schemas.program import Operand, Operation, Program
from schemas.quantity import Bound

_N = r"\d[\d,]{0,15}(?:\.\d{1,6})?"
_RATE = r"(?:[kKMGTPE]i?(?:bit|byte|b|B)(?:/s|ps)?(?:/[TGP]i?B)?|IOPS|TB/s|[TG](?![A-Za-z]))"
_UNIT = (
    rf"(?:{_RATE}|%|percent|亿美元|亿元|万元|美元|元|亿|万|张?卡|张|小时|分钟|秒|天|分|[munµμ]s(?![A-Za-z])|hours?|minutes?|min(?![A-Za-z])"
    r"|seconds?|days?|[TP]FLOPS|[kM]?W(?![A-Za-z])|GPUs?|NPUs?|cards?)"
)
_NEXT = r"[,，、（( ]{0,2}"
"""Between two figures and what is said to have come of them nothing stands that could be another subject."""
_GAP = r"[^\d。；;\n%]"
_ABOUT = r"(?P<about>约为?|近|about |around |roughly |~)?"
_EQUALS = (
    r"(?:=|＝|共|合计|总计|共计|合計|总带宽|为|即|,? ?(?:for |or |i\.e\. ?)?(?:a |in )?total(?:ling|s)?(?: of)?"
    r"|(?:makes?|gives?|is|are)(?: a total of)?|[（(])"
)


def _figure(name: str) -> str:
    return rf"(?<![\d.,])(?P<{name}>{_N}) ?(?P<{name}u>{_UNIT})"


_N_TIMES = re.compile(
    rf"(?<![\d.])(?P<n>{_N}) ?(?:[a-z]{{0,10}} ?)?[x×*] ?(?P<v>{_N}) ?(?P<vu>{_RATE})[^\d。;；\n]{{0,12}}?"
    rf"{_EQUALS} ?(?:约|about )?(?P<r>{_N}) ?(?P<ru>{_RATE})"
)
_TOTAL_FIRST = re.compile(
    rf"(?<![\d.×x*])(?P<r>{_N}) ?(?P<ru>{_RATE}) ?[（(=] ?(?P<n>{_N}) ?[x×*] ?(?P<v>{_N}) ?(?P<vu>{_RATE})"
)
_SHARE_OF = re.compile(
    r"(?<![\d.])(?P<part>\d[\d,]*) (?:out )?of (?:the |all )?(?P<whole>\d[\d,]*)\b[^\d.;\n]{0,40}?[（(,:]? ?"
    r"(?:or |i\.e\. |about )?(?P<share>\d{1,3}(?:\.\d+)?) ?(?:%|percent)"
    r"|(?<![\d.])(?P<whole2>\d[\d,]*) ?[次台张个卡件起][^\d。；;\n]{0,8}?(?:中|里)[^\d。；;\n]{0,12}?"
    r"(?P<part2>\d[\d,]*) ?[次台张个卡件起][^\d。；;\n]{0,14}?(?P<share2>\d{1,3}(?:\.\d+)?)%"
)

_MORE_ZH, _LESS_ZH = "增长|提升|提高|上升|增加|上涨", "降低|下降|减少|缩短|下跌"
_LESS = re.compile(
    rf"{_LESS_ZH}|[低少小短]|decrease|reduction|down|cut|less|lower|smaller|shorter|drop", re.IGNORECASE
)
_GROWN = (
    # 从 10 分钟降到 6 分钟，缩短 40%
    re.compile(
        rf"[从由] ?{_figure('a')}{_GAP}{{0,10}}?[到至] ?{_figure('b')}{_NEXT}"
        rf"(?P<verb>{_MORE_ZH}|{_LESS_ZH})了? ?{_ABOUT}(?P<p>{_N}) ?(?P<pu>%|倍)"
    ),
    # 141 GB 比 80 GB 高 76%
    re.compile(
        rf"{_figure('b')}[,，]? ?(?:比|较|相比) ?{_figure('a')}{_NEXT}"
        rf"(?P<verb>{_MORE_ZH}|{_LESS_ZH}|[高多大快低少小短])[了出]? ?{_ABOUT}(?P<p>{_N}) ?(?P<pu>%)"
    ),
    # from 3.35 TB/s to 4.8 TB/s, up 43%
    re.compile(
        rf"\bfrom {_figure('a')} to {_figure('b')}{_NEXT}(?:an? |is |was )?"
        r"(?P<verb>increase|up|gain|rise|reduction|decrease|down|cut|drop)(?: of| by)? "
        rf"{_ABOUT}(?P<p>{_N}) ?(?P<pu>%|percent)",
        re.IGNORECASE,
    ),
    # 141 GB is 76 percent more than 80 GB
    re.compile(
        rf"{_figure('b')} (?:is|are) {_ABOUT}(?P<p>{_N}) ?(?P<pu>%|percent) "
        rf"(?P<verb>more|higher|larger|faster|less|lower|smaller|shorter) than (?:the )?{_figure('a')}",
        re.IGNORECASE,
    ),
)
_YEARLY = re.compile(r"年均|年复合|复合|每年|CAGR|a year|annual", re.IGNORECASE)
_PART_OF_YEAR = r"(?:上半年|下半年|H[12]|Q[1-4]|第?[一二三四]季度)?"
_CAGR = (
    re.compile(
        rf"(?P<y1>20\d\d) ?年?{_PART_OF_YEAR}{_GAP}{{0,10}}?{_figure('a')}{_GAP}{{0,12}}?(?P<y2>20\d\d) ?年?{_PART_OF_YEAR}"
        rf"{_GAP}{{0,10}}?{_figure('b')}{_GAP}{{0,10}}?(?:年均|年复合|复合年)(?:复合)?(?:增长率?|增速)?{_GAP}{{0,3}}?{_ABOUT}(?P<p>{_N})%"
    ),
    re.compile(
        rf"{_figure('a')} in (?P<y1>20\d\d) to {_figure('b')} in (?P<y2>20\d\d)[^.;\n\d]{{0,24}}?{_ABOUT}(?P<p>{_N}) ?(?:%|percent)"
        r"(?= (?:a|per) year| annual|[^.;\n\d]{0,6}CAGR)|(?!)",
        re.IGNORECASE,
    ),
)
_TIMES_AS = (
    re.compile(rf"{_figure('a')} ?(?:是|为|相当于) ?{_figure('b')} ?的 ?{_ABOUT}(?P<r>{_N}) ?倍"),
    re.compile(
        rf"{_figure('a')} (?:is|are) {_ABOUT}(?P<r>{_N}) ?(?:times|x|×) (?:the )?{_figure('b')}",
        re.IGNORECASE,
    ),
)
_AN_ORDER = (
    re.compile(
        rf"{_figure('a')}{_GAP}{{0,20}}?{_figure('b')}{_GAP}{{0,12}}?(?:相差|差|低|高|提升|领先)[了出]?(?:整整)?[一1] ?个(?:数)?量级"
    ),
    re.compile(
        rf"{_figure('a')} (?:is|are) an order of magnitude (?:under|below|above|over|(?:less|more|faster|slower|larger|smaller) than) "
        rf"(?:the )?{_figure('b')}",
        re.IGNORECASE,
    ),
)
_APART = (
    re.compile(
        rf"(?<![\d.,])(?P<a>{_N})(?P<au>分|%)? ?(?:与|和) ?(?P<b>{_N})(?P<bu>分|%)?[^\d。；;\n%]{{0,4}}?相差 ?{_ABOUT}"
        rf"(?P<d>{_N})(?P<du>分|个百分点|%)?(?!\d)"
    ),
    re.compile(
        rf"(?<![\d.,])(?P<a>{_N})(?P<au>%)? and (?P<b>{_N})(?P<bu>%)?,? (?:is|are) {_ABOUT}(?P<d>{_N})(?P<du>%| points)? apart",
        re.IGNORECASE,
    ),
)
_SUM_OF = re.compile(
    rf"(?<![\d.,])(?P<terms>{_N}%(?: ?(?:、|,(?: ?and)?|and|和|与|\+) ?{_N}%){{1,11}})[^\d。；;\n%]{{0,8}}?"
    rf"(?:合计|共计|总计|together(?: are| make)?|in total|sum(?:s|ming)? to|adds? up to|totall?ing|totals?) ?(?:为 ?)?(?P<s>{_N})%"
)


def sentence_programs(text: str) -> Iterator[Program]:
    """The calculations that a text prints, as programs."""
    folded = fold(text)
    yield from _products(folded)
    yield from _shares(folded)
    yield from _growth(folded)
    yield from _ratios(folded)
    yield from _sums(folded)


def _products(text: str) -> Iterator[Program]:
    for pattern in (_N_TIMES, _TOTAL_FIRST):
        for found in pattern.finditer(text):
            inputs = Operand(value=found["n"], unit="count"), Operand(value=found["v"], unit=found["vu"])
            yield _program(Operation.PRODUCT, inputs, Operand(value=found["r"], unit=found["ru"]))


def _shares(text: str) -> Iterator[Program]:
    for found in _SHARE_OF.finditer(text):
        inputs = (
            Operand(value=found["part"] or found["part2"], unit="count"),
            Operand(value=found["whole"] or found["whole2"], unit="count"),
        )
        yield _program(Operation.SHARE, inputs, Operand(value=found["share"] or found["share2"], unit="%"))


def _growth(text: str) -> Iterator[Program]:
    for pattern in _GROWN:
        for found in pattern.finditer(text):
            if _YEARLY.search(found[0]) or (found["au"] == found["bu"] == "%" and found["pu"] != "倍"):
                continue  # a rate a year needs years; of two shares, percent may mean points
            less = _LESS.search(found["verb"]) is not None
            if less and found["pu"] == "倍":
                continue  # ten times less says nothing that can be computed
            unit = "倍" if found["pu"] == "倍" else "%"
            operation = Operation.DECREASE if less else Operation.INCREASE
            yield _program(operation, _pair(found), _result(found, "p", unit))
    for pattern in _CAGR:
        for found in pattern.finditer(text):
            first, second = _pair(found)
            start, end = found.start("y1"), found.start("y2")
            halves = [re.match(rf"20\d\d ?年?{_PART_OF_YEAR}", text[at:]) for at in (start, end)]
            periods = [half[0] if half else "" for half in halves]
            inputs = tuple(
                one.model_copy(update={"about": {"period": period}})
                for one, period in zip((first, second), periods, strict=True)
            )
            yield _program(Operation.ANNUAL_GROWTH, inputs, _result(found, "p", "%"))


def _ratios(text: str) -> Iterator[Program]:
    for pattern in _TIMES_AS:
        for found in pattern.finditer(text):
            yield _program(Operation.RATIO, _pair(found), _result(found, "r", "ratio"))
    for pattern in _AN_ORDER:
        for found in pattern.finditer(text):
            # What is called an order of magnitude is ten times and less than a hundred.
            ten = Operand(value="10", unit="ratio", bound=Bound.ORDER_OF_MAGNITUDE)
            yield _program(Operation.RATIO, _pair(found), ten)


def _sums(text: str) -> Iterator[Program]:
    for pattern in _APART:
        for found in pattern.finditer(text):
            unit = "%" if "%" in (found["au"] or "", found["bu"] or "") else ""
            inputs = Operand(value=found["a"], unit=unit), Operand(value=found["b"], unit=unit)
            yield _program(Operation.DIFFERENCE, inputs, _result(found, "d", unit))
    for found in _SUM_OF.finditer(text):
        terms = tuple(Operand(value=n, unit="%") for n in re.findall(_N, found["terms"]))
        yield _program(Operation.SUM, terms, Operand(value=found["s"], unit="%"))


def _pair(found: re.Match[str]) -> tuple[Operand, Operand]:
    return Operand(value=found["a"], unit=found["au"]), Operand(value=found["b"], unit=found["bu"])


def _result(found: re.Match[str], name: str, unit: str) -> Operand:
    bound = Bound.APPROX if found["about"] else Bound.EXACT
    return Operand(value=found[name], unit=unit, bound=bound)


def _program(operation: Operation, inputs: tuple[Operand, ...], result: Operand) -> Program:
    return Program(operation=operation, inputs=inputs, result=result)
