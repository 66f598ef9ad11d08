"""What is possible and what a number needs beside it, as data in tests/cases/verification."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from extractors.checks import condition, plausibility
from extractors.extract import extract
from schemas.claim import Claim, Evidence
from schemas.quantity import Bound

CASES = Path(__file__).parents[2] / "cases" / "verification"


def cases(name: str) -> list[dict]:
    return [json.loads(line) for line in (CASES / name).read_text("utf-8").splitlines()]


def claim(case: dict) -> Claim:
    return Claim(
        claim_key="k",
        source="page",
        vendor="azure",
        product=None,
        metric=case["metric"],
        low=Decimal(case["low"]),
        unit=case["unit"],
        text_value=case["text_value"],
        unit_as_written=case["unit_as_written"],
        bound=Bound.EXACT,
        basis=case["basis"],
        evidence=Evidence(quote=case["quote"], start=0, end=len(case["quote"])),
        extractor="grammar@2",
    )


@pytest.mark.parametrize("case", cases("plausibility.jsonl"), ids=lambda case: case["id"])
def test_a_slip_is_named_with_both_readings_and_what_is_possible_is_not(case):
    found = plausibility.check(claim(case))
    assert found.verdict in case["verdicts"], f"{case['quote']}: {found.reason}"
    if case["reading"]:
        keys = [reading["key"] for reading in found.detail["readings"]]
        assert keys == ["as_written", case["reading"]], f"{case['quote']}: {found.reason}"


@pytest.mark.parametrize("case", cases("companions.jsonl"), ids=lambda case: case["id"])
def test_what_a_number_needs_beside_it_is_there_or_is_asked_for(case):
    page = f"<html><title>x</title><body><h1>火山引擎 训练集群</h1><p>{case['text']}</p></body></html>"
    got = extract(page.encode(), source="p", name="p.html", vendor="volcengine")
    claims = [c for c in got.claims if c.metric == case["metric"]]
    assert claims, f"{case['text']}: {[(c.metric, c.text_value) for c in got.claims]}"
    found = condition.check(claims[0])
    assert found.verdict == case["verdict"], f"{case['text']}: {found.reason}"
    assert bool(condition.missing(claims[0])) == (case["verdict"] == "NOT_STATED")


@pytest.mark.parametrize(
    ("low", "reason"),
    [
        ("900000000000", "possible, and about twice the usual 450 GB/s: both ways may be added"),
        ("450000000000", "within what is possible"),
        ("700000000000", "within what is possible"),
    ],
)
def test_what_is_possible_only_both_ways_says_so_and_stands(low, reason):
    case = {
        "metric": "interconnect_bandwidth", "low": low, "unit": "byte/s", "text_value": low, "unit_as_written": "",
        "basis": "per_accelerator", "quote": "NVLink of each H100",
    }  # fmt: skip
    found = plausibility.check(claim(case))
    assert found.verdict == "OK"
    assert found.reason.startswith(reason)


@pytest.mark.parametrize(
    ("metric", "low", "unit", "text", "reason"),
    [
        ("mfu", "1.01", "fraction", "101%", "101% is more than what is possible, 100% (a share of the peak)"),
        ("mfu", "1.2", "fraction", "120%", "120% is 1.2 times what is possible, 100% (a share of the peak)"),
        (
            "network_latency", "0.000000005", "s", "5 ns",
            "5 ns is under the least that is possible, 50 ns: "
            + next(row.origin for row in plausibility.limits()["network_latency"]),
        ),
    ],
)  # fmt: skip
def test_the_reason_is_in_the_units_that_people_use(metric, low, unit, text, reason):
    case = {
        "metric": metric, "low": low, "unit": unit, "text_value": text, "unit_as_written": "",
        "basis": "unspecified", "quote": text,
    }  # fmt: skip
    assert plausibility.check(claim(case)).reason == reason


@pytest.mark.parametrize("digits", [30, 37, 60])
def test_an_absurd_figure_is_above_its_bound_and_breaks_nothing(digits):
    case = {
        "metric": "mfu", "low": "9" * digits, "unit": "fraction", "text_value": "9" * digits, "unit_as_written": "",
        "basis": "unspecified", "quote": "9" * digits,
    }  # fmt: skip
    assert plausibility.check(claim(case)).verdict == "ABOVE_BOUND"
    page = f"<p>A cluster of {case['low']} GPUs.</p>".encode()
    assert extract(page, source="p", name="p.html", vendor="volcengine").claims == ()
