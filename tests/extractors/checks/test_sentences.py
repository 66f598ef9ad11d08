"""Calculations that a sentence prints, and sentences that print none."""

from __future__ import annotations

import pytest

from extractors.checks.arithmetic import run
from extractors.checks.sentences import sentence_programs


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("Each node has 8 × 400 Gbps, a total of 3.2 Tbps of RDMA.", "consistent"),
        ("每节点 8×400Gbps，合计 3.2Tbps。", "consistent"),
        ("每节点 8×200Gbps，合计 3.2Tbps。", "inconsistent"),
        ("3.2 Tbps (8 x 400 Gbps) per instance", "consistent"),
        ("Of these, 148 of 419 stops (30.1%) were GPU faults.", "inconsistent"),
        ("419 次中断中有 148 次，占 35.3%", "consistent"),
        ("恢复时间从 10 分钟降到 6 分钟，缩短 40%。", "consistent"),
        ("恢复时间从 10 分钟降到 6 分钟，缩短 60%。", "inconsistent"),
        ("带宽从 1.6Tbps 提升到 3.2Tbps，提升 100%。", "consistent"),
        ("吞吐从 2GB/s 提升至 8GB/s，提升 3 倍。", "consistent"),
        ("吞吐从 2GB/s 提升至 8GB/s，提升 4 倍。", "consistent"),
        ("吞吐从 2GB/s 提升至 8GB/s，提升 6 倍。", "inconsistent"),
        ("141 GB 比 80 GB 多 76%。", "consistent"),
        ("141 GB is 76 percent more than 80 GB.", "consistent"),
        ("Memory grows from 80 GB to 141 GB, up 60%.", "inconsistent"),
        ("Memory bandwidth goes from 3.35 TB/s to 4.8 TB/s, an increase of about 43%.", "consistent"),
        ("2024 年 703 亿元增至 2027 年 1510 亿元，年均增长 29%。", "consistent"),
        ("2024 年 703 亿元增至 2027 年 1510 亿元，年复合增长率 39%。", "inconsistent"),
        ("2025 年上半年 223 亿元，2030 年 1930 亿元，年复合增长率 54%。", "not_comparable"),
        ("From 703 MW in 2024 to 1510 MW in 2027, 29% a year.", "consistent"),
        ("3.2Tbps 是 800Gbps 的 4 倍。", "consistent"),
        ("3.2 Tbps is 8 times 800 Gbps.", "inconsistent"),
        ("800Gbps 与 3.2Tbps 差了一个量级。", "inconsistent"),
        ("320Gbps 与 3.2Tbps 相差一个数量级。", "consistent"),
        ("800 Gbps is an order of magnitude under 3.2 Tbps.", "inconsistent"),
        ("4.76 与 4.50 相差 0.26 分。", "consistent"),
        ("4.50 and 3.81 are 0.6 apart.", "inconsistent"),
        ("97.78% 与 96% 相差 1.78 个百分点。", "consistent"),
        ("权重 22%、20%、20% 和 18% 合计 80%。", "consistent"),
        ("Weights of 25%, 20%, 20%, 15% and 10% add up to 100%.", "inconsistent"),
    ],
)
def test_what_a_sentence_calculates(text, verdict):
    assert [run(program).verdict for program in sentence_programs(text)] == [verdict]


@pytest.mark.parametrize(
    "text",
    [
        "8 × 400 Gbps",
        "2 x 100 GB/s and 3 files of 4 TB",
        "1920 × 1080",
        "up to 3.2 Tbps",
        "恢复时间从 10 分钟降到 6 分钟，有效训练时间提升 5%。",
        "从 90% 提升到 95%，提升 5%。",
        "时延从 10us 降到 1us，降低 10 倍。",
        "From 2.0 to 3.0, throughput is up 40%.",
        "100 Gbps for storage and 400 Gbps for RDMA, an order of magnitude faster storage.",
        "从 8 卡到 16 卡，每年增长 20%。",
        "支持 20%、30% 两档折扣",
        "from 1 TB to 10 TB in steps of 100 GB",
    ],
)
def test_what_is_no_calculation(text):
    assert list(sentence_programs(text)) == []


@pytest.mark.parametrize("part", ["8 × ", "1% and ", "从 1 分钟到 ", "2024 年 7 亿元", "9 GB/s ", "1 of 2 "])
def test_a_long_sentence_is_read_in_time_that_grows_with_it(part):
    assert isinstance(list(sentence_programs(part * 5_000)), list)
