"""Commands that visit pages: refresh, demo, and the source lists they read."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from flows.commands.examples import examples
from flows.commands.options import HomeOption, chosen_home, known_vendor, put
from flows.printing import counted, heading, out, say
from schemas.errors import FetchError, KoujingError

if TYPE_CHECKING:
    from flows.summary import RunSummary
    from flows.visitor import Visitor
    from warehouse.home import Home

ListArgument = Annotated[
    str | None,
    typer.Argument(metavar="[FILE|vendors|demo]", help="Default: the home's sources.yaml, else vendors."),
]
LoopbackOption = Annotated[
    bool, typer.Option("--allow-loopback", help="Also visit a server of this machine, for trying things out.")
]
ContactOption = Annotated[
    str,
    typer.Option(
        "--contact",
        metavar="URL|MAIL",
        help=(
            "Tell the sites where to reach you, in User-Agent. Without it they are told the name and version "
            "of Koujing only."
        ),
    ),
]

sources = typer.Typer(help="Look at, extend and check the lists of pages to watch.", no_args_is_help=True)


def refresh(
    context: typer.Context,
    listed: Annotated[
        str | None,
        typer.Option(
            "--sources",
            metavar="FILE|demo|vendors",
            help="The pages to visit. Default: the home's sources.yaml, else vendors.",
        ),
    ] = None,
    label: Annotated[str, typer.Option("--label", help="A name for this run.")] = "",
    contact: ContactOption = "",
    allow_loopback: LoopbackOption = False,
    wait: Annotated[
        float, typer.Option("--wait", metavar="SECONDS", min=0, help="Wait so long for another run to end.")
    ] = 0,
    home: HomeOption = None,
) -> None:
    """Visit every source once, store what changed, and rank again what that touches.

    Pages whose bytes are the same are not read again. A page that fails is recorded with its reason, and the
    run goes on; where no page at all could be fetched, the command fails.
    """
    from flows.running import run
    from flows.standing_report import print_standing
    from warehouse.home import open_home

    place = open_home(chosen_home(context, home))
    name = listed or default_list(place)
    say(f"sources: {name}; home: {place.root}")
    if name == "demo":
        from flows.demo_server import DemoServer, demo_layers

        say("the demo's pages, as on their second day, are served on this machine for this run")
        with DemoServer(demo_layers(2)) as site:
            summary = run(
                place.root,
                name,
                label=label,
                base_url=site.base_url,
                allow_loopback=True,
                wait_seconds=wait,
            )
    else:
        summary = run(
            place.root,
            name,
            label=label,
            contact=contact,
            allow_loopback=allow_loopback,
            wait_seconds=wait,
        )
    _print_summary(summary)
    print_standing(place)
    if summary.pages and all(page.status == "failed" for page in summary.pages):
        raise KoujingError("no page could be fetched; the reasons stand above")


def default_list(home: Home) -> str:
    """The home's own source list where there is one, else the one of real vendors that ships."""
    own = home.root / "sources.yaml"
    return str(own) if own.exists() else "vendors"


def _print_summary(summary: RunSummary) -> None:
    from flows.commands.asking import metric_of
    from flows.commands.models import put_asked, put_left_undone
    from flows.progress import told_hold
    from schemas.source import FetchStatus

    first = sum(page.first_visit and page.status is FetchStatus.CHANGED for page in summary.pages)
    changed = summary.visits(FetchStatus.CHANGED) - first
    out(
        f"run {summary.run_id}, {counted(len(summary.pages), 'page')}: {first} read for the first time, "
        f"{changed} changed, "
        f"{summary.visits(FetchStatus.UNCHANGED)} unchanged, {summary.visits(FetchStatus.GONE)} gone, "
        f"{summary.visits(FetchStatus.FAILED)} failed, {summary.unread} could not be read"
    )
    put_asked(summary.asked)
    put_left_undone(summary.pages)
    for hold in summary.held:
        say(f"{hold.source_id} is held: {told_hold(hold)[6:]}; see `koujing held`")
    rows = []
    for change in summary.news:
        claim = change.after or change.before
        rows.append(
            (
                claim.vendor if claim else None,
                metric_of(claim),
                change.kind.value,
                change.before.text_value if change.before else None,
                change.after.text_value if change.after else None,
                change.source_id,
            )
        )
    if rows:
        heading("Changed claims")
        put(("vendor", "metric", "kind", "before", "after", "source"), rows, "table")
    for card in summary.reranked:
        why = "for the first time" if card.first else f"touched in {', '.join(card.touched)}"
        out(
            f"ranked {card.scorecard} ({why}); {counted(len(card.proposals), 'proposal')}; see `koujing rank`"
        )


