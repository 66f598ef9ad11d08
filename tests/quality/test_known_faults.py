"""Every fault of others that was handed over has a test of ours, and inputs of one line are read as they should be."""

from __future__ import annotations

import json
import re
from decimal import Decimal
from functools import cache
from pathlib import Path

import pytest
import yaml

from extractors.extract import extract
from extractors.quantities import find_quantities
from tests.quality.evaluate import HANDED

TESTS = Path(__file__).parents[1]
FAULTS = yaml.safe_load((TESTS / "cases" / "known_faults.yaml").read_text(encoding="utf-8"))
NAMED = [test for fault in FAULTS for test in fault["tests"]]


@cache
def handed() -> dict[str, dict]:
    path = HANDED / "gold" / "known_faults.jsonl"
    if not path.is_file():
        pytest.skip(f"the list of known faults is not here: {path.name}")
    faults = map(json.loads, path.read_text(encoding="utf-8").splitlines())
    return {fault["id"]: fault for fault in faults}


@cache
def cases() -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in (TESTS / "cases").rglob("*.yaml"))


@pytest.mark.parametrize("test", dict.fromkeys(NAMED))
def test_the_test_that_answers_a_fault_is_there(test):
    file, name, case = re.fullmatch(r"(.+)::(\w+)(?:\[(.+)\])?", test).groups()
    assert f"def {name}(" in (TESTS / file).read_text(encoding="utf-8")
    assert case is None or re.search(rf"(?:name|what): {re.escape(case)},", cases())


def test_each_fault_that_was_handed_over_has_a_test():
    assert [fault["id"] for fault in FAULTS] == list(handed())


@pytest.mark.parametrize("fault", [f for f in FAULTS if "quantities" in f], ids=lambda f: f["id"])
def test_the_handed_text_says_these_quantities(fault):
    found = find_quantities(handed()[fault["id"]]["minimal_input"]["text"])
    expected = [
        (Decimal(str(low)), high if high is None else Decimal(str(high)), unit, bound)
        for low, high, unit, bound in fault["quantities"]
    ]
    assert [(q.low, q.high, q.unit, q.bound) for q in found] == expected


@pytest.mark.parametrize("fault", [f for f in FAULTS if "claims" in f], ids=lambda f: f["id"])
def test_the_handed_page_makes_these_claims(fault):
    body = handed()[fault["id"]]["minimal_input"]["html"].encode()
    found = extract(body, source="page", name="page.html").claims
    expected = [(metric, Decimal(str(low)), unit, basis) for metric, low, unit, basis in fault["claims"]]
    assert [(c.metric, c.low, c.unit, c.basis) for c in found] == expected
