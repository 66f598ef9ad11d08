from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.robots import read_rules, unreadable

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "fetch" / "robots.yaml").read_text(encoding="utf-8")
)["cases"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_rules(case: dict[str, Any]) -> None:
    rules = read_rules(case.get("status", 200), case["body"].encode())
    for path in case.get("allowed", []):
        assert rules.refusal(f"https://example.com{path}") == "", path
    for path in case.get("refused", []):
        assert "robots.txt" in rules.refusal(f"https://example.com{path}"), path
    assert rules.delay() == case.get("delay", 0)


def test_an_unreadable_file_shuts_the_site_and_says_why() -> None:
    refusal = unreadable("the site could not be reached").refusal("https://example.com/")
    assert refusal == (
        "robots.txt could not be read (the site could not be reached), so nothing is fetched; try again later"
    )


def test_a_cut_file_loses_its_last_half_rule() -> None:
    body = b"User-agent: *\nDisallow: /a\nDisallow: /"
    assert read_rules(200, body).refusal("https://example.com/b") != ""
    assert read_rules(200, body, cut=True).refusal("https://example.com/b") == ""
    assert read_rules(200, body, cut=True).refusal("https://example.com/a") != ""


@settings(max_examples=60, deadline=None)
@given(st.one_of(st.binary(max_size=300), st.text(alphabet="User-agnt:*Dislow/$%\n #", max_size=200)))
def test_no_file_is_too_odd(body: bytes | str) -> None:
    rules = read_rules(200, body if isinstance(body, bytes) else body.encode())
    assert isinstance(rules.refusal("https://example.com/a?b=%E4%B8"), str)
    assert rules.delay() >= 0
