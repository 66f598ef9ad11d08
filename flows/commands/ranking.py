"""The command that ranks: rank."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.options import HomeOption, Shown, home_if_any
from flows.printing import as_json, heading, out, out_text, table
from schemas.errors import KoujingError
from schemas.record import plain

if TYPE_CHECKING:
    from schemas.ranking import DimensionScore, Proposal, Ranking
    from schemas.scorecard import Scorecard
    from warehouse.home import Home


def rank(
    context: typer.Context,
    scorecard: Annotated[
        str | None, typer.Option("--scorecard", metavar="ID|FILE", help="Only this one. Default: all.")
    ] = None,
    weight: Annotated[
        list[str] | None,
        typer.Option("--weight", metavar="DIM=0.25", help="Try another weight; may be repeated."),
    ] = None,
    form: Annotated[Shown, typer.Option("--format")] = Shown.TABLE,
    home: HomeOption = None,
) -> None:
    """Rank the vendors by the scorecards; with --weight, by weights of your own.

    Weights that are not given are scaled so that all sum to 1. Where a changed claim supports another score,
    the proposal and the ranking under it stand beside the standing one. Nothing is stored.
    """
    given = _weights(weight or [])
    place = home_if_any(context, home)
    cards = _cards(scorecard, place)
    if given and scorecard is None:
        cards = _with_dimensions(cards, given)
    reports = [(card, report(card, given, place)) for card in cards]
    if form is Shown.JSON:
        rankings = [fields for card, parts in reports for fields in _fields(card, *parts)]
        out_text(f"{as_json(rankings, indent=2)}\n")
        return
    for card, parts in reports:
        print_card(card, *parts)


def _weights(entries: Iterable[str]) -> dict[str, Decimal]:
    given: dict[str, Decimal] = {}
    for entry in entries:
        name, equals, number = entry.partition("=")
        try:
            value = Decimal(number.strip())
        except InvalidOperation:
            equals = ""
            value = Decimal(0)
        if not equals or not name.strip():
            raise typer.BadParameter(
                f"{entry!r} is no weight; write it as storage_io=0.25", param_hint="--weight"
            )
        if name.strip() in given:
            raise typer.BadParameter(f"{name.strip()} is given twice", param_hint="--weight")
        given[name.strip()] = value
    return given


def _cards(named: str | None, home: Home | None) -> tuple[Scorecard, ...]:
    from warehouse.cards import builtin_cards, card, load_cards, read_card

    if named is not None and ("/" in named or named.endswith((".yaml", ".yml"))):
        return (read_card(Path(named)),)
    cards = load_cards(home.root / "scorecards") if home else builtin_cards()
    if named is None:
        return cards
    try:
        return (card(named, cards),)
    except KoujingError as error:
        raise typer.BadParameter(str(error), param_hint="--scorecard") from None


def _with_dimensions(cards: tuple[Scorecard, ...], given: dict[str, Decimal]) -> tuple[Scorecard, ...]:
    fitting = tuple(c for c in cards if set(given) <= {d.id for d in c.dimensions})
    if not fitting:
        known = "; ".join(f"{c.id}: {', '.join(d.id for d in c.dimensions)}" for c in cards)
        raise typer.BadParameter(
            f"no scorecard has {' and '.join(given)}; there are {known}", param_hint="--weight"
        )
    return fitting


Parts = tuple[tuple["Ranking", ...], tuple["Proposal", ...], tuple["DimensionScore", ...]]


def report(card: Scorecard, given: dict[str, Decimal], home: Home | None) -> Parts:
    """A card's rankings under its own or the given weights, the proposals, and the scores that are marked."""
    from warehouse.proposals import apply
    from warehouse.ranking import rank as rank_card
    from warehouse.ranking import reweight, scores

    weights, note, variant = None, "", "standing"
    if given:
        try:
            weights, note = reweight(card, given)
        except KoujingError as error:
            raise typer.BadParameter(str(error), param_hint="--weight") from None
        variant = "reweighted"
    card_scores = scores(card, ())
    rankings = [rank_card(card, card_scores, weights=weights, variant=variant, note=note)]
    proposals = open_proposals(card, home)
    if proposals:
        proposed = apply(card_scores, proposals)
        rankings.append(rank_card(card, proposed, weights=weights, variant="proposed", note=note))
    return tuple(rankings), proposals, _marked(card, home)


