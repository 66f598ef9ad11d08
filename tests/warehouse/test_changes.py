from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.claim import Direction
from schemas.quantity import Bound
from warehouse import identity
from warehouse.changes import compare
from warehouse.identity import match


def events(comparison):
    return [(change.kind.value, change.claim_key) for change in comparison.changes]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("vendor", "aws"),
        ("product", None),
        ("low", Decimal(1)),
        ("high", Decimal("4e12")),
        ("unit", "byte/s"),
        ("bound", Bound.AT_MOST),
        ("best_case", True),
        ("basis", "per_node"),
        ("direction", Direction.BIDIRECTIONAL),
        ("condition", {"load": "empty"}),
        ("baseline", "TCP"),
        ("qualifiers", {"tier": "pro"}),
    ],
)
def test_each_field_that_a_reader_cares_about_is_a_change(claim, stored, field, value):
    comparison = compare((stored(claim()),), (claim().model_copy(update={field: value}),))
    assert events(comparison) == [("changed", "k1")]
    assert comparison.changes[0].fields == (field,)


@pytest.mark.parametrize(
    "changes",
    [
        {"quote": "now at 3200000000000, dated 2026-06-01"},
        {"path": ("Other heading",)},
        {"text_value": "3.2 T"},
        {"extractor": "grammar@9"},
        {"low": "3200000000000.0000000000001"},
        {"rules": {"low": "another"}},
    ],
)
def test_wording_place_and_reader_are_no_change(claim, stored, changes):
    comparison = compare((stored(claim()),), (claim(**changes),))
    assert (events(comparison), comparison.same) == ([], 1)


def test_white_space_is_no_change(claim, stored):
    old = claim(baseline="last  year", qualifiers={"tier": "A 1"})
    new = claim(baseline="last year ", qualifiers={"tier": "A\u00a01"})
    assert events(compare((stored(old),), (new,))) == []


def test_a_new_key_for_the_same_statement_keeps_the_old_one(claim, stored):
    old = stored(claim("old", quote="RDMA up to 3.2 Tbps a node"))
    new = claim("fresh", low="1600000000000", quote="RDMA up to 1.6 Tbps a node", path=("Network",))
    comparison = compare((old,), (new,))
    assert events(comparison) == [("changed", "old")]
    assert comparison.claims[0].claim_key == "old"


def test_another_metric_or_another_place_is_another_claim(claim, stored):
    old = stored(claim("old", quote="RDMA up to 3.2 Tbps a node"))
    metric = claim("fresh", metric="network_bandwidth", quote="RDMA up to 3.2 Tbps a node")
    assert events(compare((old,), (metric,))) == [("new", "fresh"), ("not_seen", "old")]
    place = claim("fresh", low="8", quote="网络带宽 8 G", path=("价格", "规格"))
    assert events(compare((old,), (place,))) == [("new", "fresh"), ("not_seen", "old")]


def test_the_same_key_with_another_metric_gets_a_key_of_its_own(claim, stored):
    comparison = compare((stored(claim("k")),), (claim("k", metric="port_speed"),))
    assert events(comparison) == [("new", "k~2"), ("not_seen", "k")]


def test_two_equally_good_candidates_that_differ_are_left_alone(claim, stored):
    old = (stored(claim("a", low="1", quote="at 1")), stored(claim("b", low="2", quote="at 2")))
    comparison = compare(old, (claim("c", low="3", quote="at 3"),))
    assert events(comparison) == [("new", "c"), ("not_seen", "a"), ("not_seen", "b")]
    assert comparison.ambiguous == (("c", ("a", "b")),)


def test_two_equally_good_candidates_that_agree_are_taken_in_order(claim, stored):
    old = (stored(claim("a", low="1", quote="at 1")), stored(claim("b", low="1", quote="at 1")))
    comparison = compare(old, (claim("c", low="3", quote="at 3"), claim("d", low="3", quote="at 3")))
    assert events(comparison) == [("changed", "a"), ("changed", "b")]
    assert comparison.ambiguous == ()


def test_the_candidate_with_the_same_value_is_the_better_one(claim, stored):
    old = (stored(claim("a", low="1", quote="at 1")), stored(claim("b", low="2", quote="at 2")))
    comparison = compare(old, (claim("c", low="2", quote="about 2"),))
    assert events(comparison) == [("not_seen", "a")]
    assert comparison.claims[0].claim_key == "b"


