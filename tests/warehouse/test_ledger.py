from __future__ import annotations

from datetime import datetime
from decimal import Decimal

import pytest

from schemas.check import Check, Verdict
from schemas.errors import LedgerError
from schemas.extraction import Extraction
from schemas.ledger import ChangeKind, HoldReason, Release
from schemas.ranking import DimensionScore, Placement, Proposal, Ranking
from schemas.record import Words
from schemas.scorecard import Dimension, Scorecard
from schemas.source import FetchStatus, Snapshot, Source, Visit
from warehouse import snapshots


def kinds(changes):
    return [change.kind.value for change in changes.changes]


def test_a_value_that_changes_once_makes_one_event_in_three_visits(visits, claim):
    first = visits.page(claim(low="3200000000000"))
    second = visits.page(claim(low="1600000000000"))
    third = visits.page(claim(low="1600000000000"))
    assert (kinds(first), kinds(second), kinds(third)) == (["new"], ["changed"], [])
    assert (first.first_visit, second.first_visit, third.same) == (True, False, 1)
    change = second.changes[0]
    assert change.fields == ("low",)
    assert (change.before.low, change.after.low) == (Decimal(3200000000000), Decimal(1600000000000))
    (current,) = visits.ledger.current_claims()
    assert (current.version, current.claim.low) == (2, Decimal(1600000000000))
    assert current.valid_from == datetime.fromisoformat("2026-05-02T03:00:00+00:00")


def test_every_field_of_a_claim_comes_back_as_it_was_stored(visits, claim):
    told = claim(
        low="22517998136852480",
        high=Decimal("0.333333333333") + Decimal(22517998136852480),
        metric="fs_capacity_max",
        unit="byte",
        basis="per_filesystem",
        best_case=True,
        condition={"Access": "read", "access": "write", "size": "4 KiB"},
        qualifiers={"": "empty", "a'b": '"; DROP TABLE x', "key": "k", "value": "v"},
        baseline="上一代",
        flags=("no_baseline", "unit_truncated"),
        rules={"low": "as written"},
        quote="最高 \x1b[31m 22 PB\x00",
        path=("表 1", "行'首"),
        text_value=None,
    )
    visits.page(told)
    (current,) = visits.ledger.current_claims()
    assert current.claim == told
    assert type(current.claim)(**current.claim.model_dump()) == told


@pytest.mark.parametrize(
    "value", ["22517998136852480", "1000000000000000000", "0.00000025", "0.0000001", "0.333333333333", "0"]
)
def test_numbers_of_every_size_are_exact(visits, claim, value):
    visits.page(claim(low=value))
    (current,) = visits.ledger.current_claims()
    assert current.claim.low == Decimal(value)
    assert "E" not in str(current.claim.low) or current.claim.low < Decimal("0.000001")


def test_more_decimals_than_a_column_holds_are_no_change_on_the_next_visit(visits, claim):
    third = str(Decimal(1) / Decimal(3))
    visits.page(claim(low=third))
    assert kinds(visits.page(claim(low=third))) == []


def test_a_reordered_page_is_no_event(visits, claim):
    rows = [claim(f"k{i}", low=str(i), quote=f"row {i}", path=(f"tier {i}",)) for i in range(1, 6)]
    visits.page(*rows)
    moved = [row.model_copy(update={"claim_key": f"k{i}"}) for i, row in enumerate(reversed(rows), start=1)]
    again = visits.page(*moved)
    assert (kinds(again), again.same) == ([], 5)


def test_a_page_that_a_person_takes_for_gone_keeps_its_claims_as_not_seen(visits, claim):
    visits.page(claim("a", path=("A",)), claim("b", path=("B",)))
    word = Release(accept=True, who="Li")
    assert kinds(visits.visit(FetchStatus.GONE, word=word)) == ["not_seen", "not_seen"]
    assert [c.not_seen for c in visits.ledger.current_claims()] == [1, 1]
    assert kinds(visits.visit(FetchStatus.GONE)) == []
    assert [c.not_seen for c in visits.ledger.current_claims()] == [2, 2]


def test_a_page_that_comes_back_unchanged_is_seen_again(visits, claim):
    visits.page(claim("a", path=("A",)), claim("b", path=("B",), metric="port_speed"))
    visits.page(claim("a", path=("A",)))
    visits.visit(FetchStatus.GONE, word=Release(accept=True, who="Li"))
    back = visits.visit(FetchStatus.UNCHANGED)
    assert [(c.claim_key, c.kind) for c in back.changes] == [("a", ChangeKind.SEEN_AGAIN)]
    assert {c.claim.claim_key: c.not_seen for c in visits.ledger.current_claims()} == {"a": 0, "b": 2}


