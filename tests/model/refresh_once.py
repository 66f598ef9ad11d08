"""`python -m tests.model.refresh_once HOME PAGES_JSON`: one refresh of pages that are given, with the environment's model."""

import json
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from flows.crawl import run_refresh
from flows.progress import Silent
from flows.second_reader import second_reader
from schemas.errors import KoujingError
from tests.flows.test_refresh import FakeFetcher, source
from warehouse.cards import builtin_cards
from warehouse.home import open_home


def main() -> None:
    """Prints the calls, hits and passages left undone of each page; an error's message and code 1 where it fails."""
    home, pages = open_home(Path(sys.argv[1])), json.loads(sys.argv[2])
    moments = iter(datetime(2026, 5, 1, 3, tzinfo=UTC) + timedelta(seconds=n) for n in range(10_000))
    try:
        with second_reader(home) as second:
            summary = run_refresh(
                home,
                [source(name) for name in pages],
                FakeFetcher({name: text.encode() for name, text in pages.items()}),
                lambda: next(moments),
                Silent(),
                cards=builtin_cards(),
                second=second,
            )
    except KoujingError as error:
        sys.exit(str(error))
    print(json.dumps([(a.calls, a.hits, len(a.undone)) for a in summary.asked]))


if __name__ == "__main__":
    main()
