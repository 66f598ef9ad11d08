"""The sieve leaves out only what cannot match, so that whatever passes through it is found as without it."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from extractors.bounds import _GAPS
from extractors.scanning import HEADS, head_from
from extractors.sieve import Sieve, needed, openings
from schemas.registry import registry


def all_cues() -> list[str]:
    known = registry()
    lists = [
        *(m.cues.strong for m in known.metrics.values()),
        *(m.cues.weak for m in known.metrics.values()),
        *(m.cues.against for m in known.metrics.values()),
        *(b.cues for b in known.bases.values()),
        *(c.cues for c in known.capabilities.values()),
    ]
    bounds = [f"(?:{cue}){_GAPS[word.gap]}$" for word in known.bounds_before for cue in word.cues]
    return [cue for cues in lists for cue in cues] + bounds


@pytest.mark.parametrize(
    ("pattern", "words"),
    [
        ("带宽|频宽", {"带宽", "频宽"}),
        (r"per[- ](?:node|GPU)", {"per node", "per-node", "per gpu", "per-gpu"}),
        (r"\d+ ?张卡", {"张卡", " 张卡"}),
        (r"[读写]带宽", {"读带宽", "写带宽"}),
        (r"(?<!x)IOPS(?!y)", {"iops"}),
        (r"a?bc", {"abc", "bc"}),
        (r"(?:ab)+c{2,}", {"ab"}),
        (r"x[^y]*等待", {"等待"}),
        (r"\d+", None),
        (r"(?:a|)b*", None),
        (r"ab|\d", None),
    ],
)
def test_what_a_pattern_needs(pattern, words):
    assert needed(pattern) == (None if words is None else frozenset(words))


@pytest.mark.parametrize(
    ("pattern", "first"),
    [
        (r"\d+(?:\.\d+)?|\.\d+", {"0", "."}),
        (r"(?:US\$)? ?[1-3]", {"u", "U", " ", "0"}),
        (r"(?<![A-Z])(?i:min) ?[{(]", {"m", "M"}),
    ],
)
def test_how_a_match_can_begin(pattern, first):
    assert openings(pattern) == frozenset(first)


@pytest.mark.parametrize("pattern", ["a?", "(?:a|b*)", ".x"])
def test_a_pattern_that_may_begin_anyhow_is_refused(pattern):
    with pytest.raises(ValueError, match="a match may"):
        openings(pattern)


def pieces(cues: list[str]) -> st.SearchStrategy[str]:
    """Words that cues need, and noise: texts in which much is found and much nearly found."""
    words = sorted({word for cue in cues for word in needed(cue) or ()})
    one = (
        st.sampled_from(words)
        | st.text(max_size=3)
        | st.sampled_from(["每", "个", " ", "-", "1", "最", "of "])
    )
    return st.lists(one, max_size=8).map("".join)


CUES = all_cues()


@settings(max_examples=60, deadline=None)
@given(pieces(CUES))
def test_what_the_sieve_leaves_out_does_not_match(text):
    kept = {cue for cue, _ in SIEVE.of(text)}
    for cue, pattern in COMPILED:
        assert cue in kept or pattern.search(text) is None, cue


@settings(max_examples=40, deadline=None)
@given(pieces(CUES))
def test_what_is_left_finds_what_all_would_find(text):
    whole = re.compile("|".join(f"(?:{cue})" for cue in STRONG), re.IGNORECASE)
    found = [m.span() for _, pattern in Sieve([(None, STRONG)]).of(text) for m in pattern.finditer(text)]
    assert found == [m.span() for m in whole.finditer(text)]


SIEVE = Sieve((cue, [cue]) for cue in CUES)
COMPILED = [(cue, re.compile(cue, re.IGNORECASE)) for cue in CUES]
STRONG = [cue for metric in registry().metrics.values() for cue in metric.cues.strong]
HEAD = re.compile("|".join(HEADS))


@settings(max_examples=100, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            "3 8 .5 1,000 10^6 min{ } ( ) $ US$ ¥ 一 两三 千万 半 秒级 微秒级 TB/s GB/s 级 sub-millisecond nano second level half a an "
            "twice 3割5分 三分之一 翻番 个9 ５ x × A100 1h30m EUR 十 万 - ' ".split(" ")
        )
        | st.text(max_size=2),
        max_size=10,
    ).map("".join)
)
def test_heads_by_their_first_characters_are_those_that_one_search_finds(text):
    for position in range(len(text) + 1):
        found, wanted = head_from(text, position), HEAD.search(text, position)
        assert (found is None) == (wanted is None)
        if found is not None and wanted is not None:
            assert (found.span(), said(found)) == (wanted.span(), said(wanted))


def said(match: re.Match[str]) -> dict[str, str]:
    return {name: value for name, value in match.groupdict().items() if value is not None}


def test_no_cue_is_tried_on_every_text():
    """A cue without any literal would cost each text its time; write it with a word that it needs."""
    assert [cue for cue in CUES if needed(cue) is None] == []
