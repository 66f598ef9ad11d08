"""Rankings as they were kept by a moment, for people and as fields."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any

from flows import published
from flows.derived_report import names, span
from flows.printing import heading, out, out_text, table
from warehouse.home import Home

_VARIANTS = {
    "standing": "Published scores",
    "proposed": "Published scores under the proposals",
    "derived": "Derived from the claims",
}


@dataclass(frozen=True)
class Kept:
    """One ranking. `rows`: its vendors in order, as `ranking_as_of` gives them."""

    scorecard: str
    variant: str
    rows: tuple[dict[str, Any], ...]

    def fields(self) -> dict[str, object]:
        """As JSON's fields."""
        first = self.rows[0]
        return {
            "scorecard": self.scorecard,
            "variant": self.variant,
            "ranked_at": first["ranked_at"],
            "run_id": first["run_id"],
            "weights": json.loads(first["weights"]),
            "placements": [
                {
                    "best": row["best"],
                    "worst": row["worst"],
                    "vendor": row["vendor"],
                    "name": dict(zip(("en", "zh"), names(row["vendor"]), strict=True)),
                    "shown": [row["shown_low"], row["shown_high"]],
                    "rank_shares": row["rank_shares"],
                }
                for row in self.rows
            ],
        }


def kept_by(home: Home, moment: datetime, scorecard: str | None = None) -> tuple[Kept, ...]:
    """Gives the last ranking of each scorecard and variant that was kept by then, published scores first."""
    rows = list(published.rows(home, f"FROM ranking_as_of('{moment.isoformat()}')"))
    order = {variant: place for place, variant in enumerate(_VARIANTS)}
    found = [
        Kept(card, variant, tuple(group))
        for (card, variant), group in groupby(rows, key=lambda row: (row["scorecard"], row["variant"]))
        if scorecard in (None, card)
    ]
    return tuple(sorted(found, key=lambda kept: (kept.scorecard, order.get(kept.variant, len(order)))))


def print_kept(found: Iterable[Kept]) -> None:
    """Writes them to stdout."""
    for card, rankings in groupby(found, key=lambda kept: kept.scorecard):
        heading(card)
        for kept in rankings:
            first = kept.rows[0]
            what = _VARIANTS.get(kept.variant, kept.variant)
            out(f"{what}, ranked {first['ranked_at']:%Y-%m-%d %H:%M} UTC in run {first['run_id']}:")
            rows = [
                (
                    span(str(row["best"]), str(row["worst"])),
                    *names(row["vendor"]),
                    row["vendor"],
                    span(row["shown_low"], row["shown_high"]),
                )
                for row in kept.rows
            ]
            out_text(table(("rank", "vendor", "厂商", "id", "total"), rows, numeric=("rank", "total")))
