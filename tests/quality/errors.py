"""`python -m tests.quality.errors CORPUS [PAGE]`: what the extractor misses, invents and misreads, one line each.

CORPUS is a name in floors.yaml, `handed-pages`, `handed-articles`, or a folder with a labels.jsonl of the same form. Read it to name a kind of
mistake; then write more cases of the kind before mending it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from tests.quality.evaluate import FLOORS, HANDED, ROOT
from tests.quality.score import (
    ATTRIBUTES,
    Row,
    _alt,
    _free,
    _pairs,
    _quote,
    _same_capability,
    _same_claim,
    predict,
    read_labels,
    score,
)


def lines(labels: list[Row], claims: list[Row], key: str) -> list[str]:
    """One line a mistake: page, kind, metric, amounts and quote."""
    out = []
    for page in sorted({str(row[key]) for row in [*labels, *claims]}):
        want = [row for row in labels if str(row[key]) == page]
        have = [row for row in claims if str(row[key]) == page]
        pairs = _pairs(
            want,
            have,
            lambda a, b: _same_capability(a, b) if a["metric"] == "capability" else _same_claim(a, b),
        )
        met = {id(a) for a, _ in pairs} | {id(b) for _, b in pairs}
        out += [f"{page} MISSED {_about(r)}" for r in want if id(r) not in met and not _free(r)]
        out += [f"{page} EXTRA  {_about(r)}" for r in have if id(r) not in met and r["metric"] != "other"]
        for a, b in pairs:
            if _free(a):
                continue
            names = ("vendor",) if a["metric"] == "capability" else ATTRIBUTES
            wrong = [
                f"{n} {a.get(n)} read {b.get(n)}" for n in names if b.get(n) not in [a.get(n), *_alt(a, n)]
            ]
            if a["metric"] != "capability":
                flags, got, free = set(a.get("flags", ())), set(b.get("flags", ())), set(_alt(a, "flags"))
                wrong += [f"flag missed {f}" for f in sorted(flags - got - free)]
                wrong += [f"flag extra {f}" for f in sorted(got - flags - free)]
            out += [f"{page} MISREAD {w}: {_about(a)}" for w in wrong]
    return out


def _about(row: Row) -> str:
    what = (
        (row.get("qualifiers") or {}).get("capability")
        if row["metric"] == "capability"
        else row.get("text_value")
    )
    return f"{row['metric']} {row.get('low')}..{row.get('high')} [{what}] {_quote(row)[:110]}"


def main() -> int:
    """Print the mistakes of one corpus and its figures."""
    name = sys.argv[1] if len(sys.argv) > 1 else "own"
    corpora = yaml.safe_load(FLOORS.read_text(encoding="utf-8"))
    if name == "handed-pages":
        folder, path, key = HANDED / "gold" / "pages", HANDED / "gold" / "pages.jsonl", "page"
    elif name == "handed-articles":
        folder, path, key = HANDED / "seeds", HANDED / "gold" / "seeds.jsonl", "source"
    elif name in corpora:
        folder, path, key = (
            ROOT / corpora[name]["folder"],
            ROOT / corpora[name]["labels"],
            corpora[name]["key"],
        )
    else:
        folder, path, key = Path(name), Path(name) / "labels.jsonl", "page"
    labels = read_labels(path)
    if len(sys.argv) > 2:
        labels = [row for row in labels if sys.argv[2] in str(row[key])]
    claims = predict(folder, (str(row[key]) for row in labels), key)
    print("\n".join(lines(labels, claims, key)))
    print(score(labels, claims, key).figures())
    return 0


if __name__ == "__main__":
    sys.exit(main())
