"""The command that ranks: rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.options import HomeOption, Shown, home_if_any, ledger_to_read, moment_of
from flows.printing import as_json, counted, heading, out, out_text, say, table
from schemas.errors import DataFileError, KoujingError
from schemas.record import plain

if TYPE_CHECKING:
    from datetime import datetime

    from schemas.ledger import StoredClaim
    from schemas.ranking import DimensionScore, Proposal, Ranking
    from schemas.rubric import Fact
    from schemas.scorecard import Scorecard
    from warehouse.derived import Derived
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
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Also each vendor's scores, and how many claims each rests on."),
    ] = False,
    sensitivity: Annotated[
        bool,
        typer.Option(
            "--sensitivity", help="Also the smallest change of one weight that turns each pair of neighbours."
        ),
    ] = False,
    as_of: Annotated[
        str | None,
        typer.Option(
            "--as-of", metavar="DATE|Nd", help="As they were kept by then; a date counts to its end (UTC)."
        ),
    ] = None,
    form: Annotated[Shown, typer.Option("--format")] = Shown.TABLE,
    home: HomeOption = None,
) -> None:
    """Rank the vendors by the scorecards; with --weight, by weights of your own.

    Weights that are not given are scaled so that all sum to 1. Where a changed claim supports another score,
    the proposal and the ranking under it stand beside the standing one. Below stands what the scorecard's
    criteria make of the claims: totals and ranks as ranges over the flags that are open. Nothing is stored.
    """
    moment = moment_of(as_of, "--as-of", end=True)
    given = _weights(weight or [])
    if moment is not None:
        if given or explain or sensitivity:
            raise typer.BadParameter(
                "prints what was kept; weights, --explain and --sensitivity are about today's",
                param_hint="--as-of",
            )
        _print_kept(ledger_to_read(context, home), moment, scorecard, form)
        return
    place = home_if_any(context, home)
    cards = _cards(scorecard, place)
    if given and scorecard is None:
        cards = _with_dimensions(cards, given)
    facts = _facts(place)
    reports = [report(card, given, place, facts, explain=explain) for card in cards]
    if form is Shown.JSON:
        rankings = [fields for found in reports for fields in _fields(found, turns=sensitivity)]
        out_text(f"{as_json(rankings, indent=2)}\n")
        return
    for found in reports:
        print_card(found, turns=sensitivity)


def _print_kept(place: Home, moment: datetime, scorecard: str | None, form: Shown) -> None:
    from flows.kept_rankings import kept_by, print_kept

    found = kept_by(place, moment, scorecard)
    if form is Shown.JSON:
        out_text(f"{as_json([kept.fields() for kept in found], indent=2)}\n")
    else:
        print_kept(found)
    if not found:
        say(
            f"no ranking{f' of {scorecard}' if scorecard else ''} was kept by {moment.year:04}-{moment:%m-%d %H:%M} UTC"
        )


def _facts(home: Home | None) -> tuple[Fact, ...]:
    from flows import published

    return published.facts(home) if home else ()


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
    from flows.own_cards import chosen_cards

    try:
        return chosen_cards(named, home)
    except DataFileError:
        raise
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


@dataclass(frozen=True)
class Report:
    """What is known of a card, ready to be printed.

    `rankings`: each with the scores that it was made of. `stale`: scores whose claims changed since.
    `has_claims`: whether the ledger holds any. `basis`: what the scores rest on, where that was asked for.
    `derived`: what the criteria make of the claims; `note`: what was done to the weights.
    """

    card: Scorecard
    rankings: tuple[tuple[Ranking, tuple[DimensionScore, ...]], ...]
    proposals: tuple[Proposal, ...]
    stale: tuple[DimensionScore, ...]
    has_claims: bool
    basis: Basis | None = None
    derived: Derived | None = None
    facts: tuple[Fact, ...] = ()
    note: str = ""


@dataclass(frozen=True)
class Basis:
    """How many claims a score rests on, by vendor and dimension (None without a ledger), and who has no score."""

    counts: Mapping[tuple[str, str], int] | None
    not_scored: tuple[str, ...] = ()


def report(
    card: Scorecard,
    given: dict[str, Decimal],
    home: Home | None,
    facts: tuple[Fact, ...] = (),
    *,
    explain: bool = False,
) -> Report:
    """A card's rankings under its own or the given weights, and what of the ledger bears on them."""
    from flows import published
    from flows.confirming import open_proposals
    from warehouse.derived import derived
    from warehouse.proposals import apply, strongest
    from warehouse.ranking import rank as rank_card
    from warehouse.ranking import reweight, scores
    from warehouse.score_words import with_words

    words = published.score_words(home) if home else ()
    card = with_words(card, words)
    weights, note, variant = None, "", "standing"
    if given:
        try:
            weights, note = reweight(card, given)
        except KoujingError as error:
            raise typer.BadParameter(str(error), param_hint="--weight") from None
        variant = "reweighted"
    card_scores = scores(card, ())
    standing = rank_card(card, card_scores, weights=weights, variant=variant, note=note)
    rankings = [(standing, card_scores)]
    has_ledger = home is not None and home.published.exists()
    proposals = open_proposals(home, card) if home is not None and has_ledger else ()
    if proposals:
        proposed = apply(card_scores, strongest(proposals))
        under = rank_card(card, proposed, weights=weights, variant="proposed", note=note)
        rankings.append((under, proposed))
    return Report(
        card=card,
        rankings=tuple(rankings),
        proposals=proposals,
        stale=_stale(card, home),
        has_claims=home is not None and published.has_claims(home),
        basis=_basis(card, home) if explain else None,
        derived=derived(card, facts, weights.exact if weights else None),
        facts=facts,
        note=note,
    )