def test_a_claim_that_leaves_the_page_and_returns(visits, claim):
    a, b = claim("a", path=("A",)), claim("b", path=("B",), metric="port_speed")
    visits.page(a, b)
    assert kinds(visits.page(a)) == ["not_seen"]
    assert kinds(visits.page(a)) == []
    assert kinds(visits.page(a, b)) == ["seen_again"]
    assert [c.version for c in visits.ledger.current_claims()] == [1, 1]


@pytest.mark.parametrize("status", [FetchStatus.UNCHANGED, FetchStatus.FAILED])
def test_a_visit_that_brought_nothing_touches_no_claim(visits, claim, status):
    visits.page(claim())
    before = visits.ledger.current_claims()
    assert kinds(visits.visit(status)) == []
    assert visits.ledger.current_claims() == before


def test_a_page_that_cannot_be_read_says_nothing_about_its_claims(visits, claim):
    visits.page(claim())
    kept = snapshots.keep(visits.home, b"bin")
    snapshot = Snapshot(sha256=kept, source_id="page", url="https://x.example/", fetched_at=visits.at, size=3)
    unreadable = Extraction(source="page.html", document=None, reason="binary")
    read = visits.ledger.last_snapshot("page")
    held = visits.visit(FetchStatus.CHANGED, snapshot, unreadable)
    assert (kinds(held), held.held.reason) == ([], HoldReason.UNREADABLE)
    assert visits.ledger.current_claims()[0].not_seen == 0
    assert visits.ledger.last_snapshot("page") == read
    other = snapshot.model_copy(update={"sha256": "b" * 64})
    visits.visit(FetchStatus.CHANGED, other, None)
    assert visits.ledger.last_snapshot("page") == read


def test_a_page_that_never_could_be_read_is_not_read_again(visits):
    kept = snapshots.keep(visits.home, b"bin")
    snapshot = Snapshot(sha256=kept, source_id="page", url="https://x.example/", fetched_at=visits.at, size=3)
    unreadable = Extraction(source="page.html", document=None, reason="binary")
    assert visits.visit(FetchStatus.CHANGED, snapshot, unreadable).held is None
    assert visits.ledger.last_snapshot("page").sha256 == kept


def test_the_last_snapshot_is_the_one_that_was_written(visits, claim):
    assert visits.ledger.last_snapshot("page") is None
    visits.page(claim(), body=b"one")
    visits.page(claim(), body=b"two")
    last = visits.ledger.last_snapshot("page")
    assert (last.size, last.etag, last.fetched_at.day) == (3, '"e"', 2)
    assert last.sha256 == "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"


def test_the_same_key_on_two_sources_stays_two_claims(visits, claim):
    visits.page(claim("k"), source_id="one")
    visits.page(claim("k", low="1"), source_id="two")
    assert kinds(visits.page(claim("k", low="1"), source_id="two")) == []
    keys = {c.source_id: c.claim.claim_key for c in visits.ledger.current_claims()}
    assert keys == {"one": "k", "two": "k~2"}


def test_findings_follow_their_claim_to_its_final_key(visits, claim, flag):
    one = claim("k", low="1", path=("A",))
    two = claim("k", low="2", path=("B",), flags=("unit_truncated",))
    check = Check(claim_key="k", name="grounding", version="1", verdict=Verdict.EXACT, reason="found")
    visits.page(one, two, flags=(flag("k"),), checks=(check, check))
    (open_flag,) = visits.ledger.open_flags()
    assert open_flag.flag.flag_id == "k~2:unit_truncated"
    assert open_flag.claim.claim.low == 2
    assert open_flag.flag.readings[1].low == Decimal(25600000000000)
    rows = visits.ledger._database.rows("SELECT claim_key, verdict FROM stored.checks ORDER BY claim_key")
    assert rows == [{"claim_key": "k", "verdict": "EXACT"}, {"claim_key": "k~2", "verdict": "EXACT"}]


def test_a_flag_of_no_claim_is_refused_whole(visits, claim, flag):
    with pytest.raises(LedgerError, match="unit_truncated of other belongs to no claim"):
        visits.page(claim(), flags=(flag("other"),))
    assert visits.ledger.current_claims() == ()


def test_runs_end_once_and_a_killed_one_is_marked(ledger, visits):
    at = visits.at
    second = ledger.begin_run("second", at)
    with pytest.raises(LedgerError, match="run 1 is abandoned"):
        ledger.end_run(visits.run_id, at, "done")
    ledger.end_run(second, at, "failed")
    with pytest.raises(LedgerError, match="run 7 is unknown"):
        ledger.end_run(7, at, "done")
    rows = ledger._database.rows(
        "SELECT run_id, status, ended_at IS NULL AS open FROM stored.runs ORDER BY 1"
    )
    assert [(r["run_id"], r["status"], r["open"]) for r in rows] == [
        (1, "abandoned", True),
        (2, "failed", False),
    ]


