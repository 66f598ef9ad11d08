"""One language's view of the content: names, dates, figures with their marks and proofs, addresses within the site."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from markupsafe import Markup

from report.model import Card, CheckLine, Checks, Content, Figure
from report.numbers import normalised
from report.words import Language, Says
from schemas.record import Words
from schemas.registry import registry
from schemas.scorecard import Dimension

_LINKABLE = re.compile(r"https?://", re.IGNORECASE)
_PLAIN_NAME = re.compile(r"[a-z0-9][a-z0-9._-]*")
_SHOWN_QUOTE = 160
_NO_UNIT = re.compile(r"[\d\s,.，．～~–—-]+")


@dataclass(frozen=True, slots=True)
class Mark:
    """A small word or sign beside a figure, and the sentence that says what it means. `kind`: its style."""

    kind: str
    text: str
    title: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure as a reader sees it. `order`: what its column sorts by; `proof`: one line for who points at it.

    `checks`: how many passed, and how many did not.
    """

    figure: Figure
    text: str
    normalised: str
    basis: str
    marks: tuple[Mark, ...]
    tier: str
    since: str
    href: str
    checks: str

    @property
    def proof(self) -> str:
        """The quote, the page, the date and the checks."""
        page = page_of(self.figure.url) or self.figure.source_id
        return f"“{shortened(self.figure.quote)}” · {page} · {self.since} · {self.checks}"

    @property
    def order(self) -> str:
        """A number for sorting, "" where there is none."""
        number = self.figure.low if self.figure.low is not None else self.figure.high
        return "" if number is None else format(number, "f")


# `format` of Markup escapes what is filled in.
_MARK = Markup('<span class="mark {}" title="{}">{}</span>')
_BARE = Markup('<span class="mark {}">{}</span>')


