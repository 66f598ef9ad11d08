"""`python -m tests.quality.ceiling`: the most that a model can bring, and the worst that one can do.

An oracle that answers from the labels shows which of them the routing lets a model reach; adversaries show whether a
value ever becomes another one. Scores our own pages, and the handed ones where they are beside the checkout.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import yaml

from extractors.model.asking import ModelReader
from flows.evaluation import Evaluated, evaluate
from flows.scoring import Row, _free, _pairs, _same_capability, _same_claim, read_labels
from tests.quality.evaluate import FLOORS, HANDED, ROOT
from tests.quality.scripted import Adversary, Oracle

SEEDS = range(5)
_OWN = yaml.safe_load(FLOORS.read_text(encoding="utf-8"))["own"]
_CORRECTED = ROOT / "tests/cases/model/handed_labels.yaml"


class Corpus(NamedTuple):
    """Labelled pages."""

    name: str
    folder: Path
    rows: list[Row]


def own() -> Corpus:
    """Our own pages."""
    return Corpus("own pages", ROOT / _OWN["folder"], read_labels(ROOT / _OWN["labels"]))


def handed() -> Corpus:
    """The handed pages, with their labels as they are."""
    gold = HANDED / "gold"
    return Corpus("handed pages", gold / "pages", read_labels(gold / "pages.jsonl"))


def corrected(corpus: Corpus) -> Corpus:
    """The handed pages with the labels that are wrong put right, each for a reason that is written beside it."""
    right = {case["id"]: case["metric"] for case in yaml.safe_load(_CORRECTED.read_text(encoding="utf-8"))}
    rows = [{**row, "metric": right[row["id"]]} if row["id"] in right else row for row in corpus.rows]
    return Corpus(f"{corpus.name}, {len(right)} labels corrected", corpus.folder, rows)


def with_oracle(corpus: Corpus) -> Evaluated:
    """The pages read with a model that answers from their labels."""
    oracle = Oracle()

    def turn_to(name: str) -> None:
        oracle.labels = [row for row in corpus.rows if row["page"] == name]

    return evaluate(corpus.folder, corpus.rows, "page", ModelReader(oracle), turn_to)


def with_adversary(corpus: Corpus, seed: int) -> Evaluated:
    """The pages read with a model that answers against them."""
    return evaluate(corpus.folder, corpus.rows, "page", ModelReader(Adversary(seed)))


def reached(rows: Sequence[Row], claims: Sequence[Row]) -> tuple[int, list[str]]:
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


def figures(got: Evaluated) -> set[tuple[str, ...]]:
    """The figures that are claims, each with its page and its words."""
    return {
        (row["page"], row["text_value"], str(row["low"]), str(row["high"]))
        for row in got.claims
        if row["metric"] not in ("capability", "other")
    }


def main() -> int:
    """Prints both ends, a corpus at a time."""
    corpora = [own()]
    if (HANDED / "gold").is_dir():
        corpora += [handed(), corrected(handed())]
    else:
        print("the handed labels are not beside this checkout: our own pages alone", file=sys.stderr)
    for corpus in corpora:
        alone, helped = evaluate(corpus.folder, corpus.rows, "page"), with_oracle(corpus)
        total, unmet = reached(corpus.rows, helped.claims)
        by_rules = total - len(reached(corpus.rows, alone.claims)[1])
        sent, blocks = sum(a.sent for a in helped.asked), sum(a.blocks for a in helped.asked)
        print(f"{corpus.name}")
        print(
            f"  oracle     {total - len(unmet)} of {total} labels reached ({(total - len(unmet)) / total:.4f})",
            end="",
        )
        print(f", {by_rules} by the rules alone; {sent} of {blocks} blocks sent ({sent / blocks:.1%})")
        print(f"             not reached: {', '.join(unmet) or 'none'}")
        for seed in SEEDS:
            got = with_adversary(corpus, seed)
            refused = sum(len(a.rejections) for a in got.asked)
            lost = len(figures(alone) - figures(got))
            print(
                f"  adversary {seed}  precision of values {got.own / got.values:.4f} ({got.own} of {got.values})",
                end="",
            )
            print(f", {lost} figures of the rules lost, {refused} answers refused")
    return 0


if __name__ == "__main__":
    sys.exit(main())
