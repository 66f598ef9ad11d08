"""Verification at size, as ratios within one run: growth, and what one changed claim costs after all were verified.

Claims are those of our own labelled pages, each many times over under other keys, sources, products and figures.
Times are the processor's, so that a busy machine shifts no ratio. `python -m tests.bench.verification` runs this part
of `make bench` alone.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from extractors.checks import check_claim, on_page
from extractors.document import masked, read_document
from extractors.extract import extract
from flows.verification import verify_ledger
from schemas.claim import Claim
from schemas.ledger import StoredClaim
from schemas.registry import registry
from schemas.source import Source
from warehouse.home import Home
from warehouse.ledger import Ledger
from warehouse.pages import put_sources
from warehouse.rows import claim_row

DAY = datetime(2026, 5, 1, tzinfo=UTC)
SIZES = (12_500, 25_000, 50_000, 100_000)
PER_PAGE = 100
PAGES_OF_A_PRODUCT = 4


def _timed(run: Callable[[], object]) -> float:
    start = time.process_time()
    run()
    return time.process_time() - start


def _claims(patterns: list[Claim], number: int) -> Iterator[StoredClaim]:
    """Claims as a ledger of many pages would hold them: in every page other figures, in some the same."""
    vendors = list(registry().vendors)
    for index in range(number):
        page, place = divmod(index, PER_PAGE)
        pattern = patterns[(page // PAGES_OF_A_PRODUCT * 17 + place) % len(patterns)]
        vendor = vendors[page // PAGES_OF_A_PRODUCT % len(vendors)]
        factor = 1 + page % PAGES_OF_A_PRODUCT // 2 * (place % 7)
        figures = {k: v * factor for k, v in (("low", pattern.low), ("high", pattern.high)) if v is not None}
        claim = pattern.model_copy(
            update={
                **figures,
                "claim_key": f"c{index}",
                "source": f"s{page}",
                "vendor": vendor,
                "product": f"product-{page // PAGES_OF_A_PRODUCT}",
            }
        )
        yield StoredClaim(
            claim=claim,
            version=1,
            source_id=f"s{page}",
            snapshot_sha256="0" * 64,
            valid_from=DAY,
            recorded_at=DAY,
        )


def _fill(ledger: Ledger, patterns: list[Claim], number: int) -> None:
    claims = list(_claims(patterns, number))
    sources = {c.source_id: c.claim.vendor for c in claims}
    database = ledger._database
    for start in range(0, len(claims), 20_000):
        database.insert("stored.claim_versions", [claim_row(c, 1) for c in claims[start : start + 20_000]])
    put_sources(
        database,
        [
            (Source(id=s, vendor=v, url=f"https://{s}.example/", language="zh" if n % 2 else "en"), DAY)
            for n, (s, v) in enumerate(sources.items())
        ],
    )
    # The checks of the page were run when the page was read; here only their rows are needed.
    for name, version in on_page.versions().items():
        database.execute(
            "INSERT INTO stored.checks (claim_key, version, name, check_version, verdict, reason, recorded_at) "
            "SELECT claim_key, version, ?, ?, 'OK', '', recorded_at FROM stored.claim_versions",
            [name, version],
        )


def run(pages: Path, sizes: tuple[int, ...] = SIZES) -> None:
    """Print what verification costs at growing sizes and after one changed claim."""
    bodies = [path.read_bytes() for path in sorted(pages.glob("*.html"))]
    found = [extract(body, source="page", name="page.html") for body in bodies]
    patterns = [c for f in found for c in f.claims]
    print(f"verification, {len(patterns)} claims of our own pages as patterns")
    _on_page(bodies)
    costs = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder, Ledger.open(Home(Path(folder))) as ledger:
            home = Home(Path(folder))
            _fill(ledger, patterns, size)
            whole = _timed(partial(verify_ledger, ledger, home, DAY))
            costs.append(whole / size)
            idle = _timed(partial(verify_ledger, ledger, home, DAY))
            once = statistics.median(
                _one_changed(ledger, home, key) for key in ("c7", f"c{size // 3}", f"c{size - 1}")
            )
            print(
                f"  {size:7,} claims: {whole:6.1f} s of processor, {whole / size * 1e6:5.0f} µs a claim (× {costs[-1] / costs[0]:.2f}); "
                f"again after one changed: 1/{whole / once:.0f}, with nothing changed: 1/{whole / idle:.0f}"
            )


def _on_page(bodies: list[bytes]) -> None:
    """The checks of the page over the whole way from bytes to claims."""
    documents = [read_document(body, name="page.html") for body in bodies]
    visible = [masked(d) for d in documents]
    claims = [extract(body, source="page", name="page.html").claims for body in bodies]
    whole = _timed(lambda: [extract(body, source="page", name="page.html") for body in bodies])
    checks = _timed(
        lambda: [
            check_claim(c, d, v) for d, v, cs in zip(documents, visible, claims, strict=True) for c in cs
        ]
    )
    print(f"  checks of the page / reading it to claims   {checks / whole:.2f}")


def _one_changed(ledger: Ledger, home: Home, key: str) -> float:
    """The time until the ledger is verified again after one claim got another version."""
    ledger._database.execute(
        "INSERT INTO stored.claim_versions BY NAME (SELECT * REPLACE (version + 1 AS version, low + 1 AS low) "
        "FROM stored.claim_versions WHERE claim_key = ? ORDER BY version DESC LIMIT 1)",
        [key],
    )
    for name, version in on_page.versions().items():
        ledger._database.execute(
            "INSERT INTO stored.checks (claim_key, version, name, check_version, verdict, reason, recorded_at) "
            "SELECT claim_key, max(version), ?, ?, 'OK', '', max(recorded_at) FROM stored.claim_versions "
            "WHERE claim_key = ? GROUP BY claim_key",
            [name, version, key],
        )
    return _timed(partial(verify_ledger, ledger, home, DAY))


if __name__ == "__main__":
    run(Path(__file__).parents[1] / "cases" / "pages")
