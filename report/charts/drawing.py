"""Pictures as SVG: words stay words, colours are those of the page it stands on, the same input gives the same bytes."""

from __future__ import annotations

import io
import re
import unicodedata
import warnings
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import PolyCollection
from matplotlib.dates import date2num
from matplotlib.figure import Figure as Sheet

INK, SOFT, LINE, PAPER = "#010101", "#020202", "#030303", "#040404"
SERIES = ("#050501", "#050502", "#050503", "#050504", "#050505", "#050506", "#050507", "#050508")
HEAT = ("#060600", "#060601", "#060602", "#060603", "#060604", "#060605")
HEAT_INK = "#060606"
STATED, AMBIGUOUS, SILENT = "#070701", "#070702", "#070703"
POINTS = ("o", "s", "D", "^", "v", "P", "X", "*")
"""Shapes that tell series apart where colours do not."""

# Stand-ins that become the reader's own colours: dark on light, light on dark, and as they print. The series are
# those of Okabe and Ito, which people who see fewer colours tell apart.
_COLOURS = {
    INK: ("ink", "#1b1f24", "#e6e9ee"),
    SOFT: ("soft", "#57606a", "#a5afbb"),
    LINE: ("line", "#d0d7de", "#36404b"),
    PAPER: ("paper", "#ffffff", "#0f1318"),
    SERIES[0]: ("s1", "#0072b2", "#56b4e9"),
    SERIES[1]: ("s2", "#c25100", "#ff9d4d"),
    SERIES[2]: ("s3", "#00795a", "#2fc79b"),
    SERIES[3]: ("s4", "#a3447f", "#e49ac4"),
    SERIES[4]: ("s5", "#8a6d00", "#e6c229"),
    SERIES[5]: ("s6", "#3d5a80", "#98b8dd"),
    SERIES[6]: ("s7", "#6b6b6b", "#b5b5b5"),
    SERIES[7]: ("s8", "#7a3b1d", "#d29a7c"),
    HEAT[0]: ("h0", "#f7fbff", "#10202f"),
    HEAT[1]: ("h1", "#deebf7", "#143049"),
    HEAT[2]: ("h2", "#c6dbef", "#184063"),
    HEAT[3]: ("h3", "#9ecae1", "#1c507d"),
    HEAT[4]: ("h4", "#6baed6", "#1f6198"),
    HEAT[5]: ("h5", "#3f93c9", "#2272b4"),
    HEAT_INK: ("hi", "#10151a", "#f4f8fc"),
    STATED: ("yes", "#9ecae1", "#1c507d"),
    AMBIGUOUS: ("maybe", "#fdd9a0", "#6b4a0c"),
    SILENT: ("none", "#f3f4f6", "#1a2027"),
}
_FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'PingFang SC', 'Microsoft YaHei', 'WenQuanYi Micro Hei', sans-serif"
_STYLE = (
    "<style>:root{{color-scheme:light dark;{light}}}"
    "@media screen and (prefers-color-scheme:dark){{:root{{{dark}}}}}</style>"
)
_FONT = re.compile(r"font-family: [^;\"]*")
_PREAMBLE = re.compile(r"<\?xml.*?<svg", re.DOTALL)
_METADATA = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_SETTINGS: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "koujing",
    "svg.image_inline": True,
    "text.parse_math": False,
    "axes.unicode_minus": False,
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9.5,
    "text.color": INK,
    "axes.edgecolor": LINE,
    "axes.labelcolor": SOFT,
    "xtick.color": SOFT,
    "ytick.color": INK,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
_PIXELS_PER_POINT = 9.5
_WIDE = frozenset("WF")


class Canvas:
    """A sheet of a given size in inches with one pair of axes, whose margins leave room for the words beside it."""

    def __init__(
        self,
        height: float,
        left: float,
        *,
        width: float = 8.6,
        right: float = 0.3,
        top: float = 0.15,
        bottom: float = 0.45,
    ):
        with mpl.rc_context(_SETTINGS):
            self.sheet = Sheet(figsize=(width, height))
            self.sheet.patch.set_alpha(0)
            self.axes: Axes = self.sheet.add_axes(
                (
                    left / width,
                    bottom / height,
                    (width - left - right) / width,
                    (height - top - bottom) / height,
                )
            )
            self.axes.patch.set_alpha(0)
            self.axes.tick_params(length=0)

    def svg(self) -> str:
        """The picture."""
        out = io.StringIO()
        # What it measures has no Chinese letters, and need not: words are set by who looks at them.
        with mpl.rc_context(_SETTINGS), warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r"(?s).*Glyph .* missing from")
            FigureCanvasSVG(self.sheet).print_svg(out, metadata={"Date": None, "Creator": None})
        return _dressed(out.getvalue())


def _dressed(svg: str) -> str:
    for stand_in, (name, _, _) in _COLOURS.items():
        svg = svg.replace(stand_in, f"var(--{name})")
    svg = _METADATA.sub("", _PREAMBLE.sub("<svg", svg, count=1))
    svg = _FONT.sub(f"font-family: {_FONTS}", svg)
    style = _STYLE.format(
        light="".join(f"--{name}:{light};" for name, light, _ in _COLOURS.values()),
        dark="".join(f"--{name}:{dark};" for name, _, dark in _COLOURS.values()),
    )
    return svg.replace("<defs>", f"{style}<defs>", 1)


def tiles(axes: Axes, colours: Mapping[tuple[int, int], str], width: float, height: float) -> None:
    """Fills the tile at each column and row with its colour, all at once, which costs a tenth of one by one."""
    corners = [[(x, y), (x + width, y), (x + width, y + height), (x, y + height)] for x, y in colours]
    axes.add_collection(
        PolyCollection(corners, facecolors=list(colours.values()), edgecolors="none"), autolim=False
    )


def time_axis(axes: Axes, first: datetime, last: datetime) -> None:
    """Four moments from the first to the last, as exactly as their distance asks for."""
    span = last - first
    form = (
        "%Y-%m-%d" if span > timedelta(days=3) else "%m-%d %H:%M" if span > timedelta(hours=1) else "%H:%M:%S"
    )
    moments = [first + span * n / 3 for n in range(4)] if span else [first]
    axes.set_xticks([date2num(at) for at in moments], [f"{at:{form}}" for at in moments])
    room = max((date2num(last) - date2num(first)) * 0.06, 1e-6)
    axes.set_xlim(date2num(first) - room, date2num(last) + room)


def width_of(words: Sequence[str], size: float = _PIXELS_PER_POINT) -> float:
    """About how many inches the longest of the words takes; a Chinese letter is as wide as it is high."""
    longest = max(
        (sum(1.0 if unicodedata.east_asian_width(c) in _WIDE else 0.6 for c in w) for w in words), default=0
    )
    return longest * size / 72


def cut(text: str, most: int = 34) -> str:
    """The text as short as a picture needs it."""
    return text if len(text) <= most else f"{text[: most - 1]}…"
