from __future__ import annotations

from decimal import Decimal

import pytest

from flows.verification import verify_ledger
from review import deciding
from review.deciding import StaleDecisionError
from schemas.decision import Seen
from schemas.errors import LedgerError
from warehouse.query import run_query

SAYS = "RDMA 带宽 3.2Tbps。"
OTHER = "RDMA 带宽 1.6Tbps。"


def standing(desk):
    verify_ledger(desk.ledger, desk.home, desk.at)
    (row,) = desk.rows("SELECT roll_up, why FROM claim_standing")
    return row["roll_up"], row["why"]


def test_only_a_reading_settles_a_flag(desk):
    desk.read(SAYS)
    assert desk.open() == ["basis_unspecified"]
    for kind in ("unsure", "ask_vendor"):
        desk.says(kind, "basis_unspecified", note=f"because {kind}")
        (flag,) = desk.ledger.open_flags()
        assert (flag.marked, flag.marked_by, flag.marked_why) == (kind, "ann", f"because {kind}")
    desk.says("reading", "basis_unspecified", reading="per_machine")
    assert desk.open() == []
    desk.undo("basis_unspecified")
    assert desk.open() == ["basis_unspecified"]
    with pytest.raises(LedgerError, match="nothing was decided on"):
        desk.undo("basis_unspecified")
    kinds = desk.rows("SELECT kind FROM stored.decisions ORDER BY decision_id")
    assert [row["kind"] for row in kinds] == ["unsure", "ask_vendor", "reading", "undone"]


def test_what_there_is_none_of_is_refused_with_what_there_is(desk):
    desk.read(SAYS)
    with pytest.raises(LedgerError, match="no reading 'maybe'; it has per_machine"):
        desk.says("reading", "basis_unspecified", reading="maybe")
    with pytest.raises(LedgerError, match="there is no flag"):
        desk.says("unsure", "no_baseline")
    with pytest.raises(LedgerError, match="there is no claim 'x'"):
        desk.says("unsure", "no_baseline", claim_key="x")
    with pytest.raises(ValueError, match="the name of who made it"):
        desk.says("unsure", "basis_unspecified", who=" ")


def test_a_rejected_claim_is_not_supported_and_says_who_rejected_it(desk):
    desk.read(SAYS)
    assert standing(desk)[0] == "AMBIGUOUS"
    desk.says("rejected", note="of another product")
    assert standing(desk) == ("UNSUPPORTED", "a reviewer rejected it: ann: of another product")
    desk.undo()
    assert standing(desk)[0] == "AMBIGUOUS"


def test_a_correction_is_a_version_that_stands_while_the_page_says_the_same(desk):
    desk.read(SAYS)
    desk.says("corrected", corrections={"basis": "per_machine"}, note="the table above says so")
    now = desk.claim
    assert (now.version, now.claim.basis, now.claim.flags) == (2, "per_machine", ())
    assert now.claim.rules["basis"] == "review: ann"
    assert desk.open() == []
    assert standing(desk) == ("QUALIFIED", "a reviewer corrected it: ann: the table above says so")
    desk.read(f"{SAYS} ")  # other bytes, the same words
    desk.reapply()
    assert (desk.claim.version, desk.claim.claim.basis) == (2, "per_machine")
    changes = desk.read(OTHER)
    desk.reapply()
    assert [change.fields for change in changes.changes] == [("low",)]
    assert (desk.claim.version, desk.claim.claim.basis, desk.claim.claim.low) == (
        3,
        "unspecified",
        Decimal(1600000000000),
    )
    (row,) = desk.rows("SELECT kind, who, changed, quote_before, quote_now FROM reopened")
    assert row == {
        "kind": "corrected",
        "who": "ann",
        "changed": ["quote"],
        "quote_before": SAYS.strip("。"),
        "quote_now": OTHER.strip("。"),
    }
    desk.ledger.publish()
    causes = "SELECT version, cause FROM claim_history ORDER BY version"
    assert run_query(desk.home, causes).rows == [(1, "page"), (2, "review"), (3, "page")]


