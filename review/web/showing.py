"""What the pages show, as plain values: labels in the reader's language, numbers with their units, effects on ranks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cache
from importlib.resources import as_file, files
from typing import Literal

from review.desk import Card, State
from review.queue import Queued
from schemas.datafile import read_data_file
from schemas.flag import Reading
from schemas.record import Record, Words, plain
from schemas.registry import registry
from schemas.uncertainty import Standing

Lang = Literal["en", "zh"]


class _File(Record):
    words: dict[str, Words]


@cache
def _words() -> dict[str, Words]:
    with as_file(files("review.web") / "words.yaml") as path:
        return read_data_file(path, _File).words


def say(name: str, lang: Lang, **filled: object) -> str:
    """The phrase in the language. KeyError where there is none of that name, which a test finds."""
    return spoken(_words()[name], lang).format(**filled)


def spoken(words: Words, lang: Lang) -> str:
    """The text in the language."""
    return words.zh if lang == "zh" else words.en


def vendor(name: str | None, lang: Lang) -> str:
    """The vendor's name for readers; its id where nobody is known by it."""
    known = registry().vendors.get(name or "")
    return spoken(known.label, lang) if known else name or "—"


def metric(name: str, lang: Lang) -> str:
    """The metric's label."""
    known = registry().metrics.get(name)
    return spoken(known.label, lang) if known else name


def flag(name: str, lang: Lang) -> str:
    """The flag's label."""
    known = registry().flags.get(name)
    return spoken(known.label, lang) if known else name


_STEPS = (("P", 15), ("T", 12), ("G", 9), ("M", 6), ("k", 3))


def number(low: Decimal | None, high: Decimal | None, unit: str) -> str:
    """The number with its unit, large ones with a prefix: 3.2 Tbit/s."""
    if low is None and high is None:
        return ""
    if unit == "fraction":
        return f"{'–'.join(_grouped(end * 100) for end in (low, high) if end is not None)} %"
    largest = max(abs(end) for end in (low, high) if end is not None)
    prefix, power = "", 0
    if unit.partition("/")[0] in ("bit", "byte", "flop"):
        prefix, power = next(((p, n) for p, n in _STEPS if largest >= Decimal(10) ** n), ("", 0))
    ends = [f"{_grouped(end.scaleb(-power))}" for end in (low, high) if end is not None]
    return f"{'–'.join(ends)} {prefix}{unit}"


def _grouped(value: Decimal) -> str:
    whole, point, rest = plain(value).partition(".")
    sign, digits = ("-", whole[1:]) if whole.startswith("-") else ("", whole)
    return f"{sign}{int(digits):,}{point}{rest}"


def span(best: int, worst: int) -> str:
    """Ranks as they are shown."""
    return str(best) if best == worst else f"{best}–{worst}"


def decimal(value: Fraction, places: int = 2) -> str:
    """Half up, once."""
    units = int(value * 10**places + Fraction(1, 2))
    return f"{units // 10**places}.{units % 10**places:0{places}d}"


@dataclass(frozen=True)
class Effect:
    """What a reading makes of its vendor on one card. `now`: its ranks now; `moved`: whether they differ."""

    card: Words
    ranks: str
    now: str
    total: str
    moved: bool


def effects(state: State, queued: Queued, reading: Reading) -> list[Effect]:
    """By card, what this reading leaves of its vendor's ranks and total."""
    found = []
    cards = {card.id: card for card in state.cards}
    for effect in queued.moves.effects if queued.moves else ():
        card = cards.get(effect.card)
        outcome = next((o for o in effect.outcomes if o.reading == reading.key), None)
        if card is None or outcome is None:
            continue
        now = next(s for s in card.evaluation.standings if s.vendor == effect.vendor)
        total = outcome.total
        low, high = decimal(total.low), decimal(total.high)
        found.append(
            Effect(
                card.name,
                span(outcome.best, outcome.worst),
                span(now.best, now.worst),
                low if low == high else f"{low}–{high}",
                (outcome.best, outcome.worst) != (now.best, now.worst),
            )
        )
    return found