def open_proposals(card: Scorecard, home: Home | None) -> tuple[Proposal, ...]:
    """The latest proposal for each score of the card that still stands as it did; none without a ledger."""
    from flows import published

    if home is None or not home.published.exists():
        return ()
    latest = {(p.vendor, p.dimension): p for p in published.proposals(home) if p.scorecard == card.id}
    return tuple(p for p in latest.values() if _stands(card, p.vendor, p.dimension, p.standing))


def _marked(card: Scorecard, home: Home | None) -> tuple[DimensionScore, ...]:
    from flows import published

    if home is None or not home.published.exists():
        return ()
    found = published.marked_scores(home, card.id)
    return tuple(s for s in found if _stands(card, s.vendor, s.dimension, s.score))


def _stands(card: Scorecard, vendor: str, dimension: str, score: Decimal) -> bool:
    entry = card.editorial.get(vendor, {}).get(dimension)
    return entry is not None and entry.score == score


def print_card(
    card: Scorecard,
    rankings: tuple[Ranking, ...],
    proposals: tuple[Proposal, ...],
    marked: tuple[DimensionScore, ...],
) -> None:
    """Writes a card's rankings to stdout, and between them what the second rests on."""
    heading(f"{card.name.en} · {card.name.zh} ({card.id})")
    standing, *under = rankings
    if not standing.placements:
        out("No scores were published with these weights, so there is no order to print.")
        return
    if standing.note:
        out(standing.note)
    out_text(_placements(standing))
    for score in marked:
        keys = f"{len(score.claim_keys)} claims, of which one or more changed"
        out(f"{score.vendor}, {score.dimension}: {plain(score.score)} rests on {keys}.")
    for proposal in proposals:
        change = f"{plain(proposal.standing)} → {plain(proposal.proposed)}"
        out(f"Proposal for {proposal.vendor}, {proposal.dimension}: {change}. {proposal.reason}")
    for ranking in under:
        out(f"The ranking under the proposal{'s' if len(proposals) > 1 else ''}:")
        out_text(_placements(ranking))


def _placements(ranking: Ranking) -> str:
    rows = [(p.rank, *_names(p.vendor), p.vendor, p.shown) for p in ranking.placements]
    return table(("rank", "vendor", "厂商", "id", "total"), rows, numeric=("rank", "total"))


def _names(vendor_id: str) -> tuple[str, str]:
    from schemas.registry import registry

    vendor = registry().vendors.get(vendor_id)
    return (vendor.label.en, vendor.label.zh) if vendor else (vendor_id, vendor_id)


def _fields(
    card: Scorecard,
    rankings: tuple[Ranking, ...],
    proposals: tuple[Proposal, ...],
    marked: tuple[DimensionScore, ...],
) -> list[dict[str, object]]:
    result = []
    for ranking in rankings:
        fields: dict[str, object] = {
            "scorecard": card.id,
            "name": card.name.model_dump(),
            "variant": ranking.variant,
            "weights": ranking.weights,
            "note": ranking.note,
            "placements": [
                {
                    "rank": p.rank,
                    "vendor": p.vendor,
                    "name": dict(zip(("en", "zh"), _names(p.vendor), strict=True)),
                    "shown": p.shown,
                    "total": p.total,
                }
                for p in ranking.placements
            ],
            "rests_on_changed_claims": [
                {"vendor": s.vendor, "dimension": s.dimension, "score": s.score} for s in marked
            ],
            "proposals": [p.model_dump() for p in proposals] if ranking.variant == "proposed" else [],
        }
        result.append(fields)
    return result