def test_a_correction_that_is_undone_leaves_what_the_page_says(desk):
    desk.read(SAYS)
    desk.says("corrected", corrections={"basis": "per_machine"})
    desk.undo()
    assert (desk.claim.version, desk.claim.claim.basis) == (3, "unspecified")
    assert desk.open() == ["basis_unspecified"]
    assert standing(desk)[0] == "AMBIGUOUS"


@pytest.mark.parametrize(
    ("corrections", "source", "wrong"),
    [
        ({"value": "6.4 Tbps"}, "", "does not stand in the quote"),
        ({"value": "带宽"}, "", "holds no figure with a unit"),
        ({"value": "4 GPUs"}, "asked", "is in accelerators, and rdma_bandwidth is in bit/s"),
        ({"basis": "per_moon"}, "", "'per_moon' is no known basis"),
        ({"basis": "per_filesystem"}, "", "rdma_bandwidth has no basis"),
        ({"direction": "up"}, "", "direction is one of unidirectional"),
        ({"unit": "m"}, "", "'unit' cannot be corrected; these can: value"),
        ({"baseline": "  "}, "", "is empty"),
        ({"best_case": "perhaps"}, "", "best_case is yes or no"),
    ],
)
def test_a_correction_that_is_not_valid_stores_nothing(desk, corrections, source, wrong):
    desk.read(SAYS)
    with pytest.raises(LedgerError, match=wrong):
        desk.says("corrected", corrections=corrections, source=source)
    assert desk.claim.version == 1
    assert desk.rows("FROM stored.decisions") == []


def test_a_value_is_read_from_the_quote_or_is_the_reviewer_s_own_with_its_source(desk):
    desk.read(SAYS)
    desk.says("corrected", corrections={"value": "3.2Tbps", "basis": "per_node"})
    assert desk.claim.claim.low == Decimal(3200000000000)
    assert desk.claim.claim.rules["value"] == "review: ann"
    desk.says("corrected", corrections={"value": "400 GB/s"}, source="the vendor's mail of 2 May")
    now = desk.claim.claim
    assert (now.low, now.text_value, now.basis) == (Decimal(3200000000000), "400 GB/s", "unspecified")
    assert now.rules["value"] == "review: ann, from the vendor's mail of 2 May"


def test_a_decision_holds_on_while_words_and_readings_are_the_same(desk):
    desk.read(SAYS)
    desk.says("reading", "basis_unspecified", reading="per_machine")
    desk.reread(SAYS, product="lingjun")
    assert (desk.claim.version, desk.open()) == (2, [])
    (row,) = desk.rows("SELECT version, carried_from, who FROM answers WHERE version = 2")
    assert row == {"version": 2, "carried_from": 1, "who": "ann"}
    desk.reread(SAYS, product="lingjun", condition={"load": "none"})
    assert (desk.claim.version, desk.open()) == (3, ["basis_unspecified"])
    (old,) = desk.rows("SELECT reading, who, changed FROM reopened")
    assert old == {"reading": "per_machine", "who": "ann", "changed": ["condition"]}
    desk.read(OTHER)
    desk.reapply()
    assert desk.open() == ["basis_unspecified"]
    desk.read(f"{SAYS} ")
    assert desk.reapply() == 1  # the old words are back, and so is what was said of them
    assert desk.open() == []


def test_a_correction_is_made_again_when_the_same_words_are_read_otherwise(desk):
    desk.read(SAYS)
    desk.says("corrected", corrections={"basis": "per_machine"})
    desk.reread(SAYS, product="lingjun")
    now = desk.claim
    assert (now.version, now.claim.basis, now.claim.product) == (4, "per_machine", "lingjun")
    assert desk.rows("FROM reopened") == []