@dataclass(frozen=True)
class Moved:
    """A vendor whose ranks or total a decision changed on one card."""

    card: Words
    vendor: str
    before: str
    after: str
    total_before: str
    total_after: str


def moved(before: Iterable[Card], after: Iterable[Card]) -> list[Moved]:
    """What differs between two states of the rankings; cards that were not derived again do not."""
    known = {card.id: {s.vendor: s for s in card.evaluation.standings} for card in before}
    found = []
    for card in after:
        for now in card.evaluation.standings:
            old = known.get(card.id, {}).get(now.vendor)
            if old is None or _shown(old) != _shown(now):
                was = _shown(old) if old else ("—", "—")
                ranks, total = _shown(now)
                found.append(Moved(card.name, now.vendor, was[0], ranks, was[1], total))
    return found


def _shown(standing: Standing) -> tuple[str, str]:
    low, high = standing.shown_low, standing.shown_high
    return span(standing.best, standing.worst), low if low == high else f"{low}–{high}"


@dataclass(frozen=True)
class Filter:
    """What of the queue is shown, as it stands in the page's address."""

    vendor: str = ""
    metric: str = ""
    flag: str = ""
    card: str = ""
    order: str = "worth"


def filtered(state: State, by: Filter) -> list[Queued]:
    """The open flags that fit, each group of the same question once, in the order that is asked for."""
    fitting = [q for q in state.queue if _fits(q, by)]
    keys = {
        "vendor": lambda q: q.flag.claim.claim.vendor or "\uffff",
        "metric": lambda q: q.flag.claim.claim.metric,
        "age": lambda q: q.flag.claim.valid_from,
    }
    return sorted(fitting, key=keys[by.order]) if by.order in keys else fitting


def _fits(queued: Queued, by: Filter) -> bool:
    claim = queued.flag.claim.claim
    if by.card and not (
        any(d.startswith(f"{by.card}.") for d in queued.dimensions)
        or any(e.card == by.card for e in (queued.moves.effects if queued.moves else ()))
    ):
        return False
    return (
        by.vendor in ("", claim.vendor or "")
        and by.metric in ("", claim.metric)
        and by.flag in ("", queued.flag.flag.name)
    )


def choices(state: State, lang: Lang) -> dict[str, list[tuple[str, str]]]:
    """What each filter can be set to: (value, label), by label. Found once a state and language."""
    if lang not in state.choices:
        state.choices[lang] = _choices(state, lang)
    return state.choices[lang]


def _choices(state: State, lang: Lang) -> dict[str, list[tuple[str, str]]]:

    def listed(pairs: Iterator[tuple[str, str]]) -> list[tuple[str, str]]:
        return sorted(set(pairs), key=lambda pair: pair[1])

    claims = [q.flag.claim.claim for q in state.queue]
    return {
        "vendor": listed((c.vendor, vendor(c.vendor, lang)) for c in claims if c.vendor),
        "metric": listed((c.metric, metric(c.metric, lang)) for c in claims),
        "flag": listed((q.flag.flag.name, flag(q.flag.flag.name, lang)) for q in state.queue),
        "card": listed((card.id, spoken(card.name, lang)) for card in state.cards),
    }


def why(queued: Queued, lang: Lang) -> str:
    """The most that settling the flag can do, as one line in the reader's language."""
    if lang == "en":
        return queued.why
    if queued.moves is None:
        return f"评分依据：{'、'.join(queued.dimensions)}" if queued.dimensions else "没有评分以此声明为依据"
    worth = queued.moves
    told = [
        f"决定 {worth.winners} 张评分卡的第一名" if worth.winners else "",
        f"决定 {worth.pairs} 对厂商的先后" if worth.pairs else "",
        f"收窄 {worth.places} 个名次" if worth.places else "",
        f"总分区间收窄 {decimal(worth.narrowing)}" if worth.narrowing else "",
    ]
    return "，".join(filter(None, told)) or "不影响排名"


def bases(metric_name: str) -> list[str]:
    """What a number of the metric can be a number of."""
    kind = registry().metrics.get(metric_name)
    return [*kind.comparable_on, "aggregate"] if kind else []
