from __future__ import annotations

from decimal import Decimal

import pytest

from schemas.check import Check, Verdict
from schemas.source import FetchStatus
from warehouse import limits, snapshots

TOO_LARGE = "1" + "0" * 26
LARGEST = "9" * 26 + "." + "9" * 12


def visits_of(ledger):
    return ledger._database.rows("SELECT status, reason FROM stored.visits ORDER BY visit_id")


def many(claim, count, shift=0):
    return [
        claim(f"k{i}", low=str(i + shift), quote=f"row {i} at {i + shift}", path=(f"row {i}",))
        for i in range(count)
    ]


def test_a_page_with_too_many_claims_is_held_and_the_run_goes_on(visits, claim, monkeypatch):
    assert limits.MOST_CLAIMS == 20_000
    monkeypatch.setattr(limits, "MOST_CLAIMS", 2)
    visits.page(claim("a"))
    before = visits.ledger.current_claims()
    assert visits.page(*many(claim, 3)).changes == ()
    assert visits.ledger.current_claims() == before
    assert visits_of(visits.ledger)[1] == {
        "status": "failed",
        "reason": "more than 2 claims on one page",
    }
    assert len(visits.page(*many(claim, 2), source_id="other").changes) == 2


@pytest.mark.parametrize("field", ["low", "high"])
def test_a_number_too_large_costs_its_own_claim_alone(visits, claim, field):
    absurd = claim("k2", quote="1e26  Tbps").model_copy(update={field: Decimal(TOO_LARGE)})
    changes = visits.page(claim("k1", low=LARGEST), absurd, claim("k3", low="7", metric="port_speed"))
    assert [change.claim_key for change in changes.changes] == ["k1", "k3"]
    assert {c.claim.low for c in visits.ledger.current_claims()} == {Decimal(LARGEST), Decimal(7)}
    assert visits_of(visits.ledger) == [
        {
            "status": "changed",
            "reason": "1 claim left out: a number too large to store (quote “1e26 Tbps”)",
        }
    ]


def test_several_numbers_too_large_are_counted_and_the_first_is_quoted(visits, claim):
    visits.page(*(claim(f"k{i}", low=TOO_LARGE, quote=f"{i}" * 90) for i in range(1, 4)))
    (visit,) = visits_of(visits.ledger)
    assert visit["reason"] == (
        f"3 claims left out: numbers too large to store (the first quote: “{'1' * 80}…”)"
    )


def test_the_findings_of_a_claim_left_out_go_with_it(visits, claim, flag):
    absurd = claim("k", low=TOO_LARGE, path=("A",), flags=("unit_truncated",))
    fine = claim("k", low="2", path=("B",), flags=("unit_truncated",))
    other = flag("k").model_copy(update={"readings": flag("k").readings[:1]})
    checks = [
        Check(claim_key="k", name="grounding", version="1", verdict=Verdict.EXACT, reason=reason)
        for reason in ("of the absurd one", "of the fine one")
    ]
    visits.page(absurd, fine, flags=(flag("k"), other), checks=tuple(checks))
    (open_flag,) = visits.ledger.open_flags()
    assert (open_flag.claim.claim.low, len(open_flag.flag.readings)) == (2, 1)
    assert visits.ledger._database.rows("SELECT reason FROM stored.checks") == [{"reason": "of the fine one"}]


def test_thousands_of_claims_are_stored_and_compared(visits, claim):
    # Row by row, or pair by pair, these four visits would take well over a minute.
    kinds = []
    for claims in (
        many(claim, 4_000),
        many(claim, 4_000),
        many(claim, 4_000, shift=5),
        [claim("same", low=str(i), quote=f"at {i}", path=(str(i),)) for i in range(4_000)],
    ):
        changes = visits.page(*claims)
        kinds.append((changes.same, len(changes.changes), changes.held is not None))
    assert kinds == [(0, 4_000, False), (4_000, 0, False), (0, 4_000, False), (0, 0, True)]


def test_a_snapshot_whose_body_is_gone_is_not_the_last_one(visits, claim):
    visits.page(claim(), body=b"one")
    last = visits.ledger.last_snapshot("page")
    (visits.home.snapshots / last.sha256[:2] / f"{last.sha256}.zst").unlink()
    assert visits.ledger.last_snapshot("page") is None
    again = visits.page(claim(), body=b"one")
    assert (again.first_visit, again.same) == (False, 1)
    assert visits.ledger.last_snapshot("page").sha256 == last.sha256
    assert snapshots.load(visits.home, last.sha256) == b"one"
    assert visits.visit(FetchStatus.UNCHANGED).changes == ()
