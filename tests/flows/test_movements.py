"""What moved in the rankings and because of which claim; rankings as they were kept; scorecards of a user's own."""

from __future__ import annotations

import json
import shutil
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from flows.derived import rederive
from flows.own_cards import cards_of
from flows.reranking import rerank
from review.deciding import decide
from schemas.decision import Decision, DecisionKind
from tests.docs.fences import DOCS, file_of
from tests.flows.conftest import Run
from warehouse.cards import builtin_cards
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger
from warehouse.query import run_query

CARD = "ten-thousand-cards"
LATER = datetime(2026, 6, 1, tzinfo=UTC)
EDITORIAL = """
id: two-vendors
name: {en: Two vendors, zh: 两家}
origin: {en: Our own, zh: 自定}
dimensions:
  - id: storage
    label: {en: Storage, zh: 存储}
    weight: 0.4
    why: {en: Why, zh: 因}
    metrics: [fs_throughput, fs_iops]
    compare: [fs_throughput]
  - id: network
    label: {en: Network, zh: 网络}
    weight: 0.6
    why: {en: Why, zh: 因}
    metrics: [rdma_bandwidth]
editorial:
  huawei-cloud: {storage: {score: 3.5}, network: {score: 4}}
  alibaba-cloud: {storage: {score: 4}, network: {score: 4}}
"""


@pytest.fixture
def home(played: Home, tmp_path: Path) -> Home:
    return Home(Path(shutil.copytree(played.root, tmp_path / "copy")))


def run_again(home: Home, label: str = "again", hours: int = 0) -> tuple[str, ...]:
    """A run that finds no page changed, with the home's own scorecards; gives what was derived anew."""
    at = LATER + timedelta(hours=hours)
    with Ledger.open(home) as ledger:
        run_id = ledger.begin_run(label, at)
        rerank(ledger, run_id, cards_of(home), (), at)
        kept = rederive(ledger, run_id, cards_of(home), at)
        ledger.end_run(run_id, at, "done")
        ledger.publish()
    return tuple(found.card.id for found in kept)


def moved(koujing: Run, home: Home, *words: str) -> list[tuple[str, str, str, str]]:
    found = json.loads(
        koujing("--home", str(home.root), "changes", "--ranking", *words, "--format", "json").out
    )
    return [
        (m["scorecard"], m["variant"], m["vendor"], m["because"].replace("\N{NO-BREAK SPACE}", " "))
        for m in found
    ]


def test_each_move_names_the_claims_that_caused_it(koujing: Run, played: Home) -> None:
    assert moved(koujing, played) == [
        (
            CARD,
            "proposed",
            "huawei-cloud",
            "fs_iops 3000 万 (storage_io, as peers state); fs_throughput 2 TB/s (storage_io, as peers state)",
        ),
        (CARD, "proposed", "tencent-cloud", "nothing under it changed; huawei-cloud moved"),
        (
            CARD,
            "derived",
            "huawei-cloud",
            "capability: by_ticket_only counts now; fs_iops 3000 万 counts now; fs_throughput 2 TB/s counts now",
        ),
        (CARD, "derived", "baidu-ai-cloud", "nothing under it changed; huawei-cloud moved"),
        ("six-dimensions", "derived", "alibaba-cloud", "nothing under it changed; huawei-cloud moved"),
        (
            "six-dimensions",
            "derived",
            "huawei-cloud",
            "fs_iops 3000 万 counts now; fs_throughput 2 TB/s counts now",
        ),
    ]
    table = koujing("--home", str(played.root), "changes", "--ranking").out.splitlines()
    assert next(line.split()[4:9] for line in table if " proposed " in line) == [
        "huawei-cloud",
        "4",
        "→",
        "2",
        "4.52",
    ]
    (row,) = run_query(
        played,
        "SELECT best_before, worst_before, best, worst, shown_low_before, shown_low FROM ranking_moves "
        f"WHERE scorecard = '{CARD}' AND variant = 'derived' AND vendor = 'huawei-cloud'",
    ).rows
    assert row == (3, 5, 3, 4, "2.45", "2.95")


