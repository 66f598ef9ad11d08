"""Which claim of today is which claim of yesterday.

Four ways, from the surest to the weakest; each takes what the ones before left over:

1. the same words in the same place say the same, with the same key or (keys move with the order) another one;
2. the same key, and nothing that a reader cares about differs;
3. the same key, and the same words but for the figures in the same place: the statement changed;
4. the rest by assignment: of all pairings of the page, the one in which metric, product, basis, qualifiers,
   access, headers, wording, key and order agree most (`warehouse.assignment`); a tier or a product that has another
   name in the same place, and all else as it was, is one of them.

A key counts little in the assignment, because its number moves with the order of the page. Where another pairing
is as good and would say something else, none is taken and the candidates are recorded.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence, Set
from decimal import Decimal
from typing import TypeVar

from schemas.claim import Claim
from schemas.ledger import StoredClaim
from schemas.record import Record
from warehouse.assignment import LARGEST, assign, components
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

MARGIN = 0.02
"""By how much another pairing of a page may be worse and still leave open which of them is right."""

_LEAST_GAIN = 0.05
_SAME_KEY, _SAME_STEM, _SAME_VALUE, _SAME_RANK, _STANDS_NOW = 0.05, 0.03, 0.05, 0.03, 0.01
_SUFFIX = re.compile(r"~\d+$")
_DIGITS = re.compile(r"[0-9０-９][0-9０-９.,]*")


class Unclear(Record):
    """A new claim that could be one or the other of several old ones, all by index."""

    new: int
    old: tuple[int, ...]


class Matching(Record):
    """Pairs of indices (old, new), each index at most once, and the new ones that were left for ambiguity."""

    pairs: tuple[tuple[int, int], ...]
    ambiguous: tuple[Unclear, ...] = ()


def changed_fields(old: Claim, new: Claim) -> tuple[str, ...]:
    """The reader's fields in which the two differ, once numbers are as stored and white space is folded."""
    return tuple(
        name
        for name in READER_FIELDS
        if getattr(old, name) != getattr(new, name) and _said(old, name) != _said(new, name)
    )


def stem(key: str) -> str:
    """The key without the count that tells it from others of its name."""
    return _SUFFIX.sub("", key)


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
    traits_old = _traits([stored.claim for stored in old])
    traits_new = _traits(new)

    def take(found: list[tuple[int, int]]) -> None:
        pairs.extend(found)
        free_old.difference_update(o for o, _ in found)
        free_new.difference_update(n for _, n in found)

    def take_equal(say: Callable[[_Traits], Hashable]) -> None:
        take(
            _pair_equal({o: say(traits_old[o]) for o in free_old}, {n: say(traits_new[n]) for n in free_new})
        )

    take_equal(lambda traits: (traits.claim.claim_key, traits.content, traits.place))
    take_equal(lambda traits: (traits.content, traits.place))
    take_equal(lambda traits: (traits.claim.claim_key, traits.content))
    take(_pair_only_keys(traits_old, traits_new, free_old, free_new))
    found, unclear = _pair_best(old, new, traits_old, traits_new, free_old, free_new)
    return Matching(pairs=tuple(sorted(pairs + found, key=lambda pair: pair[1])), ambiguous=unclear)


def _pair_equal(by_old: Mapping[int, Hashable], by_new: Mapping[int, Hashable]) -> list[tuple[int, int]]:
    waiting: dict[Hashable, list[int]] = defaultdict(list)
    for index in sorted(by_old, reverse=True):
        waiting[by_old[index]].append(index)
    return [(waiting[by_new[n]].pop(), n) for n in sorted(by_new) if waiting.get(by_new[n])]


def _pair_only_keys(
    old: Sequence[_Traits], new: Sequence[_Traits], free_old: Set[int], free_new: Set[int]
) -> list[tuple[int, int]]:
    """Pairs with one key, the same words (but for figures) in the same place, and nobody else to ask."""
    asked: dict[Hashable, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for o in sorted(free_old):
        asked[old[o].signature][0].append(o)
    for n in sorted(free_new):
        asked[new[n].signature][1].append(n)
    return [(olds[0], news[0]) for olds, news in asked.values() if len(olds) == len(news) == 1]


def _by_key(
    old: Sequence[StoredClaim], new: Sequence[Claim], free_old: Set[int], free_new: Set[int]
) -> dict[int, tuple[int, ...]]:
    """For each new claim the old ones of its metric with its key, or with its key and a count.

    Where one key stands more often than the page's pairs allow, nobody can tell its claims apart by it.
    """
    having: dict[tuple[str, str], list[int]] = defaultdict(list)
    for o in sorted(free_old):
        claim = old[o].claim
        for key in {claim.claim_key, stem(claim.claim_key)}:
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
    old: Sequence[StoredClaim],
    new: Sequence[Claim],
    traits_old: Sequence[_Traits],
    traits_new: Sequence[_Traits],
    free_old: set[int],
    free_new: set[int],
) -> tuple[list[tuple[int, int]], tuple[Unclear, ...]]:
    """Pairs the rest by assignment. Members that could be paired otherwise are left alone where it matters."""
    gains = _gains(old, new, traits_old, traits_new, free_old, free_new)
    found = assign(_bounded(gains, traits_old, traits_new), MARGIN)
    partner = {n: o for o, n in found.pairs}
    unclear: list[Unclear] = []
    for olds, news in found.groups:
        same_old = len({traits_old[o].content for o in olds}) == 1
        same_new = len({traits_new[n].content for n in news}) == 1
        for n in news:
            partner.pop(n, None)
        if same_old and same_new:
            partner.update((n, o) for o, n in zip(olds, news, strict=False))
        else:
            unclear += [Unclear(new=n, old=olds) for n in news]
    return [(o, n) for n, o in partner.items()], tuple(sorted(unclear, key=lambda one: one.new))


