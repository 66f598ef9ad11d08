"""docs/ranking.md prints what its commands print, and its worked example says what comes out."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.flows.conftest import Run
from tests.flows.ranking_page import PAGE, filled, put_card
from warehouse.home import Home

CARD = "ten-thousand-cards"


def test_the_page_prints_what_its_commands_print(
    koujing: Run, played: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = PAGE.read_text(encoding="utf-8")
    copy = Path(shutil.copytree(played.root, tmp_path / "copy"))
    monkeypatch.chdir(put_card(copy, text))
    monkeypatch.setenv("KOUJING_HOME", str(copy))

    def printed(words: list[str]) -> str:
        outcome = koujing(*words)
        assert outcome.code == 0, outcome.err
        return outcome.out

    assert filled(text, printed) == text, (
        "run `python -m tests.flows.ranking_page` and look at what it changed"
    )


def test_storage_at_a_quarter_turns_nobodys_published_place_and_narrows_nothing(
    koujing: Run, played: Home
) -> None:
    """The worked example, in figures: the article's advice for small files, computed."""
    at = ("--home", str(played.root), "rank", "--scorecard", CARD, "--format", "json")
    own, _, derived = json.loads(koujing(*at).out)
    quarter, _, under = json.loads(koujing(*at, "--weight", "storage_io=0.25").out)
    assert quarter["weights"]["storage_io"] == "0.25"
    print([(p["rank"], p["vendor"], p["shown"]) for p in quarter["placements"]])
    print([(p["best"], p["worst"], p["vendor"], p["shown"]) for p in under["placements"]])
    print(
        [(p["best"], p["worst"], p["vendor"], p["shown"]) for p in derived["placements"]],
        own["placements"][0],
    )
