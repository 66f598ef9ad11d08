"""What of a page its reader does not see, and what is seen but is no part of its content."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import islice

from extractors.html_tree import Element

Attributes = Mapping[str, str]

# Elements that browsers do not show. Script and style are program text, no hidden words: they leave no trace.
SILENT = frozenset({"script", "style", "rp", "meta", "link", "base"})
NEVER_SHOWN = {
    "template": "template",
    "noscript": "noscript",
    "datalist": "form value",
    "textarea": "form value",
    "audio": "fallback content",
    "canvas": "fallback content",
    "iframe": "fallback content",
    "object": "fallback content",
    "video": "fallback content",
    "annotation": "annotation",
    "annotation-xml": "annotation",
    "desc": "picture description",
    "metadata": "picture description",
    "noframes": "fallback content",
}
_SCREEN_READER_CLASSES = frozenset(
    {"sr-only", "visually-hidden", "visuallyhidden", "screen-reader-text", "screen-reader-only"}
)

_LENGTH = re.compile(r"^(-?\d*\.?\d+)\s*(px|em|rem|%|vw|vh|pt|ch|)$")
_FAR = {"em": 50, "rem": 50, "ch": 50, "%": 100, "vw": 100, "vh": 100}
_FAR_PIXELS = 500
_CLIPPED = re.compile(r"rect\(\s*(?:0|1px)|inset\(\s*(?:50|100)%")
_SHIFTED = re.compile(r"translate[xy]?\(\s*(-\d+(?:\.\d+)?)(px|%)|scale\(\s*0\s*\)")
_NAMED_COLOURS = {
    "white": "ffffff",
    "black": "000000",
    "red": "ff0000",
    "green": "008000",
    "blue": "0000ff",
    "yellow": "ffff00",
    "gray": "808080",
    "grey": "808080",
    "silver": "c0c0c0",
}
_HEX = re.compile(r"#([0-9a-f]{6}|[0-9a-f]{3})\b")
_RGB = re.compile(r"rgba?\(\s*(\d{1,3})[\s,]+(\d{1,3})[\s,]+(\d{1,3})")


def declarations(style: str) -> dict[str, str]:
    """A style attribute or a rule's body as property → value, in lower case, the last one winning."""
    found: dict[str, str] = {}
    for part in style.split(";"):
        name, colon, value = part.partition(":")
        if colon:
            found[name.strip().lower()] = value.replace("!important", "").strip().lower()
    return found


@lru_cache(maxsize=4096)
def hidden_by_style(style: str) -> str:
    """Why text under this style cannot be seen; "" where it can, as far as the style itself tells."""
    found = declarations(style)
    if found.get("display") == "none":
        return "display:none"
    if found.get("visibility") in {"hidden", "collapse"}:
        return "visibility:hidden"
    if _is_zero(found.get("opacity", "")):
        return "opacity:0"
    if _is_zero(found.get("font-size", "")):
        return "font-size:0"
    if _has_no_area(found):
        return "zero size"
    if _is_off_screen(found):
        return "off screen"
    return "same colour as background" if _is_colourless(found) else ""


def _is_zero(value: str) -> bool:
    length = _LENGTH.match(value)
    return length is not None and float(length[1]) == 0


def _has_no_area(found: dict[str, str]) -> bool:
    if _CLIPPED.search(found.get("clip", "") + " " + found.get("clip-path", "")):
        return True
    empty = [side for side in ("width", "height") if _is_zero(found.get(side, ""))]
    clipped = found.get("overflow", "").startswith(("hidden", "clip"))
    tiny = found.get("width") == "1px" and found.get("height") == "1px"
    return len(empty) == 2 or (clipped and (bool(empty) or tiny))


def _is_off_screen(found: dict[str, str]) -> bool:
    for name in ("text-indent", "left", "right", "top", "bottom", "margin-left", "margin-top"):
        length = _LENGTH.match(found.get(name, ""))
        if length and float(length[1]) <= -_FAR.get(length[2], _FAR_PIXELS):
            return True
    shifted = _SHIFTED.search(found.get("transform", ""))
    if shifted is None:
        return False
    return shifted[1] is None or float(shifted[1]) <= -_FAR.get(shifted[2], _FAR_PIXELS)


def _is_colourless(found: dict[str, str]) -> bool:
    colour = found.get("color", "")
    behind = found.get("background-color") or found.get("background", "")
    if colour == "transparent":
        # Text through which its own background shines is a common way to paint large figures.
        return "text" not in found.get("background-clip", "") + found.get("-webkit-background-clip", "")
    return bool(colour) and _rgb(colour) != "" and _rgb(colour) == _rgb(behind)


