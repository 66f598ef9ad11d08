"""What the routing lets a model reach, by an oracle that knows the labels; and what an adversary can do, which is nothing to a value.

`python -m tests.quality.ceiling` prints the figures.
"""

from __future__ import annotations

import pytest

from flows.evaluation import Evaluated, evaluate
from tests.quality.ceiling import (
    SEEDS,
    Corpus,
    corrected,
    figures,
    handed,
    own,
    reached,
    with_adversary,
    with_oracle,
)
from tests.quality.evaluate import HANDED

beside = pytest.mark.skipif(
    not (HANDED / "gold").is_dir(), reason="the handed labels are not beside this checkout"
)
CORPORA = [own, pytest.param(handed, marks=beside)]


@pytest.fixture(scope="module")
def helped() -> tuple[Corpus, Evaluated]:
    corpus = corrected(handed())
    return corpus, with_oracle(corpus)


@beside
def test_nearly_every_claim_of_the_handed_pages_is_in_reach_with_a_quarter_of_the_blocks_sent(helped):
    corpus, got = helped
    total, unmet = reached(corpus.rows, got.claims)
    assert total > 150
    assert (total - len(unmet)) / total >= 0.99, unmet
    assert sum(a.sent for a in got.asked) / sum(a.blocks for a in got.asked) <= 0.25
    assert got.own == got.values > 0


@beside
def test_of_the_labels_as_they_are_only_those_are_out_of_reach_that_are_wrong(helped):
    corpus, got = helped
    wrong = {row["id"] for row, right in zip(handed().rows, corpus.rows, strict=True) if row != right}
    assert set(reached(handed().rows, got.claims)[1]) == wrong
    assert all("other" in row["alt"]["metric"] for row in corpus.rows if row["id"] in wrong), "each admits it"


@beside
def test_the_model_that_knows_only_helps(helped):
    corpus, got = helped
    alone = evaluate(corpus.folder, corpus.rows, "page")
    assert all(got.figures[name] >= alone.figures[name] for name in alone.figures)
    assert got.figures["claim_f1"] > alone.figures["claim_f1"] or alone.figures["claim_f1"] == 1


@pytest.fixture(scope="module", params=CORPORA)
def rules(request) -> tuple[Corpus, Evaluated]:
    corpus = request.param()
    return corpus, evaluate(corpus.folder, corpus.rows, "page")


@pytest.mark.parametrize("seed", SEEDS)
def test_an_adversary_leaves_every_value_the_pages_own_and_every_figure_of_the_rules_in_place(seed, rules):
    corpus, alone = rules
    attacked = with_adversary(corpus, seed)
    assert sum(len(a.rejections) for a in attacked.asked) > 100, "it did answer"
    assert attacked.own == attacked.values >= alone.values
    assert attacked.figures["quantity_f1"] >= alone.figures["quantity_f1"] - 0.005
    assert figures(alone) - figures(attacked) == set()
    assert attacked.figures["evidence"] == 1
