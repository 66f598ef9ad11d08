"""Pairs of claims and calculations, as data in tests/cases/verification (and the handed ones, where they are)."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from extractors.checks.cases import judge_case
from extractors.checks.comparing import compare, said
from extractors.checks.statements import judge, program_of
from schemas.program import Program

ROOT = Path(__file__).parents[3]
OWN = ROOT / "tests" / "cases" / "verification"
HANDED = ROOT.parent / "shared" / "gold"


def cases(name: str, folder: Path = OWN) -> list[dict]:
    path = folder / name
    return [
        json.loads(line, parse_float=str) for line in path.read_text("utf-8").splitlines() if line.strip()
    ]


def handed(name: str) -> list[dict]:
    if not (HANDED / name).exists():
        pytest.skip(f"the handed cases are not here: {HANDED / name}")
    return cases(name, HANDED)


PAIRS = sorted(path.name for path in OWN.glob("pairs*.jsonl"))
STATEMENTS = sorted(path.name for path in OWN.glob("arithmetic*.jsonl"))


@pytest.mark.parametrize("case", [c for name in PAIRS for c in cases(name)], ids=lambda c: c["id"])
def test_a_pair_is_a_conflict_or_not_whichever_comes_first(case):
    expected = "conflict" if case["must_flag"] else "no_conflict"
    verdict, reason = judge_case(case)
    assert verdict == expected, f"{reason} | {case['why']}"
    assert judge_case({**case, "a": case["b"], "b": case["a"]})[0] == expected
    assert reason


@pytest.mark.parametrize("case", [c for name in STATEMENTS for c in cases(name)], ids=lambda c: c["id"])
def test_a_calculation_holds_or_not_and_runs_again_from_what_is_stored(case):
    outcome = judge(case)
    assert outcome.verdict == case["expected_verdict"], f"{outcome.reason} | {case['why']}"
    stored = Program.model_validate_json(program_of(case).model_dump_json())
    assert stored == program_of(case)


def test_every_handed_pair_is_right():
    wrong = [
        c["id"]
        for c in handed("conflicts.jsonl")
        if judge_case(c)[0] != ("conflict" if c["must_flag"] else "no_conflict")
    ]
    assert wrong == []


def test_every_handed_calculation_is_right():
    wrong = [c["id"] for c in handed("arithmetic.jsonl") if judge_case(c)[0] != c["expected_verdict"]]
    assert wrong == []


def test_a_claim_never_conflicts_with_itself():
    for name in PAIRS:
        for case in cases(name):
            for side in (case["a"], case["b"]):
                assert compare(said(side), said(side)).relation != "conflict", case["id"]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ({"id": "x"}, "neither `parts` nor the two claims"),
        ({"a": {"metric": "mfu"}, "b": 3}, "neither `parts` nor the two claims"),
        ({"a": {"metric": "mfu"}, "b": {"metric": "mfu", "low": "0.4"}}, "it has no number"),
        (
            {"a": {"metric": "mfu", "low": "much"}, "b": {"metric": "mfu", "low": "0.4"}},
            "'much' is no number",
        ),
        ({"parts": []}, "it has no parts"),
        ({"parts": [{"role": "factor", "value": "8"}]}, "no part is a result"),
        ({"parts": [{"role": "product", "value": "8"}]}, "nothing that it is the product of"),
        ({"parts": [{"role": "factor"}, {"role": "product", "value": "8"}]}, "a part has no value"),
        ({"parts": [{"role": "factor", "value": "8", "bound": "some"}]}, "'some' is no bound"),
        ({"parts": ["8"]}, "a part is no object"),
    ],
)
def test_what_is_no_case_is_refused_with_what_is_missing(case, message):
    with pytest.raises(ValueError, match=message):
        judge_case(case)


def test_figures_given_as_numbers_are_read_as_they_are_printed():
    pair = json.loads(
        '{"a": {"metric": "mfu", "low": 0.4}, "b": {"metric": "mfu", "low": 0.41}}', parse_float=str
    )
    assert judge_case(pair)[0] == "conflict"
    parts = '{"parts": [{"role": "factor", "value": 8}, {"role": "factor", "value": 400, "unit": "Gbps"}, {"role": "product", "value": 3.2, "unit": "Tbps"}]}'
    assert judge_case(json.loads(parts, parse_float=str)) == (
        "consistent",
        "8 × 400 Gbps = 3.2 Tbps, as printed",
    )


def test_the_reason_shows_the_calculation():
    parts = [
        {"role": "factor", "value": "64", "unit": "count"},
        {"role": "factor", "value": "400", "unit": "Gbps"},
        {"role": "product", "value": "51.2", "unit": "Tbps"},
    ]
    assert judge({"parts": parts}).reason == "64 × 400 Gbps = 25.6 Tbps, and 51.2 Tbps is printed"


@pytest.mark.parametrize("text", ["9" * 80, "1e9999", "1/0", "__import__('os')", "nan"])
def test_what_a_page_prints_is_never_evaluated(text):
    parts = [{"role": "term", "value": text, "unit": "GB"}, {"role": "term", "value": "8", "unit": "GB"}]
    outcome = None
    with contextlib.suppress(ValueError):
        outcome = judge({"parts": parts})
    assert outcome is None or outcome.verdict in ("inconsistent", "not_comparable")
