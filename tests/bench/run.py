"""`make bench`: speed as ratios within one run on one machine; nothing here is a test.

Prints quantities in characters a second beside quantulum3 on the same text (from an environment of its own, where
one could be built), a page's way to its claims over a bare BeautifulSoup parse of the same page, and the time a
character costs at growing sizes, which must stay flat. `tests.bench.ledger` adds the ledger at size.

Times are the processor's, the least of several rounds that take turns, so that a busy machine shifts no ratio.
What is remembered of texts is forgotten before each round: no page is read twice in real life.
"""

from __future__ import annotations

import functools
import gc
import importlib
import json
import pkgutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from bs4 import BeautifulSoup

import extractors
from extractors.document import read_document
from extractors.extract import extract
from extractors.quantities import find_mentions
from tests.bench import ledger, orchestration, ranking, verification
from tests.quality.evaluate import HANDED

ROOT = Path(__file__).parents[2]
CASES = ROOT / "tests" / "cases"
ROUNDS = 7
SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
# Caches of compiled patterns and units, which are no memory of texts.
KEPT = {"_any_of", "_unit", "_pattern"}
PEER = """
import json, sys, time
from quantulum3 import parser
text = sys.stdin.read()
parser.parse("warm up 3 km")
start = time.process_time()
found = sum(len(parser.parse(line)) for line in text.splitlines() if line.strip())
print(json.dumps({"seconds": time.process_time() - start, "found": found}))
"""


def memories() -> list[Any]:
    """Every bounded cache of the extractors: what they remember of the texts of earlier pages."""
    for module in pkgutil.walk_packages(extractors.__path__, "extractors."):
        importlib.import_module(module.name)
    return [
        one
        for one in gc.get_objects()
        if isinstance(one, functools._lru_cache_wrapper)
        and (one.__module__ or "").startswith("extractors")
        and one.cache_parameters()["maxsize"] is not None
        and one.__name__ not in KEPT
    ]


def least(runs: dict[str, Callable[[], object]], rounds: int = ROUNDS) -> dict[str, float]:
    """The least processor seconds of each call, the calls taking turns; one round is not counted."""
    remembered = memories()
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(rounds + 1):
        for name, run in runs.items():
            for one in remembered:
                one.cache_clear()
            start = time.process_time()
            run()
            spent = time.process_time() - start
            best[name] = spent if best[name] == float("inf") else min(best[name], spent)
    return best


def page_to_claims(name: str, bodies: list[bytes]) -> None:
    """Print the whole way of each page over a bare parse of the same bytes."""
    found = least(
        {
            "bare": lambda: [BeautifulSoup(body, "lxml") for body in bodies],
            "document": lambda: [read_document(body, name="page.html") for body in bodies],
            "claims": lambda: [extract(body, source="page", name="page.html") for body in bodies],
        }
    )
    claims = sum(len(extract(body, source="page", name="page.html").claims) for body in bodies)
    kilobytes = sum(map(len, bodies)) / 1000
    print(
        f"{name:24} × bare parse: document {found['document'] / found['bare']:5.2f}, claims {found['claims'] / found['bare']:5.2f}"
        f"   ({len(bodies)} pages, {kilobytes:.0f} kB, {claims} claims: {claims / kilobytes:.1f} a kB)"
    )


def long_page(bodies: list[bytes], times: int) -> bytes:
    """One long page whose content is the pages' content, several times over."""
    inner = b"".join(
        body.split(b"<body", 1)[1].split(b">", 1)[1].rsplit(b"</body>", 1)[0]
        for body in bodies
        if b"<body" in body
    )
    return b"<html><body>" + inner * times + b"</body></html>"


def quantities(text: str, peer: Path | None) -> None:
    """Print characters a second, and how many times the peer's that is."""
    seconds = least({"ours": lambda: [find_mentions(line) for line in text.splitlines()]})["ours"]
    ours = len(text) / seconds
    print(f"quantities, characters a second {ours:11,.0f}")
    if peer is None:
        print("quantulum3: no environment (make bench builds it where a package index can be reached)")
        return
    got = subprocess.run([peer, "-c", PEER], input=text, capture_output=True, text=True, check=False)
    if got.returncode:
        print(f"quantulum3 failed: {got.stderr.strip().splitlines()[-1]}")
        return
    theirs = len(text) / json.loads(got.stdout.splitlines()[-1])["seconds"]
    print(f"quantulum3, characters a second {theirs:11,.0f}   × {ours / theirs:.1f}")


def flatness(text: str, page: bytes) -> None:
    """Print the time a character costs at growing sizes over that at the smallest: quantities, then pages."""
    print("time a character over that at 10 kB  " + "".join(f"{size / 1000:>9,.0f} kB" for size in SIZES))
    for name, unit in (("text", text), ("digits", "7"), ("one token", "3.2Tbps "), ("words", "up to ")):
        costs = []
        for size in SIZES:
            sample = (unit * (size // len(unit) + 1))[:size]
            costs.append(cost(size, lambda sample=sample: find_mentions(sample)))
        print_costs(f"quantities, {name}", costs)
    inner = page.split(b"<body>", 1)[1].rsplit(b"</body>", 1)[0].decode()
    for name, unit, sizes in (
        ("pages", inner, SIZES),
        ("digits", "7", SIZES),
        ("one element", "<b>x</b>", SIZES),
        ("one token", "3.2Tbps ", SIZES[:3]),
        (
            "one clause",
            "网络延迟 2 微秒，",
            SIZES[:3],
        ),  # extraction stops at 20,000 claims, so that 1 MB costs less
    ):
        costs = []
        for size in sizes:
            sample = ("<body><p>" + (unit * (size // len(unit) + 1))[:size]).encode()
            costs.append(cost(size, lambda sample=sample: extract(sample, source="page", name="page.html")))
        print_costs(f"claims, {name}", costs)


def cost(size: int, run: Callable[[], object]) -> float:
    """The processor seconds that a character costs; small sizes are run more often, large ones once."""
    if size <= SIZES[1]:
        return least({"it": run}, 5)["it"] / size
    start = time.process_time()
    run()
    return (time.process_time() - start) / size


def print_costs(name: str, costs: list[float]) -> None:
    """One line of ratios."""
    print(f"{name:36} " + "".join(f"{one / costs[0]:12.2f}" for one in costs), flush=True)


def main() -> None:
    """Run every measurement and print it."""
    folders = {f"own pages, {folder.name}": folder for folder in sorted(CASES.glob("pages*"))}
    if (HANDED / "gold" / "pages").is_dir():
        folders["handed pages"] = HANDED / "gold" / "pages"
    for name, folder in folders.items():
        page_to_claims(name, [path.read_bytes() for path in sorted(folder.glob("*.html"))])
    bodies = [path.read_bytes() for path in sorted((CASES / "pages").glob("*.html"))]
    whole = long_page(bodies, 8)
    page_to_claims("own pages as one, 8 ×", [whole])
    text = "\n".join(read_document(body, name="page.html").text for body in bodies)
    peer = ROOT / ".venv-bench" / "bin" / "python"
    quantities(text, peer if peer.exists() else None)
    flatness(text, whole)
    verification.run(CASES / "pages")
    ledger.run(ledger.at_size())
    ranking.run()
    orchestration.run()


if __name__ == "__main__":
    sys.exit(main())
