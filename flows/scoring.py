"""Scores claims against labels: quantities, claims, capabilities, attributes, flags, evidence.

A label and a claim fit as a quantity when dimension, low and high agree after conversion, as a claim when the
metric agrees too. Pairs are one to one within a page, best overlap of words first. Labels marked `optional`, or of
metric `other`, cost nothing and earn nothing. `alt` holds further admissible values of a field.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from extractors.extract import extract
from schemas.extraction import Extraction

Row = Mapping[str, Any]
ATTRIBUTES = ("bound", "basis", "best_case", "vendor", "direction")
_BASE = {
    "byte/s": ("bit/s", Decimal(8)),
    "byte": ("bit", Decimal(8)),
    "ratio": ("fraction", Decimal(1)),
    "ms": ("s", Decimal("0.001")),
    "min": ("s", Decimal(60)),
    "h": ("s", Decimal(3600)),
    "d": ("s", Decimal(86400)),
}
_COUNTS = frozenset({"accelerators", "files", "clients", "count"})


@dataclass
class Tally:
    """Hits, extras and misses of one measure."""

    hits: int = 0
    extra: int = 0
    missed: int = 0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall; 1 where there was nothing to find and nothing found."""
        total = 2 * self.hits + self.extra + self.missed
        return 2 * self.hits / total if total else 1.0


@dataclass
class Score:
    """All measures of one corpus. `attributes` are shares of the matched claims."""

    quantity: Tally = field(default_factory=Tally)
    claim: Tally = field(default_factory=Tally)
    capability: Tally = field(default_factory=Tally)
    flags: Tally = field(default_factory=Tally)
    matched: int = 0
    right: dict[str, int] = field(default_factory=dict)

    def figures(self) -> dict[str, float]:
        """Every measure by name, rounded to four places."""
        out = {f"{name}_f1": getattr(self, name).f1 for name in ("quantity", "claim", "capability", "flags")}
        out |= {name: self.right.get(name, 0) / max(1, self.matched) for name in (*ATTRIBUTES, "evidence")}
        return {name: round(value, 4) for name, value in out.items()}


