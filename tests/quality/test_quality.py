"""The extractor reads our own labelled pages at least as well as it did; on the handed ones it keeps the agreed floors."""

import pytest
import yaml

from tests.quality.evaluate import FLOORS, HANDED, ROOT, below, measure
from tests.quality.score import digest, score

CORPORA = yaml.safe_load(FLOORS.read_text(encoding="utf-8"))
AGREED = {
    "pages": {"quantity_f1": 0.97, "claim_f1": 0.95, "capability_f1": 0.90, "basis": 0.95, "bound": 0.97, "vendor": 0.98, "flags_f1": 0.90, "evidence": 1.0},
    "seeds": {"quantity_f1": 0.93, "claim_f1": 0.85, "capability_f1": 0.75, "basis": 0.90, "bound": 0.93, "vendor": 0.95, "flags_f1": 0.80, "evidence": 1.0},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(CORPORA))
def test_nothing_fell(name):
    corpus = CORPORA[name]
    folder, labels = ROOT / corpus["folder"], ROOT / corpus["labels"]
    assert digest(folder, labels) == corpus["digest"], (
        "the corpus changed: run make eval, then set its floors"
    )
    assert below(measure(folder, labels, corpus["key"]), corpus["floors"]) == []


@pytest.mark.skipif(not (HANDED / "gold").is_dir(), reason="the handed labels are not beside this checkout")
@pytest.mark.parametrize(
    ("folder", "labels", "key"), [("gold/pages", "pages", "page"), ("seeds", "seeds", "source")]
)
def test_the_handed_labels_are_met(folder, labels, key):
    figures = measure(HANDED / folder, HANDED / "gold" / f"{labels}.jsonl", key)
    assert below(figures, AGREED[labels]) == []


LABEL = {
    "page": "p", "metric": "fs_iops", "low": "30000000", "high": None, "unit": "1/s", "text_value": "3000 万",
    "quote": "最高 3000 万", "bound": "at_most", "basis": "unspecified", "best_case": True, "vendor": "ucloud",
    "direction": "unspecified", "flags": ["access_unspecified"], "qualifiers": {},
}  # fmt: skip


@pytest.mark.parametrize(
    ("change", "claim_f1", "flags_f1", "bound"),
    [
        ({}, 1.0, 1.0, 1.0),
        ({"metric": "fs_latency"}, 0.0, 1.0, 0.0),
        ({"low": "3000000"}, 0.0, 1.0, 0.0),
        ({"bound": "exact"}, 1.0, 1.0, 0.0),
        ({"flags": []}, 1.0, 0.0, 1.0),
        ({"flags": ["access_unspecified", "peak_without_load"]}, 1.0, 0.6667, 1.0),
    ],
)
def test_the_scorer_itself(change, claim_f1, flags_f1, bound):
    claim = {**LABEL, "evidence": {"quote": LABEL["quote"]}, "grounded": True, **change}
    figures = score([LABEL], [claim], "page").figures()
    assert (figures["claim_f1"], figures["flags_f1"], figures["bound"]) == (claim_f1, flags_f1, bound)
