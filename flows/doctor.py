"""Looks at all that a nightly run needs, changes nothing, and says what is wrong and what to do about it."""

from __future__ import annotations

import os
import platform
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from typing import Literal

from flows import published
from schemas.errors import KoujingError, LedgerHeldError
from schemas.record import Record
from warehouse import snapshots
from warehouse.home import Home
from warehouse.invariants import first_broken_in
from warehouse.lock import WriterLock

State = Literal["ok", "warning", "bad"]

_LITTLE_SPACE = 1024**3
_NO_SPACE = 100 * 1024**2
_LATE_SECONDS = 36 * 3600


class Finding(Record):
    """One thing that was looked at. `bad`: a run would fail; `warning`: it would do less than it could."""

    what: str
    state: State
    told: str


def examine(home: Home, sources: str) -> tuple[Finding, ...]:
    """Looks at everything; what cannot even be looked at is `bad`, and the rest is looked at all the same."""
    looks: dict[str, Callable[[], tuple[State, str]]] = {
        "versions": _versions,
        "home": lambda: _home(home),
        "disk": lambda: _disk(home),
        "writer": lambda: _writer(home),
        "ledger": lambda: _ledger(home),
        "kept pages": lambda: _kept_pages(home),
        "last refresh": lambda: _last_refresh(home),
        "sources": lambda: _sources(sources),
        "scorecards": lambda: _scorecards(home),
        "model": _model,
        "browser": _browser,
        "Prefect": lambda: _prefect(home),
        "digest": _digest,
    }
    return tuple(_look(what, look) for what, look in looks.items())


def _look(what: str, look: Callable[[], tuple[State, str]]) -> Finding:
    try:
        state, told = look()
    except KoujingError as error:
        state, told = "bad", str(error)
    except Exception as error:  # noqa: BLE001 - an examination ends with the patient, not before
        state, told = "bad", f"{type(error).__name__}: {error}"
    return Finding(what=what, state=state, told=told)


def _versions() -> tuple[State, str]:
    found = {"python": platform.python_version()}
    for name in ("koujing", "prefect", "duckdb"):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            return "bad", f"{name} is not installed for {sys.executable}"
    return "ok", ", ".join(f"{name} {number}" for name, number in found.items())


def _home(home: Home) -> tuple[State, str]:
    if not home.root.is_dir():
        return "warning", f"{home.root} is made by the first run"
    if not os.access(home.root, os.W_OK | os.X_OK):
        return "bad", f"{home.root} takes no files; make it writable or choose another with --home"
    return "ok", str(home.root)


def _disk(home: Home) -> tuple[State, str]:
    place = next(path for path in (home.root, *home.root.parents) if path.exists())
    free = shutil.disk_usage(place).free
    state: State = "bad" if free < _NO_SPACE else "warning" if free < _LITTLE_SPACE else "ok"
    return state, f"{free / 1024**3:.1f} GiB free"


def _writer(home: Home) -> tuple[State, str]:
    if not home.lock.exists():
        return "ok", "nobody writes"
    try:
        WriterLock.acquire(home, 0).release()
    except LedgerHeldError as error:
        return "warning", str(error)
    return "ok", "nobody writes"


def _ledger(home: Home) -> tuple[State, str]:
    if not home.published.exists():
        return "warning", "nothing was published yet: koujing refresh"
    if broken := first_broken_in(home.published):
        return "bad", f"{broken}; koujing restore goes back to a backup"
    runs = published.runs(home)
    stuck = [run.run_id for run in runs if run.status == "running"]
    return "ok", f"all invariants hold, {len(runs)} runs" + (f", {stuck[-1]} under way" if stuck else "")


def _kept_pages(home: Home) -> tuple[State, str]:
    if not home.published.exists():
        return "ok", "none yet"
    named = {row["sha256"] for row in published.rows(home, "SELECT DISTINCT sha256 FROM stored.snapshots")}
    missing = sorted(sha256 for sha256 in named if not snapshots.is_there(home, sha256))
    if missing:
        return (
            "warning",
            f"{len(missing)} of {len(named)} bodies are missing; koujing snapshots check names them",
        )
    return "ok", f"{len(named)} bodies"


def _last_refresh(home: Home) -> tuple[State, str]:
    from datetime import UTC, datetime

    from flows.status import status_of

    if not home.published.exists():
        return "warning", "none yet"
    status = status_of(home, datetime.now(UTC))
    age = status.last_success_age_seconds
    if age is None:
        return "warning", "none came to its end yet"
    told = f"{age / 3600:.1f} hours ago; {status.failing} of {status.sources} pages failed or were gone"
    return ("warning" if age > _LATE_SECONDS else "ok"), told


def _sources(name: str) -> tuple[State, str]:
    from flows.sources import find_sources

    return "ok", f"{len(find_sources(name))} in {name}"


def _scorecards(home: Home) -> tuple[State, str]:
    from flows.own_cards import cards_of

    return "ok", ", ".join(card.id for card in cards_of(home))


def _model() -> tuple[State, str]:
    from flows.model.settings import settings_from

    settings = settings_from()
    return "ok", f"{settings.model}, not asked now" if settings else "none, the rules alone"


def _browser() -> tuple[State, str]:
    from flows.browser import missing_for_browser

    missing = missing_for_browser()
    return (
        ("warning", f"{missing}; pages made by scripts are not read") if missing else ("ok", "there is one")
    )


def _prefect(home: Home) -> tuple[State, str]:
    url = os.environ.get("PREFECT_API_URL")
    if not url:
        from flows.running import prepare

        if home.root.is_dir():
            prepare(home.root)
        return "ok", "no server is named: each run has one of its own on loopback"
    import httpx

    try:
        answer = httpx.get(f"{url.rstrip('/')}/health", timeout=10)
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        return "bad", f"{url} does not answer ({type(error).__name__}); start it, or unset PREFECT_API_URL"
    if not answer.is_success:
        return "bad", f"{url} answered {answer.status_code}; see whether PREFECT_API_URL is right"
    return "ok", url


def _digest() -> tuple[State, str]:
    from flows.telling.channels import named, telling_from

    telling = telling_from()
    return "ok", ", ".join(
        map(named, telling.targets)
    ) or "sent to nobody (KOUJING_DIGEST names whom to tell)"
