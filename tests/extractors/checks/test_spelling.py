"""One thing under two names, and how many of a thing a figure is the figure of."""

from __future__ import annotations

import pytest

from extractors.checks.counting import counts
from extractors.checks.periods import read_day, read_period
from extractors.checks.spelling import key_of, one_spelling


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("scale", "12,288 GPUs", "1.2288 万卡"),
        ("scale", "三千卡", "3000 cards"),
        ("scale", "16K GPUs", "16000"),
        ("scale", "128 台", "128 nodes"),
        ("release", "v2.0", "第二代"),
        ("release", "Gen 2", "2.0.0"),
        ("region", "华北2（北京）", "cn-beijing"),
        ("region", "US East (N. Virginia)", "us-east-1"),
        ("model", "NVIDIA H20", "H20 GPU"),
        ("model", "昇腾 910B", "Ascend 910B"),
        ("tier", "标准型", "Standard tier"),
        ("tier", "200MB/s/TiB 基线", "200 MB/s/TiB baseline"),
        ("protocol", "RoCE v2", "RoCE"),
        ("term", "按量付费", "on-demand"),
        ("date", "2024 年 9 月", "Sep 2024"),
        ("date", "2024 年 9 月 30 日", "2024/09/30"),
        ("period", "每月", "monthly"),
        ("of", "网络时延", "network_latency"),
        ("size", "4 KiB", "4K 块"),
    ],
)
def test_one_thing_under_two_names(key, one, other):
    assert one_spelling(key, one) == one_spelling(key, other)


@pytest.mark.parametrize(
    ("key", "one", "other"),
    [
        ("scale", "128 台", "128 卡"),
        ("scale", "1024 H800", "1024 H100"),
        ("scale", "数千卡", "3000 卡"),
        ("release", "2.0", "2.1"),
        ("release", "20", "2"),
        ("region", "华北-北京一", "华北-北京四"),
        ("region", "us-east-1", "us-east-2"),
        ("model", "H100 SXM", "H100 NVL"),
        ("tier", "高性能型", "性能型"),
        ("tier", "型", "版"),
        ("date", "2024-09-01", "2024-09-30"),
        ("date", "Jan 2024", "Sep 2024"),
    ],
)
def test_two_things_stay_two(key, one, other):
    assert one_spelling(key, one) != one_spelling(key, other)


def test_a_release_may_repeat_the_name_of_its_product():
    assert one_spelling("release", "星脉 2.0", ("星脉",)) == "2"
    assert one_spelling("release", "星脉 2.0") == "星脉2"


def test_keys_under_other_names():
    assert [key_of(key) for key in ("version", "Block-Size", "地域", "workload")] == [
        "release",
        "size",
        "region",
        "workload",
    ]


@pytest.mark.parametrize(
    ("basis", "text", "stated", "expected"),
    [
        ("per_machine", "8x400Gbps", {}, {"nic": 8, "accelerator": 8}),
        ("per_machine", "4x400Gbps", {}, {"nic": 4}),
        ("per_node", "8 NPU × 400 Gbps", {}, {"accelerator": 8}),
        ("per_switch", "128 × 400G", {}, {"port": 128}),
        ("per_supernode", "72 × 1.8 TB/s", {}, {"accelerator": 72}),
        ("per_accelerator", "18 × 50 GB/s", {}, {}),
        ("per_machine", "单机 8 卡共 3.2Tbps", {}, {"accelerator": 8}),
        ("per_machine", "八卡 3.2T", {}, {"accelerator": 8}),
        ("per_instance", "3.2 Tbps across eight GPUs", {}, {"accelerator": 8}),
        ("per_machine", "3.2T", {"cards_per_node": "8"}, {"accelerator": 8}),
        ("per_machine", "3.2T", {"网卡数": "4 张"}, {"nic": 4}),
        ("per_cluster", "万卡 20 TB/s", {}, {}),
        ("per_accelerator", "每 8 卡 400 Gbps/GPU", {}, {}),
        ("per_machine", "3.2T", {"model": "8 GPUs", "scale": "1024 GPUs"}, {}),
    ],
)
def test_counts_that_a_claim_states(basis, text, stated, expected):
    assert counts(basis, text, stated) == expected


def test_days_and_months():
    assert read_day("as of 2024-09-30") == (2024, 9, 30)
    assert read_day("2024-09") is None
    assert read_period("Sep 2024") == read_period("2024 年 9 月") == read_period("2024-09")
