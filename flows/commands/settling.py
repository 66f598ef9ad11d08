"""Commands by which a person settles things: resolve, decisions and review."""

from __future__ import annotations

import getpass
import sys
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.keeping import WaitOption
from flows.commands.options import (
    HomeOption,
    ShownRows,
    VendorOption,
    home_to_write,
    known_vendor,
    put,
    put_text,
)
from flows.commands.options import ledger_to_read as to_read
from flows.printing import as_json, counted, out, out_text, say
from schemas.errors import KoujingError

if TYPE_CHECKING:
    from flows.deciding import Settled
    from schemas.decision import Decision, DecisionKind
    from warehouse.home import Home

WhoOption = Annotated[
    str,
    typer.Option(
        "--who", metavar="NAME", help="Who says so; kept with the decision. Default: your login name."
    ),
]
NoteOption = Annotated[str, typer.Option("--note", metavar="TEXT", help="Why; kept with the decision.")]
FlagArgument = Annotated[
    str,
    typer.Argument(
        metavar="FLAG", help="The flag's id, as `koujing flags --format jsonl` gives it; or CLAIM_KEY:claim."
    ),
]


class Log(StrEnum):
    """What `koujing decisions log` lists."""

    ALL = "all"
    CONFLICTS = "conflicts"
    REOPENED = "reopened"
    WAITING = "waiting"


decisions = typer.Typer(help="What people decided: list it, take it back, pass it on.", no_args_is_help=True)
review = typer.Typer(help="Settle open flags one after the other, in this terminal or in a browser.")


def resolve(
    context: typer.Context,
    flag: FlagArgument,
    reading: Annotated[
        str, typer.Option("--reading", metavar="KEY", help="Which of its readings holds.")
    ] = "",
    correct: Annotated[
        list[str] | None,
        typer.Option(
            "--correct",
            metavar="FIELD=TEXT",
            help="Correct the claim: value, basis, direction…; may be repeated.",
        ),
    ] = None,
    source: Annotated[
        str,
        typer.Option("--source", metavar="TEXT", help="Where a value is from that the quote does not hold."),
    ] = "",
    reject: Annotated[
        bool, typer.Option("--reject", help="The claim is none: nothing rests on it any more.")
    ] = False,
    unsure: Annotated[
        bool, typer.Option("--unsure", help="You looked and cannot tell; it stays open.")
    ] = False,
    ask: Annotated[
        bool,
        typer.Option("--ask-vendor", help="Only the vendor can tell; it comes first in `koujing questions`."),
    ] = False,
    who: WhoOption = "",
    note: NoteOption = "",
    version: Annotated[
        int | None,
        typer.Option("--version", metavar="N", help="Refuse where the claim is no longer at this version."),
    ] = None,
    wait: WaitOption = 0,
    home: HomeOption = None,
) -> None:
    """Say what an open flag means, or that its claim is wrong. What rests on it is ranked again at once.

    The decision is kept with your name, and holds on later visits while the words, their headers and what is said
    beside them stay the same. `koujing decisions undo` takes it back; nothing is ever deleted.
    """
    from flows.deciding import decide
    from flows.own_cards import cards_of
    from schemas.decision import DecisionKind, Seen

    chosen = {
        DecisionKind.READING: bool(reading),
        DecisionKind.CORRECTED: bool(correct),
        DecisionKind.REJECTED: reject,
        DecisionKind.UNSURE: unsure,
        DecisionKind.ASK_VENDOR: ask,
    }
    kinds = [kind for kind, given in chosen.items() if given]
    if len(kinds) != 1:
        raise typer.BadParameter(
            "give exactly one of --reading, --correct, --reject, --unsure and --ask-vendor",
            param_hint="--reading",
        )
    decision = _decision(flag, kinds[0], reading, correct or [], source, _name(who), note)
    place = home_to_write(context, home, wait)
    seen = None if version is None else Seen(version=version, decision_id=_last_decision(place, decision))
    done = decide(
        place, [(decision, seen)], lambda: datetime.now(UTC), cards=cards_of(place), wait_seconds=wait
    )
    out(f"decision {done.decisions[0]}: {decision.flag_id} {reading or kinds[0].value.replace('_', ' ')}")
    tell(done)


def tell(done: Settled) -> None:
    """Says what a decision did to rankings and how much is left."""
    from flows.derived_report import span

    for found in done.rederived:
        standings = found.evaluation.standings
        told = ", ".join(f"{span(str(s.best), str(s.worst))} {s.vendor}" for s in standings[:5])
        out(f"ranked again: {found.card.name.en} ({found.card.id}): {told}")
    if not done.rederived:
        out("no derived ranking rests on it")
    out(f"{counted(done.open_flags, 'flag')} left open")


