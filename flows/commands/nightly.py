"""Commands of the nightly refresh: serve it, and say when it runs."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.commands.examples import examples
from flows.commands.options import HomeOption, chosen_home, put
from flows.commands.visiting import ContactOption, default_list

nightly = typer.Typer(help="Run the refresh every night by Prefect's scheduler.", no_args_is_help=True)

CronOption = Annotated[
    str,
    typer.Option(
        "--cron", metavar="CRON", help="When, as five fields of cron: minute, hour, day, month, weekday."
    ),
]
ZoneOption = Annotated[
    str,
    typer.Option(
        "--timezone", metavar="ZONE", help="In whose clock, such as Asia/Shanghai or Europe/Berlin."
    ),
]


@nightly.command("serve", epilog=examples("nightly serve"))
def serve(
    context: typer.Context,
    listed: Annotated[
        str | None,
        typer.Option(
            "--sources", metavar="FILE|demo|vendors", help="Default: the home's sources.yaml, else vendors."
        ),
    ] = None,
    cron: CronOption = "0 3 * * *",
    timezone: ZoneOption = "Asia/Shanghai",
    contact: ContactOption = "",
    port: Annotated[
        int, typer.Option("--port", min=1, max=65535, help="Where its own Prefect server listens.")
    ] = 4200,
    home: HomeOption = None,
) -> None:
    """Refresh every night until it is ended, and rank again where claims changed otherwise.

    With PREFECT_API_URL runs are scheduled by that server; without one a server is started on loopback, whose pages
    show schedule, runs and artifacts. Each date has one run, also where clocks are put forward or back.
    """
    from flows.running import prepare
    from flows.serving import coming, serve_nightly
    from flows.sources import find_sources
    from warehouse.home import open_home

    place = open_home(chosen_home(context, home))
    name = listed or default_list(place)
    find_sources(name)
    prepare(place.root)
    coming(cron, timezone, 1)
    serve_nightly(place.root, name, cron=cron, timezone=timezone, contact=contact, port=port)


@nightly.command("when", epilog=examples("nightly when"))
def when(
    cron: CronOption = "0 3 * * *",
    timezone: ZoneOption = "Asia/Shanghai",
    count: Annotated[int, typer.Option("--count", min=1, max=366, help="How many.")] = 7,
    after: Annotated[
        str, typer.Option("--after", metavar="DATE", help="From this day on. Default: now.")
    ] = "",
) -> None:
    """Print when the coming runs start, in the schedule's own clock and in UTC."""
    from datetime import UTC, datetime

    from flows.serving import coming

    try:
        start = datetime.fromisoformat(after).replace(tzinfo=UTC) if after else None
    except ValueError:
        raise typer.BadParameter(
            f"{after!r} is no date; write it like 2026-10-25", param_hint="--after"
        ) from None
    rows = [(f"{m:%Y-%m-%d %H:%M %z}", m.astimezone(UTC)) for m in coming(cron, timezone, count, start)]
    put(("local", "utc"), rows, "table")