def read_labels(path: Path) -> list[Row]:
    """The labels of a corpus, one JSON object a line."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def digest(folder: Path, labels: Path) -> str:
    """What the figures were measured on: changes when a page or a label does."""
    total = hashlib.sha256(labels.read_bytes())
    for page in sorted(p for p in folder.iterdir() if p.suffix in (".html", ".md", ".txt")):
        total.update(page.name.encode() + page.read_bytes())
    return total.hexdigest()[:16]


def predict(
    folder: Path, names: Iterable[str], key: str, read: Callable[[str, bytes], Extraction] | None = None
) -> list[Row]:
    """The claims of every named page, as `koujing extract --format jsonl` prints them.

    `read`: what reads a page of that name, where it is not the grammar alone.
    """
    out: list[Row] = []
    for name in sorted(set(names)):
        body = (folder / name).read_bytes()
        got = read(name, body) if read else extract(body, source=name, name=name)
        text = got.document.text if got.document else ""
        for claim in got.claims:
            quote = claim.evidence
            grounded = text[quote.start : quote.end] == quote.quote
            out.append(json.loads(claim.model_dump_json()) | {key: name, "grounded": grounded})
    return out


def score(labels: list[Row], claims: list[Row], key: str) -> Score:
    """The score of the claims against the labels; `key` names the field that holds the page."""
    total = Score()
    for page in sorted({str(row[key]) for row in [*labels, *claims]}):
        wanted = [row for row in labels if str(row[key]) == page]
        found = [row for row in claims if str(row[key]) == page]
        for tally, capability, fits in (
            (total.quantity, False, _same_amount),
            (total.claim, False, _same_claim),
            (total.capability, True, _same_capability),
        ):
            want = [r for r in wanted if (r["metric"] == "capability") is capability]
            have = [r for r in found if (r["metric"] == "capability") is capability]
            pairs = _pairs(want, have, fits)
            counted = [pair for pair in pairs if not _free(pair[0])]
            loose = 0
            if tally is total.claim:
                paired = {id(claim) for _, claim in pairs}
                loose = sum(r["metric"] == "other" and id(r) not in paired for r in have)
                _attributes(total, counted)
            tally.hits += len(counted)
            tally.extra += len(have) - len(pairs) - loose
            tally.missed += sum(not _free(r) for r in want) - len(counted)
    return total


def _attributes(total: Score, pairs: list[tuple[Row, Row]]) -> None:
    total.matched += len(pairs)
    for label, claim in pairs:
        for name in ATTRIBUTES:
            admitted = [label.get(name), *_alt(label, name)]
            total.right[name] = total.right.get(name, 0) + (claim.get(name) in admitted)
        text = _plain(label.get("text_value"))
        told = bool(claim["grounded"]) and text in _quote(claim)
        total.right["evidence"] = total.right.get("evidence", 0) + told
        want, have, free = set(label.get("flags", ())), set(claim.get("flags", ())), set(_alt(label, "flags"))
        total.flags.hits += len((want & have) - free)
        total.flags.extra += len(have - want - free)
        total.flags.missed += len(want - have - free)


def _alt(label: Row, name: str) -> list[Any]:
    return list((label.get("alt") or {}).get(name, []))


def _free(label: Row) -> bool:
    return bool(label.get("optional")) or label["metric"] == "other"


def _amount(row: Row) -> tuple[str, tuple[Decimal | None, Decimal | None]]:
    unit, factor = _BASE.get(row["unit"], (row["unit"], Decimal(1)))
    ends = [None if row.get(k) is None else Decimal(str(row[k])) * factor for k in ("low", "high")]
    return ("count" if unit in _COUNTS else unit), (ends[0], ends[1])


def _readings(label: Row) -> Iterator[Row]:
    yield label
    spare = {name: _alt(label, name) for name in ("low", "high", "unit") if _alt(label, name)}
    for place in range(max(map(len, spare.values()), default=0)):
        yield {**label, **{name: values[place] for name, values in spare.items() if place < len(values)}}


def _same_amount(label: Row, claim: Row) -> bool:
    unit, ends = _amount(claim)
    for reading in _readings(label):
        other, wanted = _amount(reading)
        close = all(
            a is b
            or (a is not None and b is not None and abs(a - b) <= Decimal("1e-9") * max(abs(a), abs(b)))
            for a, b in zip(ends, wanted, strict=True)
        )
        if unit == other and close:
            return True
    return False


def _same_claim(label: Row, claim: Row) -> bool:
    return claim["metric"] in [label["metric"], *_alt(label, "metric")] and _same_amount(label, claim)


def _same_capability(label: Row, claim: Row) -> bool:
    a, b = label.get("qualifiers") or {}, claim.get("qualifiers") or {}
    same = a.get("capability") == b.get("capability") and a.get("of") == b.get("of")
    return same and label.get("vendor") in (None, claim.get("vendor"))


def _plain(text: object) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", str(text or "")))


def _quote(row: Row) -> str:
    return _plain(row.get("quote") or (row.get("evidence") or {}).get("quote"))


def _overlap(label: Row, claim: Row) -> float:
    a, b = _quote(label), _quote(claim)
    if a and b and (a in b or b in a):
        return 1 + min(len(a), len(b)) / max(len(a), len(b))
    pairs_a, pairs_b = ({t[i : i + 2] for i in range(len(t) - 1)} for t in (a, b))
    return len(pairs_a & pairs_b) / (min(len(pairs_a), len(pairs_b)) or 1)


def _same_vendor(label: Row, claim: Row) -> bool:
    """Tells claims alike but for their vendor, as in a table of two vendors, apart."""
    return claim.get("vendor") in [label.get("vendor"), *_alt(label, "vendor")]


def _pairs(labels: list[Row], claims: list[Row], fits: Any) -> list[tuple[Row, Row]]:
    options = sorted(
        (
            (
                -(label["metric"] == claim["metric"]),
                -_overlap(label, claim),
                _free(label),
                -_same_vendor(label, claim),
                i,
                j,
            )
            for i, label in enumerate(labels)
            for j, claim in enumerate(claims)
            if fits(label, claim)
        )
    )
    done_i: set[int] = set()
    done_j: set[int] = set()
    out = []
    for *_, i, j in options:
        if i not in done_i and j not in done_j:
            done_i.add(i)
            done_j.add(j)
            out.append((labels[i], claims[j]))
    return out
