"""Commands for whoever keeps a nightly refresh running: status, doctor, digest."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Literal

import typer

from flows.commands.options import HomeOption, Shown, home_to_read, ledger_to_read, put
from flows.printing import as_json, out, out_text, say
from schemas.errors import KoujingError


def status(
    context: typer.Context,
    as_object: Annotated[bool, typer.Option("--json", help="Print it as a JSON object.")] = False,
    prometheus: Annotated[
        bool, typer.Option("--prometheus", help="Print it as Prometheus reads it.")
    ] = False,
    serve: Annotated[
        int | None,
        typer.Option(
            "--serve", metavar="PORT", min=0, max=65535, help="Answer /metrics on loopback, until ended."
        ),
    ] = None,
    home: HomeOption = None,
) -> None:
    """Say how the home does: when a refresh last succeeded, what it brought, what is open, held or failing."""
    from flows.status import as_prometheus, metrics_server, status_of

    place = home_to_read(context, home)
    if serve is not None:
        with metrics_server(place, serve, lambda: datetime.now(UTC)) as server:
            say(f"metrics at http://127.0.0.1:{server.server_port}/metrics, until Ctrl-C")
            server.serve_forever()
        return
    found = status_of(place, datetime.now(UTC))
    if prometheus:
        out_text(as_prometheus(found))
    elif as_object:
        out_text(f"{as_json(found.model_dump(), indent=2)}\n")
    else:
        told = found.model_dump(exclude={"last_run"})
        run = found.last_run
        told["last_run"] = (
            f"{run.run_id} {run.label} {run.status}: {run.pages} pages, {run.changed} changed, {run.failed} failed"
            if run
            else None
        )
        put(("what", "value"), list(told.items()), "table")


def doctor(
    context: typer.Context,
    form: Annotated[Shown, typer.Option("--format")] = Shown.TABLE,
    home: HomeOption = None,
) -> None:
    """Look at all that a nightly run needs: versions, home, disk, ledger, sources, model, browser, Prefect.

    Changes nothing. Exits with 1 where something would make a run fail.
    """
    from flows.commands.visiting import default_list
    from flows.doctor import examine

    place = home_to_read(context, home)
    found = examine(place, default_list(place))
    put(("what", "state", "found"), [(f.what, f.state, f.told) for f in found], form.value)
    if bad := [f.what for f in found if f.state == "bad"]:
        raise KoujingError(f"a run would fail: {', '.join(bad)}")


def digest(
    context: typer.Context,
    run: Annotated[
        int | None, typer.Option("--run", metavar="NUMBER", help="Which run. Default: the last.")
    ] = None,
    language: Annotated[
        Literal["zh", "en"] | None, typer.Option("--language", help="Default: en, or as set.")
    ] = None,
    send: Annotated[
        bool, typer.Option("--send", help="Send it to the targets of KOUJING_DIGEST instead.")
    ] = False,
    form: Annotated[
        Literal["text", "markdown", "json"], typer.Option("--format", help="How it is printed.")
    ] = "text",
    home: HomeOption = None,
) -> None:
    """Print what a run brought: changes, moves in the rankings, new questions, failures, held pages.

    After each refresh it goes by itself to the targets of KOUJING_DIGEST, parted by blanks: - (stdout), a file, an
    https address to which JSON is posted, smtp://USER:PASSWORD@HOST:587/?from=A&to=B, or apprise: and one of its
    addresses. KOUJING_DIGEST_LANGUAGE is zh or en; where nothing happened nothing is sent, unless
    KOUJING_DIGEST_ALWAYS=1.
    """
    from flows.telling.channels import TARGETS, tell, telling_from
    from flows.telling.digest import digest_of
    from flows.telling.wording import as_markdown, as_text

    telling = telling_from()
    if language:
        telling = telling.model_copy(update={"language": language})
    found = digest_of(ledger_to_read(context, home), run)
    if send:
        if not telling.targets:
            raise KoujingError(f"{TARGETS} names nobody to send it to")
        if not (found.is_news or telling.always):
            out("nothing happened, and nothing was sent")
        if failures := tell(found, telling):
            raise KoujingError("; ".join(failures))
    elif form == "json":
        out_text(f"{as_json(found.model_dump(), indent=2)}\n")
    else:
        shown = as_markdown if form == "markdown" else as_text
        out_text(shown(found, telling.language, telling.links))
