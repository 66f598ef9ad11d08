"""`make eval`: prints how well the extractor reads the labelled pages, and keeps the floors.

Our own pages are always scored; handed labels beside the checkout (../shared/gold) only where they are. Exit code
1 when a figure of our own pages is below its floor or the corpus changed without its floors.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import yaml

from tests.quality.score import digest, predict, read_labels, score

ROOT = Path(__file__).parents[2]
FLOORS = Path(__file__).with_name("floors.yaml")
HANDED = ROOT.parent / "shared"


def measure(folder: Path, labels: Path, key: str) -> dict[str, float]:
    """Every measure of one corpus."""
    rows = read_labels(labels)
    return score(rows, predict(folder, (str(row[key]) for row in rows), key), key).figures()


def below(figures: dict[str, float], floors: dict[str, float]) -> list[str]:
    """The measures that fell, each with both figures."""
    return [
        f"{name} is {figures[name]:.4f}, its floor {floor:.4f}"
        for name, floor in floors.items()
        if figures[name] < floor
    ]


def main() -> int:
    """Print the figures of every corpus that is here, and compare our own with their floors."""
    parser = argparse.ArgumentParser(prog="make eval", description=__doc__)
    parser.add_argument("--raise", dest="up", action="store_true", help="write the figures as the new floors")
    parser.add_argument(
        "--lower", metavar="REASON", help="write the figures even where they fell, with the reason"
    )
    options = parser.parse_args()
    head = "".join(
        line for line in FLOORS.read_text(encoding="utf-8").splitlines(keepends=True) if line.startswith("#")
    )
    corpora: dict[str, dict[str, Any]] = yaml.safe_load(FLOORS.read_text(encoding="utf-8"))
    failed = False
    for name, corpus in corpora.items():
        folder, labels = ROOT / corpus["folder"], ROOT / corpus["labels"]
        figures, now = measure(folder, labels, corpus["key"]), digest(folder, labels)
        show(name, figures)
        fell = below(figures, corpus["floors"])
        if now != corpus["digest"]:
            fell.append(f"the corpus is {now}, the floors were measured on {corpus['digest'] or 'nothing'}")
        if options.lower or (options.up and not below(figures, corpus["floors"])):
            corpus |= {"digest": now, "floors": figures, "reason": options.lower or "raised"}
        elif fell:
            failed = True
            print("\n".join(f"  {line}" for line in fell), file=sys.stderr)
        corpora[name] = corpus
    if options.up or options.lower:
        FLOORS.write_text(
            head + yaml.safe_dump(corpora, sort_keys=False, allow_unicode=True), encoding="utf-8"
        )
    gold = HANDED / "gold"
    if gold.is_dir():
        show("handed pages", measure(gold / "pages", gold / "pages.jsonl", "page"))
        show("handed articles", measure(HANDED / "seeds", gold / "seeds.jsonl", "source"))
    return 1 if failed else 0


def show(name: str, figures: dict[str, float]) -> None:
    """One line a corpus."""
    print(f"{name:16}" + "  ".join(f"{key} {value:.3f}" for key, value in figures.items()))


if __name__ == "__main__":
    sys.exit(main())
