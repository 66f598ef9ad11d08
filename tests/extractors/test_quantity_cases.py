"""Every quantity case under tests/cases/quantities: value, unit, bound, words and place. Format: bandwidth.yaml."""

from collections import Counter
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import yaml

from extractors.quantities import find_quantities
from schemas.quantity import Bound

FOLDER = Path(__file__).parents[1] / "cases" / "quantities"
SHARED = Path(__file__).parents[3] / "shared"
CASE_FIELDS = {"id", "kind", "lang", "text", "expect"}
QUANTITY_FIELDS = {"low", "high", "unit", "bound", "best", "text"}
UNITS = {
    *("bit/s", "byte/s", "byte", "byte/s/TiB", "1/s", "1/s/TiB", "s", "fraction", "ratio", "accelerators"),
    *("files", "clients", "count", "token/s", "flop/s", "CNY", "USD", "EUR"),
}


@dataclass(frozen=True)
class Expected:
    """What one quantity must say and where it must stand."""

    low: Decimal | None
    high: Decimal | None
    unit: str
    bound: Bound
    best_case: bool
    text: str
    start: int


@dataclass(frozen=True)
class Case:
    """One text and every quantity in it."""

    name: str
    kind: str
    lang: str
    text: str
    expect: tuple[Expected, ...]


def _expected(source: str, entry: dict[str, str], after: int) -> Expected:
    assert set(entry) <= QUANTITY_FIELDS, entry
    assert entry["unit"] in UNITS, entry
    assert entry.get("best", "true") == "true", entry
    return Expected(
        low=Decimal(entry["low"]) if "low" in entry else None,
        high=Decimal(entry["high"]) if "high" in entry else None,
        unit=entry["unit"],
        bound=Bound(entry.get("bound", "exact")),
        best_case="best" in entry,
        text=entry["text"],
        start=source.index(entry["text"], after),
    )


def _case(entry: dict[str, Any]) -> Case:
    assert set(entry) <= CASE_FIELDS, entry
    expect: list[Expected] = []
    for quantity in entry["expect"]:
        after = expect[-1].start + len(expect[-1].text) if expect else 0
        expect.append(_expected(entry["text"], quantity, after))
    return Case(entry["id"], entry["kind"], entry.get("lang", ""), entry["text"], tuple(expect))


def _cases() -> list[Case]:
    # BaseLoader keeps every scalar as it is written, so no label passes through binary float.
    files = sorted(FOLDER.glob("*.yaml"))
    loaded = [(file, yaml.load(file.read_text("utf-8"), Loader=yaml.BaseLoader)) for file in files]
    cases = []
    for file, entries in loaded:
        for entry in entries:
            assert entry["kind"] == file.stem, entry
            cases.append(_case(entry))
    return cases


CASES = _cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_text_says_exactly_these_quantities(case: Case) -> None:
    found = find_quantities(case.text, lang=case.lang)

    for quantity in found:
        assert quantity.text == case.text[quantity.start : quantity.end]
    got = [Expected(q.low, q.high, q.unit, q.bound, q.best_case, q.text, q.start) for q in found]
    assert got == list(case.expect)


def test_the_corpus_is_large_and_restraint_has_its_share() -> None:
    assert len(CASES) >= 320
    assert sum(case.kind == "negatives" for case in CASES) >= 60
    assert sum(not case.expect for case in CASES) >= 60


def test_every_id_and_every_text_stands_once() -> None:
    assert max(Counter(case.name for case in CASES).values()) == 1
    assert max(Counter((case.text, case.lang) for case in CASES).values()) == 1


def test_the_labels_keep_the_rules_of_the_vocabulary() -> None:
    for case in CASES:
        for label in case.expect:
            spread = label.bound in {Bound.RANGE, Bound.ORDER_OF_MAGNITUDE, Bound.FORMULA}
            assert (label.high is not None) == spread, case.name
            assert (label.low is None) == (label.bound is Bound.FORMULA), case.name
            if label.low is not None and label.high is not None:
                assert label.low < label.high, case.name
            if label.bound is Bound.ORDER_OF_MAGNITUDE:
                assert label.high == label.low * 10 if label.low is not None else False, case.name


@pytest.mark.skipif(not SHARED.is_dir(), reason="the gold and the seeds are not part of this repository")
def test_no_text_is_taken_from_the_gold_or_the_seeds() -> None:
    files = [*SHARED.glob("gold/**/*"), *SHARED.glob("seeds/*")]
    handed = "\n".join(file.read_text("utf-8", errors="replace") for file in files if file.is_file())
    assert [case.name for case in CASES if case.text in handed] == []