def _basis(card: Scorecard, home: Home | None) -> Basis:
    from flows import published
    from warehouse.ranking import scores

    if home is None or not home.published.exists():
        return Basis(counts=None)
    claims = published.claims(home)
    stated = {stored.claim.vendor for stored in claims if stored.claim.vendor is not None}
    return Basis(
        counts={(s.vendor, s.dimension): len(s.claim_keys) for s in scores(card, claims)},
        not_scored=tuple(sorted(stated - card.editorial.keys())),
    )


def _stale(card: Scorecard, home: Home | None) -> tuple[DimensionScore, ...]:
    from flows import published

    if home is None or not home.published.exists():
        return ()
    found = published.stale_scores(home, card.id)
    return tuple(s for s in found if _stands(card, s.vendor, s.dimension, s.score))


def _stands(card: Scorecard, vendor: str, dimension: str, score: Decimal) -> bool:
    entry = card.editorial.get(vendor, {}).get(dimension)
    return entry is not None and entry.score == score


def print_card(found: Report, *, turns: bool = False) -> None:
    """Writes a card's rankings to stdout, and between them what the second rests on.

    `turns`: also which change of one weight turns which pair.
    """
    card = found.card
    heading(f"{card.name.en} · {card.name.zh} ({card.id})")
    out(card.origin.en)
    if found.rankings[0][0].placements:
        _print_published(found)
        if turns:
            from flows.turning import published_turns

            published_turns(*found.rankings[0]).show("the published scores")
    else:
        nothing = "so there is no order to print." if found.derived is None else "so all are derived."
        out(f"No scores were published with these weights, {nothing}")
    if found.derived is not None:
        from flows.derived_report import print_derived

        print_derived(found.derived, _by_key(found), found.note)
        if turns:
            from flows.turning import derived_turns

            derived_turns(found.derived.evaluation).show("the mean derived scores")


def _by_key(found: Report) -> dict[str, StoredClaim]:
    return {fact.stored.claim.claim_key: fact.stored for fact in found.facts}


def _print_published(found: Report) -> None:
    (standing, given_scores), *under = found.rankings
    if not found.has_claims:
        out("published scores only: no claims have been read yet")
    if standing.note:
        out(standing.note)
    out_text(_placements(standing))
    _print_basis(found, standing, given_scores)
    for score in found.stale:
        claims = counted(len(score.claim_keys), "claim")
        out(
            f"{score.vendor}, {score.dimension}: {plain(score.score)} is stale: of {claims} under it one or more changed."
        )
    for proposal in found.proposals:
        change = f"{plain(proposal.standing)} → {plain(proposal.proposed)}"
        by = "Proposal" if proposal.peers else "Proposal by the rubric"
        out(f"{by} for {proposal.vendor}, {proposal.dimension}: {change}. {proposal.reason}")
    for ranking, its_scores in under:
        out(f"The ranking under {_told(found.proposals)}:")
        out_text(_placements(ranking))
        _print_basis(found, ranking, its_scores)