class Edition:
    """The content in one language."""

    def __init__(self, content: Content, language: Language) -> None:
        self.content = content
        self.language: Language = language
        self.says = Says(language)
        self._shown: dict[str, Shown] = {}
        self._marks: dict[Mark, Markup] = {}

    def word(self, words: Words) -> str:
        """Of a text in both languages, this edition's."""
        return words.zh if self.language == "zh" else words.en

    def vendor(self, vendor: str | None) -> str:
        """The vendor's name for readers; its id where nobody is known by it."""
        if vendor is None:
            return self.says("vendor.unknown")
        known = registry().vendors.get(vendor)
        return self.word(known.label) if known else vendor

    def in_sentence(self, vendor: str) -> str:
        """The name as it stands in a sentence; in Chinese a name in Latin letters stands apart."""
        return self._apart(self.vendor(vendor))

    def _apart(self, name: str) -> str:
        if self.language != "zh" or not name:
            return name
        head, tail = (" " if end.isascii() else "" for end in (name[0], name[-1]))
        return f"{head}{name}{tail}"

    def metric(self, name: str) -> str:
        """What is measured, in words."""
        known = registry().metrics.get(name)
        return self.word(known.label) if known else name

    def basis(self, name: str) -> str:
        """What a number is a number of, in words."""
        known = registry().bases.get(name)
        return self.word(known.label) if known else name

    def capability(self, name: str) -> str:
        """A capability in words."""
        known = registry().capabilities.get(name)
        return self.word(known.label) if known else name

    def flag(self, name: str) -> str:
        """An ambiguity in words."""
        known = registry().flags.get(name)
        return self.word(known.label) if known else name

    def flag_question(self, name: str) -> str:
        """What an ambiguity asks."""
        known = registry().flags.get(name)
        return self.word(known.question) if known else name

    def date(self, at: datetime | None) -> str:
        """A day in UTC; "" where there is none."""
        return f"{at:%Y-%m-%d}" if at else ""

    def moment(self, at: datetime | None) -> str:
        """A minute in UTC; "" where there is none."""
        return f"{at:%Y-%m-%d %H:%M}" if at else ""

    def what(self, figure: Figure) -> str:
        """What the claim is about, with its capability or what improves."""
        name = self.metric(figure.metric)
        if figure.capability:
            return self.capability(figure.capability)
        of = dict(figure.qualifiers).get("of", "")
        if figure.metric == "relative_improvement" and of:
            return f"{name} · {self.metric(of).replace('_', ' ')}"
        return name

    def text(self, figure: Figure) -> str:
        """The value as its page words it; of a capability whether it is there."""
        if figure.metric == "capability":
            return self.says("dimension.yes" if figure.is_yes else "dimension.no")
        text = clean(figure.text).strip()
        if _NO_UNIT.fullmatch(text) and figure.unit != "count":
            return f"{text} [{normalised(figure)}]"  # its unit stands in a header
        return text or normalised(figure)

    def shown(self, figure: Figure) -> Shown:
        """The figure with its marks, made once."""
        found = self._shown.get(figure.key)
        if found is None:
            found = self._shown[figure.key] = self._show(figure)
        return found

    def _show(self, figure: Figure) -> Shown:
        return Shown(
            figure=figure,
            text=self.text(figure),
            normalised=normalised(figure),
            basis=self._basis_of(figure),
            marks=tuple(self.marks(figure)),
            tier=self.says(f"tier.{figure.tier}"),
            since=self.date(figure.since),
            href=f"evidence/{file_name(figure.source_id)}.html#{figure.key}",
            checks=self.checks_line(figure),
        )

    def checks_line(self, figure: Figure) -> str:
        """How many checks passed, how many miss something, how many stand against it."""
        checks = self.content.checks.get(figure.key, Checks())
        against = sum(check.is_against for check in checks.others)
        told = [self.says("cell.passed", checks.passed)]
        if lacking := len(checks.others) - against:
            told.append(self.says("cell.lacking", lacking))
        if against:
            told.append(self.says("cell.against", against))
        return ("，" if self.language == "zh" else ", ").join(told)

    def told_checks(self, figure: Figure) -> tuple[CheckLine, ...]:
        """The checks that a reader must hear of: not that no basis is said where none is needed."""
        needs_none = not self._basis_of(figure)
        return tuple(
            check
            for check in self.content.checks.get(figure.key, Checks()).others
            if not (needs_none and check.name == "entailment.basis")
        )

    def _basis_of(self, figure: Figure) -> str:
        """What it is a number of; "" where no basis is said and none is needed."""
        known = registry().metrics.get(figure.metric)
        if figure.basis == "unspecified" and not (known and known.comparable_on):
            return ""
        return self.basis(figure.basis)

    def markup(self, figure: Figure) -> Markup:
        """Where a claim stands, and its marks, as they look beside its words; equal ones are made once."""
        shown = self.shown(figure)
        parts = [self.standing(figure)]
        # What a flag asks stands below it as an open question, and needs no second place.
        parts += [
            self.mark(Mark(mark.kind, mark.text, "") if mark.kind == "flag" else mark)
            for mark in shown.marks
            if mark.kind != "doubt"
        ]
        return Markup(" ").join(parts)

    def mark(self, mark: Mark) -> Markup:
        """The mark as it looks; equal ones are made once."""
        found = self._marks.get(mark)
        if found is None:
            found = self._marks[mark] = (
                _MARK.format(mark.kind, mark.title, mark.text)
                if mark.title
                else _BARE.format(mark.kind, mark.text)
            )
        return found

    def standing(self, figure: Figure) -> Markup:
        """Where a claim stands after all checks, as it looks."""
        title = self.says.or_plain("roll_up_long", figure.roll_up)
        kind = f"stand {figure.reading or 'unused'}"
        return self.mark(Mark(kind, self.says.or_plain("roll_up", figure.roll_up), title))

    def marks(self, figure: Figure) -> Iterable[Mark]:
        """All that qualifies a figure: bound, best case, conditions, tier of the product, open flags, standing."""
        says = self.says
        if figure.bound not in ("exact", ""):
            yield Mark("bound", says(f"mark.{figure.bound}"), says(f"mark.{figure.bound}_long"))
        if figure.best_case:
            best = "lowest_case" if figure.bound == "at_least" else "best_case"
            yield Mark("bound", says(f"mark.{best}"), says("mark.best_case_long"))
        for name, value in figure.condition:
            label = f"{says.or_plain('condition', name)}: {says.or_plain('condition_value', clean(value))}"
            yield Mark("condition", label, says("mark.condition_long"))
        for name, value in figure.qualifiers:
            if name != "of":
                yield Mark("qualifier", shortened(value, 40), says("mark.qualifier_long"))
        for name in figure.open_flags:
            yield Mark("flag", self.flag(name), self.flag_question(name))
        if not figure.is_first_hand and "secondhand" not in figure.open_flags:
            yield Mark("warn", says("mark.secondhand"), says("mark.secondhand_long"))
        if figure.held:
            yield Mark("warn", says("mark.held"), says("mark.held_long"))
        if figure.not_seen:
            yield Mark("warn", says("mark.not_seen", figure.not_seen), says("mark.not_seen_long"))
        if figure.roll_up in ("CONFLICTING", "IMPLAUSIBLE", "UNSUPPORTED"):
            yield Mark("doubt", says(f"roll_up.{figure.roll_up}"), says(f"roll_up_long.{figure.roll_up}"))

    def legend(self) -> tuple[Mark, ...]:
        """Every mark that a figure can bear, with its meaning."""
        says = self.says
        bounds = ("at_least", "at_most", "approx", "range", "order_of_magnitude", "formula", "best_case")
        found = [Mark("bound", says(f"mark.{name}"), says(f"mark.{name}_long")) for name in bounds]
        found += [
            Mark("flag", self.word(kind.label), self.word(kind.question))
            for kind in registry().flags.values()
        ]
        for name in ("secondhand", "held"):
            found.append(Mark("warn", says(f"mark.{name}"), says(f"mark.{name}_long")))
        found.append(Mark("warn", says("mark.not_seen", 2), says("mark.not_seen_long")))
        for name in (
            "VERIFIED",
            "QUALIFIED",
            "AMBIGUOUS",
            "CONFLICTING",
            "IMPLAUSIBLE",
            "UNSUPPORTED",
            "STALE",
        ):
            found.append(Mark("standing", says(f"roll_up.{name}"), says(f"roll_up_long.{name}")))
        return tuple(found)

    def card_name(self, card: Card) -> str:
        """The scorecard's name."""
        return self.word(card.card.name)

    def dimension_href(self, card: Card, dimension: Dimension) -> str:
        """The address of a dimension's page, from the edition's folder."""
        return f"dimensions/{file_name(card.id)}.{dimension.id}.html"

    def card_href(self, card: Card) -> str:
        """The address of a scorecard's page."""
        return f"cards/{file_name(card.id)}.html"

    def vendor_href(self, vendor: str) -> str:
        """The address of a vendor's page."""
        return f"vendors/{file_name(vendor)}.html"

    def feed_href(self, kind: Literal["vendor", "card"], name: str) -> str:
        """The address of the feed on a vendor or a scorecard."""
        return f"feeds/{file_name(f'{kind}-{name}')}.xml"


def file_name(name: str) -> str:
    """A name that no file system takes for a path; names of ours stay as they are."""
    if _PLAIN_NAME.fullmatch(name):
        return name
    return "x" + "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in name)[:120]


def web_address(url: str) -> str:
    """The address where it is one that may be followed, else ""; so no `javascript:` ever becomes a link."""
    return url if _LINKABLE.match(url) else ""


def page_of(url: str) -> str:
    """The address as people read it: without its scheme."""
    return re.sub(r"^https?://", "", clean(url))


def shortened(text: str, most: int = _SHOWN_QUOTE) -> str:
    """The text on one line, cut where it is long."""
    line = " ".join(clean(text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


# Controls, and the marks that turn the direction of text and with it the order of what stands around them.
_UNSAFE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)


def clean(text: str) -> str:
    """The text without what is no character of a page: controls, turns of direction, halves of characters."""
    return _UNSAFE.sub("", text)
