from __future__ import annotations

import pytest

from schemas.document import Document
from schemas.extraction import Extraction
from schemas.ledger import HoldReason, Release
from schemas.source import FetchStatus, Source, Visit
from warehouse.holds import reason_of, would_lose_most
from warehouse.query import run_query

SOURCE = Source(id="page", vendor="alibaba-cloud", url="https://vendor.example/page")
LI = Release(accept=True, who="Li", note="asked")


def rows_of(claim, *numbers):
    return [claim(f"k{n}", low=str(n), quote=f"tier {n}: {n}", path=(f"tier {n}",)) for n in numbers]


def test_how_ever_many_it_loses_exactly_half_is_not_held():
    assert [would_lose_most(4, lost) for lost in range(5)] == [False, False, False, True, True]
    assert would_lose_most(1, 1)
    assert not would_lose_most(0, 0)


def test_a_held_page_changes_nothing_and_is_told_in_the_views(visits, home, claim):
    visits.page(*rows_of(claim, 1, 2, 3))
    before = visits.ledger.current_claims()
    held = visits.page(*rows_of(claim, 1)).held
    assert (held.reason, held.claims_before, held.claims_lost) == (HoldReason.SCRIPT_SHELL, 3, 2)
    assert visits.ledger.current_claims() == before
    visits.ledger.publish()
    assert run_query(home, "SELECT DISTINCT seen, not_seen, held FROM claims").rows == [(True, 0, True)]
    assert run_query(home, "SELECT source_id, reason, open, how FROM holds").rows == [
        ("page", "script_shell", True, None)
    ]
    assert run_query(home, "SELECT held FROM pages").rows == [(True,)]


def test_a_page_that_stays_bad_is_one_hold_and_the_next_good_crawl_ends_it(visits, claim):
    visits.page(*rows_of(claim, 1, 2, 3))
    first, second, third = (visits.page(body=body) for body in (b"a", b"b", b"c"))
    assert first.held.hold_id == second.held.hold_id == third.held.hold_id == 1
    visits.visit(FetchStatus.FAILED)
    assert len(visits.ledger.open_holds()) == 1
    good = visits.page(*rows_of(claim, 1, 2, 3, 4))
    assert ([c.kind.value for c in good.changes], visits.ledger.open_holds()) == (["new"], ())
    assert visits.ledger._database.rows("SELECT how, who FROM stored.releases") == [
        {"how": "good_crawl", "who": ""}
    ]


def test_an_unchanged_page_in_bulk_ends_a_hold_too(visits, claim):
    visits.page(*rows_of(claim, 1, 2))
    visits.visit(FetchStatus.GONE)
    assert len(visits.ledger.open_holds()) == 1
    visit = Visit(source_id="page", at=visits.at, status=FetchStatus.UNCHANGED)
    (found,) = visits.ledger.write_unchanged(visits.run_id, [(SOURCE, visit)])
    assert (found.changes, visits.ledger.open_holds()) == ((), ())


def test_a_person_accepts_the_page_as_it_is(visits, claim):
    visits.page(*rows_of(claim, 1, 2, 3))
    visits.page(*rows_of(claim, 1))
    changes = visits.visit(FetchStatus.GONE, word=LI)
    assert [c.kind.value for c in changes.changes] == ["not_seen"] * 3
    assert visits.ledger.open_holds() == ()
    (row,) = visits.ledger._database.rows("SELECT how, who, note FROM stored.releases")
    assert row == {"how": "accepted", "who": "Li", "note": "asked"}
    assert visits.visit(FetchStatus.GONE).held is None


def test_a_page_that_a_person_let_stand_asks_nobody_again_until_it_was_well(visits, claim):
    visits.page(*rows_of(claim, 1, 2, 3))
    visits.visit(FetchStatus.GONE)
    (hold,) = visits.ledger.open_holds()
    visits.ledger.keep_claims(visits.run_id, hold, Release(accept=False, who="Li"), visits.at)
    again = visits.visit(FetchStatus.GONE)
    assert (again.held.hold_id, again.changes, visits.ledger.open_holds()) == (0, (), ())
    assert [c.not_seen for c in visits.ledger.current_claims()] == [0, 0, 0]
    visits.visit(FetchStatus.UNCHANGED)
    assert visits.visit(FetchStatus.GONE).held.hold_id == 2


def test_claims_that_may_be_others_now_are_not_counted_as_lost(visits, claim):
    visits.page(claim("a", low="1", quote="at 1"), claim("b", low="2", quote="at 2"))
    changes = visits.page(claim("c", low="3", quote="at 3"))
    assert changes.held is None
    (row,) = visits.ledger._database.rows("SELECT claim_key, candidates FROM stored.unclear_matches")
    assert row == {"claim_key": "c", "candidates": ["a", "b"]}
    visits.ledger.publish()
    assert run_query(visits.home, "SELECT claim_key, candidates FROM unclear_matches").rows == [
        ("c", ["a", "b"])
    ]


@pytest.mark.parametrize(
    ("text", "title", "reason"),
    [
        ("请先登录后查看", "", HoldReason.LOGIN_WALL),
        ("Please sign in", "", HoldReason.LOGIN_WALL),
        ("welcome", "登入 - 云", HoldReason.LOGIN_WALL),
        ("Verify you are human", "", HoldReason.LOGIN_WALL),
        ("加载中", "", HoldReason.SCRIPT_SHELL),
        ("words " * 100, "", HoldReason.LOST_CLAIMS),
        ("sign in " + "words " * 1000, "", HoldReason.LOST_CLAIMS),
    ],
)
def test_what_a_page_without_its_claims_looks_like(text, title, reason):
    document = Document(text=text, title=title, blocks=())
    assert reason_of(Extraction(source="p", document=document)) == reason


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ("the page is binary: it is a PDF", HoldReason.UNREADABLE),
        ("the page holds no visible text: a script draws it", HoldReason.SCRIPT_SHELL),
        ("the page is empty: 0 bytes", HoldReason.SCRIPT_SHELL),
    ],
)
def test_what_a_page_that_cannot_be_read_is(told, reason):
    assert reason_of(Extraction(source="p", document=None, reason=told)) == reason