def _told(proposals: tuple[Proposal, ...]) -> str:
    """Which proposals a ranking is under, where there are several."""
    from warehouse.proposals import strongest

    held = strongest(proposals)
    number = "the proposal" if len(held) == 1 else "the proposals"
    return f"{number} that peers' claims support" if len(held) < len(proposals) else number


def _print_basis(found: Report, ranking: Ranking, scores: tuple[DimensionScore, ...]) -> None:
    basis = found.basis
    if basis is None:
        return
    by_vendor = _by_vendor(scores)
    dimensions = [d.id for d in found.card.dimensions]
    rows = []
    for place in ranking.placements:
        row = [place.vendor]
        for dimension in dimensions:
            number = plain(by_vendor[place.vendor][dimension])
            counts = basis.counts
            row.append(number if counts is None else f"{number} ({counts[place.vendor, dimension]})")
        rows.append(row)
    held = "" if basis.counts is None else ", with the number of claims that each rests on"
    out(f"Scores by dimension{held}:")
    out_text(table(("id", *dimensions), rows, numeric=dimensions))
    if basis.not_scored:
        out(f"not scored by this card: {', '.join(basis.not_scored)}")


def _by_vendor(scores: tuple[DimensionScore, ...]) -> dict[str, dict[str, Decimal]]:
    result: dict[str, dict[str, Decimal]] = {}
    for score in scores:
        result.setdefault(score.vendor, {})[score.dimension] = score.score
    return result


def _placements(ranking: Ranking) -> str:
    from flows.derived_report import names

    rows = [(p.rank, *names(p.vendor), p.vendor, p.shown) for p in ranking.placements]
    return table(("rank", "vendor", "厂商", "id", "total"), rows, numeric=("rank", "total"))


def _fields(found: Report, *, turns: bool = False) -> list[dict[str, object]]:
    from flows.derived_report import derived_fields, names
    from flows.turning import derived_turns, published_turns

    card = found.card
    result = []
    for ranking, scores in found.rankings:
        by_vendor = _by_vendor(scores)
        fields: dict[str, object] = {
            "scorecard": card.id,
            "name": card.name.model_dump(),
            "origin": card.origin.model_dump(),
            "variant": ranking.variant,
            "weights": ranking.weights,
            "note": ranking.note,
            "claims_read": found.has_claims,
            "placements": [
                {
                    "rank": p.rank,
                    "vendor": p.vendor,
                    "name": dict(zip(("en", "zh"), names(p.vendor), strict=True)),
                    "shown": p.shown,
                    "total": p.total,
                    "scores": by_vendor[p.vendor],
                    **_counts(found, p.vendor),
                }
                for p in ranking.placements
            ],
            "stale": [{"vendor": s.vendor, "dimension": s.dimension, "score": s.score} for s in found.stale],
            "proposals": [p.model_dump() for p in found.proposals] if ranking.variant == "proposed" else [],
        }
        if turns and ranking.placements:
            fields["sensitivity"] = published_turns(ranking, scores).fields()
        if found.basis is not None:
            fields["not_scored"] = found.basis.not_scored
        result.append(fields)
    if found.derived is not None:
        fields = derived_fields(found.derived, _by_key(found), found.note)
        if turns:
            fields["sensitivity"] = derived_turns(found.derived.evaluation).fields()
        result.append(fields)
    return result


def _counts(found: Report, vendor: str) -> dict[str, object]:
    """With --explain, how many claims each score rests on; null without a ledger."""
    if found.basis is None:
        return {}
    counts = found.basis.counts
    dimensions = [d.id for d in found.card.dimensions]
    return {"claims": None if counts is None else {d: counts[vendor, d] for d in dimensions}}