def test_a_value_that_moves_to_a_neighbour_is_two_changes_and_no_swap(claim, stored):
    old = (
        stored(claim("k1", low="1", quote="Standard: 1")),
        stored(claim("k2", low="2", quote="Premium: 2")),
    )
    new = (claim("k1", low="2", quote="Standard: 2"), claim("k2", low="4", quote="Premium: 4"))
    assert events(compare(old, new)) == [("changed", "k1"), ("changed", "k2")]


def test_a_row_put_in_front_does_not_move_the_others(claim, stored):
    rows = [claim(f"k{i}", low=str(i), quote=f"at {i}", path=(f"tier {i}",)) for i in (1, 2, 3)]
    front = claim("k1", low="9", quote="at 9", path=("tier 0",))
    moved = [row.model_copy(update={"claim_key": f"k{i}"}) for i, row in enumerate(rows, start=2)]
    comparison = compare(tuple(stored(row) for row in rows), (front, *moved))
    assert events(comparison) == [("new", "k1~2")]
    assert comparison.same == 3


def test_one_key_twice_on_a_page_becomes_two_claims_that_stay_two(claim, stored):
    page = (claim("k", low="1", quote="at 1"), claim("k", low="2", quote="at 2"))
    first = compare((), page)
    assert [c.claim_key for c in first.claims] == ["k", "k~2"]
    known = tuple(stored(c) for c in first.claims)
    assert events(compare(known, page)) == []
    assert events(compare(known, tuple(reversed(page)))) == []
    changed = (page[0], claim("k", low="3", quote="at 3"))
    assert events(compare(known, changed)) == [("changed", "k~2")]


def test_absence_is_told_once_and_counted_always(claim, stored):
    there, gone = stored(claim("a", path=("A",))), stored(claim("b", path=("B",)), not_seen=3)
    comparison = compare((there, gone), ())
    assert events(comparison) == [("not_seen", "a")]
    assert comparison.absent == ("a", "b")


def test_a_claim_that_returns_changed_is_one_event(claim, stored):
    comparison = compare((stored(claim("a"), not_seen=2),), (claim("a", low="5"),))
    assert events(comparison) == [("changed", "a")]
    assert comparison.back == ("a",)


def test_keys_of_other_sources_are_not_given_again(claim):
    comparison = compare((), (claim("k"),), taken=frozenset({"k", "k~2"}))
    assert comparison.claims[0].claim_key == "k~3"


def test_a_page_with_very_many_claims_is_matched_by_key_alone(claim, stored, monkeypatch):
    monkeypatch.setattr(identity, "MOST_PAIRS", 3)
    old = tuple(stored(claim(f"k{i}", low=str(i), quote=f"at {i}", path=(str(i),))) for i in range(3))
    new = tuple(claim(f"k{i}", low=str(i + 10), quote=f"at {i}", path=(str(i),)) for i in range(3))
    assert match(old, new).pairs == ((0, 0), (1, 1), (2, 2))
    other = tuple(c.model_copy(update={"claim_key": f"x{i}"}) for i, c in enumerate(new))
    assert match(old, other).pairs == ()


keys = st.sampled_from(["a", "b", "c", "a~2"])
rows = st.lists(st.tuples(keys, st.sampled_from(["1", "2"]), st.sampled_from(["P", "Q"])), max_size=6)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(before=rows, after=rows, seed=st.randoms(use_true_random=False))
def test_whatever_a_page_does(claim, stored, before, after, seed):
    known = tuple(stored(c) for c in compare((), tuple(claim(k, v, path=(p,)) for k, v, p in before)).claims)
    page = tuple(claim(k, v, path=(p,)) for k, v, p in after)
    comparison = compare(known, page)
    final = [c.claim_key for c in comparison.claims]
    assert len(set(final)) == len(final) == len(page)
    assert comparison.same + sum(c.after is not None for c in comparison.changes) == len(page)
    assert set(comparison.absent) == {k.claim.claim_key for k in known} - set(final)
    again = tuple(stored(c) for c in comparison.claims)
    shuffled = list(page)
    seed.shuffle(shuffled)
    assert compare(again, tuple(shuffled)).changes == ()
