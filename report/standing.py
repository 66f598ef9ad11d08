"""What a scorecard says of the vendors, ready to be told: who leads and by how much, rows of ranks, matrices of scores."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from report.edition import Edition, Shown
from report.model import Card, Place, Row
from report.numbers import percent, shown, span
from schemas.record import plain
from schemas.scorecard import Dimension
from warehouse.uncertainty.worth import worths

_HEATS = 5
_MOST_PAIRS = 40
_MOST_KEPT = 30


@dataclass(frozen=True, slots=True)
class Score:
    """One vendor's score in one dimension. `order`: what it sorts by; `heat`: 0 to 5, for its colour."""

    dimension: str
    text: str
    order: str
    heat: int
    low: Fraction | None = None
    high: Fraction | None = None
    stale: bool = False
    title: str = ""


@dataclass(frozen=True, slots=True)
class RankRow:
    """A vendor's ranks and totals under a card, by published scores and by claims."""

    vendor: str
    published: str
    published_order: str
    claims: str
    claims_order: str
    shares: str
    scores: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class Lead:
    """What is said first of a card: sentences, and a row a vendor."""

    card: Card
    sentences: tuple[str, ...]
    rows: tuple[RankRow, ...]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """A vendor's scores in the card's dimensions, in their order."""

    vendor: str
    cells: tuple[Score, ...]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Scores of one kind. `kind`: published or claims."""

    kind: str
    title: str
    rows: tuple[MatrixRow, ...]


@dataclass(frozen=True, slots=True)
class FlagLine:
    """What settling one open flag can do to a card."""

    vendor: str
    flag: str
    shown: Shown
    narrowing: str
    order: str
    size: Fraction
    places: int
    decides: str


@dataclass(frozen=True, slots=True)
class Turn:
    """The weight at which two vendors are equal."""

    ahead: str
    behind: str
    dimension: str
    dimension_id: str
    weight: str
    tie_at: str
    change: str
    order: str
    weight_share: Fraction
    tie_share: Fraction


def lead(edition: Edition, card: Card) -> Lead:
    """What is said first of a card."""
    return Lead(card, tuple(_sentences(edition, card)), rank_rows(edition, card))


def _sentences(edition: Edition, card: Card) -> Iterable[str]:
    says = edition.says
    if card.published:
        yield _published_lead(edition, card.published)
        if card.proposals:
            yield says("front.proposals", len(card.proposals))
    else:
        yield says("front.no_published")
    evaluation = card.evaluation
    if evaluation is None:
        yield says("front.nothing_derived")
        return
    contenders = [edition.in_sentence(v) for v in evaluation.contenders]
    if len(contenders) == 1:
        first = evaluation.standings[0]
        yield says("front.claims_first", first=contenders[0], total=span(first.shown_low, first.shown_high))
    else:
        yield says("front.claims_open", vendors=says.listed(contenders))
    assert card.derived is not None  # noqa: S101 - an evaluation is a derivation's
    yield says("front.flags_open", len(card.derived.derivation.open_flags))
    yield says("front.pairs_open", len(evaluation.undecided))


def _published_lead(edition: Edition, places: tuple[Place, ...]) -> str:
    first = [place for place in places if place.best == 1]
    rest = [place for place in places if place.best > 1]
    names = [edition.in_sentence(place.vendor) for place in first]
    if len(first) > 1:
        return edition.says(
            "front.published_tied", vendors=edition.says.listed(names), total=first[0].shown_low
        )
    if not rest:
        return edition.says("front.published_alone", first=names[0], total=first[0].shown_low)
    gap = Decimal(first[0].shown_low) - Decimal(rest[0].shown_low)
    return edition.says(
        "front.published_first",
        first=names[0],
        total=first[0].shown_low,
        gap=plain(gap),
        second=edition.in_sentence(rest[0].vendor),
    )


def rank_rows(edition: Edition, card: Card) -> tuple[RankRow, ...]:
    """A row for each vendor that the card ranks, in the order of what stands first: published scores, then claims."""
    published = {place.vendor: place for place in card.published}
    claims = {place.vendor: place for place in card.by_claims}
    shares = {s.vendor: s.rank_shares for s in card.evaluation.standings} if card.evaluation else {}
    order = list(dict.fromkeys([*published, *claims]))
    kind = "published" if published else "claims"
    scores = {row.vendor: row.cells for row in matrix(edition, card, kind).rows}
    absent = edition.says("cell.not_ranked")
    rows = []
    for vendor in order:
        mine, theirs = published.get(vendor), claims.get(vendor)
        rows.append(
            RankRow(
                vendor=vendor,
                published=f"{mine.best} · {mine.shown_low}" if mine else absent,
                published_order=str(mine.best) if mine else "",
                claims=(
                    f"{span(str(theirs.best), str(theirs.worst))} · {span(theirs.shown_low, theirs.shown_high)}"
                    if theirs
                    else absent
                ),
                claims_order=f"{theirs.best}.{theirs.worst:03d}" if theirs else "",
                shares=_shares(theirs, shares.get(vendor)),
                scores=scores.get(vendor) or _silent(card),
            )
        )
    return tuple(rows)


def _shares(place: Place | None, found: tuple[Fraction, ...] | None) -> str:
    """Which ranks in which share of the readings; nothing where there is one rank."""
    if place is None or place.is_certain or found is None:
        return ""
    told = enumerate(found, start=place.best)
    return ", ".join(f"{rank}: {percent(share)}" for rank, share in told if share)


def _silent(card: Card) -> tuple[Score, ...]:
    return tuple(Score(d.id, "–", "", 0) for d in card.card.dimensions)


def matrices(edition: Edition, card: Card) -> tuple[Matrix, ...]:
    """The matrices that a card has: of published scores, of scores from claims."""
    kinds = [*(["published"] if card.published else []), *(["claims"] if card.derived else [])]
    return tuple(matrix(edition, card, kind) for kind in kinds)


def matrix(edition: Edition, card: Card, kind: str) -> Matrix:
    """The scores of a card as a matrix, vendors in the order of their rank."""
    title = edition.says(f"card.matrix_{kind}")
    if kind == "published":
        rows = tuple(
            MatrixRow(p.vendor, tuple(_published(edition, card, p.vendor, d) for d in card.card.dimensions))
            for p in card.published
        )
        return Matrix(kind, title, rows)
    if card.evaluation is None:
        return Matrix(kind, title, ())
    found = []
    for standing in card.evaluation.standings:
        by_id = {d.dimension: d.score for d in standing.dimensions}
        cells = tuple(_ranged(d, by_id[d.id].low, by_id[d.id].high) for d in card.card.dimensions)
        found.append(MatrixRow(standing.vendor, cells))
    return Matrix(kind, title, tuple(found))


def _published(edition: Edition, card: Card, vendor: str, dimension: Dimension) -> Score:
    row = card.scores.get((vendor, dimension.id))
    if row is None:
        return Score(dimension.id, "–", "", 0)
    exact = Fraction(row["score"])
    return Score(
        dimension=dimension.id,
        text=shown(exact, 1) if exact * 10 == int(exact * 10) else plain(row["score"]),
        order=plain(row["score"]),
        heat=_heat(exact),
        low=exact,
        high=exact,
        stale=row["status"] != "standing",
        title=edition.says("card.rests_on", len(row["claim_keys"])),
    )


def _ranged(dimension: Dimension, low: Fraction, high: Fraction) -> Score:
    return Score(
        dimension=dimension.id,
        text=span(shown(low), shown(high)),
        order=shown((low + high) / 2, 6),
        heat=_heat((low + high) / 2),
        low=low,
        high=high,
    )


def _heat(score: Fraction) -> int:
    return max(0, min(_HEATS, int(score + Fraction(1, 2))))


def pair_lines(edition: Edition, card: Card) -> tuple[str, ...]:
    """The pairs that open readings leave in more than one order, with the share of readings for each."""
    if card.evaluation is None:
        return ()
    lines = []
    for pair in card.evaluation.undecided[:_MOST_PAIRS]:
        shares = pair.shares()
        first, second = edition.in_sentence(pair.first), edition.in_sentence(pair.second)
        if shares is None:
            lines.append(edition.says("pair.unknown", first=first, second=second))
            continue
        ahead, tied, behind = map(percent, shares)
        key = "pair.shares_tied" if shares[1] else "pair.shares"
        lines.append(edition.says(key, first=first, second=second, ahead=ahead, tied=tied, behind=behind))
    if (left := len(card.evaluation.undecided) - _MOST_PAIRS) > 0:
        lines.append(edition.says("pair.more", left))
    return tuple(lines)


def flag_lines(edition: Edition, card: Card) -> tuple[FlagLine, ...]:
    """What settling each open flag can move on this card, the most first."""
    if card.derived is None:
        return ()
    found = worths(card.derived.derivation.open_flags, [card.derived.evaluation])
    lines = []
    for worth in found:
        figure = edition.content.figures.get(worth.claim_key)
        if not worth.effects or figure is None:
            continue
        effect = worth.effects[0]
        others = edition.says.listed([edition.vendor(v) for v in effect.decides])
        told = [edition.says("worth.winner")] if effect.decides_winner else []
        if others:
            told.append(edition.says("worth.order", vendors=others))
        lines.append(
            FlagLine(
                vendor=worth.vendor,
                flag=edition.flag(worth.name),
                shown=edition.shown(figure),
                narrowing=shown(effect.narrowing),
                order=shown(effect.narrowing, 6),
                size=effect.narrowing,
                places=effect.places,
                decides=("；" if edition.language == "zh" else "; ").join(told),
            )
        )
    return tuple(lines)


def turn_lines(edition: Edition, card: Card) -> tuple[Turn, ...] | None:
    """The weights at which pairs turn, the smallest change first; None where that was not computed."""
    if card.turns is None:
        return None
    labels = {d.id: edition.word(d.label) for d in card.card.dimensions}
    return tuple(
        Turn(
            ahead=flip.ahead,
            behind=flip.behind,
            dimension=labels[flip.dimension],
            dimension_id=flip.dimension,
            weight=f"{shown(flip.weight * 100, 1)}%",
            tie_at=f"{shown(flip.tie_at * 100, 1)}%",
            change=f"{'+' if flip.change > 0 else '−'}{shown(abs(flip.change) * 100, 1)}",
            order=shown(abs(flip.change) * 100, 6),
            weight_share=flip.weight,
            tie_share=flip.tie_at,
        )
        for flip in card.turns.flips
    )


def rank_history(edition: Edition, card: Card) -> tuple[list[dict[str, Any]], list[str]]:
    """Every ranking of the card that was kept, the newest first, with a cell a vendor; and the vendors."""
    kept: dict[int, list[Row]] = {}
    for row in edition.content.rankings:
        if row["scorecard"] == card.id:
            kept.setdefault(row["ranking_id"], []).append(row)
    newest = [kept[number] for number in sorted(kept, reverse=True)[:_MOST_KEPT]]
    vendors = list(dict.fromkeys(row["vendor"] for rows in newest for row in rows))
    lines = []
    for rows in newest:
        own = {row["vendor"]: row for row in rows}
        cells = [_kept(own.get(vendor)) for vendor in vendors]
        at, kind = edition.moment(rows[0]["ranked_at"]), edition.says(f"card.variant_{rows[0]['variant']}")
        lines.append({"at": at, "kind": kind, "cells": cells})
    return lines, vendors


def _kept(row: Row | None) -> dict[str, str]:
    if row is None:
        return {"text": "", "order": ""}
    ranks, totals = span(str(row["best"]), str(row["worst"])), span(row["shown_low"], row["shown_high"])
    return {"text": f"{ranks} · {totals}", "order": str(row["best"])}
