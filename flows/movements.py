"""What rankings moved, and why: each kept ranking beside the one before it, with the claims that make the difference."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from flows import published
from flows.derived_report import span
from warehouse.home import Home

_MOVES = "FROM ranking_moves"
_CAUSES = "FROM ranking_causes"


@dataclass(frozen=True)
class Move:
    """A vendor whose ranks or total differ from the ranking before. `because`: one line for people.

    `row`: as in the view `ranking_moves`; `causes`: the rows of `ranking_causes` that bear on the vendor.
    """

    row: dict[str, Any]
    causes: tuple[dict[str, Any], ...]
    because: str

    @property
    def at(self) -> datetime:
        """When the ranking was computed."""
        found: datetime = self.row["ranked_at"]
        return found

    @property
    def ranks(self) -> str:
        """The range of ranks before and now."""
        return self._both("best", "worst")

    @property
    def totals(self) -> str:
        """The total, or its ends, before and now."""
        return self._both("shown_low", "shown_high")

    def _both(self, low: str, high: str) -> str:
        before, now = (
            span(str(self.row[f"{low}{when}"]), str(self.row[f"{high}{when}"]))
            if self.row[f"{low}{when}"] is not None
            else "(not ranked)"
            for when in ("_before", "")
        )
        return before if before == now else f"{before} → {now}"


def moves(home: Home, since: datetime | None = None) -> tuple[Move, ...]:
    """Gives every move of the rankings that were kept, oldest first; none before the second ranking of a scorecard."""
    causes: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for row in published.rows(home, _CAUSES):
        causes[row["ranking_id"]].append(row)
    found = []
    for row in published.rows(home, _MOVES):
        if since is not None and row["ranked_at"] < since:
            continue
        near = causes[row["ranking_id"]]
        own = tuple(cause for cause in near if cause["vendor"] in (row["vendor"], None))
        found.append(Move(row, own, _because(own, near)))
    return tuple(found)


def _because(own: tuple[dict[str, Any], ...], near: list[dict[str, Any]]) -> str:
    if own:
        return "; ".join(dict.fromkeys(_told(cause) for cause in own))
    others = sorted({cause["vendor"] for cause in near})
    if others:
        return f"nothing under it changed; {', '.join(others)} moved"
    return "no claim under it counts otherwise; a page says, or says no more, that it does not say"


def _told(cause: dict[str, Any]) -> str:
    what, before, after, note = (
        cause[name] or "" for name in ("metric", "text_before", "text_after", "note")
    )
    if cause["capability"]:
        what = f"{what}: {cause['capability']}"
    match cause["kind"]:
        case "counts":
            return f"{what} {after} counts now".replace("  ", " ")
        case "counts_no_more":
            return f"{what} {before} counts no more{': ' if note else ''}{note}".replace("  ", " ")
        case "changed":
            return f"{what} {before} → {after}" if before != after else f"{what} {after}, in other words"
        case "settled":
            return f"{what} {after or before}: {note}"
        case "proposed":
            return f"{what} {after} ({note})"
        case "confirmed":
            return f"confirmed: {note}"
        case "scorecard":
            return f"the scorecard: {note}"
        case _:
            return f"{what} {after} is scored otherwise"