def demo(
    context: typer.Context,
    keep: Annotated[
        bool, typer.Option("--keep", help="Go on serving the pages afterwards, until Ctrl-C.")
    ] = False,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Empty the demo's folder first, so that both days run again.")
    ] = False,
    home: HomeOption = None,
) -> None:
    """Watch eight vendors' demo pages over two days, and see what Koujing makes of the change.

    The pages are served on this machine; everything else is what a real refresh does. Results are kept in the
    folder demo of the home (or in the --home given), and a second demo reuses them.
    """
    from flows.demo import run_demo

    run_demo(chosen_home(context, home), keep=keep, fresh=fresh)


@sources.command("list", epilog=examples("sources list"))
def list_sources(context: typer.Context, listed: ListArgument = None, home: HomeOption = None) -> None:
    """Print the sources of a list."""
    from flows.sources import find_sources
    from warehouse.home import open_home

    name = listed or default_list(open_home(chosen_home(context, home), for_writing=False))
    rows = [(s.id, s.vendor, s.product, s.tier, s.language, s.url, s.title) for s in find_sources(name)]
    put(("id", "vendor", "product", "tier", "language", "url", "title"), rows, "table")


@sources.command("add", epilog=examples("sources add"))
def add(
    context: typer.Context,
    url: Annotated[str, typer.Argument(metavar="URL", help="The page to watch.")],
    file: Annotated[
        Path | None,
        typer.Option("--to", metavar="FILE", help="The list. Default: sources.yaml in the home."),
    ] = None,
    source_id: Annotated[str | None, typer.Option("--id", help="Its name in the ledger, for good.")] = None,
    vendor: Annotated[str | None, typer.Option("--vendor", metavar="ID", help="Whose page it is.")] = None,
    product: Annotated[str | None, typer.Option("--product", metavar="ID", help="What it is about.")] = None,
    tier: Annotated[
        Literal["T1", "T2", "T3", "T4"] | None,
        typer.Option("--tier", help="T1 product page, T2 docs or paper, T3 who measured, T4 who repeats."),
    ] = None,
    visit: Annotated[
        bool, typer.Option("--visit/--no-visit", help="Fetch the page to learn its title and language.")
    ] = True,
    every: Annotated[
        str, typer.Option("--every", metavar="12h|1d|2w", help="Visit it no more often than that.")
    ] = "",
    render: Annotated[
        Literal["auto", "never", "always"],
        typer.Option(
            "--render",
            help="Whether a browser runs its scripts: auto, where it is an empty shell without them.",
        ),
    ] = "auto",
    depth: Annotated[
        int, typer.Option("--depth", min=0, max=5, help="Also the pages below it, so many links away.")
    ] = 0,
    pages: Annotated[int, typer.Option("--pages", min=1, max=1000, help="At most so many of those.")] = 50,
    contact: ContactOption = "",
    allow_loopback: LoopbackOption = False,
    home: HomeOption = None,
) -> None:
    """Add a page to a source list, which is made when it is missing.

    What is not given is taken from the address and the page, its Markdown twin too. A page that cannot be fetched is not added,
    unless --no-visit adds it unseen.
    """
    known_vendor(vendor)
    from flows.source_file import add_source
    from flows.sources import check_fetched, propose
    from schemas.source import Scope
    from warehouse.home import open_home

    if not url.startswith(("http://", "https://")):
        raise typer.BadParameter(
            f"not an http or https address: {url}; to read a file use koujing extract", param_hint="URL"
        )
    given = partial(
        propose,
        url,
        source_id=source_id,
        vendor=vendor,
        product=product,
        tier=tier,
        every=every,
        render=render,
        crawl=Scope(depth=depth, pages=pages) if depth else None,
    )
    source = given()
    _refuse_inner(url, visit=visit, allow_loopback=allow_loopback)
    path = file or open_home(chosen_home(context, home)).root / "sources.yaml"
    told = ""
    if visit:
        with _visiting(contact, allow_loopback) as visitor:
            fetched = visitor.fetch(source, None)
        if fetched.body is None:
            reason = fetched.visit.reason or fetched.visit.status.value
            raise KoujingError(f"{url} is not added: {reason}; --no-visit adds it unseen")
        source = given(fetched)
        found = check_fetched(source, fetched)
        told = f"; it states {counted(found.claims or 0, 'claim')} now"
        if found.status == "script_only":
            told = f"; it says nothing without its scripts: {found.reason}"
        elif found.reason:
            told = f"; {found.reason}"
    added = add_source(path, source)
    twin = f", read as {added.twin}" if added.twin else ""
    out(f"added {added.id} ({added.vendor or 'no known vendor'}, {added.tier}){twin} to {path}{told}")