def test_since_leaves_earlier_moves_out(koujing: Run, played: Home) -> None:
    assert moved(koujing, played, "--since", "2026-05-02") == []
    assert (
        "no ranking moved"
        in koujing("--home", str(played.root), "changes", "--ranking", "--since", "2026-05-02").err
    )


@pytest.mark.parametrize(
    ("reading", "why"),
    [
        ("per_machine", ""),
        (
            "aggregate",
            "; not comparable: its basis is aggregate; per_machine, per_node, per_instance compare",
        ),
    ],
)
def test_a_settled_flag_derives_again_exactly_the_cards_that_rest_on_it_and_is_named(
    koujing: Run, home: Home, reading: str, why: str
) -> None:
    rests = {
        (card, flag): claim
        for card, claim, flags in run_query(
            home, "SELECT scorecard, claim_key, flags FROM derived_claims"
        ).rows
        for flag in flags
    }
    flag = next(f for card, f in sorted(rests) if card == "small-clusters")
    resting = {card for card, f in rests if f == flag}
    readings = run_query(
        home,
        "SELECT reading.value->>'key' FROM open_flags, json_each(readings) AS reading "
        f"WHERE flag_id = '{flag}' ORDER BY 1",
    ).rows
    assert (reading,) in readings
    assert run_again(home) == ()
    with Ledger.open(home) as ledger:
        key, _, name = flag.rpartition(":")
        answer = Decision(
            claim_key=key, flag=name, kind=DecisionKind.READING, reading=reading, who="li", note="asked"
        )
        decide(ledger, ledger.begin_run("review", LATER), answer, LATER)
    assert set(run_again(home, hours=1)) == resting
    causes = run_query(
        home,
        "SELECT scorecard, note FROM ranking_causes WHERE kind = 'settled' "
        f"AND claim_key = '{rests['small-clusters', flag]}'",
    ).rows
    said = f"{flag.partition(':')[2]} is {reading}, says li"
    assert set(causes) == {(card, f"{said}{why}") for card in resting}
    lines = {because for _, _, _, because in moved(koujing, home, "--since", "2026-05-02")}
    assert any(line.endswith(said + why) for line in lines)


def test_only_what_settles_corrects_or_rejects_is_a_cause_and_so_is_taking_it_back(
    koujing: Run, home: Home
) -> None:
    ((key,),) = run_query(
        home,
        "SELECT min(claim_key) FROM derived_claims "
        "WHERE list_contains(flags, claim_key || ':fault_class_unspecified') AND vendor = 'alibaba-cloud'",
    ).rows
    at_home = ("--home", str(home.root))
    who = ("--who", "li")
    for words in (
        ("resolve", f"{key}:order_of_magnitude_only", "--ask-vendor", *who),
        ("resolve", f"{key}:fault_class_unspecified", "--reading", "any", *who),
        ("decisions", "undo", f"{key}:fault_class_unspecified", *who),
        ("resolve", f"{key}:claim", "--reject", *who),
    ):
        assert koujing(*at_home, *words).code == 0
    notes = run_query(
        home,
        f"SELECT DISTINCT note FROM ranking_causes WHERE claim_key = '{key}' AND kind = 'settled' ORDER BY 1",
    ).rows
    assert [note.partition("; unsupported")[0] for (note,) in notes] == [
        "fault_class_unspecified is any, says li",
        "fault_class_unspecified is open again, says li",
        "rejected, says li",
    ]


