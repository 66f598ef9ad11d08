"""Commands about the ways to rank: scorecards list and scorecards check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.commands.examples import examples
from flows.commands.options import HomeOption, Shown, home_if_any, put
from flows.printing import counted, out

scorecards = typer.Typer(help="Look at the ways to rank, and check one of your own.", no_args_is_help=True)


@scorecards.command("list", epilog=examples("scorecards list"))
def list_scorecards(
    context: typer.Context,
    form: Annotated[Shown, typer.Option("--format")] = Shown.TABLE,
    home: HomeOption = None,
) -> None:
    """Print the scorecards: those that ship with Koujing, then those of the home's folder `scorecards`.

    `ranks_by`: published scores (editorial), scores that follow from claims (derived), or both; what stands first.
    """
    from flows.own_cards import cards_of
    from warehouse.cards import builtin_cards

    place = home_if_any(context, home)
    shipped = {card.id for card in builtin_cards()}
    rows = [
        (
            card.id,
            card.name.en,
            card.name.zh,
            ", ".join(card.modes),
            len(card.dimensions),
            sum(len(d.criteria) for d in card.dimensions),
            len(card.editorial),
            "koujing" if card.id in shipped else "yours",
        )
        for card in (cards_of(place) if place else builtin_cards())
    ]
    columns = ("id", "name", "名称", "ranks_by", "dimensions", "criteria", "scored_vendors", "from")
    put(columns, rows, form.value, numeric=("dimensions", "criteria", "scored_vendors"))


@scorecards.command("check", epilog=examples("scorecards check"))
def check(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A scorecard, in YAML.")],
    home: HomeOption = None,
) -> None:
    """Tell whether a file is a scorecard that could be added, or which line is wrong and what is allowed there.

    Exits with 1 where it is wrong, or where its id is taken by another scorecard. Nothing is stored.
    """
    from warehouse.cards import check_card

    place = home_if_any(context, home)
    card = check_card(file, place.root / "scorecards" if place else None)
    criteria = sum(len(d.criteria) for d in card.dimensions)
    told = [counted(len(card.dimensions), "dimension")]
    if criteria:
        told.append("1 criterion" if criteria == 1 else f"{criteria} criteria")
    if card.editorial:
        told.append(f"published scores of {counted(len(card.editorial), 'vendor')}")
    ranks = (
        f"ranks by {' and '.join(card.modes)} scores" if card.modes else "ranks nothing: it has weights only"
    )
    out(f"{file}: sound; {card.id}: {', '.join(told)}; {ranks}")
