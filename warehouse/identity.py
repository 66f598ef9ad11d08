"""Which claim of today is which claim of yesterday.

Four ways, from the surest to the weakest; each takes what the ones before left over:

1. the same key and nothing that a reader cares about differs;
2. another key, but the same words in the same place say the same (keys moved with the order of the page);
3. the same key and metric, and something differs: the statement changed;
4. no common key, but product, basis, qualifiers, access, headers and wording are close enough.

Where two candidates are equally good and say different things, none is taken.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from typing import TypeVar

from schemas.claim import Claim
from schemas.ledger import StoredClaim
from schemas.record import Record
from warehouse.rows import stored_decimal

Item = TypeVar("Item", bound=Hashable)

READER_FIELDS = (
    "vendor",
    "product",
    "metric",
    "low",
    "high",
    "unit",
    "bound",
    "best_case",
    "basis",
    "direction",
    "condition",
    "baseline",
    "qualifiers",
)
"""The fields whose difference is news. Wording, offsets, headers and extractor are not."""

CLOSE_ENOUGH = 0.8
"""The least similarity at which claims without a common key are the same statement: with all else equal, the
headers and the wording together must be half alike."""

MOST_PAIRS = 250_000
"""Pairs of a page, each of one metric, beyond which only keys are compared, so that none can hold up a run."""

_EXACT_KEY, _SAME_STEM, _SAME_VALUE, _STANDS_NOW = 2.0, 1.5, 0.05, 0.01
_SUFFIX = re.compile(r"~\d+$")
_DIGITS = re.compile(r"[0-9０-９][0-9０-９.,]*")


class Matching(Record):
    """Pairs of indices (old, new), each index at most once, and the new ones that were left for ambiguity."""

    pairs: tuple[tuple[int, int], ...]
    ambiguous: tuple[int, ...] = ()


def changed_fields(old: Claim, new: Claim) -> tuple[str, ...]:
    """The reader's fields in which the two differ, once numbers are as stored and white space is folded."""
    return tuple(
        name
        for name in READER_FIELDS
        if getattr(old, name) != getattr(new, name) and _said(old, name) != _said(new, name)
    )


def suffixed(key: str, taken: Set[str], counts: dict[str, int]) -> str:
    """The key itself where it is free, else the first free one of `key~2`, `key~3` and so on.

    `counts` remembers how far each key was counted, for the next call with the same, grown `taken`.
    """
    count = counts.get(key, 1)
    candidate = key if count == 1 else f"{key}~{count}"
    while candidate in taken:
        count += 1
        candidate = f"{key}~{count}"
    counts[key] = count
    return candidate


def match(old: tuple[StoredClaim, ...], new: tuple[Claim, ...]) -> Matching:
    """Pairs each new claim with at most one old claim of the same metric, whatever the order of either."""
    free_old, free_new = set(range(len(old))), set(range(len(new)))
    pairs: list[tuple[int, int]] = []
    said_old = {o: _content(old[o].claim) for o in free_old}
    said_new = {n: _content(new[n]) for n in free_new}

    def take(found: list[tuple[int, int]]) -> None:
        pairs.extend(found)
        free_old.difference_update(o for o, _ in found)
        free_new.difference_update(n for _, n in found)

    take(
        _pair_equal(
            {o: (old[o].claim.claim_key, said_old[o]) for o in free_old},
            {n: (new[n].claim_key, said_new[n]) for n in free_new},
        )
    )
    take(
        _pair_equal(
            {o: (said_old[o], _place(old[o].claim)) for o in free_old},
            {n: (said_new[n], _place(new[n])) for n in free_new},
        )
    )
    take(_pair_only_keys(old, new, free_old, free_new))
    found, ambiguous = _pair_best(old, new, free_old, free_new)
    return Matching(pairs=tuple(sorted(pairs + found, key=lambda pair: pair[1])), ambiguous=ambiguous)


def _pair_equal(by_old: Mapping[int, Hashable], by_new: Mapping[int, Hashable]) -> list[tuple[int, int]]:
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for index in sorted(by_old, reverse=True):
        waiting[by_old[index]].append(index)
    return [(waiting[by_new[n]].pop(), n) for n in sorted(by_new) if waiting.get(by_new[n])]


def _pair_only_keys(
    old: Sequence[StoredClaim], new: Sequence[Claim], free_old: Set[int], free_new: Set[int]
) -> list[tuple[int, int]]:
    """Pairs that `_pair_best` would take in any case: a key outweighs all else, and nobody else has this one."""
    partners = _by_key(old, new, free_old, free_new)
    asked = Counter(o for olds in partners.values() for o in olds)
    return [(olds[0], n) for n, olds in partners.items() if len(olds) == 1 and asked[olds[0]] == 1]


def _by_key(
    old: Sequence[StoredClaim], new: Sequence[Claim], free_old: Set[int], free_new: Set[int]
) -> dict[int, tuple[int, ...]]:
    """For each new claim the old ones of its metric with its key, or with its key and a count.

    Where one key stands more often than the page's pairs allow, nobody can tell its claims apart by it.
    """
    having: dict[tuple[str, str], list[int]] = defaultdict(list)
    for o in sorted(free_old):
        claim = old[o].claim
        for key in {claim.claim_key, _SUFFIX.sub("", claim.claim_key)}:
            having[claim.metric, key].append(o)
    asking = Counter((new[n].metric, new[n].claim_key) for n in free_new)
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    left = MOST_PAIRS
    for name in sorted(asking, key=lambda name: len(having.get(name, ())) * asking[name]):
        olds = having.get(name, [])
        left -= len(olds) * asking[name]
        if left < 0:
            break
        found[name] = tuple(olds)
    return {n: found.get((new[n].metric, new[n].claim_key), ()) for n in sorted(free_new)}