@decisions.command("log")
def log(
    context: typer.Context,
    which: Annotated[
        Log, typer.Argument(metavar="[WHICH]", help="all, conflicts, reopened or waiting.")
    ] = Log.ALL,
    form: Annotated[ShownRows, typer.Option("--format")] = ShownRows.TABLE,
    home: HomeOption = None,
) -> None:
    """List every decision, or those that contradict each other, hold no longer, or wait for their claim."""
    from flows import published

    queries = {
        Log.ALL: "SELECT decision_id, decided_at, who, flag_id, version, kind, reading, corrections, note, undoes, "
        "carried_from FROM stored.decisions ORDER BY decision_id",
        Log.CONFLICTS: "SELECT flag_id, who, kind, reading, decided_at, holds, note FROM decision_conflicts",
        Log.REOPENED: "SELECT flag_id, who, kind, reading, decided_at, changed, quote_before, quote_now, note "
        "FROM reopened",
        Log.WAITING: "FROM waiting_decisions",
    }
    rows = list(published.rows(to_read(context, home), queries[which]))
    if not rows:
        say("nothing was decided yet" if which is Log.ALL else "there is none")
        return
    if form in (ShownRows.JSON, ShownRows.JSONL):
        out_text(
            "".join(f"{as_json(row)}\n" for row in rows)
            if form is ShownRows.JSONL
            else f"{as_json(rows, indent=2)}\n"
        )
        return
    columns = tuple(rows[0])
    put(
        columns,
        [tuple(row.values()) for row in rows],
        "csv" if form is ShownRows.CSV else "table",
        numeric=("decision_id", "version"),
    )


@decisions.command("undo")
def undo(
    context: typer.Context,
    flag: FlagArgument,
    who: WhoOption = "",
    note: NoteOption = "",
    wait: WaitOption = 0,
    home: HomeOption = None,
) -> None:
    """Take back what holds of a flag (or of a claim: CLAIM_KEY:claim), so that it is open again."""
    from flows.deciding import undo as take_back
    from flows.own_cards import cards_of

    place = home_to_write(context, home, wait)
    done = take_back(
        place, [flag], _name(who), note, lambda: datetime.now(UTC), cards=cards_of(place), wait_seconds=wait
    )
    out(f"{flag}: open again")
    tell(done)


@decisions.command("export")
def export(
    context: typer.Context,
    file: Annotated[
        Path | None, typer.Argument(metavar="[FILE]", help="Written there instead of to stdout.")
    ] = None,
    home: HomeOption = None,
) -> None:
    """Write every decision as a line of JSON, oldest first, for a team to keep in git and import elsewhere."""
    from flows.deciding import exported

    lines = exported(to_read(context, home))
    put_text("".join(f"{line.model_dump_json()}\n" for line in lines), file)
    if file is not None:
        say(f"{counted(len(lines), 'decision')} in {file}")


@decisions.command("import")
def take_in(
    context: typer.Context,
    file: Annotated[str, typer.Argument(metavar="FILE", help="What export wrote; - reads from stdin.")],
    wait: WaitOption = 0,
    home: HomeOption = None,
) -> None:
    """Take in decisions that are not here yet. One that finds no claim waits, and is tried after each refresh."""
    from flows.deciding import take_in as store
    from flows.own_cards import cards_of
    from review.lines import read_lines

    try:
        text = sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise KoujingError(f"{file} cannot be read ({error}); give a file that export wrote") from None
    lines = read_lines(text, file)
    place = home_to_write(context, home, wait)
    done = store(place, lines, lambda: datetime.now(UTC), cards=cards_of(place), wait_seconds=wait)
    out(f"{done.stored} stored, {done.known} known before, {len(done.waiting)} waiting")
    for line, why in done.waiting:
        say(f"{line.claim_key}:{line.flag} of {line.who} waits: {why}")


@review.callback(invoke_without_command=True)
def review_here(
    context: typer.Context,
    vendor: VendorOption = None,
    who: WhoOption = "",
    wait: WaitOption = 0,
    home: HomeOption = None,
) -> None:
    """Settle flags in this terminal: j and k move, 1 to 9 choose a reading, s not sure, a ask the vendor, u undo, q end.

    Works over SSH. Where stdin is no terminal, each key is read from a line.
    """
    if context.invoked_subcommand is not None:
        return
    from flows.terminal_review import run

    run(home_to_write(context, home, wait), _name(who), known_vendor(vendor), wait)


