"""The house keeps its own rules: names that collide, data files that ship, sentences that are ours."""

import sys
from importlib.metadata import packages_distributions
from importlib.resources import files
from pathlib import Path

import pytest

ROOMS = ("flows", "report", "review", "extractors", "warehouse", "prompts", "schemas")
ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize("room", ROOMS)
def test_each_root_package_belongs_to_us_alone(room):
    assert packages_distributions().get(room) in (None, ["koujing"])


def test_no_file_in_flows_hides_a_package_or_a_standard_module():
    # Prefect puts flows/ first on sys.path and leaves it there.
    ours = {p.stem for p in (ROOT / "flows").iterdir() if p.suffix == ".py" or (p / "__init__.py").exists()}
    taken = set(packages_distributions()) | set(sys.stdlib_module_names) | set(ROOMS)
    assert sorted((ours - {"__init__"}) & taken) == []


@pytest.mark.parametrize(
    "path",
    [
        "schemas/vocabulary/metrics.yaml",
        "warehouse/migrations/m001_ledger.sql",
        "warehouse/scorecards/ten-thousand-cards.yaml",
        "warehouse/sources/vendors.yaml",
        "prompts/read_mentions.2.md",
        "report/texts.yaml",
        "report/templates/front.html",
        "report/static/style.css",
        "extractors/model/injection.yaml",
    ],
)
def test_data_files_are_found_through_their_package(path):
    room, _, rest = path.partition("/")
    assert (files(room) / rest).is_file()
