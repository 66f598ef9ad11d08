"""The commands about ways to rank: what they print, where they exit, and what they say of a fault."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.flows.conftest import Run
from warehouse.home import Home, open_home

CASES = Path(__file__).parents[1] / "cases" / "cards"
SOUND = (CASES / "sound.yaml").read_text(encoding="utf-8")
DERIVED = (CASES / "derived.yaml").read_text(encoding="utf-8")


@pytest.fixture
def empty(tmp_path: Path) -> Home:
    home = open_home(tmp_path / "home")
    (home.root / "scorecards").mkdir()
    return home


def test_the_list_names_what_ships_and_what_was_added(koujing: Run, empty: Home) -> None:
    (empty.root / "scorecards" / "mine.yaml").write_text(SOUND, encoding="utf-8")
    outcome = koujing("--home", str(empty.root), "scorecards", "list", "--format", "json")
    assert (outcome.code, outcome.err) == (0, "")
    rows = json.loads(outcome.out)
    assert [(row["id"], row["ranks_by"], row["from"]) for row in rows] == [
        ("ten-thousand-cards", "editorial, derived", "koujing"),
        ("small-clusters", "editorial, derived", "koujing"),
        ("six-dimensions", "derived", "koujing"),
        ("stability-poc", "derived", "koujing"),
        ("small", "editorial", "yours"),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (SOUND, "small: 2 dimensions, published scores of 2 vendors; ranks by editorial scores"),
        (DERIVED, "derived: 2 dimensions, 4 criteria; ranks by derived scores"),
        (SOUND[: SOUND.index("editorial:")], "small: 2 dimensions; ranks nothing: it has weights only"),
    ],
)
def test_a_sound_file_is_told_in_a_line(koujing: Run, tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(text, encoding="utf-8")
    outcome = koujing("scorecards", "check", str(file))
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == f"{file}: sound; {told}\n"


def test_a_fault_is_told_with_file_and_line(koujing: Run, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text(DERIVED.replace("metric: rdma_bandwidth", "metric: rdma_bandwith"), encoding="utf-8")
    outcome = koujing("scorecards", "check", str(file))
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err.startswith(f"error: {file}:24: ")
    assert "near: rdma_bandwidth" in outcome.err


def test_an_id_that_the_home_has_is_told(koujing: Run, empty: Home, tmp_path: Path) -> None:
    (empty.root / "scorecards" / "theirs.yaml").write_text(DERIVED, encoding="utf-8")
    file = tmp_path / "mine.yaml"
    file.write_text(DERIVED, encoding="utf-8")
    outcome = koujing("--home", str(empty.root), "scorecards", "check", str(file))
    assert (outcome.code, outcome.err) == (
        1,
        f"error: {file}:1: id is 'derived', which is taken by theirs.yaml; give this scorecard another id\n",
    )
    own = koujing(
        "--home", str(empty.root), "scorecards", "check", str(empty.root / "scorecards" / "theirs.yaml")
    )
    assert own.code == 0


@pytest.mark.parametrize(
    ("arguments", "code"), [(("check",), 2), (("check", "none.yaml"), 1), (("chek",), 2), ((), 2)]
)
def test_wrong_usage_is_told_apart_from_a_wrong_file(
    koujing: Run, arguments: tuple[str, ...], code: int
) -> None:
    assert koujing("scorecards", *arguments).code == code
