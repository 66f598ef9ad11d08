"""Kills a refresh at random points, again and again, and looks at what is left.

`python -m tests.faults.kill_refresh 200` kills 200 times and prints what it found; the test beside it kills fewer.
Each round crawls the demo's first day and then its second, each killed ten times on the way, each to its end at
last. After every kill the ledger must open, hold all its invariants and every page whose writing was acknowledged;
after every round its claims, versions and events must be those of a crawl that nobody disturbed.
"""

from __future__ import annotations

import random
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from flows.demo_server import DemoServer, demo_layers
from warehouse.home import Home, open_home
from warehouse.invariants import first_broken
from warehouse.ledger import Ledger
from warehouse.query import run_query

ROOT = Path(__file__).parents[2]
KILLS_A_DAY = 10
CHILD = """
import sys
from datetime import UTC, datetime
from pathlib import Path
from flows.crawl import run_refresh
from flows.fetch import Fetcher
from flows.progress import Silent
from flows.sources import find_sources, with_base
from warehouse.cards import builtin_cards
from warehouse.home import open_home

class Told(Silent):
    def begin(self, pages):
        print("begun", flush=True)
    def written(self, row):
        print("written", row.source_id, flush=True)

home = open_home(Path(sys.argv[1]))
listed = with_base(find_sources("demo"), sys.argv[2])
with Fetcher(allow_loopback=True) as fetcher:
    print("ready", flush=True)
    run_refresh(home, listed, fetcher, lambda: datetime.now(UTC), Told(), cards=builtin_cards())
"""
KEPT = """
SELECT vendor, product, metric, low, high, unit, basis, quote, version, not_seen, source_id FROM claims ORDER BY ALL
"""
VERSIONS = "SELECT source_id, quote, low, version FROM claim_history ORDER BY ALL"
EVENTS = "SELECT source_id, kind, fields, quote_before, quote_after, first_visit FROM changes ORDER BY ALL"
RANKS = "SELECT scorecard, rank, vendor, total FROM ranking ORDER BY ALL"


@dataclass
class Found:
    """What so many kills did. `faults` holds a sentence for each thing that was not as it must be."""

    kills: int = 0
    too_late: int = 0
    opened: int = 0
    acknowledged: int = 0
    moments: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)


def start(home: Home, site: DemoServer) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, str(home.root), site.base_url],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def finish(home: Home, site: DemoServer) -> float:
    """Lets a refresh run to its end and gives the seconds from its beginning."""
    process = start(home, site)
    assert process.stdout
    process.stdout.readline()
    started = time.monotonic()
    _, errors = process.communicate(timeout=300)
    if process.returncode:
        raise AssertionError(f"an undisturbed refresh failed: {errors[-800:]}")
    return time.monotonic() - started


def kill_once(home: Home, site: DemoServer, after: float, found: Found) -> None:
    process = start(home, site)
    assert process.stdout
    process.stdout.readline()
    time.sleep(after)
    process.send_signal(signal.SIGKILL)
    out, _ = process.communicate(timeout=60)
    if process.returncode != -signal.SIGKILL:
        found.too_late += 1
        return
    found.kills += 1
    found.moments.append(after)
    written = [line.split()[1] for line in out.splitlines() if line.startswith("written ")]
    found.acknowledged += len(written)
    try:
        with Ledger.open(home, wait_seconds=10) as ledger:
            found.opened += 1
            if ledger.restored_from or ledger.set_aside:
                found.faults.append(f"after {after:.3f} s the ledger {ledger.why_restored}")
            if broken := first_broken(ledger._database, ledger._database.name()):
                found.faults.append(f"after {after:.3f} s {broken}")
            rows = ledger._database.rows(
                "SELECT source_id FROM stored.visits WHERE run_id = (SELECT max(run_id) FROM stored.runs)"
            )
            if lost := sorted(set(written) - {row["source_id"] for row in rows}):
                found.faults.append(f"after {after:.3f} s acknowledged pages were lost: {', '.join(lost)}")
    except Exception as error:  # noqa: BLE001 - whatever it is, it is a finding
        found.faults.append(f"after {after:.3f} s the ledger did not open: {error}")
    if home.published.exists():
        try:
            run_query(home, "SELECT count(*) FROM claims")
        except Exception as error:  # noqa: BLE001 - see above
            found.faults.append(f"after {after:.3f} s the published file did not open: {error}")


def told(home: Home) -> list[list[tuple[object, ...]]]:
    return [run_query(home, query).rows for query in (KEPT, VERSIONS, EVENTS, RANKS)]


def play(kills: int, seed: int, folder: Path, kills_a_day: int = KILLS_A_DAY) -> Found:
    """Kills so many times, so many a day at most, and gives what was found."""
    chance = random.Random(seed)
    found = Found()
    with DemoServer(demo_layers(1)) as site:
        clean = open_home(folder / "clean")
        lasts = []
        for day in (1, 2):
            site.show(demo_layers(day))
            lasts.append(finish(clean, site))
        expected = told(clean)
        number = 0
        while found.kills < kills:
            number += 1
            home = open_home(folder / f"round-{number}")
            for day, lasting in zip((1, 2), lasts, strict=True):
                site.show(demo_layers(day))
                for _ in range(min(kills_a_day, kills - found.kills)):
                    kill_once(home, site, chance.uniform(0, lasting), found)
                finish(home, site)
            for name, before, after in zip(
                ("claims", "versions", "events", "ranks"), expected, told(home), strict=True
            ):
                if before != after:
                    found.faults.append(
                        f"round {number}: {len(after)} {name}, and {len(before)} undisturbed, or not the same ones"
                    )
    return found


def main() -> None:
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    with tempfile.TemporaryDirectory() as folder:
        found = play(kills, seed, Path(folder))
    print(
        f"{found.kills} kills (seed {seed}; {found.too_late} more came too late), {found.opened} ledgers opened, "
        f"{found.acknowledged} acknowledged pages looked for, {len(found.faults)} faults"
    )
    for fault in found.faults:
        print(f"  {fault}")
    raise SystemExit(bool(found.faults))


if __name__ == "__main__":
    main()
