"""`make bench`: speed as ratios within one run on one machine; nothing here is a test.

Prints quantities in characters a second beside quantulum3 on the same text (from an environment of its own, where
one could be built), a page's way to its claims over a bare BeautifulSoup parse of the same page, and the time a
character costs at growing sizes, which must stay flat.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bs4 import BeautifulSoup

from extractors.document import read_document
from extractors.extract import extract
from extractors.quantities import find_mentions
from tests.bench import verification

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "tests" / "cases" / "pages"
ROUNDS = 7
PEER = """
import json, sys, time
from quantulum3 import parser
text = sys.stdin.read()
parser.parse("warm up 3 km")
start = time.perf_counter()
found = sum(len(parser.parse(line)) for line in text.splitlines() if line.strip())
print(json.dumps({"seconds": time.perf_counter() - start, "found": found}))
"""


def median(run: Callable[[], object], rounds: int = ROUNDS) -> float:
    """The median seconds of a call over several rounds, after one that is not counted."""
    run()
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        run()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def page_to_claims(bodies: list[bytes]) -> None:
    """Print the whole way of each page over a bare parse of the same bytes."""
    bare = median(lambda: [BeautifulSoup(b, "lxml") for b in bodies])
    document = median(lambda: [read_document(b, name="page.html") for b in bodies])
    claims = median(lambda: [extract(b, source="page", name="page.html") for b in bodies])
    size = sum(map(len, bodies))
    print(
        f"page → document / bare parse   {document / bare:5.2f}   ({len(bodies)} pages, {size / 1000:.0f} kB)"
    )
    print(f"page → claims / bare parse     {claims / bare:5.2f}")


def long_page(bodies: list[bytes], times: int) -> bytes:
    """One long page whose content is the pages' content, several times over."""
    inner = b"".join(
        b.split(b"<body", 1)[1].split(b">", 1)[1].rsplit(b"</body>", 1)[0] for b in bodies if b"<body" in b
    )
    return b"<html><body>" + inner * times + b"</body></html>"


def quantities(text: str, peer: Path | None) -> None:
    """Print characters a second, and how many times the peer's that is."""
    seconds = median(lambda: [find_mentions(line) for line in text.splitlines()])
    ours = len(text) / seconds
    print(f"quantities, characters a second {ours:11,.0f}")
    if peer is None:
        print("quantulum3: no environment (make bench builds it where a package index can be reached)")
        return
    got = subprocess.run([peer, "-c", PEER], input=text[:60_000], capture_output=True, text=True, check=False)
    if got.returncode:
        print(f"quantulum3 failed: {got.stderr.strip().splitlines()[-1]}")
        return
    theirs = min(len(text), 60_000) / json.loads(got.stdout.splitlines()[-1])["seconds"]
    print(f"quantulum3, characters a second {theirs:11,.0f}   × {ours / theirs:.1f}")


def flatness(text: str) -> None:
    """Print the time a character costs at growing sizes over that at the smallest, for text and for repeats."""
    for name, unit in (("text", text), ("digits", "7"), ("one token", "3.2Tbps "), ("words", "up to ")):
        costs = []
        for size in (10_000, 100_000, 1_000_000, 5_000_000):
            sample = (unit * (size // len(unit) + 1))[:size]
            costs.append(median(lambda s=sample: find_mentions(s), 1 if size > 500_000 else 3) / size)  # type: ignore[misc]
        print(
            f"time a character, 10 kB : 100 kB : 1 MB : 5 MB, {name:10}"
            + " : ".join(f"{c / costs[0]:.2f}" for c in costs)
        )


def main() -> None:
    """Run every measurement and print it."""
    bodies = [p.read_bytes() for p in sorted(PAGES.glob("*.html"))]
    page_to_claims(bodies)
    print("the same as one long page:")
    page_to_claims([long_page(bodies, 8)])
    text = "\n".join(read_document(b, name="page.html").text for b in bodies)
    peer = ROOT / ".venv-bench" / "bin" / "python"
    quantities(text * 4, peer if peer.exists() else None)
    flatness(text)
    verification.run(PAGES)


if __name__ == "__main__":
    sys.exit(main())
