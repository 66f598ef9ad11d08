from __future__ import annotations

from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse import assignment
from warehouse.assignment import assign

cells = st.tuples(st.integers(0, 4), st.integers(0, 4))
some_gains = st.dictionaries(cells, st.sampled_from([0.1, 0.2, 0.25, 0.5, 0.9]), max_size=14)


def best_total(gains):
    """Every pairing tried."""
    lefts, rights = sorted({o for o, _ in gains}), sorted({n for _, n in gains})
    best = 0.0
    for size in range(min(len(lefts), len(rights)) + 1):
        for chosen in combinations(lefts, size):
            for order in permutations(rights, size):
                pairs = list(zip(chosen, order, strict=True))
                if all(pair in gains for pair in pairs):
                    best = max(best, sum(gains[pair] for pair in pairs))
    return best


@settings(max_examples=150, deadline=None)
@given(some_gains)
def test_no_pairing_is_better(gains):
    found = assign(gains, margin=0.0)
    assert all(pair in gains for pair in found.pairs)
    assert len({o for o, _ in found.pairs}) == len({n for _, n in found.pairs}) == len(found.pairs)
    assert sum(gains[pair] for pair in found.pairs) == pytest.approx(best_total(gains))


@settings(max_examples=100, deadline=None)
@given(some_gains)
def test_a_pair_in_no_group_stands_in_every_best_pairing(gains):
    found = assign(gains, margin=0.0)
    grouped = {n for _, news in found.groups for n in news}
    for pair in found.pairs:
        without = {key: gain for key, gain in gains.items() if key != pair}
        is_the_only_one = best_total(without) < best_total(gains) - 1e-9
        assert is_the_only_one or pair[1] in grouped


def test_a_tie_is_told_with_everyone_who_takes_part():
    found = assign({(0, 0): 0.5, (1, 0): 0.5, (2, 1): 0.9}, margin=0.02)
    assert found.groups == (((0, 1), (0,)),)
    assert (2, 1) in found.pairs


@pytest.mark.parametrize(("other", "groups"), [(0.49, 1), (0.45, 0)])
def test_nearly_as_good_counts_as_a_tie_within_the_margin(other, groups):
    assert len(assign({(0, 0): 0.5, (1, 0): other}, margin=0.02).groups) == groups


def test_the_sum_decides_and_not_the_best_single_pair():
    gains = {(0, 0): 0.9, (0, 1): 0.8, (1, 0): 0.8}
    assert assign(gains, margin=0.0).pairs == ((0, 1), (1, 0))


def test_a_group_too_large_to_solve_is_refused(monkeypatch):
    monkeypatch.setattr(assignment, "LARGEST", 3)
    with pytest.raises(ValueError, match="2 and 2 candidates"):
        assign({(o, n): 0.5 for o in (0, 1) for n in (0, 1)}, margin=0.0)
