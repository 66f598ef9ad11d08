"""Words around a number that bound it: 最高, 以上, 小于, up to, at least, roughly… (schemas/vocabulary/bounds.yaml)."""

from __future__ import annotations

import re
from functools import cache

from extractors.sieve import Sieve
from schemas.quantity import Bound
from schemas.registry import registry

_CLAUSE_MARK = re.compile(r"[,，。;；:：、()（）\[\]\n\t|!?！？{}]")
_GAPS = {
    "wide": r"[^\d,，。;；:：、()（）\[\]\n\t|!?！？{}]{0,12}?",
    "near": r" ?(?:的)? ?",
    "space": r" ?",
}
_WINDOW = 26
_AFTER_WINDOW = 16


@cache
def _before() -> tuple[Sieve[None], tuple[tuple[Bound, bool], ...]]:
    words = registry().bounds_before
    parts = [f"(?P<b{i}>(?:{'|'.join(w.cues)}){_GAPS[w.gap]})$" for i, w in enumerate(words)]
    return Sieve([(None, parts)]), tuple((w.bound, w.best) for w in words)


@cache
def _after() -> tuple[re.Pattern[str], tuple[tuple[Bound, bool], ...]]:
    words = registry().bounds_after
    parts = [f"(?P<b{i}>{'|'.join(w.cues)})" for i, w in enumerate(words)]
    return re.compile("|".join(parts), re.IGNORECASE), tuple((w.bound, w.best) for w in words)


def bound_before(text: str, start: int, floor: int) -> tuple[Bound | None, bool, int]:
    """What the words before position `start` (not before `floor`) say: (bound, best case, where they begin)."""
    begin = max(floor, start - _WINDOW)
    window = text[begin:start]
    offset = start - len(_CLAUSE_MARK.split(window)[-1])
    if offset == start:
        return None, False, start
    sieve, bounds = _before()
    said = text[offset:start]
    match = next((pattern.search(said) for _, pattern in sieve.of(said)), None)
    if match is None or match.lastgroup is None:
        return None, False, start
    bound, best = bounds[int(match.lastgroup[1:])]
    return bound, best, offset + match.start()


def bound_after(text: str, end: int) -> tuple[Bound | None, bool, int]:
    """What the words after position `end` say: (bound, best case, where they end)."""
    pattern, bounds = _after()
    match = pattern.match(text, end, min(len(text), end + _AFTER_WINDOW))
    if match is None or match.lastgroup is None:
        return None, False, end
    bound, best = bounds[int(match.lastgroup[1:])]
    return bound, best, match.end()