@review.command("serve")
def serve(
    context: typer.Context,
    host: Annotated[
        str, typer.Option("--host", help="Where to listen; beyond this machine a login is needed.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="0 takes a free one.")] = 8390,
    users: Annotated[
        Path | None,
        typer.Option("--users", metavar="FILE", help="Who may log in; see `koujing review user`."),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option("--host-name", metavar="NAME", help="A name under which browsers ask for it."),
    ] = None,
    proxy_header: Annotated[
        str,
        typer.Option(
            "--proxy-header", metavar="NAME", help="The header in which a proxy names who logged in there."
        ),
    ] = "",
    proxies: Annotated[
        list[str] | None,
        typer.Option("--proxy", metavar="ADDRESS", help="The proxy's address; no other is believed."),
    ] = None,
    reviewers: Annotated[
        list[str] | None,
        typer.Option("--reviewer", metavar="NAME", help="Who, of those the proxy names, may decide."),
    ] = None,
    https: Annotated[
        bool, typer.Option("--https", help="Browsers reach it by https, through a proxy.")
    ] = False,
    who: WhoOption = "",
    wait: WaitOption = 30,
    home: HomeOption = None,
) -> None:
    """Open the review desk in a browser. Only this machine reaches it, unless you say otherwise and who may log in."""
    from flows.review_desk import serve as run
    from review.web.guard import Access, is_loopback
    from review.web.users import Doorkeeper, read_users

    if proxy_header and not proxies:
        raise typer.BadParameter("say with --proxy which address is believed", param_hint="--proxy-header")
    if users is None and not proxy_header and not is_loopback(host):
        raise typer.BadParameter(
            f"{host} is reached from other machines; give --users FILE, or --proxy-header and --proxy",
            param_hint="--host",
        )
    access = Access(
        local_name=_name(who),
        hosts=frozenset(name.lower() for name in names or ()),
        door=Doorkeeper(read_users(users)) if users else None,
        proxy_header=proxy_header,
        proxies=frozenset(proxies or ()),
        reviewers=frozenset(reviewers or ()),
        https=https,
    )
    run(home_to_write(context, home, wait), access, host, port, wait)


@review.command("user")
def user(
    name: Annotated[str, typer.Argument(metavar="NAME")],
    role: Annotated[str, typer.Option("--role", help="reader or reviewer.")] = "reviewer",
) -> None:
    """Ask for a password and print the lines of a users file, in which only its hash stands."""
    from review.web.users import hashed

    if role not in ("reader", "reviewer"):
        raise typer.BadParameter(f"{role!r} is neither reader nor reviewer", param_hint="--role")
    password = sys.stdin.readline().rstrip("\n") if not sys.stdin.isatty() else getpass.getpass()
    if len(password) < 10:
        raise KoujingError("the password is too short; take ten characters or more")
    out_text(f"users:\n  - {{name: {as_json(name)}, role: {role}, password: {as_json(hashed(password))}}}\n")


def _decision(
    flag: str, kind: DecisionKind, reading: str, correct: list[str], source: str, who: str, note: str
) -> Decision:
    from pydantic import ValidationError

    from schemas.decision import WHOLE_CLAIM, Decision, DecisionKind

    key, _, name = flag.rpartition(":")
    if not key:
        raise typer.BadParameter(f"{flag!r} is no flag's id; one looks like CLAIM_KEY:basis_unspecified")
    if kind in (DecisionKind.CORRECTED, DecisionKind.REJECTED):
        name = WHOLE_CLAIM
    corrections = {}
    for each in correct:
        field, equals, text = each.partition("=")
        if not equals:
            raise typer.BadParameter(f"{each!r} is not FIELD=TEXT", param_hint="--correct")
        corrections[field.strip()] = text
    try:
        return Decision(
            claim_key=key,
            flag=name,
            kind=kind,
            reading=reading,
            corrections=corrections,
            source=source,
            who=who,
            note=note,
        )
    except ValidationError as error:
        raise KoujingError(str(error.errors()[0]["msg"]).removeprefix("Value error, ")) from None


def _name(who: str) -> str:
    if who.strip():
        return who.strip()
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        raise typer.BadParameter("give the name of who decides", param_hint="--who") from None


def _last_decision(place: Home, decision: Decision) -> int:
    from flows import published

    rows = published.rows(
        place, "SELECT claim_key, name, max(decision_id) AS last FROM stored.decisions GROUP BY ALL"
    )
    return next(
        (r["last"] for r in rows if (r["claim_key"], r["name"]) == (decision.claim_key, decision.flag)), 0
    )
