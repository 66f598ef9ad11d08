"""Pictures of one scorecard: totals with their ranges, the score matrix, what flags are worth, weights, its history."""

from __future__ import annotations

from textwrap import wrap

from report.charts.drawing import (
    HEAT,
    HEAT_INK,
    INK,
    LINE,
    PAPER,
    POINTS,
    SERIES,
    SOFT,
    Canvas,
    cut,
    tiles,
    time_axis,
    width_of,
)
from report.edition import Edition
from report.model import Card
from report.numbers import span
from report.standing import Matrix, flag_lines, turn_lines

_ROW = 0.33
_MOST_BARS = 14
_MOST_LINES = 3


def ranks(edition: Edition, card: Card) -> str:
    """Each vendor's total: a diamond for the published one, a bar from the lowest to the highest that claims allow.

    Who overlaps cannot be told apart. The rank, or its range, stands at the right.
    """
    published = {place.vendor: place for place in card.published}
    standings = card.evaluation.standings if card.evaluation else ()
    claims = {s.vendor: s for s in standings}
    vendors = list(dict.fromkeys([*claims, *published])) if claims else list(published)
    if not vendors:
        return ""
    names = [edition.vendor(vendor) for vendor in vendors]
    canvas = Canvas(0.75 + _ROW * len(vendors), width_of(names) + 0.25, right=1.15, top=0.32)
    axes = canvas.axes
    for row, vendor in enumerate(vendors):
        axes.axhline(row, color=LINE, linewidth=0.6, zorder=0)
        if (standing := claims.get(vendor)) is not None:
            low, high = float(standing.total.low), float(standing.total.high)
            axes.plot([low, high], [row, row], color=SERIES[0], linewidth=6, solid_capstyle="round", zorder=2)
            if standing.best != standing.worst:
                axes.plot([low, high], [row, row], color=PAPER, linewidth=2, solid_capstyle="butt", zorder=3)
            told = span(str(standing.best), str(standing.worst))
            axes.annotate(
                f"{told}",
                (1, row),
                xycoords=("axes fraction", "data"),
                xytext=(10, 0),
                textcoords="offset points",
                va="center",
                color=SERIES[0],
                fontsize=9.5,
            )
        if (place := published.get(vendor)) is not None:
            axes.plot(
                float(place.shown_low),
                row,
                marker="D",
                markersize=6.5,
                color=SERIES[1],
                linestyle="none",
                zorder=4,
            )
            axes.annotate(
                f"{place.best}",
                (1, row),
                xycoords=("axes fraction", "data"),
                xytext=(54, 0),
                textcoords="offset points",
                va="center",
                color=SERIES[1],
                fontsize=9.5,
            )
    top = -0.85
    for told, x, colour in (("by_claims", 10, SERIES[0]), ("by_published", 54, SERIES[1])):
        if not (claims if told == "by_claims" else published):
            continue
        axes.annotate(
            edition.says(f"chart.{told}"),
            (1, top),
            xycoords=("axes fraction", "data"),
            xytext=(x - 4, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=8.5,
            annotation_clip=False,
        )
    axes.set_yticks(range(len(vendors)), names)
    axes.set_ylim(len(vendors) - 0.4, -0.6)
    axes.set_xlim(float(card.card.scale_min), float(card.card.scale_max) + 0.05)
    axes.set_xlabel(edition.says("chart.total"))
    axes.spines["left"].set_visible(False)
    return canvas.svg()


def matrix(edition: Edition, card: Card, found: Matrix) -> str:
    """The scores as a heat map with the numbers written into it."""
    if not found.rows:
        return ""
    names = [edition.vendor(row.vendor) for row in found.rows]
    labels = [edition.word(d.label) for d in card.card.dimensions]
    canvas = Canvas(0.8 + _ROW * len(names), width_of(names) + 0.25, top=0.62, bottom=0.1)
    axes = canvas.axes
    cells = {
        (column, row): score for row, line in enumerate(found.rows) for column, score in enumerate(line.cells)
    }
    tiles(axes, {place: HEAT[score.heat] for place, score in cells.items()}, 0.98, 0.94)
    for (column, row), score in cells.items():
        axes.text(column + 0.49, row + 0.47, score.text, ha="center", va="center", color=HEAT_INK, fontsize=9)
    most = max(6, int(96 / max(1, len(labels)) / (1.7 if edition.language == "zh" else 1)))
    for column, label in enumerate(labels):
        axes.text(
            column + 0.49, -0.15, _broken(label, most), ha="center", va="bottom", color=INK, fontsize=8.5
        )
    axes.set_xlim(0, len(labels))
    axes.set_ylim(len(names), 0)
    axes.set_yticks([row + 0.47 for row in range(len(names))], names)
    axes.set_xticks([])
    for spine in axes.spines.values():
        spine.set_visible(False)
    return canvas.svg()


def _broken(label: str, most: int) -> str:
    """The label on as many lines as it needs, three at most."""
    spaced = " " in label
    lines = wrap(label, most) if spaced else [label[at : at + most] for at in range(0, len(label), most)]
    return "\n".join(
        lines
        if len(lines) <= _MOST_LINES
        else [*lines[: _MOST_LINES - 1], cut(lines[_MOST_LINES - 1], most - 1) + "…"]
    )


def worth(edition: Edition, card: Card) -> str:
    """How much of its vendor's range settling each open flag takes; a filled end where it decides an order."""
    lines = [line for line in flag_lines(edition, card) if line.size > 0][:_MOST_BARS]
    if not lines:
        return ""
    names = [
        cut(f"{edition.vendor(line.vendor)} · {edition.what(line.shown.figure)} · {line.flag}", 58)
        for line in lines
    ]
    canvas = Canvas(0.7 + _ROW * len(lines), width_of(names, 9) + 0.2, right=0.6)
    axes = canvas.axes
    for row, line in enumerate(lines):
        decides = bool(line.decides)
        axes.barh(row, float(line.size), height=0.6, color=SERIES[1] if decides else SERIES[0], linewidth=0)
        axes.annotate(
            f"{line.narrowing}{' ◆' if decides else ''}",
            (float(line.size), row),
            xytext=(5, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            fontsize=9,
        )
    axes.set_yticks(range(len(names)), names, fontsize=9)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(0, float(max(line.size for line in lines)) * 1.12)
    axes.set_xlabel(edition.says("chart.narrowing"))
    axes.spines["left"].set_visible(False)
    return canvas.svg()


def turns(edition: Edition, card: Card) -> str:
    """From which weight to which a dimension must go until a pair is equal: a ring for the weight now, a point for that."""
    lines = (turn_lines(edition, card) or ())[:_MOST_BARS]
    if not lines:
        return ""
    names = [
        cut(f"{edition.vendor(t.ahead)} / {edition.vendor(t.behind)} · {t.dimension}", 58) for t in lines
    ]
    canvas = Canvas(0.7 + _ROW * len(lines), width_of(names, 9) + 0.2, right=0.75)
    axes = canvas.axes
    for row, turn in enumerate(lines):
        now, tie = float(turn.weight_share * 100), float(turn.tie_share * 100)
        axes.axhline(row, color=LINE, linewidth=0.6, zorder=0)
        axes.plot([now, tie], [row, row], color=SERIES[0], linewidth=2, zorder=1)
        axes.plot(now, row, marker="o", markersize=7, markerfacecolor=PAPER, color=SERIES[0], zorder=2)
        axes.plot(tie, row, marker="o", markersize=7, color=SERIES[0], zorder=2)
        axes.annotate(
            turn.change,
            (1, row),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=INK,
            fontsize=9,
        )
    axes.set_yticks(range(len(names)), names, fontsize=9)
    axes.set_ylim(len(names) - 0.4, -0.6)
    axes.set_xlim(-1, 101)
    axes.set_xlabel(edition.says("chart.weight"))
    axes.spines["left"].set_visible(False)
    return canvas.svg()


def history(edition: Edition, card: Card, variant: str) -> str:
    """The ranks over time, as they were kept: a line a vendor, from the best rank to the worst where that was open."""
    rows = [
        row for row in edition.content.rankings if row["scorecard"] == card.id and row["variant"] == variant
    ]
    moments = sorted({row["ranked_at"] for row in rows})
    if len(moments) < 2:
        return ""
    end = max(moments[-1], edition.content.at or moments[-1])
    vendors = list(
        dict.fromkeys(row["vendor"] for row in sorted(rows, key=lambda r: (r["ranked_at"], r["place"])))
    )
    names = [edition.vendor(vendor) for vendor in vendors]
    canvas = Canvas(0.7 + _ROW * len(vendors), 0.5, right=width_of(names) + 0.35)
    axes = canvas.axes
    last = []
    for number, vendor in enumerate(vendors):
        own = {row["ranked_at"]: row for row in rows if row["vendor"] == vendor}
        times = sorted(own)
        colour, point = SERIES[number % len(SERIES)], POINTS[number % len(POINTS)]
        middle = [(own[t]["best"] + own[t]["worst"]) / 2 for t in times]
        axes.step([*times, end], [*middle, middle[-1]], where="post", color=colour, linewidth=1.8)
        for time, centre in zip(times, middle, strict=True):
            axes.plot(
                [time, time], [own[time]["best"], own[time]["worst"]], color=colour, linewidth=3.5, alpha=0.55
            )
            axes.plot(time, centre, marker=point, color=colour, markersize=6)
        last.append((middle[-1], vendor, colour))
    for place, (_, vendor, colour) in enumerate(sorted(last, key=lambda entry: (entry[0], entry[1]))):
        at = 1 + place * (len(vendors) - 1) / max(1, len(vendors) - 1)
        axes.annotate(
            edition.vendor(vendor),
            (1, at),
            xycoords=("axes fraction", "data"),
            xytext=(8, 0),
            textcoords="offset points",
            va="center",
            color=colour,
            fontsize=9.5,
        )
    axes.set_ylim(len(vendors) + 0.5, 0.5)
    axes.set_yticks(range(1, len(vendors) + 1))
    time_axis(axes, moments[0], end)
    axes.grid(axis="y", color=LINE, linewidth=0.6)
    axes.spines["left"].set_visible(False)
    axes.tick_params(axis="y", labelcolor=SOFT)
    return canvas.svg()
