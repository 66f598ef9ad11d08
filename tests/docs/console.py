"""A page is played: its `console` blocks are run in order, and stand there with what they print.

A block is told about by its info string:

- `console`: each line that begins with `$ ` is run, and what follows it is what it prints on stdout;
- `console title="not run by the tests: REASON"`: not run (it installs something, serves until Ctrl-C, asks a real vendor);
- any other with `title="PATH"`: the file PATH, written there when its turn comes; with `title="PATH (at the end)"`
  the lines are added to that file.

Commands are typed in a folder that stands for the reader's checkout. In it are `.home`, which `$KOUJING_HOME`
names and which holds the demo's two days, the vocabulary, and whatever the page has written. What lies in its
folder `site` is served at 127.0.0.1:8000, as far as the page is concerned.

`koujing refresh` is run without Prefect, as `tests/demo_home.py` does, at moments that are always the same;
tests/flows run it with Prefect. A release of the vocabulary is read once in a process; where a page changes a file
of it, what was remembered is forgotten.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from flows import cli, crawl, running
from flows.demo_server import DemoServer
from flows.fetch import Fetcher
from flows.own_cards import cards_of
from flows.progress import Silent
from flows.sources import find_sources
from flows.summary import RunSummary
from tests.docs.fences import ROOT, blocks
from warehouse.home import Home

ROOMS = ("flows", "report", "review", "extractors", "warehouse", "prompts", "schemas")
SERVED = "127.0.0.1:8000"
CHECKOUT = "/home/you/koujing"
_ADDED = " (at the end)"
_ORIGIN = re.compile(r"127\.0\.0\.1:\d+")
_OF_THE_DEMO = "2026-05-0"


def played_page(name: str, text: str, folder: Path, home: Path) -> str:
    """The page with each command that is run followed by what it prints. `home` is copied, never written."""
    with _checkout(folder, home) as checkout:
        parts, done = [], 0
        for block in blocks(name, text):
            if block.runs:
                shown = "\n".join(f"$ {line}\n{_out(checkout.run(line))}" for line in block.commands)
                parts += [text[done : block.span[0]], shown]
                done = block.span[1]
            elif "title" in block.options and block.language != "console":
                checkout.write(block.options["title"], block.body)
        return "".join([*parts, text[done:]])


def _out(printed: str) -> str:
    return f"{printed.strip(chr(10))}\n" if printed.strip() else ""


class Checkout:
    """A folder in which commands are typed."""

    def __init__(self, folder: Path, site: DemoServer, patch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self._site = site
        self._patch = patch

    def write(self, title: str, body: str) -> None:
        """Writes a file of the page, or adds to it."""
        path = self.folder / title.removesuffix(_ADDED)
        path.parent.mkdir(parents=True, exist_ok=True)
        if title.startswith("schemas/"):
            if not path.exists():
                shutil.copytree(ROOT / "schemas" / "vocabulary", path.parent, dirs_exist_ok=True)
            self._patch.setattr("schemas.registry.files", lambda package: self.folder / package)
            forget_words()
        with path.open("a" if title.endswith(_ADDED) else "w", encoding="utf-8") as file:
            file.write(body)

    def run(self, line: str) -> str:
        """What a line prints: `koujing` in this process, what stands before and behind it in a pipe in a shell."""
        stages = line.split(" | ")
        ours = next((n for n, stage in enumerate(stages) if stage.startswith("koujing ")), None)
        if ours is None:
            return self.settled(self._shell(line, ""))
        given = self._shell(" | ".join(stages[:ours]), "") if ours else ""
        words = [word.replace(SERVED, self._origin) for word in shlex.split(stages[ours])[1:]]
        printed = self.settled(_koujing(words, given))
        behind = " | ".join(stages[ours + 1 :])
        return self._shell(behind, printed) if behind else printed

    @property
    def _origin(self) -> str:
        return self._site.base_url.removeprefix("http://")

    def _shell(self, line: str, given: str) -> str:
        done = subprocess.run(
            ["sh", "-c", line], input=given, capture_output=True, text=True, cwd=self.folder, timeout=60
        )
        # A grep that finds nothing is a fault of the page.
        assert done.returncode == 0, f"{line}: {done.stderr or 'nothing came of it'}"
        return done.stdout

    def settled(self, text: str) -> str:
        """Without what differs from one run to the next: the port, what holds it, this folder, today."""
        text = text.replace(str(self.folder), CHECKOUT)
        text = _ORIGIN.sub(SERVED, text)
        text = re.sub(r"snapshot [0-9a-f]{12}", "snapshot 0123456789ab", text)
        text = re.sub(
            r"^.*?(\S*koujing) confirm ", lambda m: m[0].replace(m[1], "koujing"), text, flags=re.MULTILINE
        )
        text = re.sub(
            r"(20\d\d-\d\d-\d\d)([ T]\d\d:\d\d:\d\d)",
            lambda m: m[0] if m[1].startswith(_OF_THE_DEMO) else "2026-05-03 09:00:00",
            text,
        )
        return re.sub(r"[ \t]+$", "", text, flags=re.MULTILINE)


@contextlib.contextmanager
def _checkout(folder: Path, home: Path) -> Iterator[Checkout]:
    shutil.copytree(home, folder / ".home")
    (folder / "site").mkdir()
    try:
        with (
            DemoServer([folder / "site"]) as site,
            contextlib.chdir(folder),
            pytest.MonkeyPatch.context() as patch,
        ):
            patch.setenv("KOUJING_HOME", str(folder / ".home"))
            patch.setattr(running, "run", _refreshed)
            yield Checkout(folder, site, patch)
    finally:
        if (folder / "schemas").exists():
            forget_words()


def forget_words() -> None:
    """Lets go of all that this process remembers of the vocabulary, and of what it has read with it."""
    for each in gc.get_objects():
        if isinstance(each, functools._lru_cache_wrapper) and str(each.__module__).partition(".")[0] in ROOMS:
            each.cache_clear()


def _koujing(words: list[str], given: str) -> str:
    """What the command prints on stdout. Raises AssertionError, with what it says, where it does not end well."""
    out, err = _stream(), _stream()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(sys, "argv", ["koujing", *words])
        patch.setattr(sys, "stdin", _stream(given))
        try:
            cli.main()
            code: Any = 0
        except SystemExit as ended:
            code = ended.code or 0
    assert code == 0, f"koujing {shlex.join(words)} ended with {code}: {_text(err)}"
    return _text(out)


def _stream(text: str = "") -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(text.encode()), encoding="utf-8", newline="\n")


def _text(stream: io.TextIOWrapper) -> str:
    stream.flush()
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue().decode()


def _refreshed(
    home: Path, sources: str, *, label: str = "", allow_loopback: bool = False, **_: Any
) -> RunSummary:
    """A refresh on the day after the demo's, at moments that are always the same."""
    place = Home(home)
    moments = iter(datetime(2026, 5, 2, 3, tzinfo=UTC) + timedelta(seconds=n) for n in range(100_000))
    with Fetcher(allow_loopback=allow_loopback, now=lambda: next(moments)) as fetcher:
        return crawl.run_refresh(
            place,
            find_sources(sources),
            fetcher,
            lambda: next(moments),
            Silent(),
            cards=cards_of(place),
            label=label,
        )
