"""Rankings that follow from claims, on the demo's two days: kept, printed, and the same bytes for the same claims."""

from __future__ import annotations

import json
from fractions import Fraction

from flows import published
from tests.flows.conftest import Run
from warehouse.cards import builtin_cards
from warehouse.derived import derived
from warehouse.home import Home
from warehouse.query import run_query

CARD = "ten-thousand-cards"


def test_a_derived_ranking_is_kept_beside_the_published_one_and_again_only_where_claims_moved(
    played: Home,
) -> None:
    kept = run_query(
        played,
        "SELECT run_id, scorecard FROM stored.rankings WHERE variant = 'derived' ORDER BY run_id, scorecard",
    ).rows
    first = [card for run, card in kept if run == 1]
    assert first == ["six-dimensions", "small-clusters", "stability-poc", CARD]
    # Day 2 brings the storage's figures, which the small clusters' card and the proof's do not ask for.
    assert [card for run, card in kept if run == 2] == ["six-dimensions", CARD]


def test_what_is_stored_is_what_the_claims_give(played: Home) -> None:
    facts = published.facts(played)
    for card in builtin_cards():
        found = derived(card, facts)
        assert found is not None
        rows = run_query(
            played,
            "SELECT vendor, best, worst, shown_low, shown_high, rank_shares FROM derived_ranking "
            f"WHERE scorecard = '{card.id}' ORDER BY place",
        ).rows
        expected = [
            (s.vendor, s.best, s.worst, s.shown_low, s.shown_high, [str(x) for x in s.rank_shares or ()])
            for s in found.evaluation.standings
        ]
        assert rows == expected
        assert derived(card, tuple(reversed(facts))) == found


def test_rank_prints_ranges_and_the_same_bytes_each_time(koujing: Run, played: Home) -> None:
    printed = [koujing("--home", str(played.root), "rank", "--scorecard", CARD).out for _ in range(2)]
    assert printed[0] == printed[1]
    lines = printed[0].splitlines()
    head = next(place for place, line in enumerate(lines) if line.startswith("Derived from "))
    rows = lines[head + 3 : head + 11]
    assert [row.lstrip()[0] for row in rows] == ["1", "2", "3", "3", "4", "6", "7", "7"]
    assert any("alibaba-cloud" in row and "–" in row for row in rows)
    assert any(
        line.startswith("Left out: huawei-cloud rdma_bandwidth 400 Gbps: not comparable") for line in lines
    )


def test_rank_as_json_carries_exact_bounds_shares_and_what_was_left_out(koujing: Run, played: Home) -> None:
    printed = koujing("--home", str(played.root), "rank", "--scorecard", CARD, "--format", "json").out
    (found,) = [card for card in json.loads(printed) if card["variant"] == "derived"]
    for place in found["placements"]:
        low, high = (Fraction(place["total"][end]) for end in ("low", "high"))
        assert low <= high
        assert len(place["rank_shares"]) == place["worst"] - place["best"] + 1
        assert sum(Fraction(share) for share in place["rank_shares"]) == 1
    assert {entry["what"] for entry in found["left_out"]} >= {"huawei-cloud rdma_bandwidth 400\u00a0Gbps"}
    assert sum(Fraction(weight) for weight in found["weights"].values()) == 1
    for pair in found["undecided"]:
        assert sum(Fraction(share) for share in pair["shares"]) == 1


def test_weights_in_sql_and_on_the_command_line_agree(koujing: Run, played: Home) -> None:
    given = ("--scorecard", CARD, "--weight", "storage_io=0.25", "--format", "json")
    standing, _, found = json.loads(koujing("--home", str(played.root), "rank", *given).out)
    rows = run_query(
        played, f"FROM reweighted('{CARD}', MAP {{'storage_io': 0.25}}) ORDER BY variant, vendor"
    ).rows
    by_variant = {
        (variant, vendor): (best, worst, low, high) for variant, best, worst, vendor, low, high in rows
    }
    for place in standing["placements"]:
        best, worst, low, _ = by_variant["standing", place["vendor"]]
        assert (best, worst) == (place["rank"], place["rank"])
        assert f"{low:.2f}" == place["shown"]
    for place in found["placements"]:
        *_, low, high = by_variant["derived", place["vendor"]]
        # A flag that moves two dimensions is counted once by the command, and at its worst in each by the macro.
        assert Fraction(low) <= Fraction(place["total"]["low"]) + Fraction(1, 10**12)
        assert Fraction(high) >= Fraction(place["total"]["high"]) - Fraction(1, 10**12)


def test_a_weight_of_no_dimension_is_refused_in_sql(koujing: Run, played: Home) -> None:
    outcome = koujing(
        "--home", str(played.root), "sql", f"FROM reweighted('{CARD}', MAP {{'storage': 0.25}})"
    )
    assert outcome.code == 1
    assert "has no such dimension; it has" in outcome.err


def test_flags_begin_with_what_can_decide_the_first_place(koujing: Run, played: Home) -> None:
    flags = koujing("--home", str(played.root), "flags", "--format", "jsonl").objects
    moves = [flag["moves"] for flag in flags]
    moving = [m for m in moves if m is not None]
    assert moves[: len(moving)] == moving
    sums = [
        (-m["winners"], -m["pairs"], -m["contenders_out"], -m["places"], -Fraction(m["narrowing"]))
        for m in moving
    ]
    assert sums == sorted(sums)
    assert (moving[0]["winners"], flags[0]["why"]) == (
        1,
        "settling this can decide 1st place of “Six questions to a training cloud”",
    )


def test_sensitivity_names_the_weight_at_which_neighbours_are_equal(koujing: Run, played: Home) -> None:
    given = ("rank", "--scorecard", CARD, "--sensitivity")
    for ranking in json.loads(koujing("--home", str(played.root), *given, "--format", "json").out):
        flips = ranking["sensitivity"]["flips"]
        changes = [abs(Fraction(flip["change"])) for flip in flips]
        assert changes == sorted(changes)
        for flip in flips:
            assert Fraction(flip["weight"]) + Fraction(flip["change"]) == Fraction(flip["tie_at"])
    out = koujing("--home", str(played.root), *given).out
    assert (
        "The smallest of all pairs: ready_to_use from 10.00% past 12.41% (+2.41%) puts baidu-ai-cloud ahead"
        in out
    )


def test_past_the_weight_that_sensitivity_names_the_pair_is_turned(koujing: Run) -> None:
    before, after = (
        [
            place["vendor"]
            for place in json.loads(
                koujing("rank", "--scorecard", CARD, "--weight", f"ready_to_use={w}", "--format", "json").out
            )[0]["placements"]
        ]
        for w in ("0.124", "0.125")
    )
    assert before.index("huawei-cloud") < before.index("baidu-ai-cloud")
    assert after.index("baidu-ai-cloud") < after.index("huawei-cloud")
