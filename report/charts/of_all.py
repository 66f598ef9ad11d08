"""Pictures across vendors: which metrics each states, and how a vendor's claims changed over time."""

from __future__ import annotations

from dataclasses import dataclass

from report.charts.drawing import (
    AMBIGUOUS,
    HEAT_INK,
    INK,
    LINE,
    SERIES,
    SILENT,
    SOFT,
    STATED,
    Canvas,
    cut,
    tiles,
    time_axis,
    width_of,
)
from report.edition import Edition

_ROW = 0.27
_MOST_CLAIMS = 24


@dataclass(frozen=True, slots=True)
class CoverageRow:
    """One metric: what each vendor says of it, in the vendors' order (`stated`, `ambiguous` or `silent`)."""

    metric: str
    label: str
    says: tuple[str, ...]
    href: tuple[str, ...]


def coverage_rows(edition: Edition) -> tuple[CoverageRow, ...]:
    """Each metric that any vendor states or a scorecard asks for, with what each vendor says of it."""
    content = edition.content
    asked = {m for card in content.cards for d in card.card.dimensions for m in d.metrics}
    found = {f.metric for f in content.figures.values()} - {"capability", "other"}
    rows = []
    for metric in sorted(asked | found, key=edition.metric):
        says, hrefs = [], []
        for vendor in content.vendors:
            figures = [f for f in content.on(vendor, metric) if not f.not_seen]
            clear = [f for f in figures if f.roll_up in ("VERIFIED", "QUALIFIED")]
            says.append("stated" if clear else "ambiguous" if figures else "silent")
            hrefs.append(edition.shown((clear or figures)[0]).href if figures else "")
        rows.append(CoverageRow(metric, edition.metric(metric), tuple(says), tuple(hrefs)))
    return tuple(rows)


def coverage(edition: Edition) -> str:
    """Metrics by vendors: stated, ambiguous or silent, told by sign and by colour."""
    rows = coverage_rows(edition)
    vendors = edition.content.vendors
    if not rows or not vendors:
        return ""
    names = [cut(row.label, 46) for row in rows]
    canvas = Canvas(0.9 + _ROW * len(rows), width_of(names, 9) + 0.2, top=0.8, bottom=0.1)
    axes = canvas.axes
    colours = {"stated": STATED, "ambiguous": AMBIGUOUS, "silent": SILENT}
    cells = {(column, place): said for place, row in enumerate(rows) for column, said in enumerate(row.says)}
    tiles(axes, {place: colours[said] for place, said in cells.items()}, 0.96, 0.92)
    for said, (marker, colour) in {
        "stated": ("o", HEAT_INK),
        "ambiguous": ("$?$", HEAT_INK),
        "silent": ("_", SOFT),
    }.items():
        found = [place for place, other in cells.items() if other == said]
        axes.plot(
            [x + 0.48 for x, _ in found],
            [y + 0.47 for _, y in found],
            marker=marker,
            linestyle="none",
            color=colour,
            markersize=6,
        )
    for column, vendor in enumerate(vendors):
        axes.text(
            column + 0.3,
            -0.25,
            cut(edition.vendor(vendor), 16),
            rotation=30,
            ha="left",
            va="bottom",
            rotation_mode="anchor",
            color=INK,
            fontsize=8.5,
        )
    axes.set_xlim(0, len(vendors) + 0.6)
    axes.set_ylim(len(rows), 0)
    axes.set_yticks([place + 0.48 for place in range(len(rows))], names, fontsize=9)
    axes.set_xticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    return canvas.svg()


def claims_over_time(edition: Edition, vendor: str) -> str:
    """A line a claim from when it was first seen, a point where it changed; those that changed or came later only."""
    content = edition.content
    if content.at is None:
        return ""
    changed = list(dict.fromkeys(row["claim_key"] for row in content.changes if row["vendor"] == vendor))
    keys = [key for key in changed if key in content.figures][-_MOST_CLAIMS:]
    if not keys:
        return ""
    figures = [content.figures[key] for key in keys]
    names = [cut(edition.what(figure), 40) for figure in figures]
    canvas = Canvas(0.75 + _ROW * 1.3 * len(keys), width_of(names, 9) + 0.2, right=1.7)
    axes = canvas.axes
    starts = []
    for row, figure in enumerate(figures):
        versions = content.history.get(figure.key) or (
            {"valid_from": figure.since, "text_value": figure.text},
        )
        times = [v["valid_from"] for v in versions]
        starts += times
        axes.plot(
            [min(times), content.at],
            [row, row],
            color=SERIES[0],
            linewidth=2.2,
            linestyle=":" if figure.not_seen else "-",
        )
        axes.plot(times, [row] * len(times), marker="o", color=SERIES[0], markersize=6, linestyle="none")
        axes.annotate(
            cut(edition.text(figure), 20),
            (1, row),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            fontsize=9,
        )
    axes.set_ylim(len(keys) - 0.4, -0.6)
    axes.set_yticks(range(len(keys)), names, fontsize=9)
    time_axis(axes, min(starts), content.at)
    axes.grid(axis="y", color=LINE, linewidth=0.5)
    axes.spines["left"].set_visible(False)
    return canvas.svg()