def _pair_best(
    old: tuple[StoredClaim, ...], new: tuple[Claim, ...], free_old: set[int], free_new: set[int]
) -> tuple[list[tuple[int, int]], tuple[int, ...]]:
    """Takes the best pair again and again; a tie between candidates that differ takes none of them."""
    traits_old = {o: _Traits(old[o].claim) for o in free_old}
    traits_new = {n: _Traits(new[n]) for n in free_new}
    scores = _scores(old, new, traits_old, traits_new)
    rivals_of_new: dict[tuple[int, float], list[int]] = defaultdict(list)
    rivals_of_old: dict[tuple[int, float], list[int]] = defaultdict(list)
    for (o, n), score in scores.items():
        rivals_of_new[n, score].append(o)
        rivals_of_old[o, score].append(n)
    pairs: list[tuple[int, int]] = []
    ambiguous: list[int] = []
    left_old, left_new = set(free_old), set(free_new)
    for (o, n), score in sorted(scores.items(), key=lambda item: (-item[1], item[0])):
        if o not in left_old or n not in left_new:
            continue
        olds = [i for i in rivals_of_new[n, score] if i in left_old]
        news = [i for i in rivals_of_old[o, score] if i in left_new]
        if len({traits_old[i].content for i in olds}) > 1 or len({traits_new[i].content for i in news}) > 1:
            ambiguous += news
            left_old.difference_update(olds)
            left_new.difference_update(news)
        else:
            pairs.append((o, n))
            left_old.discard(o)
            left_new.discard(n)
    return pairs, tuple(sorted(ambiguous))


def _scores(
    old: Sequence[StoredClaim],
    new: Sequence[Claim],
    traits_old: Mapping[int, _Traits],
    traits_new: Mapping[int, _Traits],
) -> dict[tuple[int, int], float]:
    scores: dict[tuple[int, int], float] = {}
    for o, n in _candidates(old, new, traits_old.keys(), traits_new.keys()):
        before, after = traits_old[o], traits_new[n]
        key = _key_score(before.claim.claim_key, after.claim.claim_key)
        alike = _similarity(before, after)
        if key or alike >= CLOSE_ENOUGH:
            score = key + alike + _SAME_VALUE * (before.content == after.content)
            scores[o, n] = round(score + _STANDS_NOW * (old[o].not_seen == 0), 6)
    return scores


def _candidates(
    old: Sequence[StoredClaim], new: Sequence[Claim], free_old: Set[int], free_new: Set[int]
) -> Iterator[tuple[int, int]]:
    """The pairs to look at: all of a metric, from the rarest metric on, for as long as the page may have more."""
    by_metric: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for o in sorted(free_old):
        by_metric[old[o].claim.metric][0].append(o)
    for n in sorted(free_new):
        by_metric[new[n].metric][1].append(n)
    by_key = _by_key(old, new, free_old, free_new)
    left = MOST_PAIRS
    for olds, news in sorted(by_metric.values(), key=lambda both: len(both[0]) * len(both[1])):
        pairs = len(olds) * len(news)
        if pairs <= left:
            left -= pairs
            yield from ((o, n) for o in olds for n in news)
        else:
            yield from ((o, n) for n in news for o in by_key.get(n, ()))


def _key_score(old_key: str, new_key: str) -> float:
    if old_key == new_key:
        return _EXACT_KEY
    return _SAME_STEM if _SUFFIX.sub("", old_key) == new_key else 0.0


class _Traits:
    """What `_similarity` looks at, worked out once a claim."""

    def __init__(self, claim: Claim) -> None:
        self.claim = claim
        self.content = _content(claim)
        self.qualifiers = frozenset(claim.qualifiers.items())
        self.access = claim.condition.get("access")
        self.path = frozenset(_place(claim)[1:])
        self.wording = _grams(claim)


def _similarity(old: _Traits, new: _Traits) -> float:
    return (
        0.2 * _agree(old.claim.product, new.claim.product, unknown=None)
        + 0.1 * _agree(old.claim.basis, new.claim.basis, unknown="unspecified")
        + 0.2 * _overlap(old.qualifiers, new.qualifiers)
        + 0.1 * _agree(old.access, new.access, unknown=None)
        + 0.2 * _overlap(old.path, new.path)
        + 0.2 * _overlap(old.wording, new.wording)
    )


def _agree(left: str | None, right: str | None, unknown: str | None) -> float:
    if left == right:
        return 1.0
    return 0.5 if unknown in (left, right) else 0.0


def _overlap(left: frozenset[Item], right: frozenset[Item]) -> float:
    if left == right:
        return 1.0
    return len(left & right) / len(left | right)


def _grams(claim: Claim) -> frozenset[str]:
    """Pairs of neighbouring characters of the wording, in which every number counts as the same."""
    text = _DIGITS.sub("#", _folded(claim.evidence.quote))
    return frozenset(text[i : i + 2] for i in range(max(len(text) - 1, 1)))


def _said(claim: Claim, name: str) -> Hashable:
    value: object = getattr(claim, name)
    if isinstance(value, Decimal):
        return stored_decimal(value, f"the {name} of {claim.claim_key}")
    if isinstance(value, Mapping):
        return frozenset((_folded(str(k)), _folded(str(v))) for k, v in value.items())
    if isinstance(value, bool) or value is None:
        return value
    return _folded(str(value))


def _content(claim: Claim) -> tuple[Hashable, ...]:
    return tuple(_said(claim, name) for name in READER_FIELDS)


def _place(claim: Claim) -> tuple[str, ...]:
    return (_folded(claim.evidence.quote), *(_folded(step) for step in claim.evidence.path))


def _folded(text: str) -> str:
    return " ".join(text.split())
