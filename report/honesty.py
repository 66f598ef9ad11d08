"""What to beware of, counted from the data: nothing is said here that no row carries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise

from report.edition import Edition, Shown
from report.model import Card, Figure
from report.numbers import percent
from schemas.record import plain

_MOST = 24
_OLD_DAYS = 30
_NOMINAL = frozenset({"peak_without_load"})


@dataclass(frozen=True, slots=True)
class Caution:
    """One thing to beware of: its heading, the sentences that say it, the claims it is about (`more` are not listed)."""

    id: str
    title: str
    sentences: tuple[str, ...]
    shown: tuple[Shown, ...] = ()
    more: int = 0
    lines: tuple[str, ...] = ()


def cautions(edition: Edition) -> tuple[Caution, ...]:
    """All of them, in the order in which a buyer meets them."""
    return (
        _of_figures(edition, "nominal", lambda f: f.best_case or bool(_NOMINAL & set(f.open_flags))),
        _within_error(edition),
        _not_compared(edition),
        _of_figures(edition, "ambiguous", lambda f: f.roll_up == "AMBIGUOUS"),
        _of_figures(edition, "against", lambda f: f.roll_up in ("CONFLICTING", "IMPLAUSIBLE")),
        _of_figures(edition, "secondhand", lambda f: not f.is_first_hand),
        _stale(edition),
        _silent(edition),
        _of_figures(edition, "test", lambda f: f.reading == "test_yourself"),
        _of_figures(edition, "model", lambda f: f.extractor.startswith("llm:")),
    )


def _there(edition: Edition) -> Iterable[Figure]:
    return (figure for figure in edition.content.figures.values() if not figure.not_seen)


def _of_figures(edition: Edition, name: str, chosen: Callable[[Figure], bool]) -> Caution:
    found = [figure for figure in _there(edition) if chosen(figure)]
    # Those that scores rest on matter most to a reader.
    found.sort(key=lambda f: (f.metric == "capability", f.metric, f.vendor or "", f.key))
    return Caution(
        id=name,
        title=edition.says(f"caution.{name}"),
        sentences=(edition.says(f"caution.{name}_said", len(found)),),
        shown=tuple(edition.shown(figure) for figure in found[:_MOST]),
        more=max(0, len(found) - _MOST),
    )


def _within_error(edition: Edition) -> Caution:
    sentences = []
    for card in edition.content.cards:
        name = edition.card_name(card)
        if card.published:
            step = _step(card)
            places = card.published
            near = sum(Decimal(a.shown_low) - Decimal(b.shown_low) < step for a, b in pairwise(places))
            sentences.append(
                edition.says(
                    "caution.published_near", near, card=name, step=plain(step), half=plain(step / 2)
                )
            )
        if (evaluation := card.evaluation) is not None:
            names = [edition.in_sentence(v) for v in evaluation.contenders]
            sentences.append(
                edition.says(
                    "caution.contenders", len(names) - 1, card=name, vendors=edition.says.listed(names)
                )
            )
    return Caution("error", edition.says("caution.error"), tuple(sentences))


def _step(card: Card) -> Decimal:
    """The finest step in which the card's published scores are given."""
    exponents = [Decimal(plain(row["score"])).as_tuple().exponent for row in card.scores.values()]
    finest = min((e for e in exponents if isinstance(e, int)), default=0)
    return Decimal(1).scaleb(min(finest, -1))


def _not_compared(edition: Edition) -> Caution:
    content = edition.content
    keys = dict.fromkeys(row["claim_key"] for card in content.cards for row in card.left_out)
    found = [content.figures[key] for key in keys if key in content.figures]
    lines = []
    for card in content.cards:
        reasons = Counter(row["reason"] for row in card.left_out)
        if reasons:
            told = edition.says("caution.left_out_of", sum(reasons.values()), card=edition.card_name(card))
            lines.append(told)
    return Caution(
        id="not_compared",
        title=edition.says("caution.not_compared"),
        sentences=(edition.says("caution.not_compared_said", len(found)),),
        shown=tuple(edition.shown(figure) for figure in found[:_MOST]),
        more=max(0, len(found) - _MOST),
        lines=tuple(lines),
    )


def _stale(edition: Edition) -> Caution:
    content = edition.content
    gone = [f for f in content.figures.values() if f.not_seen]
    failed = [p for p in content.pages if p["status"] in ("gone", "failed")]
    old = [p for p in content.pages if p["days_since"] is not None and p["days_since"] > _OLD_DAYS]
    return Caution(
        id="stale",
        title=edition.says("caution.stale"),
        sentences=(
            edition.says("caution.stale_said", len(gone)),
            edition.says("caution.pages_failed", len(failed)),
            edition.says("caution.pages_old", len(old), days=_OLD_DAYS),
            edition.says("caution.pages_held", len(content.holds)),
        ),
        shown=tuple(edition.shown(figure) for figure in gone[:_MOST]),
        more=max(0, len(gone) - _MOST),
        lines=tuple(
            f"{p['source_id']}: {edition.says.or_plain('status', p['status'])}"
            + (f", {p['last_reason']}" if p["last_reason"] else "")
            for p in failed[:_MOST]
        ),
    )


def _silent(edition: Edition) -> Caution:
    content = edition.content
    asked = sorted({m for card in content.cards for d in card.card.dimensions for m in d.metrics})
    pairs = [(vendor, metric) for vendor in content.vendors for metric in asked]
    silent = sum(not content.on(vendor, metric) for vendor, metric in pairs)
    share = percent(Decimal(silent) / len(pairs)) if pairs else "0%"
    return Caution(
        "silent",
        edition.says("caution.silent"),
        (edition.says("caution.silent_said", silent, of=len(pairs), share=share),),
    )
