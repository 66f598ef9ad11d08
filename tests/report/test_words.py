"""Sentences in both languages: none is missing, none asks for what the other does not, cases fit their numbers."""

from __future__ import annotations

import re
import string
from pathlib import Path

import pytest

from report.words import Says, all_keys, cases_of

ROOM = Path(__file__).parents[2] / "report"
FIELDS = string.Formatter()


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in FIELDS.parse(text) if name}


@pytest.mark.parametrize("key", all_keys())
def test_every_text_says_the_same_in_both_languages(key):
    texts = cases_of(key)
    for text in texts:
        assert set(text) == {"en", "zh"}, key
        assert bool(text["en"]) == bool(text["zh"]), key
        # A case may say its number in words, as "one" does.
        assert fields(text["en"]) - {"n"} == fields(text["zh"]) - {"n"}, key


def test_every_text_that_the_code_and_the_templates_name_exists():
    known = set(all_keys())
    groups = {key.partition(".")[0] for key in known}
    named = set()
    for path in (*ROOM.rglob("*.py"), *ROOM.rglob("*.html"), *ROOM.rglob("*.xml")):
        for word in re.findall(
            r"says\(\s*[\"']([a-z_]+\.[A-Za-z_.]+)[\"']\s*[,)]", path.read_text(encoding="utf-8")
        ):
            named.add(word)
    assert len(named) > 100
    assert sorted(named - known) == []
    assert {name.partition(".")[0] for name in named} <= groups


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (0, "No open question moves a score here."),
        (1, "One open question keeps scores apart from a single value."),
        (3, "3 open questions keep scores apart from single values."),
    ],
)
def test_a_number_chooses_its_case(number, said):
    assert Says("en")("front.flags_open", number) == said


def test_lists_read_as_lists():
    assert Says("en").listed(["a", "b", "c"]) == "a, b and c"
    assert Says("en").listed(["a"]) == "a"
    assert Says("zh").listed(["甲", "乙"]) == "甲、乙"


def test_a_text_with_cases_needs_a_number():
    with pytest.raises(KeyError, match="without a number"):
        Says("en")("front.changed")
