"""Words around a number that bound it: 最高, 以上, 小于, up to, at least, roughly…"""

from __future__ import annotations

import re

from schemas.quantity import Bound

# What may stand between the bounding word and its number: a few letters, no digit and no clause mark.
_GAP = r"[^\d,，。;；:：、()（）\[\]\n\t|!?！？{}]{0,12}?"
_NEAR = r" ?(?:的)? ?"

_BEFORE: tuple[tuple[Bound | None, bool, str], ...] = (
    (Bound.AT_LEAST, True, rf"(?:低至|低到|最低(?:只要|仅|可至|至|可)?|最快|最短|极限(?:时延|延迟)?(?:仅)?){_GAP}"),
    (Bound.AT_LEAST, True, r"(?:as low as|down to|as little as|as fast as|starts? (?:at|from)|starting (?:at|from)) ?"),
    (Bound.AT_MOST, False, r"(?:不超过|不高于|不多于|不大于|小于|低于|少于|不到|不足|至多|上限为?)" + _NEAR),
    (Bound.AT_MOST, False, r"(?:控制在|≤|<)" + _NEAR),
    (Bound.AT_MOST, False, r"(?:no more than|not more than|less than|fewer than|under|below|within|at most|<=) ?"),
    (Bound.AT_LEAST, False, r"(?:不低于|不少于|不小于|至少|大于|高于|多于|超过|超出|突破|逾|超(?!节点|算|大|级|高|分|融)|≥|>)" + _NEAR),
    (Bound.AT_LEAST, False, r"(?:at least|no less than|not less than|more than|greater than|over(?! a)|above|exceed(?:s|ing)?|minimum of|>=|upwards of) ?"),
    (Bound.AT_MOST, True, rf"(?:最高|最大|最多|峰值|高达|多达|可达|可到|能到|可至|可扩展至|可扩展到|顶配|封顶(?:于)?){_GAP}"),
    (Bound.AT_MOST, True, r"(?<=[吐宽量A-Za-z]) 到 ?"),
    (Bound.AT_MOST, True, r"(?:(?<!add )(?<!adds )up to|upto|as (?:much|many|high|large|fast) as|(?:a |the )?max(?:imum)?(?: of)?|peak(?:s|ing)?(?: (?:of|at))?|tops out at|hingga|bis zu|jusqu'à|最大で?) ?"),
    (Bound.AT_MOST, True, r"(?:can (?:be (?:lifted|raised|increased) to|reach|go (?:up )?to|hit|deliver up to)|reach(?:es|ing)? up to) ?"),
    (Bound.AT_MOST, False, r"(?:(?:can|may) (?:grow|scale|stretch|expand) (?:up )?to) ?"),
    (Bound.AT_MOST, False, r"(?:may touch|capped at|limited to|a (?:limit|cap|ceiling) of) ?"),
    (Bound.APPROX, False, r"(?:大约|约为?|大概|近|接近|将近|平均约|左右为|~|约合)" + _NEAR),
    (Bound.APPROX, False, r"(?:about(?: one every)?|around|approximately|approx\.?|roughly|nearly|almost|close to|some|circa|ca\.) ?"),
)
_AFTER: tuple[tuple[Bound, str], ...] = (
    (Bound.AT_LEAST, r" ?[,，]?(?:及|或)?(?:以上|之上|起(?![步用动])|或更[高多]|余(?=[款种个家台]))"),
    (Bound.AT_LEAST, r" ?(?:or (?:more|higher|above|better|greater)|and (?:above|up|more)|plus(?![A-Za-z]))"),
    (Bound.AT_LEAST, r"[^。,，\d]{0,4}を?(?:上回|超え)"),
    (Bound.AT_MOST, r" ?(?:及|或)?(?:以下|之内|以内|之下|内(?!存|部|置|网|核|完成数)|未满|未満)"),
    (Bound.AT_MOST, r" ?(?:or (?:less|lower|fewer|below|under))"),
    (Bound.APPROX, r" ?(?:左右|上下|前后|程度|or so(?![A-Za-z]))"),
)
_CLAUSE_MARKS = ",，。;；:：、()（）[]\n\t|!?！？{}"
_WINDOW = 26


def _alternatives(entries: tuple[tuple[object, ...], ...]) -> re.Pattern[str]:
    return re.compile("|".join(f"(?P<b{i}>{entry[-1]})" for i, entry in enumerate(entries)), re.IGNORECASE)


_BEFORE_RE = re.compile(
    "(?:" + "|".join(f"(?P<b{i}>{entry[2]})" for i, entry in enumerate(_BEFORE)) + ")$", re.IGNORECASE
)
_AFTER_RE = _alternatives(_AFTER)


def bound_before(text: str, start: int, floor: int) -> tuple[Bound | None, bool, int]:
    """What the words before position `start` (not before `floor`) say: (bound, best case, where they begin)."""
    begin = max(floor, start - _WINDOW)
    window = text[begin:start]
    cut = max((window.rfind(mark) for mark in _CLAUSE_MARKS), default=-1)
    offset = begin + cut + 1
    match = _BEFORE_RE.search(text[offset:start])
    if match is None or match.lastgroup is None:
        return None, False, start
    bound, best, _ = _BEFORE[int(match.lastgroup[1:])]
    return bound, best, offset + match.start()


def bound_after(text: str, end: int) -> tuple[Bound | None, int]:
    """What the words after position `end` say: (bound, where they end)."""
    match = _AFTER_RE.match(text, end, min(len(text), end + 16))
    if match is None or match.lastgroup is None:
        return None, end
    return _AFTER[int(match.lastgroup[1:])][0], match.end()