def test_a_time_without_a_zone_is_refused(ledger, visits):
    with pytest.raises(LedgerError, match="no time zone"):
        ledger.begin_run("x", visits.at.replace(tzinfo=None))


def test_a_changed_visit_needs_its_snapshot_and_its_own_source(visits, ledger):
    with pytest.raises(LedgerError, match="no snapshot"):
        visits.visit(FetchStatus.CHANGED)
    source = Source(id="page", url="https://vendor.example/page")
    visit = Visit(source_id="other", at=visits.at, status=FetchStatus.FAILED)
    with pytest.raises(LedgerError, match="a visit to other was given as one to page"):
        ledger.write_page(visits.run_id, source, visit, None)
    with pytest.raises(LedgerError, match="run 5 is unknown"):
        ledger.write_page(5, source, visit, None)
    assert ledger._database.rows("SELECT count(*) AS n FROM stored.visits") == [{"n": 0}]


def test_a_scorecard_is_kept_once_a_content(ledger, visits):
    words = Words(en="A", zh="甲")
    dimension = Dimension(id="a", label=words, weight=Decimal(1), why=words)
    card = Scorecard(id="seed", name=words, origin=words, dimensions=(dimension,))
    ledger.put_scorecard(card, visits.at)
    ledger.put_scorecard(card, visits.at)
    ledger.put_scorecard(card.model_copy(update={"decimals": 3}), visits.at)
    rows = ledger._database.rows(
        "SELECT content->>'decimals' AS d, name_zh FROM stored.scorecards ORDER BY 1"
    )
    assert rows == [{"d": "2", "name_zh": "甲"}, {"d": "3", "name_zh": "甲"}]


def test_a_source_is_revised_only_when_something_differs(visits, ledger, claim):
    visits.page(claim())
    visits.page(claim())
    rows = "SELECT source_id, revision, title FROM stored.sources ORDER BY revision"
    assert [r["revision"] for r in ledger._database.rows(rows)] == [1]
    revised = Source(id="page", vendor="alibaba-cloud", url="https://vendor.example/page", title="New")
    ledger.put_source(revised, visits.at)
    assert [r["title"] for r in ledger._database.rows(rows)] == ["", "New"]


def test_scores_rankings_and_proposals_are_kept(visits, ledger):
    assert not ledger.has_ranking("seed")
    placements = (Placement(vendor="aws", total=Decimal("4.355"), shown="4.36", rank=1),)
    ranking = Ranking(scorecard="seed", variant="proposed", weights={"a": Decimal(1)}, placements=placements)
    ledger.store_ranking(visits.run_id, ranking, visits.at)
    assert not ledger.has_ranking("seed")
    ledger.store_ranking(visits.run_id, ranking.model_copy(update={"variant": "standing"}), visits.at)
    assert ledger.has_ranking("seed")
    score = DimensionScore(vendor="aws", dimension="a", score=Decimal("4.1"), claim_keys=("k", "k"))
    ledger.store_scores(visits.run_id, "seed", (score, score), visits.at)
    proposal = Proposal(
        scorecard="seed",
        vendor="aws",
        dimension="a",
        standing=Decimal("4.1"),
        proposed=Decimal("4.6"),
        peers=("azure",),
        claim_keys=("k",),
        reason="equals azure",
    )
    ledger.store_proposal(visits.run_id, proposal, visits.at)
    rows = ledger._database.rows("SELECT total, shown FROM ranking")
    assert rows == [{"total": Decimal("4.35500000"), "shown": "4.36"}]
    assert ledger._database.rows("SELECT score_id, claim_key FROM stored.score_claims ORDER BY 1") == [
        {"score_id": 1, "claim_key": "k"},
        {"score_id": 2, "claim_key": "k"},
    ]
    assert ledger._database.rows("SELECT proposed, peers FROM proposals") == [
        {"proposed": Decimal("4.6000"), "peers": ["azure"]}
    ]


def test_the_cause_tells_a_better_parser_from_a_changed_page(visits, ledger, claim):
    visits.page(claim(low="1"), body=b"same")
    visits.page(claim(low="2", extractor="grammar@2"), body=b"same")
    visits.page(claim(low="3", extractor="grammar@2"), body=b"other")
    visits.page(claim(low="4", extractor="grammar@3"), body=b"third")
    rows = ledger._database.rows("SELECT cause FROM stored.changes WHERE kind = 'changed' ORDER BY change_id")
    assert [row["cause"] for row in rows] == ["extractor", "page", "both"]
