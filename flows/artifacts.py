"""What a run leaves on Prefect's pages: its summary, changes, rankings and open flags, and links to report and desk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact

from flows import published
from flows.telling.channels import telling_from
from flows.telling.digest import Digest, digest_of
from flows.telling.wording import as_markdown, escaped
from warehouse.home import Home

_MOST_ROWS = 200
_FLAGS = """
SELECT vendor, metric, text_value AS value, question_en AS question, flag_id AS flag FROM open_flags
ORDER BY vendor, metric, flag_id LIMIT 200
"""
_RANKINGS = (
    "SELECT scorecard, rank, vendor, shown AS total, ranked_at FROM ranking ORDER BY scorecard, rank, vendor"
)


def put_run(home: Home, run_id: int) -> None:
    """Creates the artifacts of a run. Texts of pages are shown in them and mark nothing up."""
    telling = telling_from()
    digest = digest_of(home, run_id)
    create_markdown_artifact(
        as_markdown(digest, telling.language, telling.links),
        key="koujing-run",
        description="What the run brought",
    )
    _put("koujing-changes", "What vendors changed", _changes(digest))
    put_rankings(home)
    number = next(published.rows(home, "SELECT count(*) AS number FROM open_flags"))["number"]
    _put("koujing-flags", "Questions that are open", published.rows(home, _FLAGS), number)
    for kind, url in telling.links:
        create_link_artifact(url, link_text=kind, key=f"koujing-{kind}")


def put_rankings(home: Home) -> None:
    """Creates the artifact of the rankings as they stand."""
    _put("koujing-rankings", "The rankings as they stand", published.rows(home, _RANKINGS))


def _changes(digest: Digest) -> Iterable[Mapping[str, object]]:
    return (
        {"vendor": c.vendor, "metric": c.metric, "before": c.before, "after": c.after, "page": c.url}
        for c in digest.changes
    )


def _put(key: str, description: str, rows: Iterable[Mapping[str, object]], number: int | None = None) -> None:
    """Creates a table of the first rows; `number`: how many there are, where not all are given."""
    found = list(rows)
    shown: list[dict[str, Any]] = [
        {name: escaped(str(value)) if value is not None else "" for name, value in row.items()}
        for row in found[:_MOST_ROWS]
    ]
    of_all = len(found) if number is None else number
    more = f", of which {len(shown)} are shown" if of_all > len(shown) else ""
    create_table_artifact(shown, key=key, description=f"{description}: {of_all}{more}")
