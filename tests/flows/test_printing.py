from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from flows.printing import as_json, cell, clean, render, table, unique, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain 阿里云", "plain 阿里云"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07after", "after"),
        ("\x1b]8;;http://evil\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("a\x9b31mb", "a31mb"),
        ("one\r\ntwo\tthree", "one two three"),
        ("2\u00a0TB/s", "2 TB/s"),
        ("safe\u202egpj.exe", "safegpj.exe"),
        ("half \ud83d", "half \ufffd"),
        ("[bold]not markup[/bold]", "[bold]not markup[/bold]"),
    ],
)
def test_text_is_shown_and_not_obeyed(text: str, shown: str) -> None:
    assert clean(text) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, ""),
        (True, "true"),
        (Decimal("3.2E+12"), "3200000000000"),
        (Decimal("0.500000000000"), "0.5"),
        (Decimal("NaN"), "NaN"),
        (("a", "b"), "a, b"),
        ({"access": "read"}, '{"access": "read"}'),
        (datetime(2026, 5, 1, 3, 4, 5, 678, tzinfo=UTC), "2026-05-01 03:04:05+00:00"),
    ],
)
def test_values_in_tables_are_plain(value: object, shown: str) -> None:
    assert cell(value) == shown


def test_tables_line_up_with_chinese_and_cut_nothing() -> None:
    text = table(("厂商", "n"), [("阿里云", 3200000000000), ("UCloud", 1)], numeric=("n",))
    assert text.splitlines() == [
        "厂商                n",
        "------  -------------",
        "阿里云  3200000000000",
        "UCloud              1",
    ]
    assert {width(line) for line in text.splitlines()} == {21}


@pytest.mark.parametrize("terminal", [False, True])
def test_headings_are_shown_and_not_obeyed(terminal: bool) -> None:
    names = ("\x1b[31mred", "b\u202ec", "red")
    text = render(names, [("x", 1, 2)], "table", terminal=terminal, numeric=(names[1],))
    assert not set(text) & {"\x1b", "\u202e"}
    assert text.splitlines()[0 if not terminal else 1].split() == ["red", "bc", "red_2"]
    assert not set(render(names, [], "csv", terminal=True)) & {"\x1b", "\u202e"}


def test_a_terminal_that_is_too_narrow_still_gets_whole_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("flows.printing._terminal_width", lambda: 40)
    long = "word " * 30
    text = table(("number", "words"), [(3200000000000, long)], terminal=True)
    assert "3200000000000" in text
    assert max(width(line) for line in text.splitlines()) <= 40
    wide = table(("a", "b", "c", "d"), [("1" * 20,) * 4], terminal=True)
    assert wide.count("1" * 20) == 4


def test_json_keeps_every_character_and_none_that_a_terminal_obeys() -> None:
    text = as_json({"a": "\x1b[31m\x9b\u202e\ud800", "n": Decimal("1.50"), "f": float("inf")})
    assert not set(text) & {"\x1b", "\x9b", "\u202e", "\ud800"}
    assert json.loads(text) == {"a": "\x1b[31m\x9b\u202e\ud800", "n": "1.5", "f": "inf"}


def test_columns_of_one_name_do_not_hide_each_other() -> None:
    assert unique(["a", "a", "a_2", "a"]) == ["a", "a_2", "a_2_2", "a_3"]
    assert render(["a", "a"], [(1, 2)], "jsonl") == '{"a": 1, "a_2": 2}\n'


def test_no_rows_are_an_empty_list_or_nothing() -> None:
    assert render(["a"], [], "json") == "[]\n"
    assert render(["a"], [], "jsonl") == ""
    assert render(["a"], [], "csv") == "a\n"
