"""Plain text that was laid out by hand: wrapped lines become sentences again, aligned fields become cells."""

from __future__ import annotations

import pytest

from extractors.plain_layout import read_layout
from schemas.document import BlockKind, Document

WRAPPED = """\
7.4.2 Fabric
    Each port of the fabric runs at 400 Gbit/s, and the message rate of one card is
    215 million/s. Between two hosts the latency lies between 1.9 and 2.4 us, rail to
    rail, in both directions.
7.4.3 Storage
    One file system reads 40 GB/s while it is in use by all of the clients that there
    are.
    - a list item stays one
"""
WRAPPED_CHINESE = """\
本章所列的数值均为单台服务器的数值，除非另有说明，带宽按单向计算，合计值另行注
明。每台服务器对外提供 3.2 Tbps 的 RDMA 网络，并配有 8 张 400 Gbps 网卡，供训练使
用。
存储网络与计算网络分离，互不影响，存储侧由两张 100 Gbps 网卡接入并行文件系统，读
写互不影响。
"""
TABLE = """\
规格表

Flavor     Accelerators   InfiniBand (node)
pa1.8      8 x H100       8 x 400 Gbps
pa2.4      4 x L40S       none

The table is normative.
"""


def texts(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def test_a_wrapped_line_goes_on_in_the_next() -> None:
    assert texts(read_layout(WRAPPED)) == [
        "7.4.2 Fabric",
        (
            "Each port of the fabric runs at 400 Gbit/s, and the message rate of one card is 215 million/s. "
            "Between two hosts the latency lies between 1.9 and 2.4 us, rail to rail, in both directions."
        ),
        "7.4.3 Storage",
        "One file system reads 40 GB/s while it is in use by all of the clients that there are.",
        "- a list item stays one",
    ]


def test_chinese_lines_are_joined_without_a_space() -> None:
    first, second = texts(read_layout(WRAPPED_CHINESE))
    assert "另行注明。每台服务器" in first
    assert first.endswith("供训练使用。")
    assert second.endswith("读写互不影响。")


def test_fields_held_together_by_white_space_are_cells_under_their_titles() -> None:
    document = read_layout(TABLE)
    cells = [block for block in document.blocks if block.cell is not None]
    assert [document.text[b.start : b.end] for b in cells] == [
        *("Flavor", "Accelerators", "InfiniBand (node)"),
        *("pa1.8", "8 x H100", "8 x 400 Gbps"),
        *("pa2.4", "4 x L40S", "none"),
    ]
    rate = cells[5].cell
    assert rate is not None
    assert (rate.row, rate.col) == (1, 2)
    assert [h.text for h in (*rate.row_headers, *rate.col_headers)] == ["pa1.8", "InfiniBand (node)"]
    assert texts(document)[0] == "规格表"
    assert texts(document)[-1] == "The table is normative."


@pytest.mark.parametrize(
    "text",
    [
        "甲 3.2T\r\n\r\n  乙 400G \n",  # short lines: nothing was wrapped
        "名称：甲\n带宽：3.2T\n规模：万卡\n",  # one statement a line
        "x" * 500 + "\n" + "y" * 500,  # lines without a margin
        "甲  乙  丙\n丁  戊  己\n",  # aligned, but no figure in it
    ],
)
def test_other_text_is_a_paragraph_a_line(text: str) -> None:
    document = read_layout(text)
    assert texts(document) == [line.strip() for line in text.splitlines() if line.strip()]
    assert {block.kind for block in document.blocks} == {BlockKind.PARAGRAPH}


def test_a_table_costs_no_more_by_the_line_when_it_is_long() -> None:
    rows = "\n".join(f"row{n}   {n} GB/s   {n} TB" for n in range(3000))
    document = read_layout(f"Name   Rate   Size\n{rows}")
    assert len(document.blocks) == 9003
