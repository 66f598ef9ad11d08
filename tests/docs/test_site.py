"""What the look at a built site finds, and that the site's table of contents names every page."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.fences import DOCS, ROOT
from tests.docs.site import faults


@pytest.fixture
def site(tmp_path: Path) -> Path:
    for page in DOCS.rglob("*.md"):
        built = tmp_path / page.relative_to(DOCS).with_suffix(".html")
        built.parent.mkdir(parents=True, exist_ok=True)
        built.write_text('<a href="https://vendor.example/">a link is followed by who wants to</a>')
    return tmp_path


def test_a_whole_site_has_no_fault(site: Path) -> None:
    assert faults(site) == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("index.html", '<script src="https://cdn.example/x.js"></script>'),
        ("index.html", "<script async src=//cdn.example/x.js></script>"),
        ("index.html", '<link rel="stylesheet" href="https://fonts.example/css">'),
        ("index.html", '<link href="https://fonts.example" rel="preconnect">'),
        ("index.html", '<img alt="x" src="https://img.example/x.png">'),
        ("x.css", '@import "https://fonts.example/css";'),
        ("x.css", "a { background: url(//img.example/x.png) }"),
    ],
)
def test_a_request_to_another_host_is_a_fault(site: Path, name: str, text: str) -> None:
    (site / name).write_text(text)
    (fault,) = faults(site)
    assert fault.startswith(f"{name} asks another host: ")


def test_a_block_that_was_taken_for_none_is_a_fault(site: Path) -> None:
    (site / "tutorial.html").write_text("<p>```console skip=x\n$ make</p>")
    assert faults(site) == ["tutorial.html shows the marks of a block that was taken for none"]


def test_a_page_that_was_not_built_is_a_fault(site: Path) -> None:
    (site / "guides" / "operator.html").unlink()
    assert faults(site) == ["guides/operator.html was not built"]


def test_the_contents_name_every_page_once() -> None:
    named = re.findall(
        r"^ +- .*?([\w/.-]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert sorted(named) == sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md"))
