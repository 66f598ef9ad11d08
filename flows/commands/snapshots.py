"""Commands over the pages as they were kept: snapshots list, show, diff, export and check."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.commands.examples import examples
from flows.commands.options import HomeOption, Shown, ledger_to_read, put, write_file
from flows.printing import counted, out, say
from schemas.errors import KoujingError

snapshots = typer.Typer(help="Look at the pages as they were kept, and hand them on.", no_args_is_help=True)

NameArgument = Annotated[
    str, typer.Argument(metavar="SOURCE|HASH", help="A source's id (its newest page), or a hash's beginning.")
]


@snapshots.command("list", epilog=examples("snapshots list"))
def list_snapshots(
    context: typer.Context,
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]…", help="Only the pages of these.")
    ] = None,
    form: Annotated[Shown, typer.Option("--format")] = Shown.TABLE,
    home: HomeOption = None,
) -> None:
    """List every page that was kept, oldest first."""
    from flows.kept_pages import kept_pages

    pages = kept_pages(ledger_to_read(context, home), sources or ())
    rows = [(p.source_id, p.fetched_at, p.sha256[:12], p.size, p.encoding, p.url) for p in pages]
    put(("source", "fetched_at", "hash", "bytes", "charset", "url"), rows, form.value, numeric=("bytes",))


@snapshots.command("show", epilog=examples("snapshots show"))
def show(
    context: typer.Context,
    name: NameArgument,
    text: Annotated[bool, typer.Option("--text", help="Print the visible text as it is read.")] = False,
    body: Annotated[
        Path | None, typer.Option("--body", metavar="FILE", help="Write the bytes as they came to a file.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Show a kept page: where it was found and how, what its server said, and as which charset it was read."""
    from flows.kept_pages import find_page, text_of
    from warehouse.snapshots import load

    place = ledger_to_read(context, home)
    page = find_page(place, name)
    if body is not None:
        write_file(body, load(place, page.sha256))
        out(f"{page.sha256} in {body}, {page.size} bytes")
        return
    if text:
        for line in text_of(place, page).splitlines():
            out(line)
        return
    rows: list[tuple[str, object]] = [
        ("source", page.source_id),
        ("sha256", page.sha256),
        ("fetched_at", page.fetched_at),
        ("url", page.url),
        *(("redirected", f"{hop.status} from {hop.url}") for hop in page.redirects),
        ("http_status", page.http_status or None),
        ("bytes", page.size),
        ("rendered", "by a browser" if page.rendered else None),
        ("charset", f"{page.encoding} (by {page.encoding_from})" if page.encoding else None),
        *(("charset_note", note) for note in page.encoding_notes),
        *((f"header {key}", value) for key, value in sorted(page.headers.items())),
    ]
    put(("what", "value"), [row for row in rows if row[1] is not None], "table")


@snapshots.command("diff", epilog=examples("snapshots diff"))
def diff(
    context: typer.Context,
    name: NameArgument,
    other: Annotated[
        str | None,
        typer.Argument(metavar="[SOURCE|HASH]", help="Default: the source's last page before that differs."),
    ] = None,
    home: HomeOption = None,
) -> None:
    """Show which visible text differs between two kept pages; with one name, what its source changed last."""
    from flows.kept_pages import difference, find_page, last_two

    place = ledger_to_read(context, home)
    if other is None:
        before, after = last_two(place, find_page(place, name).source_id)
    else:
        before, after = find_page(place, name), find_page(place, other)
    lines = list(difference(place, before, after))
    for line in lines:
        out(line)
    if not lines:
        say("the visible text is the same")


@snapshots.command("export", epilog=examples("snapshots export"))
def export(
    context: typer.Context,
    file: Annotated[
        Path, typer.Option("--warc", metavar="FILE", help="The file; a name ending in .gz is packed.")
    ],
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCE]…", help="Only the pages of these.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Write kept pages into a WARC file, which web archives and their tools read.

    Each page is a record with its server's headers, and one with the way to it, its charset and its source.
    """
    from flows.kept_pages import kept_pages, write_warc

    place = ledger_to_read(context, home)
    pages = kept_pages(place, sources or ())
    if not pages:
        raise KoujingError("no such page is kept; see `koujing snapshots list`")
    out(f"{counted(write_warc(place, pages, file), 'page')} in {file}")


@snapshots.command("check", epilog=examples("snapshots check"))
def check(context: typer.Context, home: HomeOption = None) -> None:
    """Read every kept body and hold it against its hash. Exits with 1 where one is damaged or missing."""
    from flows.kept_pages import check_bodies

    found = check_bodies(ledger_to_read(context, home))
    for what, names in (("damaged", found.damaged), ("missing", found.missing)):
        for name in names:
            say(f"{name} is {what}; the next refresh fetches it if the page is still the same")
    told = f"{counted(found.whole, 'page')} whole"
    if found.unnamed:
        told += f", {len(found.unnamed)} of them of no page in the ledger"
    out(told)
    if not found.is_sound:
        raise KoujingError(f"{len(found.damaged)} damaged, {len(found.missing)} missing")
