"""Tables as data: tests/cases/document/tables.yaml says where each cell stands and what heads it."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from extractors.document import read_html
from schemas.document import Block, BlockKind

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "cases" / "document" / "tables.yaml").read_text(encoding="utf-8")
)


def seen(block: Block) -> dict[str, Any]:
    cell = block.cell
    assert cell is not None
    return {
        "at": [cell.row, cell.col],
        "span": [cell.rows, cell.cols],
        "header": cell.is_header,
        "left": [header.text for header in cell.row_headers],
        "above": [header.text for header in cell.col_headers],
        "caption": block.caption,
    }


@pytest.mark.parametrize("case", CASES, ids=[case["name"] for case in CASES])
def test_every_cell_stands_where_it_is_seen(case: dict[str, Any]) -> None:
    document = read_html(case["html"])
    cells = {
        document.text[block.start : block.end]: block
        for block in document.blocks
        if block.kind is BlockKind.CELL
    }
    if "text" in case:
        assert document.text == case["text"]
    if "cells_total" in case:
        assert sum(block.kind is BlockKind.CELL for block in document.blocks) == case["cells_total"]
    for expected in case["cells"]:
        found = seen(cells[expected["text"]])
        wanted = {key: value for key, value in expected.items() if key != "text"}
        assert {key: found[key] for key in wanted} == wanted, expected["text"]


def test_a_headers_offsets_point_at_its_own_cell() -> None:
    document = read_html(
        "<p>读</p><table><tr><th>x</th><th>读</th></tr><tr><td>写</td><td>9 GB/s</td></tr></table>"
    )
    cell = document.blocks[-1].cell
    assert cell is not None
    (above,), (left,) = cell.col_headers, cell.row_headers
    assert (above.text, above.start, above.end) == ("读", 4, 5)  # not the paragraph's, at 0
    assert (left.text, left.start, left.end) == ("写", 6, 7)


def test_tables_are_numbered_in_the_order_they_open() -> None:
    document = read_html("<table><tr><td>a<table><tr><td>b</table></table><table><tr><td>c</table>")
    numbers = {document.text[one.start : one.end]: one.cell.table for one in document.blocks if one.cell}
    assert numbers == {"a": 0, "b": 1, "c": 2}


def test_a_table_of_huge_spans_is_no_bomb() -> None:
    row = "<tr>" + "<td colspan=1000 rowspan=65000>a" * 50 + "</tr>"
    document = read_html(f"<table>{row}{'<tr><td>b</td></tr>' * 500}</table>")
    assert sum(block.kind is BlockKind.CELL for block in document.blocks) == 550
    last = document.blocks[-1].cell
    assert last is not None
    assert last.row == 500
