"""docs/reading.md: how a claim is read, from the examples of docs/reading.yaml. `make docs` writes it."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import yaml

from extractors.extract import extract
from schemas.claim import Claim
from schemas.registry import Metric, registry
from tests.docs.fences import DOCS

PAGE = DOCS / "reading.md"
SECTIONS: list[dict[str, Any]] = yaml.safe_load((DOCS / "reading.yaml").read_text(encoding="utf-8"))
EXAMPLES: list[dict[str, Any]] = [example for section in SECTIONS for example in section["examples"]]
_USUAL: dict[str, Any] = {
    "value": None,
    "low": None,
    "high": None,
    "bound": "exact",
    "best_case": False,
    "basis": "unspecified",
    "direction": "unspecified",
    "condition": {},
    "baseline": None,
    "capability": None,
    "of": None,
    "flags": [],
}
_HEAD = """\
<!-- Written by `make docs` from docs/reading.yaml and schemas/vocabulary; tests read every example. -->

# How a claim is read

A page is read in three steps: quantities are found with their units and bounds; the words around each say which metric it
is, of what, and under which condition; and what a buyer would still have to ask becomes a flag. A claim keeps the words
that say it. Every row below is a page of one line with all that is read there; try your own with
`echo '…' | koujing extract -`.
"""


def expected(example: dict[str, Any]) -> list[dict[str, Any]]:
    """What is to be read, with what is not said filled in."""
    return [_exact({**_USUAL, **claim}) for claim in example["claims"]]


def found(example: dict[str, Any]) -> list[dict[str, Any]]:
    """What is read, in the same form."""
    name, text = (
        ("page.html", example["html"]) if "html" in example else ("page.txt", f"{example['words']}\n")
    )
    return [_exact(_told(claim)) for claim in extract(text.encode(), source=name, name=name).claims]


def _told(claim: Claim) -> dict[str, Any]:
    return {
        "metric": claim.metric,
        "value": claim.text_value,
        "low": claim.low,
        "high": claim.high,
        "unit": claim.unit,
        "bound": claim.bound.value,
        "best_case": claim.best_case,
        "basis": claim.basis,
        "direction": claim.direction,
        "condition": dict(claim.condition),
        "baseline": claim.baseline,
        "capability": claim.qualifiers.get("capability"),
        "of": claim.qualifiers.get("of"),
        "flags": list(claim.flags),
    }


def _exact(claim: dict[str, Any]) -> dict[str, Any]:
    return {
        key: Decimal(str(value)) if key in ("low", "high") and value is not None else value
        for key, value in claim.items()
    }


def current() -> str:
    """The page as the examples and the vocabulary are now."""
    parts = [_HEAD]
    for section in SECTIONS:
        parts.append(f"\n## {section['title']}\n\n{section['about'].strip()}\n\n")
        parts.append(
            "| the page says | read as | a number of | bound | open | |\n|---|---|---|---|---|---|\n"
        )
        parts += [row for example in section["examples"] for row in _rows(example)]
    return "".join([*parts, _vocabulary()])


def _rows(example: dict[str, Any]) -> list[str]:
    says = _cell(f"`{example['html']}`" if "html" in example else example["words"])
    rows = []
    for place, claim in enumerate(expected(example)):
        cells = (
            says if place == 0 else "",
            _figure(claim),
            f"`{claim['basis']}`" if claim["basis"] != "unspecified" else "",
            claim["bound"].replace("_", " ") + (", best case" if claim["best_case"] else ""),
            ", ".join(f"`{flag}`" for flag in claim["flags"]),
            _cell(example["note"]) if place == 0 else "",
        )
        rows.append(f"| {' | '.join(cells)} |\n")
    return rows or [f"| {says} | nothing | | | | {_cell(example['note'])} |\n"]


def _figure(claim: dict[str, Any]) -> str:
    if claim["capability"]:
        return f"`capability` {claim['capability']}"
    ends = [f"{end:,f}" for end in (claim["low"], claim["high"]) if end is not None]
    more = [f"{key} {value}" for key, value in claim["condition"].items()]
    more += [claim["direction"]] if claim["direction"] != "unspecified" else []
    more += [f"of {claim['of']}"] if claim["of"] else []
    return "; ".join([f"`{claim['metric']}` {' to '.join(ends)} {claim['unit']}", *more])


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _vocabulary() -> str:
    words = registry()
    flags = "".join(f"| `{f.name}` | {f.label.en} | {f.question.en} |\n" for f in words.flags.values())
    bases = ", ".join(f"`{b.name}` ({b.label.en})" for b in words.bases.values())
    return "".join(
        [
            "\n## All flags\n\n| flag | what is open | what is asked |\n|---|---|---|\n",
            flags,
            f"\n## All bases\n\n{bases}.\n",
            "\n## All metrics\n\n| metric | | unit | compares on |\n|---|---|---|---|\n",
            *(_metric_row(metric) for metric in words.metrics.values()),
        ]
    )


def _metric_row(metric: Metric) -> str:
    on = ", ".join(f"`{basis}`" for basis in metric.comparable_on) or "any basis"
    return f"| `{metric.name}` | {_cell(metric.label.en)} | {metric.unit} | {on} |\n"