def _gains(
    old: Sequence[StoredClaim],
    new: Sequence[Claim],
    traits_old: Sequence[_Traits],
    traits_new: Sequence[_Traits],
    free_old: Set[int],
    free_new: Set[int],
) -> dict[tuple[int, int], float]:
    """What pairing each two is worth, over leaving both alone."""
    gains: dict[tuple[int, int], float] = {}
    for o, n in _candidates(old, new, free_old, free_new):
        before, after = traits_old[o], traits_new[n]
        key = _key_score(before.claim.claim_key, after.claim.claim_key)
        alike = _similarity(before, after)
        same_rank = before.rank is not None and before.rank == after.rank
        if key or alike >= CLOSE_ENOUGH or (same_rank and _renamed(before.claim, after.claim)):
            score = key + alike + _SAME_VALUE * (before.content == after.content)
            score += _SAME_RANK * same_rank
            score += _STANDS_NOW * (old[o].not_seen == 0)
            gains[o, n] = max(round(score - CLOSE_ENOUGH + _LEAST_GAIN, 6), _LEAST_GAIN)
    return gains


def _bounded(
    gains: dict[tuple[int, int], float], old: Sequence[_Traits], new: Sequence[_Traits]
) -> dict[tuple[int, int], float]:
    """The same, but where very many claims could be each other only those with one key are still asked."""
    large = [(set(os), set(ns)) for os, ns in components(gains) if len(os) + len(ns) > LARGEST]
    if not large:
        return gains
    kept = {
        (o, n): gain
        for (o, n), gain in gains.items()
        if old[o].claim.claim_key == new[n].claim.claim_key or not any(o in os for os, _ in large)
    }
    still = {o for os, ns in components(kept) if len(os) + len(ns) > LARGEST for o in os}
    return {pair: gain for pair, gain in kept.items() if pair[0] not in still}


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
        return _SAME_KEY
    return _SAME_STEM if stem(old_key) == new_key else 0.0


class _Traits:
    """What the matching looks at, worked out once a claim. `rank`: its place among the page's of its metric.

    Ranks compare only between pages with as many claims of the metric, where none came or went.
    """

    def __init__(self, claim: Claim, rank: tuple[int, int] | None) -> None:
        self.claim = claim
        self.rank = rank
        self.content = _content(claim)
        self.place = _place(claim)
        self.qualifiers = frozenset(claim.qualifiers.items())
        self.access = claim.condition.get("access")
        self.path = frozenset(self.place[1:])
        text = _DIGITS.sub("#", self.place[0])
        self.wording = frozenset(text[i : i + 2] for i in range(max(len(text) - 1, 1)))
        self.signature = (claim.claim_key, claim.metric, text, *self.place[1:])


def _traits(claims: Sequence[Claim]) -> list[_Traits]:
    by_metric: dict[str, list[int]] = defaultdict(list)
    for index, claim in enumerate(claims):
        by_metric[claim.metric].append(index)
    ranks: dict[int, tuple[int, int]] = {}
    for indices in by_metric.values():
        indices.sort(key=lambda index: (claims[index].evidence.start, index))
        ranks.update((index, (place, len(indices))) for place, index in enumerate(indices))
    return [_Traits(claim, ranks[index]) for index, claim in enumerate(claims)]


def _similarity(old: _Traits, new: _Traits) -> float:
    return (
        0.2 * _agree(old.claim.product, new.claim.product, unknown=None)
        + 0.1 * _agree(old.claim.basis, new.claim.basis, unknown="unspecified")
        + 0.2 * _overlap(old.qualifiers, new.qualifiers)
        + 0.1 * _agree(old.access, new.access, unknown=None)
        + 0.2 * _overlap(old.path, new.path)
        + 0.2 * _overlap(old.wording, new.wording)
    )


def _renamed(old: Claim, new: Claim) -> bool:
    """Whether the two say the same of something that has another name: a tier or a product was renamed."""
    return changed_fields(old, new) in (("qualifiers",), ("product",))


def _agree(left: str | None, right: str | None, unknown: str | None) -> float:
    if left == right:
        return 1.0
    return 0.5 if unknown in (left, right) else 0.0


def _overlap(left: frozenset[Item], right: frozenset[Item]) -> float:
    if left == right:
        return 1.0
    return len(left & right) / len(left | right)


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
