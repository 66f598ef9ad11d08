"""What the source said when, and what we knew of it when; nothing that was once stored is changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from warehouse.home import open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query


def lows(home, call):
    return [row[0] for row in run_query(home, f"SELECT low::BIGINT FROM {call}").rows]


@pytest.fixture
def told(visits, home, claim):
    """3 on 1 May, read as 30 by mistake and mended on 3 May; 5 from 2 May on, as the mended reader says."""
    visits.page(claim(low="30"))  # 1 May
    visits.page(claim(low="50"))  # 2 May
    visits.reread(claim(low="5", extractor="grammar@2"))  # 3 May
    visits.page(claim(low="7", extractor="grammar@2"))  # 4 May
    visits.ledger.publish()
    return home


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("claims_as_of('2026-04-30')", []),
        ("claims_as_of('2026-05-01')", [30]),
        ("claims_as_of('2026-05-01 02:59:59+00')", []),
        ("claims_as_of('2026-05-01 03:00:00+00')", [30]),
        ("claims_as_of(DATE '2026-05-02')", [5]),
        ("claims_as_of(TIMESTAMPTZ '2026-05-03 00:00:00+00')", [5]),
        ("claims_as_of('2026-05-04')", [7]),
        ("claims_as_of('2100-01-01')", [7]),
        ("claims_as_of('2026-05-02', '2026-05-02')", [50]),
        ("claims_as_of('2026-05-02', '2026-05-03')", [5]),
        ("claims_as_of('2026-05-04', '2026-05-03')", [5]),
        ("claims_as_of('2026-05-04', '2026-05-01')", [30]),
        ("claims_as_of('2026-05-04', '2026-04-01')", []),
    ],
)
def test_what_was_said_and_what_was_believed(told, call, expected):
    assert lows(told, call) == expected


def test_a_correction_takes_the_place_of_what_it_corrects_and_both_are_kept(told):
    rows = run_query(
        told,
        "SELECT version, low::INTEGER, day(valid_from), day(valid_to), day(recorded_at), day(corrected_at), cause "
        "FROM claim_history ORDER BY version",
    ).rows
    assert rows == [
        (1, 30, 1, 2, 1, None, "page"),
        (2, 50, 2, 2, 2, 3, "page"),
        (3, 5, 2, 4, 3, None, "rereading"),
        (4, 7, 4, None, 4, None, "page"),
    ]


def test_our_correction_is_no_vendor_s_change(told):
    assert run_query(told, "SELECT low_after::INTEGER FROM changes WHERE kind = 'changed'").rows == [
        (50,),
        (7,),
    ]
    (row,) = run_query(
        told, "SELECT kind, fields, low_before::INTEGER, low_after::INTEGER, extractor_after FROM rereadings"
    ).rows
    assert row == ("changed", ["low"], 50, 5, "grammar@2")


def test_whether_it_was_seen_counts_by_the_same_clock(visits, home, claim):
    visits.page(claim("a", path=("A",)), claim("b", path=("B",), metric="port_speed"))  # 1 May
    visits.page(claim("a", path=("A",)))  # 2 May
    visits.page(claim("a", path=("A",)), claim("b", path=("B",), metric="port_speed"))  # 3 May
    visits.ledger.publish()
    seen = "SELECT claim_key, seen FROM claims_as_of('2026-05-0{}') ORDER BY claim_key"
    assert [run_query(home, seen.format(day)).rows[1] for day in (1, 2, 3)] == [
        ("b", True),
        ("b", False),
        ("b", True),
    ]


def test_only_what_differs_is_written(visits, claim):
    same, other = claim("a", path=("A",)), claim("b", path=("B",), metric="port_speed")
    visits.page(same, other)
    changes = visits.reread(same, other.model_copy(update={"basis": "per_node", "extractor": "grammar@2"}))
    assert [(c.claim_key, c.kind.value, c.fields) for c in changes.changes] == [("b", "changed", ("basis",))]
    assert {c.claim.claim_key: c.version for c in visits.ledger.current_claims()} == {"a": 1, "b": 2}
    again = visits.reread(same, other.model_copy(update={"basis": "per_node", "extractor": "grammar@2"}))
    assert again.changes == ()
    assert visits.ledger.last_readers()["page"][1] == "grammar@2"


def test_a_flag_that_only_the_new_reader_raises_is_a_rereading(visits, claim, flag):
    visits.page(claim("a"))
    changes = visits.reread(claim("a", flags=("unit_truncated",)), flags=(flag("a"),))
    assert [c.fields for c in changes.changes] == [("flags",)]
    assert [f.flag.name for f in visits.ledger.open_flags()] == ["unit_truncated"]


def test_a_reader_that_loses_most_claims_is_not_trusted_unless_told_to(visits, claim):
    both = claim("a", path=("A",)), claim("b", path=("B",), metric="port_speed")
    visits.page(*both)
    refused = visits.reread()
    assert (refused.held.claims_lost, refused.changes) == (2, ())
    assert visits.ledger.last_readers()["page"][1] == "grammar@1"
    assert [c.kind.value for c in visits.reread(force=True).changes] == ["not_seen"] * 2


steps = st.lists(st.tuples(st.sampled_from(["page", "reread"]), st.integers(1, 3)), min_size=1, max_size=7)


@settings(max_examples=6, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=steps)
def test_every_belief_is_the_one_that_a_list_of_all_that_was_written_gives(
    steps, claim, begin, tmp_path_factory
):
    home = open_home(tmp_path_factory.mktemp("home"))
    written: list[tuple[datetime, datetime, int]] = []  # valid from, recorded at, low
    with Ledger.open(home) as ledger:
        visits = begin(home, ledger)
        for kind, low in [("page", 9), *steps]:
            at = visits.at
            if kind == "page":
                if visits.page(claim(low=str(low))).changes:
                    written.append((at, at, low))
            elif visits.reread(claim(low=str(low))).changes:
                written.append((written[-1][0], at, low))
        ledger.publish()
    first = datetime(2026, 5, 1, 12, tzinfo=UTC)
    with duckdb.connect(str(home.published), read_only=True) as reader:
        for said in range(len(steps) + 1):
            for known in range(len(steps) + 1):
                d2, d = first + timedelta(days=said), first + timedelta(days=known)
                held = [Decimal(low) for valid, recorded, low in written if valid <= d2 and recorded <= d]
                call = f"SELECT low FROM claims_as_of('{d2.isoformat()}', '{d.isoformat()}')"
                assert [row[0] for row in reader.execute(call).fetchall()] == held[-1:]
