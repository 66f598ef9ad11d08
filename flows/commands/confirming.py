"""Commands about published scores whose claims changed: proposals and confirm."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.keeping import WaitOption
from flows.commands.options import HomeOption, Shown, command_name, home_to_write, ledger_to_read, put
from flows.printing import out, say
from schemas.record import plain

if TYPE_CHECKING:
    from schemas.ranking import DimensionScore, Proposal
    from schemas.scorecard import Scorecard
    from warehouse.home import Home


def proposals(
    context: typer.Context,
    form: Annotated[Shown, typer.Option("--format")] = Shown.TABLE,
    home: HomeOption = None,
) -> None:
    """List the published scores whose claims changed, with the score that is proposed and why.

    They stand until a person says a word: `koujing confirm`.
    """
    place = ledger_to_read(context, home)
    listed = list(_listed(place))
    if listed or form is Shown.JSON:
        rows = [
            (
                card.id,
                score.vendor,
                score.dimension,
                plain(score.score),
                plain(found.proposed) if found else None,
                found.reason if found else "no proposal follows from the claims that changed",
            )
            for card, score, found in listed
        ]
        columns = ("scorecard", "vendor", "dimension", "standing", "proposed", "why")
        put(columns, rows, form.value, numeric=("standing", "proposed"))
    if not listed:
        say("no published score rests on a claim that changed")
    elif form is Shown.TABLE:
        card, score, _ = listed[0]
        words = f"confirm {score.vendor} {score.dimension} --scorecard {card.id} --who NAME"
        out(f"Accept a proposal, keep the score (--keep) or give another (--score): {command_name()} {words}")


def _listed(place: Home) -> list[tuple[Scorecard, DimensionScore, Proposal | None]]:
    from flows import published
    from flows.confirming import open_proposals
    from flows.own_cards import cards_of
    from warehouse.score_words import with_words

    words = published.score_words(place)
    found = []
    for card in (with_words(card, words) for card in cards_of(place)):
        offered = {(p.vendor, p.dimension): p for p in open_proposals(place, card)}
        for score in published.stale_scores(place, card.id):
            entry = card.editorial.get(score.vendor, {}).get(score.dimension)
            if entry is not None and entry.score == score.score:
                found.append((card, score, offered.get((score.vendor, score.dimension))))
    return found


def confirm(
    context: typer.Context,
    vendor: Annotated[str, typer.Argument(metavar="VENDOR")],
    dimension: Annotated[str, typer.Argument(metavar="DIMENSION")],
    scorecard: Annotated[str, typer.Option("--scorecard", metavar="ID", help="The scorecard of the score.")],
    who: Annotated[str, typer.Option("--who", help="Who says so; kept with the score.")],
    score: Annotated[
        str | None, typer.Option("--score", metavar="NUMBER", help="This score, and not the proposed one.")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="The score stands as it is.")] = False,
    note: Annotated[str, typer.Option("--note", help="Why; kept with the score.")] = "",
    wait: WaitOption = 0,
    home: HomeOption = None,
) -> None:
    """Say which score holds now that the claims under a published one have changed. Without options: the proposed one.

    The card is ranked anew. The score is asked about again only when one of its claims changes again; what was said
    before stays in the ledger (`koujing sql "FROM score_words"`).
    """
    if not who.strip():
        raise typer.BadParameter("give the name of who decides", param_hint="--who")
    if keep and score is not None:
        raise typer.BadParameter("either the score stands or another holds", param_hint="--keep")
    from flows.confirming import confirm as keep_word
    from flows.own_cards import cards_of

    ledger_to_read(context, home)  # says where the demo's ledger is, where only that one exists
    place = home_to_write(context, home, wait)
    word, ranked = keep_word(
        place,
        scorecard,
        vendor,
        dimension,
        _number(score),
        lambda: datetime.now(UTC),
        cards=cards_of(place),
        who=who,
        note=note,
        keep=keep,
        wait_seconds=wait,
    )
    said = f"{plain(word.score)} stands" if word.score == word.standing else (
        f"{plain(word.standing)} → {plain(word.score)}"
    )  # fmt: skip
    spot = next(p for p in ranked.standing.placements if p.vendor == vendor)
    out(f"{scorecard}: {vendor}, {dimension}: {said}; {vendor} is at rank {spot.rank} with {spot.shown}")


def _number(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        number = Decimal(text.strip())
    except InvalidOperation:
        number = Decimal("NaN")
    if not number.is_finite():
        raise typer.BadParameter(f"{text!r} is no number such as 4.6", param_hint="--score")
    if int(number.as_tuple().exponent) < -4:
        raise typer.BadParameter("a score has four decimal places at most", param_hint="--score")
    return number
