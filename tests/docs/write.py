"""`python -m tests.docs.write` writes anew what the pages hold of the program; `make docs` runs it. Look at the diff."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from tests.demo_home import play
from tests.docs import commands, reading
from tests.docs.console import played_page
from tests.docs.fences import blocks, named, pages


def main(wanted: list[str]) -> None:
    """Writes the pages whose names hold one of the words, or all."""
    for written in (commands, reading):
        if any(word in named(written.PAGE) for word in wanted or [""]):
            written.PAGE.write_text(written.current(), encoding="utf-8")
            sys.stdout.write(f"{named(written.PAGE)}\n")
    with tempfile.TemporaryDirectory() as kept:
        root = Path(kept)
        home = play(root / "played").root
        for number, page in enumerate(pages()):
            text = page.read_text(encoding="utf-8")
            if any(b.runs for b in blocks(named(page), text)) and any(
                w in named(page) for w in wanted or [""]
            ):
                folder = root / str(number) / "koujing"
                folder.mkdir(parents=True)
                page.write_text(played_page(named(page), text, folder, home), encoding="utf-8")
                sys.stdout.write(f"{named(page)}\n")


if __name__ == "__main__":
    main(sys.argv[1:])
