"""The fenced blocks of the pages that people read, and what their info strings say of them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"

NOT_RUN = "not run by the tests: "

_FENCE = re.compile(r"^(?P<mark>`{3,})(?P<info>[^\n]*)\n(?P<body>.*?)^(?P=mark) *$", re.DOTALL | re.MULTILINE)
_OPTION = re.compile(r'(\w+)="([^"]*)"')
_COMMAND = re.compile(
    r"^(?:[A-Z_]+=\S+ )*(?:koujing|make|pip|python|git|prefect|docker|curl|export|source)\b"
)

_REMARK = re.compile(r"\s+# .*$")


@dataclass(frozen=True)
class Block:
    """A fenced block. `line` is that of its first fence, from 1; `span` is where its body stands in the page."""

    page: str
    line: int
    language: str
    options: dict[str, str]
    body: str
    span: tuple[int, int]

    @property
    def runs(self) -> bool:
        """Whether the block is run and held to its output."""
        return self.language == "console" and not self.why_not

    @property
    def why_not(self) -> str:
        """Why a block of commands with a title is not run; empty where it says nothing of it."""
        return self.options.get("title", "").removeprefix(NOT_RUN) if self.language == "console" else ""

    @property
    def commands(self) -> list[str]:
        """The lines that a reader would type; of a block that is not run, without what follows a `#`.

        A block of `text` shows something and holds none.
        """
        lines = [] if self.language == "text" else self.body.splitlines()
        if self.language != "console":
            return [_REMARK.sub("", line) for line in lines if _COMMAND.match(line)]
        typed = [line[2:] for line in lines if line.startswith("$ ")]
        return typed if self.runs else [_REMARK.sub("", line) for line in typed]


def pages() -> list[Path]:
    """Every page of the documentation, the READMEs and the rules for contributors, in order of their names."""
    return [*sorted(ROOT.glob("*.md")), *sorted(DOCS.rglob("*.md"))]


def named(page: Path) -> str:
    """A page as the tests and their cases call it: `docs/guides/operator.md`."""
    return page.relative_to(ROOT).as_posix()


def blocks(page: str, text: str) -> list[Block]:
    """The fenced blocks of a page's text, in order."""
    return [
        Block(
            page=page,
            line=text.count("\n", 0, found.start()) + 1,
            language=found["info"].split(" ")[0],
            options=dict(_OPTION.findall(found["info"])),
            body=found["body"],
            span=found.span("body"),
        )
        for found in _FENCE.finditer(text)
    ]


def file_of(page: Path, title: str) -> str:
    """The file that a page writes under that title."""
    found = [
        b for b in blocks(named(page), page.read_text(encoding="utf-8")) if b.options.get("title") == title
    ]
    (block,) = found
    return block.body
