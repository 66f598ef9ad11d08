"""The review desk over a home: what it shows, what it stores, and the server that it runs on."""

from __future__ import annotations

import socket
import threading
from collections.abc import Sequence
from datetime import UTC, datetime

import uvicorn

from flows import deciding, published
from flows.own_cards import cards_of
from flows.printing import say
from review.desk import Card, Outcome, State
from review.queue import order
from review.web.app import create_app
from review.web.guard import Access
from review.web.sql_process import ask
from schemas.decision import Decision, Seen
from schemas.errors import KoujingError, LedgerError
from schemas.rubric import OpenFlag
from schemas.scorecard import Scorecard
from warehouse import snapshots
from warehouse.derived import Derived, derived
from warehouse.home import Home
from warehouse.reader import Reader, stamp
from warehouse.uncertainty.worth import worths


class HomeBackend:
    """Reads what is published in a home, and writes to its ledger, one decision after the other."""

    def __init__(self, home: Home, wait_seconds: float = 30) -> None:
        self._home = home
        self._wait = wait_seconds
        self._turn = threading.Lock()
        self._names = {card.id: card for card in cards_of(home)}

    def stamp(self) -> object:
        """What differs after each publishing."""
        return stamp(self._home)

    def load(self) -> State:
        """The newest publishing, made ready. What is published meanwhile has another stamp."""
        mark = stamp(self._home)
        reader = Reader(self._home)
        cards = cards_of(self._home)
        self._names = {card.id: card for card in cards}
        facts = published.facts(self._home)
        found = [each for card in cards if (each := derived(card, facts)) is not None]
        flags: list[OpenFlag] = [flag for each in found for flag in each.derivation.open_flags]
        moving = worths(flags, (each.evaluation for each in found))
        claims = tuple(fact.stored for fact in facts)
        queue = order(published.open_flags(self._home, claims), cards, moving)
        return State.made(
            mark,
            reader,
            queue,
            (self._card(each) for each in found),
            {fact.stored.claim.claim_key: (fact.roll_up, fact.why) for fact in facts},
            {
                row["flag_id"]: row["last"]
                for row in reader.rows(
                    "SELECT flag_id, max(decision_id) AS last FROM stored.decisions GROUP BY flag_id"
                )
            },
        )

    def decide(self, given: Sequence[tuple[Decision, Seen | None]]) -> Outcome:
        """Stores, ranks and publishes; waits for another writer to end."""
        with self._turn:
            done = deciding.decide(self._home, given, _now, cards=self._cards(), wait_seconds=self._wait)
        return self._outcome(done)

    def undo(self, flag_ids: Sequence[str], who: str, note: str) -> Outcome:
        """Takes back, ranks and publishes."""
        with self._turn:
            done = deciding.undo(
                self._home, flag_ids, who, note, _now, cards=self._cards(), wait_seconds=self._wait
            )
        return self._outcome(done)

    def body(self, sha256: str) -> bytes:
        """A page's bytes as they came."""
        return snapshots.load(self._home, sha256)

    def query(self, sql: str) -> dict[str, object]:
        """Asks in a process of its own, under the settings of `koujing sql`."""
        return ask(self._home.root, sql)

    def export(self) -> str:
        """Every decision, one JSON object a line."""
        with self._turn:
            return "".join(f"{line.model_dump_json()}\n" for line in deciding.exported(self._home))

    def _cards(self) -> tuple[Scorecard, ...]:
        return tuple(self._names.values())

    def _card(self, found: Derived) -> Card:
        return Card(found.card.id, found.card.name, found.evaluation)

    def _outcome(self, done: deciding.Settled) -> Outcome:
        return Outcome(done.open_flags, tuple(self._card(found) for found in done.rederived))


def serve(home: Home, access: Access, host: str, port: int, wait_seconds: float) -> None:
    """Serves the desk until it is interrupted, and says where. KoujingError where the port is taken."""
    if not home.published.exists():
        raise LedgerError(
            f"there is no ledger at {home.root} yet; run `koujing refresh` or `koujing demo` first"
        )
    app = create_app(HomeBackend(home, wait_seconds), access)
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        raise KoujingError(
            f"{host}:{port} cannot be listened on ({error.strerror or error}); choose another with --port"
        ) from None
    shown = f"[{host}]" if family is socket.AF_INET6 else host
    say(f"the review desk is at http://{shown}:{listener.getsockname()[1]}/ ; Ctrl-C ends it")
    # Who asks is decided by the connection alone: no header of a stranger's moves it.
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
    )
    uvicorn.Server(config).run(sockets=[listener])


def _now() -> datetime:
    return datetime.now(UTC)
