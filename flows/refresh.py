"""The refresh as a Prefect flow, entry point `flows/refresh.py:refresh`.

A task is a batch: a host's pages visited, a host's pages read, the ranking. Results are not persisted and nothing is
cached by Prefect: kept pages and the ledger are what a later run resumes from. Prefect may load this file a second
time under another name, so it holds no model and no state.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

from httpx import HTTPError
from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.exceptions import PrefectException
from prefect.futures import as_completed
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.task_runners import ThreadPoolTaskRunner

from flows import artifacts
from flows.announcing import announce
from flows.crawl import HOSTS_AT_ONCE, Host, Outcome, Visited, run_refresh
from flows.fetch import Fetcher
from flows.own_cards import cards_of
from flows.printing import say
from flows.progress import Bar, progress_for_stderr
from flows.proxy import proxy_of_environment
from flows.second_reader import second_reader
from flows.sources import find_sources, with_base
from flows.stopping import stoppable
from flows.summary import RunSummary
from flows.telling.reporting import report_failure, report_run
from flows.visitor import Visitor
from schemas.errors import KoujingError
from warehouse.home import Home, open_home

_LONGEST_RUN_SECONDS = 6 * 3600


class TaskSteps:
    """Each batch as a Prefect task; visits are submitted, so that hosts overlap.

    With KOUJING_HOST_TAGS=1 a visit carries the tag `host:NAME`, for which a team that visits a host from several
    places can set a concurrency limit of Prefect's. Not by default: each tag costs two questions to the server, and
    within one run the fetcher itself keeps to one request a host. No task has a timeout of Prefect's: each page has
    its own, on the wall clock, and the flow has one.
    """

    def visit(
        self, hosts: Sequence[Host], visit: Callable[[Host], Visited]
    ) -> Iterator[tuple[Host, Visited]]:
        """Submits a task a host and gives the results as they come."""
        tagged = os.environ.get("KOUJING_HOST_TAGS") == "1"
        asked = {
            _visit.with_options(
                name=f"visit {host.name}", tags={f"host:{host.name}"} if tagged else None
            ).submit(partial(visit, host)): host
            for host in hosts
        }
        for future in as_completed(list(asked)):
            yield asked[future], future.result()

    def run(self, name: str, work: Callable[[], Outcome]) -> Outcome:
        """Does the work as a task, here and now."""
        named = cast(Callable[[Callable[[], Outcome]], Outcome], _batch.with_options(name=name))
        return named(work)


@task(
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=2,
    retry_delay_seconds=[2, 10],
    retry_jitter_factor=0.5,
)
def _visit(visit: Callable[[], Visited]) -> Visited:
    return visit()


@task(cache_policy=NO_CACHE, persist_result=False)
def _batch(work: Callable[[], Any]) -> Any:
    return work()


@flow(
    name="refresh",
    task_runner=ThreadPoolTaskRunner(max_workers=HOSTS_AT_ONCE),  # type: ignore[arg-type]
    persist_result=False,
    timeout_seconds=_LONGEST_RUN_SECONDS,
)
def refresh(
    home: str = "",
    sources: str = "vendors",
    label: str = "",
    base_url: str = "",
    contact: str = "",
    allow_loopback: bool = False,
    wait_seconds: float = 0,
) -> RunSummary:
    """Visits every source once, stores what changed, ranks again what that touches, and publishes.

    `home`: a folder, empty for the usual one. `sources`: `vendors`, `demo` or the path of a source list.
    `contact`: an address at which sites reach the person who answers for the visits.
    `base_url` stands in for the list's own host, and `allow_loopback` lets a page of this machine be fetched:
    both are for a site that is served here, such as the demo's. A model to ask is named by the environment alone,
    so that no key of it is ever a parameter.
    """
    place = open_home(Path(home) if home else None)
    # Prefect's heartbeat would hold every flow for a second at its end.
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
        try:
            summary = _refresh(place, sources, label, base_url, contact, allow_loopback, wait_seconds)
        except Exception as error:
            report_failure(label, str(error), datetime.now(UTC))
            raise
        _show(place, summary)
    report_run(place, summary.run_id)
    return summary


def _refresh(
    place: Home,
    sources: str,
    label: str,
    base_url: str,
    contact: str,
    allow_loopback: bool,
    wait_seconds: float,
) -> RunSummary:
    cards = cards_of(place)
    listed = find_sources(sources)
    if base_url:
        listed = with_base(listed, base_url)
    progress = progress_for_stderr(label or "refresh")
    with (
        stoppable(),
        progress if isinstance(progress, Bar) else nullcontext(),
        Fetcher(contact=contact, allow_loopback=allow_loopback, proxy=proxy_of_environment()) as fetcher,
        Visitor(fetcher, contact=contact) as visitor,
        second_reader(place) as second,
    ):
        return run_refresh(
            place,
            listed,
            visitor,
            lambda: datetime.now(UTC),
            progress,
            cards=cards,
            label=label,
            steps=TaskSteps(),
            wait_seconds=wait_seconds,
            second=second,
        )


def _show(place: Home, summary: RunSummary) -> None:
    """Leaves the run's artifacts and its event with Prefect. The run is done, whatever becomes of them."""
    try:
        artifacts.put_run(place, summary.run_id)
        announce(place, (change.claim_key for change in summary.news), by="refresh", ranked=True)
    except (PrefectException, KoujingError, OSError, RuntimeError, HTTPError) as error:
        say(f"Prefect was not told what the run brought ({type(error).__name__}); the ledger holds it")