def test_a_decision_of_a_version_that_was_not_seen_is_refused(desk):
    desk.read(SAYS)
    desk.read(OTHER)
    with pytest.raises(StaleDecisionError, match="is now at version 2, and you looked at version 1"):
        desk.says("reading", "basis_unspecified", reading="per_machine", seen=Seen(version=1))
    first = desk.says("reading", "basis_unspecified", reading="per_machine", seen=Seen(version=2), who="ann")
    with pytest.raises(StaleDecisionError, match=r"ann decided on .* meanwhile \(per_machine"):
        desk.says("reading", "basis_unspecified", reading="per_node", seen=Seen(version=2), who="bob")
    desk.says(
        "reading",
        "basis_unspecified",
        reading="per_node",
        seen=Seen(version=2, decision_id=first.decision_id),
        who="bob",
    )
    (settled,) = desk.rows("SELECT reading, who FROM answers")
    assert settled == {"reading": "per_node", "who": "bob"}


def test_decisions_go_from_ledger_to_ledger_and_none_is_lost(desk, make_desk):
    desk.read(SAYS)
    desk.says("reading", "basis_unspecified", reading="per_machine", note="asked")
    desk.says("corrected", corrections={"basis": "per_node"}, who="bob")
    desk.undo()
    lines = deciding.export(desk.ledger)
    assert [line.kind for line in lines] == ["reading", "corrected", "undone"]
    assert lines[2].undoes == lines[1].id
    other = make_desk("other")
    waits = deciding.take_in(other.ledger, other.run_id, lines, other.at)
    assert (waits.stored, [why for _, why in waits.waiting]) == (0, ["no such claim"] * 3)
    assert len(other.rows("FROM waiting_decisions")) == 3
    other.read(SAYS)
    assert other.reapply() == 3
    assert other.rows("FROM waiting_decisions") == []
    assert other.open() == []
    assert other.claim.claim.basis == "unspecified"
    again = deciding.take_in(other.ledger, other.run_id, lines, other.at)
    assert (again.stored, again.known) == (0, 3)
    assert [line.id for line in deciding.export(other.ledger)] == [line.id for line in lines]


def test_two_reviewers_who_differ_are_both_kept_and_shown(desk, make_desk):
    other = make_desk("other")
    for one in (desk, other):
        one.read(SAYS)
    desk.says("reading", "basis_unspecified", reading="per_machine", who="ann")
    other.at = desk.at
    other.says("reading", "basis_unspecified", reading="per_node", who="bob")
    deciding.take_in(desk.ledger, desk.run_id, deciding.export(other.ledger), desk.at)
    rows = desk.rows("SELECT who, reading, holds FROM decision_conflicts")
    assert [(r["who"], r["reading"], r["holds"]) for r in rows] == [
        ("ann", "per_machine", False),
        ("bob", "per_node", True),  # the later word, whichever came into the ledger first
    ]
    assert desk.open() == []


def test_a_file_of_an_older_word_does_not_turn_a_newer_one(desk, make_desk):
    other = make_desk("other")
    for one in (desk, other):
        one.read(SAYS)
    other.says("reading", "basis_unspecified", reading="per_node", who="bob")
    desk.at = other.at
    desk.says("reading", "basis_unspecified", reading="per_machine", who="ann")
    deciding.take_in(desk.ledger, desk.run_id, deciding.export(other.ledger), desk.at)
    assert [row["reading"] for row in desk.rows("SELECT reading FROM answers")] == ["per_machine"]
    assert len(desk.rows("FROM decision_conflicts")) == 2


def test_what_is_published_holds_to_the_invariants(desk):
    desk.read(SAYS)
    desk.says("corrected", corrections={"basis": "per_machine"})
    desk.undo()
    desk.says("rejected")
    desk.ledger.publish()
    assert run_query(desk.home, "SELECT kind FROM answers ORDER BY version").rows == [
        ("corrected",),
        ("rejected",),
    ]
