"""Which of many patterns can match a text at all, told by words that each of them needs.

Most cues stand in no one sentence. Every pattern is taken apart once into literals of which any match of it
holds one; a text is then asked for those by its pairs of characters, and only what may match is tried.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from itertools import product
from operator import add
from re import _constants as op  # type: ignore[attr-defined]  # how the standard library itself reads patterns
from re import _parser  # type: ignore[attr-defined]
from typing import Any, Generic, TypeVar

T = TypeVar("T")

_MOST_WORDINGS = 24
_Words = frozenset[str]
_NOTHING: _Words = frozenset({""})
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_WITHOUT_WIDTH = (op.ASSERT, op.ASSERT_NOT, op.AT)


def needed(pattern: str) -> _Words | None:
    """Literals, in folded case, of which any match of the pattern holds one; None where there are none such."""
    whole, best = _of_sequence(_parser.parse(pattern))
    return _better(best, whole)


def _of_sequence(items: Iterable[Any]) -> tuple[_Words | None, _Words | None]:
    """All that the sequence can match, where that is little; and the best literals that it needs."""
    run, whole, best = _NOTHING, True, None
    for kind, value in items:
        exact, inner = _of_item(kind, value)
        longer = None if exact is None else frozenset(a + b for a, b in product(run, exact))
        if longer is not None and len(longer) <= _MOST_WORDINGS:
            run = longer
            continue
        best = _better(_better(best, run), inner)
        whole, run = False, _NOTHING if exact is None else exact
    return (run if whole else None), _better(best, run)


def _of_item(kind: Any, value: Any) -> tuple[_Words | None, _Words | None]:
    exact: _Words | None = None
    inner: _Words | None = None
    if kind is op.LITERAL:
        exact = frozenset({chr(value).casefold()})
    elif kind is op.IN and all(one is op.LITERAL for one, _ in value):
        exact = frozenset(chr(code).casefold() for _, code in value)
    elif kind in _WITHOUT_WIDTH:
        exact = _NOTHING  # what it asks for besides only makes matches fewer
    elif kind is op.SUBPATTERN:
        exact, inner = _of_sequence(value[-1])
    elif kind is op.ATOMIC_GROUP:
        exact, inner = _of_sequence(value)
    elif kind is op.BRANCH:
        branches = [_of_sequence(branch) for branch in value[1]]
        wholes, bests = [w for w, _ in branches], [_better(b, w) for w, b in branches]
        exact = None if None in wholes else _NOTHING.union(*(w for w in wholes if w is not None)) - _NOTHING
        if exact is not None and any(w is not None and "" in w for w in wholes):
            exact |= _NOTHING
        inner = None if None in bests else frozenset().union(*(b for b in bests if b is not None))
    elif kind in _REPEATS:
        least, most, repeated = value
        one, within = _of_sequence(repeated)
        if least == 0 and most == 1 and one is not None:
            exact = one | _NOTHING
        elif least == most == 1:
            exact, inner = one, within
        elif least:
            inner = _better(within, one)
    return exact, inner


def _better(one: _Words | None, other: _Words | None) -> _Words | None:
    """The literals that are found in fewer texts: the longer, then the fewer; an empty one is in every text."""
    sets = [words for words in (one, other) if words and "" not in words]
    return max(sets, key=lambda words: (min(3, *map(len, words)), -len(words)), default=None)


def openings(pattern: str) -> _Words:
    """The characters, in either case, with which a match of the pattern can begin; "0" stands for any digit.

    Raises ValueError where a match may be empty or begin with almost anything.
    """
    found = _first_of(_parser.parse(pattern))
    if "" in found:
        raise ValueError(f"a match may be empty: {pattern}")
    return found


def _first_of(items: Iterable[Any]) -> _Words:
    """The characters that may come first; with "" where all of the items may be passed over."""
    found: _Words = _NOTHING
    for kind, value in items:
        if kind not in _WITHOUT_WIDTH:
            found = (found - _NOTHING) | _first_of_item(kind, value)
        if "" not in found:
            break
    return found


def _first_of_item(kind: Any, value: Any) -> _Words:
    if kind is op.LITERAL:
        one = chr(value)
        return frozenset({"0"} if one.isdecimal() else {one.lower(), one.upper()})
    if kind is op.IN:
        return frozenset().union(*(_first_in_set(one, inside) for one, inside in value))
    if kind is op.SUBPATTERN:
        return _first_of(value[-1])
    if kind is op.BRANCH:
        return frozenset().union(*map(_first_of, value[1]))
    if kind in _REPEATS:
        return _first_of(value[2]) | (_NOTHING if not value[0] else frozenset())
    raise ValueError(f"a match may begin with almost anything: {kind}")


def _first_in_set(kind: Any, value: Any) -> _Words:
    if kind is op.RANGE:
        return frozenset().union(
            *(_first_of_item(op.LITERAL, code) for code in range(value[0], value[1] + 1))
        )
    if kind is op.CATEGORY and value is op.CATEGORY_DIGIT:
        return frozenset({"0"})
    return _first_of_item(kind, value)


class Sieve(Generic[T]):
    """Things told by any of several patterns each; `of` gives those that a text may hold, in their order."""

    def __init__(
        self, things: Iterable[tuple[T, Iterable[str]]], flags: re.RegexFlag = re.IGNORECASE
    ) -> None:
        self._flags = flags
        self._patterns: list[tuple[int, T, str]] = []
        self._always: set[int] = set()
        self._by_pair: dict[str, list[tuple[int, str]]] = {}
        for place, (thing, patterns) in enumerate(things):
            for pattern in patterns:
                self._add(pattern, len(self._patterns))
                self._patterns.append((place, thing, pattern))
        self._pairs = frozenset(self._by_pair)

    def _add(self, pattern: str, number: int) -> None:
        words = needed(pattern)
        if words is None:
            self._always.add(number)
        for word in words or ():
            self._by_pair.setdefault(_rarest_pair(word), []).append((number, word))

    def of(self, text: str) -> list[tuple[T, re.Pattern[str]]]:
        """The things that the text may hold, each with one pattern that finds what all of its own would find."""
        cased = text.casefold()
        pairs = grams(cased) & self._pairs
        if not pairs and not self._always:
            return []
        found = set(self._always)
        for pair in pairs:
            for number, word in self._by_pair[pair]:
                if number not in found and word in cased:
                    found.add(number)
        together: dict[int, tuple[T, list[str]]] = {}
        for number in sorted(found):
            place, thing, pattern = self._patterns[number]
            together.setdefault(place, (thing, []))[1].append(pattern)
        return [(thing, _any_of(tuple(some), self._flags)) for thing, some in together.values()]


@lru_cache(maxsize=4096)
def _any_of(patterns: tuple[str, ...], flags: re.RegexFlag) -> re.Pattern[str]:
    """The patterns as alternatives: those that cannot match are left out, so what is found stays the same."""
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns), flags)


# Letters from rare to common in European text; what is none of them is rarer still.
_COMMONNESS = {letter: rank for rank, letter in enumerate("zqjxkvbywgpfmucdlhrsnioate ", 1)}


def _rarest_pair(word: str) -> str:
    pairs: list[str] = list(map(add, word, word[1:])) or [word]
    return min(pairs, key=lambda pair: (sum(_COMMONNESS.get(one, 0) for one in pair), pair))


@lru_cache(maxsize=256)
def grams(cased: str) -> frozenset[str]:
    """Every character and every pair of neighbouring characters of a text."""
    return frozenset(cased).union(map(add, cased, cased[1:]))
