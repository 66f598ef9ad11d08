"""Commands that keep the ledger in order: held, release, reextract, export, backup and restore."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Literal

import typer

from flows.commands.options import HomeOption, Shown, chosen_home, home_to_write, ledger_to_read, put
from flows.printing import counted, heading, out, say

WaitOption = Annotated[
    float, typer.Option("--wait", metavar="SECONDS", min=0, help="Wait so long for another writer to end.")
]


def held(
    context: typer.Context,
    form: Annotated[Shown, typer.Option("--format")] = Shown.TABLE,
    home: HomeOption = None,
) -> None:
    """List the pages that would have lost most of their claims at once. Nothing is taken from them.

    They come free when the page comes well again, or by `koujing release`.
    """
    from flows import published
    from flows.progress import told_hold

    found = published.held(ledger_to_read(context, home))
    rows = [
        (hold.source_id, hold.reason.value, hold.claims_lost, hold.claims_before, hold.held_at)
        for hold in found
    ]
    if found or form is Shown.JSON:
        columns = ("source", "reason", "would_lose", "of_claims", "held_at")
        put(columns, rows, form.value, numeric=("would_lose", "of_claims"))
    if not found:
        say("nothing is held")
    elif form is Shown.TABLE:
        for hold in found:
            out(f"{hold.source_id}: {told_hold(hold)[6:]}")


def release(
    context: typer.Context,
    source_id: Annotated[str, typer.Argument(metavar="SOURCE", help="As `koujing held` shows it.")],
    who: Annotated[str, typer.Option("--who", help="Who says so; kept with the decision.")],
    keep: Annotated[
        bool, typer.Option("--keep", help="The page is wrong: its claims stand, and it asks nobody again.")
    ] = False,
    note: Annotated[str, typer.Option("--note", help="Why; kept with the decision.")] = "",
    wait: WaitOption = 0,
    home: HomeOption = None,
) -> None:
    """Say what a held page is: right as it came last, so that claims that are not on it are not seen any more.

    With --keep the claims stand as they were. Either way nothing that is stored is deleted.
    """
    if not who.strip():
        raise typer.BadParameter("give the name of who decides", param_hint="--who")
    from flows.own_cards import cards_of
    from flows.releasing import release as end_hold
    from schemas.ledger import ChangeKind, Release

    place = home_to_write(context, home, wait)
    word = Release(accept=not keep, who=who.strip(), note=note)
    changes = end_hold(
        place, source_id, word, lambda: datetime.now(UTC), cards=cards_of(place), wait_seconds=wait
    )
    if keep:
        out(f"{source_id}: its claims stand")
        return
    kinds = {kind: sum(c.kind is kind for c in changes.changes) for kind in ChangeKind}
    told = ", ".join(f"{number} {kind.value.replace('_', ' ')}" for kind, number in kinds.items() if number)
    out(f"{source_id}: accepted as it is; {told or 'no claim changed'}")


def reextract(
    context: typer.Context,
    only: Annotated[
        list[str] | None, typer.Option("--source", metavar="ID", help="Only this page; may be repeated.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also pages that this version of the reader has read.")
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Also where most claims of a page would be lost.")
    ] = False,
    wait: WaitOption = 0,
    home: HomeOption = None,
) -> None:
    """Read the kept pages anew after an upgrade. What comes out otherwise is our correction, not a change.

    Nothing is fetched, and only claims that differ are written. See them with `koujing sql "FROM rereadings"`.
    """
    from flows.commands.asking import metric_of
    from flows.own_cards import cards_of
    from flows.rereading import reextract as replay

    place = home_to_write(context, home, wait)
    done = replay(
        place,
        lambda: datetime.now(UTC),
        cards=cards_of(place),
        only=frozenset(only or ()),
        every=every,
        force=force,
        wait_seconds=wait,
    )
    out(
        f"run {done.run_id}: {counted(len(done.read), 'page')} read anew, {done.current} read by this version "
        f"before; {counted(len(done.changes), 'claim')} read otherwise"
    )
    for source_id in done.missing:
        say(f"{source_id}: its bytes are not kept any more; the next refresh fetches it")
    for source_id, lost, before in done.not_taken:
        say(f"{source_id}: not taken, {lost} of {counted(before, 'claim')} would be lost; --force takes it")
    rows = []
    for change in done.changes:
        claim = change.after or change.before
        rows.append(
            (
                claim.vendor if claim else None,
                metric_of(claim),
                change.kind.value,
                ", ".join(change.fields),
                change.before.text_value if change.before else None,
                change.after.text_value if change.after else None,
                change.source_id,
            )
        )
    if rows:
        heading("Read otherwise")
        put(("vendor", "metric", "kind", "fields", "before", "after", "source"), rows, "table")


def export(
    context: typer.Context,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Made when it is missing.")],
    form: Annotated[Literal["parquet", "csv"], typer.Option("--format")] = "parquet",
    views: Annotated[
        list[str] | None, typer.Option("--view", metavar="NAME", help="Only this view; may be repeated.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Write what was published as one file a view, for other programs."""
    from warehouse.export import export as write

    counts = write(ledger_to_read(context, home), folder, form, tuple(views or ()))
    put(
        ("file", "rows"),
        [(folder / f"{view}.{form}", n) for view, n in counts.items()],
        "table",
        numeric=("rows",),
    )


def backup(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A .tar file; one that is there is replaced.")],
    wait: WaitOption = 0,
    home: HomeOption = None,
) -> None:
    """Put the ledger and all snapshots into one file."""
    from warehouse.backup import backup as write

    size = write(home_to_write(context, home, wait), file, wait_seconds=wait)
    out(f"{file}: {size:,} bytes")


def restore(
    context: typer.Context,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What `koujing backup` made.")],
    home: HomeOption = None,
) -> None:
    """Put a backup into an empty home."""
    from warehouse.backup import restore_backup
    from warehouse.home import open_home

    place = open_home(chosen_home(context, home))
    files, damaged = restore_backup(place, file)
    out(f"{counted(files, 'file')} restored to {place.root}")
    if damaged:
        say(f"{counted(damaged, 'snapshot')} came damaged; the next refresh fetches their pages again")