def test_a_ranking_is_had_as_it_was(koujing: Run, home: Home) -> None:
    at = ("--home", str(home.root), "rank", "--as-of")
    before = json.loads(koujing(*at, "2026-05-01T03:00:30", "--format", "json").out)
    after = json.loads(koujing(*at, "2026-05-01", "--format", "json").out)

    def spot(found: list[dict], variant: str) -> tuple[object, ...] | None:
        for kept in found:
            if (kept["scorecard"], kept["variant"]) == (CARD, variant):
                return next(
                    (p["best"], p["worst"], *p["shown"])
                    for p in kept["placements"]
                    if p["vendor"] == "huawei-cloud"
                )
        return None

    assert (spot(before, "standing"), spot(after, "standing")) == ((4, 4, "4.52", "4.52"),) * 2
    assert (spot(before, "proposed"), spot(after, "proposed")) == (None, (2, 2, "4.61", "4.61"))
    assert (spot(before, "derived"), spot(after, "derived")) == (
        (3, 5, "2.45", "2.45"),
        (3, 4, "2.95", "2.95"),
    )
    at_home = ("--home", str(home.root))
    for dimension in ("storage_io", "ready_to_use"):
        koujing(*at_home, "confirm", "huawei-cloud", dimension, "--scorecard", CARD, "--who", "li", "--keep")
    now = json.loads(koujing(*at, "0d", "--format", "json").out)
    # Kept scores leave no proposal, so that the ranking under it is none of today's.
    assert (spot(now, "standing"), spot(now, "proposed")) == ((4, 4, "4.52", "4.52"), None)
    assert json.loads(koujing(*at, "2026-05-01", "--format", "json").out) == after


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (("2025-01-01",), 0, "no ranking was kept by 2025-01-01 23:59 UTC"),
        (("2026-05-01", "--scorecard", "no-such"), 0, "no ranking of no-such was kept by"),
        (("yesterday",), 2, "'yesterday' is neither a date such as 2026-05-01 nor"),
        (("2026-05-01'; DROP TABLE x; --",), 2, "is neither a date"),
        (("9999-12-31",), 0, ""),
        (("0001-01-01",), 0, "no ranking was kept by"),
        (("99999d",), 0, "no ranking was kept by"),
        (("2026-05-01", "--weight", "rdma=0.3"), 2, "prints what was kept"),
    ],
)
def test_a_moment_is_checked_before_it_is_asked_for(
    koujing: Run, played: Home, words: tuple[str, ...], code: int, told: str
) -> None:
    outcome = koujing("--home", str(played.root), "rank", "--as-of", *words)
    assert (outcome.code, told in " ".join(outcome.err.replace("│", " ").split())) == (code, True)


