"""Pages as data: tests/cases/document/blocks.yaml says what each must become."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from extractors.document import masked, read_html
from schemas.document import Block, Document

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "document" / "blocks.yaml").read_text(encoding="utf-8")
)


def text_of(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def described(document: Document, block: Block) -> str:
    level = str(block.level) if block.level else ""
    return f"{'~' if block.chrome else ''}{block.kind.value}{level} {text_of(document, block)}"


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_a_page_becomes_its_document(case: dict[str, Any]) -> None:
    document = read_html(case["html"])
    assert document.text == case["text"]
    if "blocks" in case:
        assert [described(document, block) for block in document.blocks] == case["blocks"]
    if "headings" in case:
        paths = {text_of(document, block): list(block.headings) for block in document.blocks}
        assert {text: paths[text] for text in case["headings"]} == case["headings"]
    if "labels" in case:
        labels = {
            text_of(document, block): text_of(document, document.blocks[block.label])
            for block in document.blocks
            if block.label is not None
        }
        assert labels == case["labels"]
    assert [[one.text, one.reason] for one in document.hidden] == case.get("hidden", [])
    marks = [[one.kind.value, document.text[one.start : one.end]] for one in document.marks]
    assert marks == case.get("marks", [])
    if "masked" in case:
        assert masked(document) == case["masked"]
    for key in ("title", "lang"):
        if key in case:
            assert getattr(document, key) == case[key]
