"""The pages that are about all vendors at once: changes, questions to ask, what to beware of, coverage, method."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from report.changing import Event, Period, periods
from report.charts.of_all import coverage_rows
from report.edition import Edition
from report.honesty import cautions
from report.paging import Page
from review.questions import Question, VendorList, topics, trial

_MOST_RUNS = 60
_MOST_QUOTES = 12
_MOST_ASKS = 24
_ROLL_UPS = ("VERIFIED", "QUALIFIED", "AMBIGUOUS", "CONFLICTING", "IMPLAUSIBLE", "UNSUPPORTED", "STALE")


def more_pages(edition: Edition, found: tuple[Event, ...], extra: Sequence[Period] = ()) -> Iterator[Page]:
    """All of them. `extra`: stretches of time that were asked for."""
    says = edition.says
    yield Page(
        "changes.html",
        "changes.html",
        says("nav.changes"),
        {"periods": [*extra, *periods(edition, found)], "feeds": feed_links(edition)},
    )
    yield Page(
        "questions.html",
        "questions.html",
        says("nav.questions"),
        {"lists": [_asked(edition, own) for own in edition.content.questions]},
    )
    yield Page("honesty.html", "honesty.html", says("nav.honesty"), {"cautions": cautions(edition)})
    yield Page("coverage.html", "coverage.html", says("coverage.title"), {"rows": coverage_rows(edition)})
    yield method(edition)


def feed_links(edition: Edition) -> list[tuple[str, str]]:
    """The feeds with whom or what each is about."""
    content = edition.content
    vendors = [(edition.feed_href("vendor", v), edition.vendor(v)) for v in content.vendors]
    cards = [(edition.feed_href("card", c.id), edition.card_name(c)) for c in content.cards]
    return vendors + cards


def method(edition: Edition) -> Page:
    """How all this came about, with the figures of this ledger."""
    content = edition.content
    stands = Counter(figure.roll_up for figure in content.figures.values())
    readers = Counter(figure.extractor for figure in content.figures.values())
    values = {
        "stands": [(name, stands[name]) for name in _ROLL_UPS],
        "readers": sorted(readers.items()),
        "runs": content.runs[: -_MOST_RUNS - 1 : -1],
    }
    return Page("method.html", "method.html", edition.says("nav.method"), values)


def _asked(edition: Edition, own: VendorList) -> dict[str, Any]:
    joint = "；" if edition.language == "zh" else "; "
    told = []
    for topic in topics():
        asked = own.questions.get(topic.id, ())
        if not asked:
            continue
        groups: dict[str, list[Question]] = {}
        for question in asked:
            groups.setdefault(edition.word(question.ask), []).append(question)
        asks = [
            {
                "question": words,
                "stated": [_stated(edition, q) for q in same if q.quote][:_MOST_QUOTES],
                "matters": joint.join(dict.fromkeys(edition.word(w) for q in same for w in q.matters)),
            }
            for words, same in list(groups.items())[:_MOST_ASKS]
        ]
        told.append(
            {
                "title": edition.word(topic.title),
                "why": edition.word(topic.why),
                "asks": asks,
                "more": len(groups) > _MOST_ASKS,
            }
        )
    items = [
        {
            "title": edition.word(item.title),
            "how": edition.word(item.how),
            "stated": joint.join(
                f"{s.value} ({edition.metric(s.metric)})" for s in own.trial.get(item.id, ())[:_MOST_QUOTES]
            ),
        }
        for item in trial()
    ]
    return {"vendor": own.vendor, "topics": told, "trial": items}


def _stated(edition: Edition, question: Question) -> dict[str, Any]:
    figure = edition.content.figures.get(question.claim_key)
    return {"quote": question.quote, "shown": edition.shown(figure) if figure else None}
