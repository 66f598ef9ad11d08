"""How a home does, for machines that watch: as a record, and as Prometheus reads it."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from datetime import datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from flows import published
from schemas.errors import KoujingError
from schemas.record import Record
from warehouse.home import Home

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

_COUNTS = """
SELECT
    (SELECT count(*) FROM claims) AS claims,
    (SELECT count(DISTINCT source_id) FROM stored.sources) AS sources,
    (SELECT count(*) FROM holds WHERE open) AS held,
    (SELECT count(*) FROM open_flags) AS open_flags,
    (SELECT max(ended_at) FROM stored.runs WHERE status = 'done' AND run_id IN (SELECT run_id FROM stored.visits))
        AS last_success,
    (SELECT count(*) FROM (
        SELECT status FROM stored.visits QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY visit_id DESC) = 1
    ) WHERE status IN ('failed', 'gone')) AS failing
"""


class Status(Record):
    """A home as last published. `failing`: pages whose last visit brought nothing. Ages are in seconds.

    `last_success`: when the last refresh that came to its end ended; None before the first.
    """

    at: datetime
    last_success: datetime | None
    last_success_age_seconds: float | None
    last_run: published.RunCounts | None
    sources: int
    failing: int
    claims: int
    open_flags: int
    held: int
    published_bytes: int
    disk_free_bytes: int


def status_of(home: Home, now: datetime) -> Status:
    """How the home does now. A home without a ledger has nothing, and no success."""
    free = shutil.disk_usage(home.root).free
    if not home.published.exists():
        return Status(
            at=now,
            last_success=None,
            last_success_age_seconds=None,
            last_run=None,
            sources=0,
            failing=0,
            claims=0,
            open_flags=0,
            held=0,
            published_bytes=0,
            disk_free_bytes=free,
        )
    counts = next(published.rows(home, _COUNTS))
    last = counts.pop("last_success")
    runs = published.runs(home)
    return Status(
        at=now,
        last_success=last,
        last_success_age_seconds=max((now - last).total_seconds(), 0.0) if last else None,
        last_run=runs[-1] if runs else None,
        published_bytes=home.published.stat().st_size,
        disk_free_bytes=free,
        **counts,
    )


def as_prometheus(status: Status) -> str:
    """The status in Prometheus' text format. What is not known has no sample."""
    last = status.last_run
    samples: list[tuple[str, str, list[tuple[str, float | None]]]] = [
        (
            "last_success_age_seconds",
            "Seconds since a refresh came to its end.",
            [("", status.last_success_age_seconds)],
        ),
        (
            "last_success_timestamp_seconds",
            "When a refresh last came to its end.",
            [("", status.last_success.timestamp() if status.last_success else None)],
        ),
        (
            "last_run_pages",
            "Pages of the last run, by what their visit brought.",
            [
                (f'{{status="{name}"}}', getattr(last, name) if last else None)
                for name in ("changed", "unchanged", "gone", "failed")
            ],
        ),
        ("sources", "Pages that were ever visited.", [("", status.sources)]),
        ("sources_failing", "Pages whose last visit brought nothing.", [("", status.failing)]),
        ("claims", "Claims that the ledger holds.", [("", status.claims)]),
        ("open_flags", "Questions that nobody has settled.", [("", status.open_flags)]),
        ("held_pages", "Pages from which nothing is taken.", [("", status.held)]),
        ("published_bytes", "Size of the published file.", [("", status.published_bytes)]),
        ("disk_free_bytes", "Free space where the home lies.", [("", status.disk_free_bytes)]),
    ]
    lines = []
    for name, told, values in samples:
        lines += [f"# HELP koujing_{name} {told}", f"# TYPE koujing_{name} gauge"]
        lines += [f"koujing_{name}{label} {value:.15g}" for label, value in values if value is not None]
    return "".join(f"{line}\n" for line in lines)


def metrics_server(home: Home, port: int, clock: Callable[[], datetime]) -> ThreadingHTTPServer:
    """A server on loopback that answers /metrics; call its serve_forever. KoujingError where the port is taken."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path.partition("?")[0] != "/metrics":
                self.send_error(404)
                return
            try:
                body = as_prometheus(status_of(home, clock())).encode()
            except (KoujingError, OSError):
                self.send_error(503)
                return
            self.send_response(200)
            self.send_header("Content-Type", CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class names it so
            """Says nothing: whoever scrapes keeps its own log."""

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as error:
        raise KoujingError(f"port {port} cannot be listened on ({error.strerror}); give another") from None
