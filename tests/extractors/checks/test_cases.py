"""Pairs of claims and calculations, as data in tests/cases/verification (and the handed ones, where they are)."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path

import pytest

from extractors.checks.arithmetic import Outcome
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


@pytest.mark.parametrize(
    "text",
    [
        "0x10",
        "1.2.3",
        "1,00,0",
        "--8",
        "3,2",
        "½",
        "²",
        "八",
        "[8]",
        "8\0",
        "\u202e8",
        "8 or 9",
        "",
        " ",
        "1e400",
        "٣/٤",
    ],
)
def test_what_is_not_wholly_a_number_is_refused_and_never_read_in_part(text):
    parts = [{"role": "factor", "value": text}, {"role": "product", "value": "8"}]
    with pytest.raises(ValueError, match=r"number|no figure of this domain|has no value"):
        judge({"parts": parts})
    with pytest.raises(ValueError, match=r"number|no figure of this domain"):
        said({"metric": "mfu", "low": text})


@pytest.mark.parametrize(
    ("value", "number"),
    [("1万", "10000"), ("3,200", "3200"), ("10 000", "10000"), ("1.34x", "1.34"), ("×15", "15"), ("15倍", "15"),
     ("60%", "0.6"), ("３２", "32"), ("$2.5", "2.5"), ("2 million", "2000000"), ("-0.5", "-0.5"), ("1e3", "1000")],
)  # fmt: skip
def test_numbers_as_they_are_printed(value, number):
    parts = [{"role": "term", "value": value}, {"role": "term", "value": number}]
    assert judge({"parts": parts}).verdict == "consistent"


@pytest.mark.parametrize(
    ("count", "each", "product", "verdict", "reason"),
    [
        ("3", "2-3", "6-9", "consistent", "3 × 2 to 3 GB/s = 6 to 9 GB/s, as printed"),
        ("3", "2~3", "6~10", "inconsistent", "3 × 2 to 3 GB/s = 6 to 9 GB/s, and 6 to 10 GB/s is printed"),
        (
            "3",
            "2 到 3",
            "5 到 9",
            "inconsistent",
            "3 × 2 to 3 GB/s = 6 to 9 GB/s, and 5 to 9 GB/s is printed",
        ),
        ("3", "2.5", "6–9", "consistent", "3 × 2.5 GB/s = 7.5 GB/s, and 6 to 9 GB/s is printed, which holds"),
        ("3", "4", "6–9", "inconsistent", "3 × 4 GB/s = 12 GB/s, and 6 to 9 GB/s is printed"),
        ("2 to 4", "1.5 to 2", "3 to 8", "consistent", "2 to 4 × 1.5 to 2 GB/s = 3 to 8 GB/s, as printed"),
        ("3", "≥3", "≥9", "consistent", "3 × 3 GB/s = 9 GB/s, as printed"),
        ("3", "3", "≥10", "inconsistent", "3 × 3 GB/s = 9 GB/s, and at least 10 GB/s is printed"),
        ("3", "3", "约 9.3", "consistent", "3 × 3 GB/s = 9 GB/s, and about 9.3 GB/s is printed, which holds"),
        ("8", "0.4", "≤3", "inconsistent", "8 × 0.4 GB/s = 3.2 GB/s, and at most 3 GB/s is printed"),
        ("8", "0.25", "≤2", "consistent", "8 × 0.25 GB/s = 2 GB/s, as printed"),
    ],
)
def test_ranges_and_limits_hold_at_both_ends(count, each, product, verdict, reason):
    parts = [
        {"role": "factor", "value": count, "unit": "count"},
        {"role": "factor", "value": each, "unit": "GB/s"},
        {"role": "product", "value": product, "unit": "GB/s"},
    ]
    assert judge({"parts": parts}) == Outcome(verdict, reason)


def test_a_range_may_be_given_as_low_and_high():
    parts = [
        {"role": "factor", "value": "4", "unit": "count"},
        {"role": "factor", "low": "100", "high": "200", "unit": "Gbps", "bound": "range"},
        {"role": "product", "low": "400", "high": "900", "unit": "Gbps", "bound": "range"},
    ]
    assert judge({"parts": parts}).verdict == "inconsistent"


def test_of_several_ways_to_calculate_the_reason_shows_the_nearest():
    parts = [
        {"role": "term", "value": "466", "unit": "count"},
        {"role": "term", "value": "54", "unit": "d"},
        {"role": "scale", "value": "16384", "unit": "accelerators"},
        {"role": "scale", "value": "32768", "unit": "accelerators"},
        {"role": "result", "value": "5", "unit": "h"},
    ]
    assert judge({"parts": parts}).reason.endswith("= 1.39056 h, and 5 h is printed")


@pytest.mark.parametrize(
    ("field", "one", "other", "reason"),
    [
        ("qualifiers", {"region": "cn-wulanchabu"}, {"region": "ap-southeast-1"}, "region differs: cn-wulanchabu and ap-southeast-1"),
        ("qualifiers", {"tier": "SSD L1"}, {"tier": "SSD L2"}, "tier differs: SSD L1 and SSD L2"),
        ("condition", {"size": "8 B"}, {"size": "1 MB"}, "the condition size differs: 8 B and 1 MB"),
        ("condition", {"workload": "GPT-3 175B"}, {"workload": "Llama 70B"}, "the condition workload differs: GPT-3 175B and Llama 70B"),
        ("baseline", "Plain NCCL", "以太网", "they compare with Plain NCCL and with 以太网"),
    ],
)  # fmt: skip
def test_a_reason_repeats_words_as_they_were_written(field, one, other, reason):
    claim = {"vendor": "gcp", "product": "a3", "metric": "fs_iops", "low": "1"}
    assert judge_case({"a": {**claim, field: one}, "b": {**claim, field: other}}) == ("no_conflict", reason)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"low": "5", "high": "1"}, "its high, 1, is below its low, 5"),
        ({"qualifiers": "tier"}, "its qualifiers is no object: 'tier'"),
        ({"condition": ["read"]}, "its condition is no object"),
        ({"bound": "some"}, "'some' is no bound; there are exact"),
    ],
)
def test_a_claim_that_is_none_is_refused_with_its_reason(change, message):
    claim = {"vendor": "gcp", "metric": "fs_iops", "low": "1"}
    with pytest.raises(ValueError, match=message):
        judge_case({"a": {**claim, **change}, "b": claim})


def test_too_many_parts_are_refused_by_their_number():
    parts = [{"role": "term", "value": "1"}] * 90 + [{"role": "sum", "value": "90"}]
    with pytest.raises(ValueError, match="it has 91 parts; 64 are allowed"):
        judge({"parts": parts})
