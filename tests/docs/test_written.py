"""The pages that are written from the program are as it is now, and what is read in their examples is what is read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.docs import commands, reading


def test_the_page_of_commands_is_the_program_s_help() -> None:
    assert commands.PAGE.read_text(encoding="utf-8") == commands.current(), "run `make docs`"


def test_the_page_on_reading_is_written_from_its_examples() -> None:
    assert reading.PAGE.read_text(encoding="utf-8") == reading.current(), "run `make docs`"


@pytest.mark.parametrize("example", reading.EXAMPLES, ids=lambda e: str(e.get("words", e.get("html"))))
def test_an_example_is_read_as_the_page_says(example: dict[str, Any]) -> None:
    assert reading.found(example) == reading.expected(example)


def test_the_examples_show_every_bound_and_most_flags() -> None:
    shown = [claim for example in reading.EXAMPLES for claim in reading.expected(example)]
    bounds = {"exact", "at_least", "at_most", "approx", "range", "order_of_magnitude", "formula"}
    assert {claim["bound"] for claim in shown} == bounds
    assert len({flag for claim in shown for flag in claim["flags"]}) >= 15