@pytest.mark.long
def test_a_dropped_scorecard_takes_part_in_every_command(koujing: Run, home: Home) -> None:
    folder = home.root / "scorecards"
    folder.mkdir()
    own = file_of(DOCS / "ranking.md", ".home/scorecards/small-files.yaml")
    (folder / "small-files.yaml").write_text(own, encoding="utf-8")
    (folder / "two.yaml").write_text(EDITORIAL, encoding="utf-8")
    at = ("--home", str(home.root))
    listed = json.loads(koujing(*at, "scorecards", "list", "--format", "json").out)
    assert [(c["id"], c["ranks_by"]) for c in listed if c["from"] == "yours"] == [
        ("small-files", "derived"),
        ("two-vendors", "editorial"),
    ]
    (derived,) = [
        r
        for r in json.loads(koujing(*at, "rank", "--scorecard", "small-files", "--format", "json").out)
        if r["variant"] == "derived"
    ]
    assert derived["placements"][0]["best"] == 1
    (standing,) = json.loads(koujing(*at, "rank", "--scorecard", "two-vendors", "--format", "json").out)
    assert [(p["rank"], p["vendor"], p["shown"]) for p in standing["placements"]] == [
        (1, "alibaba-cloud", "4.00"),
        (2, "huawei-cloud", "3.80"),
    ]
    turns = koujing(*at, "rank", "--scorecard", "two-vendors", "--sensitivity").out
    assert "(no single weight turns them)" in turns
    assert "The smallest change" in koujing(*at, "rank", "--scorecard", "small-files", "--sensitivity").out
    explained = koujing(*at, "explain", "huawei-cloud", "operations").out
    assert "fs_iops 3000 万 scores " in explained
    assert "Small files (small-files)" in explained
    assert koujing(*at, "explain", "huawei-cloud", "storage").out.startswith(
        "\nHuawei Cloud · 华为云 · Storage (storage)"
    )
    by_file = koujing(
        *at, "explain", "huawei-cloud", "operations", "--scorecard", str(folder / "small-files.yaml")
    ).out
    assert by_file == explained
    flags = koujing(*at, "flags", "--format", "jsonl").objects
    assert any("small-files" in (flag["moves"] or {"scorecards": []})["scorecards"] for flag in flags)
    assert any("two-vendors.storage" in flag["dimensions"] for flag in flags)
    assert set(run_again(home)) == {"small-files"}
    as_of = json.loads(koujing(*at, "rank", "--as-of", "2026-06-01", "--format", "json").out)
    assert {(k["scorecard"], k["variant"]) for k in as_of} >= {
        ("small-files", "derived"),
        ("two-vendors", "standing"),
    }
    kept = {
        (variant, vendor): (low, high)
        for variant, _, _, vendor, low, high in run_query(
            home, "FROM reweighted('small-files', MAP {'operations': 0.5})"
        ).rows
    }
    half = json.loads(
        koujing(
            *at, "rank", "--scorecard", "small-files", "--weight", "operations=0.5", "--format", "json"
        ).out
    )
    for place in half[-1]["placements"]:
        low, high = kept["derived", place["vendor"]]
        for given, exact in ((low, place["total"]["low"]), (high, place["total"]["high"])):
            assert abs(Fraction(given) - Fraction(exact)) < Fraction(1, 10**11)
    (folder / "two.yaml").write_text(EDITORIAL.replace("score: 3.5", "score: 4.5"), encoding="utf-8")
    assert run_again(home, hours=2) == ()
    told = [m for m in moved(koujing, home, "--since", "2026-05-02") if m[0] == "two-vendors"]
    assert [(vendor, because) for _, _, vendor, because in told] == [
        ("huawei-cloud", "the scorecard: its file changed"),
        ("alibaba-cloud", "the scorecard: its file changed"),
    ]


def test_a_word_on_a_score_is_named_as_the_cause(koujing: Run, home: Home) -> None:
    at = ("--home", str(home.root))
    koujing(
        *at, "confirm", "huawei-cloud", "storage_io", "--scorecard", CARD, "--who", "li", "--note", "2 TB/s"
    )
    told = [m for m in moved(koujing, home, "--since", "2026-05-02") if m[1] == "standing"]
    assert told == [
        (CARD, "standing", "huawei-cloud", "confirmed: storage_io by li: 2 TB/s"),
        (CARD, "standing", "tencent-cloud", "nothing under it changed; huawei-cloud moved"),
    ]
    assert Decimal("4.61") in {
        row[0]
        for row in run_query(
            home,
            f"SELECT total::DECIMAL(9, 2) FROM ranking WHERE scorecard = '{CARD}' AND vendor = 'huawei-cloud'",
        ).rows
    }


def test_without_claims_nothing_moves_and_nothing_breaks(koujing: Run, tmp_path: Path) -> None:
    home = open_home(tmp_path / "bare")
    with Ledger.open(home) as ledger:
        run_id = ledger.begin_run("", LATER)
        rerank(ledger, run_id, builtin_cards(), (), LATER)
        assert rederive(ledger, run_id, builtin_cards(), LATER) == ()
        ledger.end_run(run_id, LATER, "done")
        ledger.publish()
    at = ("--home", str(home.root))
    assert koujing(*at, "changes", "--ranking").err == "no ranking moved\n"
    assert "no published score rests on a claim that changed" in koujing(*at, "proposals").err
    assert "nothing has been read yet" in koujing(*at, "flags").err
    explained = koujing(*at, "explain", "huawei-cloud", "storage_io")
    assert (explained.code, "nothing has been read for huawei-cloud yet" in explained.err) == (0, True)
    ranked = koujing(*at, "rank", "--sensitivity")
    assert ranked.code == 0
    assert "Derived from" not in ranked.out