def _rgb(value: str) -> str:
    if found := _HEX.search(value):
        digits = found[1]
        return digits if len(digits) == 6 else "".join(digit * 2 for digit in digits)
    if found := _RGB.search(value):
        return "".join(f"{int(part):02x}" for part in found.groups())
    return _NAMED_COLOURS.get(value.strip(), "")


class Stylesheet:
    """The page's own simple rules: which classes and ids are hidden.

    Read are selectors of one element by class and id (`.old`, `#ab`, `.tab.active`), outside of media
    queries. Between rules that fit one element the more specific wins, then the later.
    """

    def __init__(self, sheets: Iterable[str] = ()) -> None:
        self._rules: dict[str, dict[frozenset[str], tuple[int, str]]] = {}
        self._known: dict[tuple[str, str], str] = {}  # a page uses few combinations of classes
        order = 0
        for sheet in sheets:
            for selectors, body in _rules(sheet):
                found = declarations(body)
                reason = hidden_by_style(body)
                if not reason and "display" not in found and "visibility" not in found:
                    continue
                for selector in selectors.split(","):
                    names = _simple_names(selector.strip())
                    order += 1
                    if names:
                        self._rules.setdefault(min(names), {})[names] = (order, reason)

    def __bool__(self) -> bool:
        return bool(self._rules)

    def hides(self, attributes: Attributes) -> str:
        """Why the element with these attributes is hidden; "" where no rule hides it."""
        key = (attributes.get("class", ""), attributes.get("id", ""))
        if key not in self._known:
            self._known[key] = self._hides(*key)
        return self._known[key]

    def _hides(self, classes: str, identity: str) -> str:
        names = {"." + name for name in classes.split()} | {"#" + name for name in identity.split()}
        best = (0, 0, 0, "")
        for name in names:
            for needed, (order, reason) in self._rules.get(name, {}).items():
                if needed <= names:
                    ids = sum(1 for one in needed if one.startswith("#"))
                    best = max(best, (ids, len(needed), order, reason))
        return best[3]


_SIMPLE = re.compile(r"[.#][\w-]+")


def _simple_names(selector: str) -> frozenset[str]:
    names = _SIMPLE.findall(selector)
    return frozenset(names) if names and "".join(names) == selector else frozenset()


def _rules(sheet: str) -> Iterable[tuple[str, str]]:
    """Selector and body of each rule that stands outside of every other block."""
    depth, selector, start = 0, "", 0
    sheet = re.sub(r"/\*(?:[^*]|\*(?!/))*\*/", "", sheet)
    for found in re.finditer(r"[{};]", sheet):
        if found[0] == "{":
            depth += 1
            if depth == 1:
                selector, start = sheet[start : found.start()].strip(), found.end()
        elif found[0] == "}":
            if depth == 1 and not selector.startswith("@"):
                yield selector, sheet[start : found.start()]
            depth = max(0, depth - 1)
            if depth == 0:
                start = found.end()
        elif depth == 0:
            start = found.end()


def hidden_reason(tag: Element, attributes: Attributes, sheet: Stylesheet) -> str:
    """Why nothing under this element is seen; "" where it is shown."""
    if reason := NEVER_SHOWN.get(tag.tag):
        return reason
    if tag.tag in {"html", "body"}:
        return ""  # pages hide all of themselves until their scripts have run
    if tag.tag == "dialog" and "open" not in attributes:
        return "closed dialog"
    return _hidden_by_attributes(tag, attributes, sheet) if attributes else ""


def _hidden_by_attributes(tag: Element, attributes: Attributes, sheet: Stylesheet) -> str:
    if "hidden" in attributes:
        return "hidden attribute"
    if attributes.get("aria-hidden", "").strip().lower() == "true":
        return "aria-hidden"
    style = attributes.get("style", "")
    reason = hidden_by_style(style) if style else ""
    if reason in _UNDONE_BELOW and _undone(tag, _UNDONE_BELOW[reason]):
        return ""
    if reason:
        return reason
    if not _SCREEN_READER_CLASSES.isdisjoint(attributes.get("class", "").split()):
        return "for screen readers only"
    return sheet.hides(attributes) if sheet and "display" not in declarations(style) else ""


# These two are inherited and can be undone further down: a parent of font size 0 is an old way to close the
# gaps between its children.
_UNDONE_BELOW = {
    "font-size:0": re.compile(r"font-size\s*:\s*(?!0(?:px|em|rem|%)?\s*(?:;|$))"),
    "visibility:hidden": re.compile(r"visibility\s*:\s*visible"),
}
_LOOK_AHEAD = 200


def _undone(tag: Element, undoing: re.Pattern[str]) -> bool:
    inside = islice(tag.iter("*"), 1, _LOOK_AHEAD)
    return any(undoing.search(node.get("style", "")) for node in inside)
