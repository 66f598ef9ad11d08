"""The demo: two days of eight vendors' pages, through the same refresh as any source list."""

from __future__ import annotations

import hashlib
import shutil
import threading
from importlib.resources.abc import Traversable
from pathlib import Path

from flows import published
from flows.demo_report import print_report
from flows.demo_server import DemoServer, demo_layers
from flows.printing import out, say
from schemas.errors import LedgerError
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger
from warehouse.lock import WriterLock
from warehouse.query import DamagedFileError

MARKER = ".koujing-demo"
"""The file that makes a folder the demo's; it holds the digest of the pages that were played there."""

_DAYS = (1, 2)
_FILES = (
    "ledger.duckdb",
    "ledger.duckdb.wal",
    "koujing.duckdb",
    "koujing.duckdb.wal",
    "publishing.duckdb",
    "publishing.duckdb.wal",
)
_ASIDE = "earlier-"


def run_demo(path: Path | None, *, keep: bool = False, fresh: bool = False) -> None:
    """Plays the days that the demo's ledger does not hold yet, and prints what it holds then.

    Without `path` the demo has the folder `demo` of the usual home. Where both days are held already, the
    second is checked once more, so that nothing goes backwards, and what is stored is printed. `fresh`
    empties the folder first. `keep` goes on serving the pages until Ctrl-C. Raises LedgerError for a home
    with a ledger that no demo made.
    """
    home = open_home(path) if path else open_home(open_home(None).root / "demo")
    _claim(home, fresh=fresh)
    done = _days_done(home)
    with DemoServer(demo_layers(1)) as site:
        for day in _DAYS:
            if day not in done:
                _play(home, site, day, _label(day))
        if done:
            _tell_reuse(home, done)
        if done == set(_DAYS):
            _play(home, site, _DAYS[-1], f"{_label(_DAYS[-1])} again")
        print_report(home)
        if keep:
            _serve(site)


def _play(home: Home, site: DemoServer, day: int, label: str) -> None:
    from flows.running import run

    site.show(demo_layers(day))
    say(f"{label}: the demo's pages are served on this machine, at {site.base_url}")
    run(home.root, "demo", label=label, base_url=site.base_url, allow_loopback=True)


def _label(day: int) -> str:
    return f"day {day}"


def _days_done(home: Home) -> set[int]:
    if not home.published.exists():
        return set()
    try:
        runs = published.runs(home)
    except DamagedFileError as error:
        if not home.ledger.exists():
            return set()  # nothing else is left: both days are played again, and published
        say(f"{str(error).partition(';')[0]}; publishing again from the ledger")
        with Ledger.open(home) as ledger:
            ledger.publish()
        runs = published.runs(home)
    labels = {run.label for run in runs if run.status == "done"}
    return {day for day in _DAYS if _label(day) in labels}


def _tell_reuse(home: Home, done: set[int]) -> None:
    days = " and ".join(_label(day) for day in sorted(done))
    out(
        f"Reused: {days}, from the ledger and the snapshots that an earlier demo left in {home.root} "
        "(--fresh starts over)."
    )


def _claim(home: Home, *, fresh: bool) -> None:
    """Makes the folder the demo's, or refuses one that holds somebody's real ledger."""
    marker = home.root / MARKER
    digest = _digest_of_site()
    if not marker.exists() and (home.ledger.exists() or home.published.exists()):
        raise LedgerError(
            f"{home.root} holds a ledger that no demo made; give the demo another folder with --home"
        )
    try:
        if fresh and marker.exists():
            _empty(home)
        elif marker.exists() and marker.read_text(encoding="utf-8").strip() != digest:
            _set_aside(home)
        marker.write_text(f"{digest}\n", encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise LedgerError(f"{home.root} cannot be made ready for the demo ({error})") from error


def _digest_of_site() -> str:
    """Changes with the demo's pages: another edition of them must not pass for what vendors changed."""
    digest = hashlib.sha256()
    waiting: list[tuple[str, Traversable]] = [
        (str(number), layer) for number, layer in enumerate(demo_layers(_DAYS[-1]))
    ]
    while waiting:
        name, place = waiting.pop()
        if place.is_dir():
            waiting += sorted((f"{name}/{entry.name}", entry) for entry in place.iterdir())
        else:
            digest.update(f"{name}\0{hashlib.sha256(place.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()


def _set_aside(home: Home) -> None:
    """Moves the ledger of a demo with other pages out of the way; the bodies stay, each under its hash."""
    lock = WriterLock.acquire(home, 0)
    try:
        number = 1 + sum(1 for _ in home.root.glob(f"{_ASIDE}*"))
        aside = home.root / f"{_ASIDE}{number}"
        aside.mkdir()
        for name in _FILES:
            if (path := home.root / name).exists():
                path.rename(aside / name)
    finally:
        lock.release()
    say(f"the demo's pages are another edition than last time: starting over, the old ledger is in {aside}")


def _empty(home: Home) -> None:
    """Removes what a demo made, while no other process writes."""
    lock = WriterLock.acquire(home, 0)
    try:
        names = (*_FILES, "snapshots", "prefect")
        for path in (*(home.root / name for name in names), *home.root.glob(f"{_ASIDE}*")):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    finally:
        lock.release()


def _serve(site: DemoServer) -> None:
    say(f"the pages are served at {site.base_url} until Ctrl-C")
    try:
        threading.Event().wait()
    except KeyboardInterrupt:
        say("stopped")
