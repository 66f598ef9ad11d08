"""The refresh as a Prefect flow, entry point `flows/refresh.py:refresh`. The only file that imports Prefect.

A task is a batch: a host's pages visited, a host's pages read, the ranking. Prefect may load this file a
second time under another name, so it holds no model and no state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, cast

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.futures import as_completed
from prefect.settings import PREFECT_FLOWS_HEARTBEAT_FREQUENCY, temporary_settings
from prefect.task_runners import ThreadPoolTaskRunner

from flows.crawl import HOSTS_AT_ONCE, Host, Outcome, Visited, run_refresh
from flows.fetch import Fetcher
from flows.own_cards import cards_of
from flows.progress import Bar, progress_for_stderr
from flows.proxy import proxy_of_environment
from flows.second_reader import second_reader
from flows.sources import find_sources, with_base
from flows.stopping import stoppable
from flows.summary import RunSummary
from flows.visitor import Visitor
from warehouse.home import open_home


class TaskSteps:
    """Each batch as a Prefect task; visits are submitted, so that hosts overlap."""

    def visit(
        self, hosts: Sequence[Host], visit: Callable[[Host], Visited]
    ) -> Iterator[tuple[Host, Visited]]:
        """Submits a task a host and gives the results as they come."""
        asked = {
            _batch.with_options(name=f"visit {host.name}").submit(partial(visit, host)): host
            for host in hosts
        }
        for future in as_completed(list(asked)):
            yield asked[future], future.result()

    def run(self, name: str, work: Callable[[], Outcome]) -> Outcome:
        """Does the work as a task, here and now."""
        named = cast(Callable[[Callable[[], Outcome]], Outcome], _batch.with_options(name=name))
        return named(work)


@task(cache_policy=NO_CACHE, persist_result=False)
def _batch(work: Callable[[], Any]) -> Any:
    return work()


@flow(
    name="refresh",
    task_runner=ThreadPoolTaskRunner(max_workers=HOSTS_AT_ONCE),  # type: ignore[arg-type]
    persist_result=False,
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
    cards = cards_of(place)
    listed = find_sources(sources)
    if base_url:
        listed = with_base(listed, base_url)
    # Prefect's heartbeat would hold every flow for a second at its end.
    with temporary_settings({PREFECT_FLOWS_HEARTBEAT_FREQUENCY: None}):
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
