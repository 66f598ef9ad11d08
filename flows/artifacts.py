"""What a run leaves on Prefect's pages: its summary, changes, rankings and open flags, and links to report and desk."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from prefect.artifacts import create_link_artifact, create_markdown_artifact, create_table_artifact

from flows import published
from flows.printing import clean
from flows.telling.channels import telling_from
from flows.telling.digest import Digest, digest_of
from flows.telling.wording import as_markdown, escaped
from warehouse.home import Home

_MOST_ROWS = 200
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
    _put("koujing-flags", "Questions that are open", _flags(home))
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


def _flags(home: Home) -> Iterable[Mapping[str, object]]:
    for open_flag in published.open_flags(home, published.claims(home)):
        claim = open_flag.claim.claim
        yield {
            "vendor": claim.vendor,
            "metric": claim.metric,
            "value": claim.text_value,
            "question": open_flag.flag.question.en,
            "flag": open_flag.flag.flag_id,
        }


def _put(key: str, description: str, rows: Iterable[Mapping[str, object]]) -> None:
    found = list(rows)
    shown: Sequence[dict[str, Any]] = [
        {name: escaped(clean(str(value))) if value is not None else "" for name, value in row.items()}
        for row in found[:_MOST_ROWS]
    ]
    more = f"; {len(found) - _MOST_ROWS} more" if len(found) > _MOST_ROWS else ""
    create_table_artifact(list(shown), key=key, description=f"{description}: {len(found)}{more}")