@contextmanager
def _visiting(contact: str, allow_loopback: bool) -> Iterator[Visitor]:
    """What visits pages as a refresh does."""
    from flows.fetch import Fetcher
    from flows.proxy import proxy_of_environment
    from flows.visitor import Visitor

    with (
        Fetcher(contact=contact, allow_loopback=allow_loopback, proxy=proxy_of_environment()) as fetcher,
        Visitor(fetcher, contact=contact) as visitor,
    ):
        yield visitor


def _refuse_inner(url: str, *, visit: bool, allow_loopback: bool) -> None:
    """Refuses an address that no refresh would visit: of this machine without leave, or of a private network.

    Without a visit no name is looked up: then only addresses written as numbers, and localhost, are known.
    """
    from flows.addresses import resolve, system_lookup

    lookup = system_lookup if visit else _without_asking
    try:
        resolve(url, allow_loopback=allow_loopback, lookup=lookup)
        return
    except FetchError as error:
        if error.retry:  # it has no address now; the visit tells, and may try again
            return
        reason = str(error)
    try:
        resolve(url, allow_loopback=True, lookup=lookup)
    except FetchError:
        raise KoujingError(
            f"{url} is not added: {reason} (--allow-loopback is for this machine's own addresses only)"
        ) from None
    raise KoujingError(f"{url} is not added: it is on this machine; give --allow-loopback to watch it")


def _without_asking(host: str, port: int) -> list[str]:  # noqa: ARG001 - called as a resolver is
    local = host == "localhost" or host.endswith(".localhost")
    return ["127.0.0.1" if local else "1.1.1.1"]  # any other name is taken for a public host


@sources.command("remove", epilog=examples("sources remove"))
def remove(
    context: typer.Context,
    source_id: Annotated[str, typer.Argument(metavar="ID", help="As `koujing sources list` shows it.")],
    file: Annotated[
        Path | None,
        typer.Option("--from", metavar="FILE", help="The list. Default: sources.yaml in the home."),
    ] = None,
    home: HomeOption = None,
) -> None:
    """Take a page out of a source list. The rest of the file stays as it is, and so does the ledger."""
    from flows.source_file import remove_source
    from warehouse.home import open_home

    path = file or open_home(chosen_home(context, home), for_writing=False).root / "sources.yaml"
    removed = remove_source(path, source_id)
    out(f"removed {removed.id} ({removed.url}) from {path}")


@sources.command("check", epilog=examples("sources check"))
def check(
    context: typer.Context,
    listed: ListArgument = None,
    contact: ContactOption = "",
    allow_loopback: LoopbackOption = False,
    home: HomeOption = None,
) -> None:
    """Visit every source of a list once, and tell which can be watched. Nothing is stored.

    Told apart: reachable, moved, no_claims (it states nothing that is read), script_only (it says nothing without
    its scripts), disallowed, gone, failed. Exits with 1 where a page cannot be watched: one of the last four.
    """
    from flows.sources import WATCHABLE, check_sources, find_sources
    from warehouse.home import open_home

    name = listed or default_list(open_home(chosen_home(context, home), for_writing=False))
    with _visiting(contact, allow_loopback) as visitor:
        found = check_sources(visitor, find_sources(name))
    rows = [(c.source_id, c.status, c.http_status, c.claims, c.found_at, c.reason) for c in found]
    put(("id", "status", "http", "claims", "found_at", "reason"), rows, "table", numeric=("claims",))
    if bad := sum(c.status not in WATCHABLE for c in found):
        raise KoujingError(f"{bad} of {len(found)} sources cannot be watched")
