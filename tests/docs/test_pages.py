"""The documentation is what the program does: its commands are run or accepted, its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import yaml

from tests.docs.accepting import accept, is_command, ours
from tests.docs.console import played_page
from tests.docs.fences import NOT_RUN, ROOT, blocks, named, pages
from warehouse.home import Home

PAGES = {named(page): page.read_text(encoding="utf-8") for page in pages()}
BLOCKS = [block for page, text in PAGES.items() for block in blocks(page, text)]
PLAYED = sorted({block.page for block in BLOCKS if block.runs})
WRITTEN = {"docs/cli.md", "docs/reading.md", "docs/sql.md"}
"""Pages that the program writes: their examples are accepted or run by tests of their own."""
NOT_RUN_HERE = yaml.safe_load(
    (ROOT / "tests" / "cases" / "docs" / "not_run.yaml").read_text(encoding="utf-8")
)
TYPED = [
    pytest.param(words, id=f"{block.page}:{block.line}: {line}")
    for block in BLOCKS
    if not block.runs
    for line in block.commands
    if (words := ours(line)) is not None
]
SPOKEN_OF = sorted(
    {
        (page, code)
        for page, text in PAGES.items()
        for code in re.findall(
            r"`(koujing [^`\n]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        )
    }
)
LINKS = sorted(
    {
        (page, link)
        for page, text in PAGES.items()
        for link in re.findall(
            r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
        )
        if "://" not in link
    }
)


PATHS = sorted(
    {
        (page, path)
        for page, text in PAGES.items()
        for path in re.findall(
            r"`((?:flows|report|review|extractors|warehouse|prompts|schemas|tests|docs|deploy|\.ci)/[\w./*-]*)`",
            text,
        )
    }
)


@pytest.mark.parametrize("page", PLAYED)
def test_a_page_prints_what_its_commands_print(page: str, played: Home, tmp_path: Path) -> None:
    folder = tmp_path / "koujing"
    folder.mkdir()
    assert played_page(page, PAGES[page], folder, played.root) == PAGES[page], (
        f"run `python -m tests.docs.write {page}` and look at what it changed"
    )


def test_the_pages_that_are_played_are_those_with_commands_and_outputs() -> None:
    assert {"docs/tutorial.md", "docs/ranking.md", "docs/guides/analyst.md"} <= set(PLAYED)
    assert len([block for block in BLOCKS if block.runs]) >= 30


def test_what_is_not_run_is_listed_with_its_reason() -> None:
    found = [
        {
            "page": block.page,
            "first": block.commands[0],
            "not_run": block.why_not or "a list of commands",
        }
        for block in BLOCKS
        if block.commands and not block.runs and block.page not in WRITTEN
    ]
    assert found == NOT_RUN_HERE


def test_a_block_that_shows_what_is_typed_is_run_or_says_why_not() -> None:
    assert [b for b in BLOCKS if b.language == "console" and "title" in b.options and not b.runs] == [
        b for b in BLOCKS if b.options.get("title", "").startswith(NOT_RUN)
    ]
    assert {key for b in BLOCKS for key in b.options} == {"title"}
    assert [b for b in BLOCKS if b.language != "console" and re.search(r"^\$ ", b.body, re.MULTILINE)] == []


@pytest.mark.parametrize("words", TYPED)
def test_what_is_not_run_is_accepted(words: list[str]) -> None:
    accept(words)


@pytest.mark.parametrize(("page", "code"), SPOKEN_OF)
def test_a_command_that_a_sentence_names_exists(page: str, code: str) -> None:
    words = [word for word in shlex.split(code)[1:] if not word.startswith(("-", "/"))]
    assert is_command(words[:1] or ["--help"]) or code.startswith("koujing --home"), code


@pytest.mark.parametrize(("page", "link"), LINKS)
def test_a_link_leads_to_a_page_and_a_heading(page: str, link: str) -> None:
    path, _, anchor = link.partition("#")
    target = (ROOT / page).parent / path if path else ROOT / page
    assert target.exists(), link
    if anchor:
        headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
        assert anchor in {_anchor(heading) for heading in headings}, link


def _anchor(heading: str) -> str:
    """The anchor of a heading, in words that GitHub and MkDocs make alike."""
    return re.sub(r"[\s]+", "-", re.sub(r"[^\w\s-]", "", heading.lower()).strip())


@pytest.mark.parametrize(("page", "path"), PATHS)
def test_a_file_that_a_page_names_exists(page: str, path: str) -> None:
    assert list(ROOT.glob(path.rstrip("/"))), path


def test_every_decision_stands_in_the_index() -> None:
    decisions = {named(page).removeprefix("docs/") for page in pages() if page.parent.name == "decisions"}
    assert decisions <= {link for page, link in LINKS if page == "docs/architecture.md"}
