"""Where the claims stand after all checks, as a table: for the demo's report and at the end of a refresh."""

from __future__ import annotations

import sys
from collections import defaultdict

from flows import published
from flows.printing import heading, is_terminal, out, out_text, table
from warehouse.home import Home

_ROLL_UPS = ("VERIFIED", "QUALIFIED", "AMBIGUOUS", "CONFLICTING", "IMPLAUSIBLE", "UNSUPPORTED", "STALE")
_READINGS = ("officially_stated", "sources_differ", "test_yourself")
_DISPUTES = """
SELECT vendor, metric, text_value, roll_up, why FROM claims
WHERE roll_up IN ('CONFLICTING', 'IMPLAUSIBLE') ORDER BY vendor, metric, claim_key LIMIT 11
"""
_MOST = 10


def print_standing(home: Home) -> None:
    """Writes to stdout how many claims of each vendor stand how, and which contradict or cannot be."""
    counts: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for row in published.rows(home, "FROM standing_by_vendor"):
        own = counts[row["vendor"] or "unknown"]
        own[row["roll_up"]] += row["claims"]
        for reading in _READINGS:
            own[reading] += row[reading]
    if not counts:
        return
    heading("What stands after all checks")
    shown = [name for name in _ROLL_UPS if any(own[name] for own in counts.values())]
    columns = ("vendor", *(name.lower() for name in shown), *(name.replace("_", " ") for name in _READINGS))
    rows = [
        (vendor, *(own[name] or None for name in shown), *(own[name] or None for name in _READINGS))
        for vendor, own in sorted(counts.items())
    ]
    out_text(table(columns, rows, terminal=is_terminal(sys.stdout), numeric=columns[1:]))
    disputes = [tuple(row.values()) for row in published.rows(home, _DISPUTES)]
    if disputes:
        names = ("vendor", "metric", "value", "roll-up", "why")
        out_text(table(names, disputes[:_MOST], terminal=is_terminal(sys.stdout)))
    if len(disputes) > _MOST:
        out("… and more: koujing sql \"FROM claims WHERE roll_up IN ('CONFLICTING', 'IMPLAUSIBLE')\"")
