"""What the routing lets a model reach, by an oracle that knows the labels; and what an adversary can do, which is nothing to a value."""

from __future__ import annotations

import pytest
import yaml

from extractors.model.asking import ModelReader
from flows.evaluation import Evaluated, evaluate
from flows.scoring import Row, _free, _pairs, _same_capability, _same_claim, read_labels
from tests.quality.evaluate import FLOORS, HANDED, ROOT
from tests.quality.scripted import Adversary, Oracle

CORPORA = yaml.safe_load(FLOORS.read_text(encoding="utf-8"))
OWN = ROOT / CORPORA["own"]["folder"]
OWN_LABELS = ROOT / CORPORA["own"]["labels"]
handed = pytest.mark.skipif(
    not (HANDED / "gold").is_dir(), reason="the handed labels are not beside this checkout"
)


def with_oracle(folder, rows: list[Row]) -> Evaluated:
    oracle = Oracle()

    def turn_to(name: str) -> None:
        oracle.labels = [row for row in rows if row["page"] == name]

    return evaluate(folder, rows, "page", ModelReader(oracle), turn_to)


def reached(rows: list[Row], claims: tuple[Row, ...]) -> tuple[int, list[str]]:
    """How many labels there are that count, and which of them no claim meets."""
    total, unmet = 0, []
    for page in sorted({str(row["page"]) for row in rows}):
        wanted = [row for row in rows if row["page"] == page and not _free(row)]
        have = [claim for claim in claims if claim["page"] == page]
        fits = lambda a, b: _same_capability(a, b) if a["metric"] == "capability" else _same_claim(a, b)  # noqa: E731
        met = {id(label) for label, _ in _pairs(wanted, have, fits)}
        total += len(wanted)
        unmet += [row["id"] for row in wanted if id(row) not in met]
    return total, unmet


@handed
def test_nearly_every_claim_of_the_handed_pages_is_in_reach_with_a_quarter_of_the_blocks_sent():
    rows = read_labels(HANDED / "gold" / "pages.jsonl")
    got = with_oracle(HANDED / "gold" / "pages", rows)
    total, unmet = reached(rows, got.claims)
    # p23-06 and p23-07 label a column "USD per instance-hour" as price_per_accelerator_hour, and admit `other` beside
    # it; of such labels the handed papers say that they may be ignored. No words of the page name that metric.
    ignored = [row["id"] for row in rows if "other" in (row.get("alt") or {}).get("metric", [])]
    assert set(unmet) <= set(ignored)
    assert (total - len(unmet)) / total >= 0.98
    counted = total - sum(row["id"] in ignored and not _free(row) for row in rows)
    assert (counted - len(set(unmet) - set(ignored))) / counted >= 0.99
    assert sum(a.sent for a in got.asked) / sum(a.blocks for a in got.asked) <= 0.25
    assert got.own == got.values > 0


@handed
def test_the_model_that_knows_only_helps():
    rows = read_labels(HANDED / "gold" / "pages.jsonl")
    alone, helped = (
        evaluate(HANDED / "gold" / "pages", rows, "page"),
        with_oracle(HANDED / "gold" / "pages", rows),
    )
    assert all(helped.figures[name] >= alone.figures[name] for name in alone.figures)
    assert helped.figures["claim_f1"] > alone.figures["claim_f1"] or alone.figures["claim_f1"] == 1


@pytest.mark.parametrize("seed", range(5))
def test_an_adversary_leaves_every_value_the_pages_own_and_every_figure_of_the_rules_in_place(seed):
    alone = evaluate(OWN, OWN_LABELS, "page")
    attacked = evaluate(OWN, OWN_LABELS, "page", ModelReader(Adversary(seed)))
    assert sum(len(a.rejections) for a in attacked.asked) > 100, "it did answer"
    assert attacked.own == attacked.values >= alone.values
    assert attacked.figures["quantity_f1"] >= alone.figures["quantity_f1"] - 0.005
    assert figures(alone) - figures(attacked) == set()
    assert attacked.figures["evidence"] == 1


def figures(got: Evaluated) -> set[tuple[str, ...]]:
    return {
        (row["page"], row["text_value"], str(row["low"]), str(row["high"]))
        for row in got.claims
        if row["metric"] not in ("capability", "other")
    }
