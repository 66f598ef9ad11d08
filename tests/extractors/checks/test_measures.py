"""Units as statements print them."""

from fractions import Fraction

import pytest

from extractors.checks.measures import measure, unit_of
from extractors.checks.periods import Period, read_period

BITS = (("bit", 1),)
RATE = (("bit", 1), ("s", -1))
SAME = [
    ("400", "Gbps", Fraction(4 * 10**11), RATE),
    ("400", "Gb/s", Fraction(4 * 10**11), RATE),
    ("400", "Gbit/s", Fraction(4 * 10**11), RATE),
    ("50", "GB/s", Fraction(4 * 10**11), RATE),
    ("50", "GBps", Fraction(4 * 10**11), RATE),
    ("50", "gigabytes per second", Fraction(4 * 10**11), RATE),
    ("１", "ＴｉＢ", Fraction(8 * 2**40), BITS),
    ("1", "KiB", Fraction(8192), BITS),
    ("500", "MB/s/TiB", Fraction(500 * 10**6, 2**40), (("s", -1),)),
    ("500", "MB/s per TiB", Fraction(500 * 10**6, 2**40), (("s", -1),)),
    ("6,800", "IOPS", Fraction(6800), (("s", -1),)),
    ("680", "万 IOPS", Fraction(6800000), (("s", -1),)),
    ("16", "万卡", Fraction(160000), ()),
    ("3", "million tokens", Fraction(3000000), ()),
    ("13.3", "亿元", Fraction(1330000000), (("CNY", 1),)),
    ("6.155", "USD/GPU/h", Fraction(6155, 3600000), (("USD", 1), ("s", -1))),
    ("6.155", "USD per GPU-hour", Fraction(6155, 3600000), (("USD", 1), ("s", -1))),
    ("2", "μs", Fraction(2, 10**6), (("s", 1),)),
    ("2", "微秒", Fraction(2, 10**6), (("s", 1),)),
    ("99.9", "%", Fraction(999, 1000), ()),
    ("2", "percentage points", Fraction(2, 100), ()),
    ("8", "张", Fraction(8), ()),
    ("8", "H100 GPUs", Fraction(8), ()),
    ("7", "zorkmids", Fraction(7), (("zorkmid", 1),)),
]


@pytest.mark.parametrize(
    ("value", "unit", "amount", "dimensions"), SAME, ids=[f"{v} {u}" for v, u, _, _ in SAME]
)
def test_a_unit_is_worth_what_it_is_worth(value, unit, amount, dimensions):
    got = measure(value, unit)
    assert (got.amount, got.dimensions) == (amount, dimensions)


def test_the_case_of_b_decides_and_is_kept():
    assert unit_of("Gb/s").factor * 8 == unit_of("GB/s").factor


def test_a_truncated_unit_takes_the_kind_of_its_neighbour():
    assert measure("3.2", "T").amount == measure("3.2", "Tbps").amount
    assert measure("3.2", "T", like="GB/s").amount == measure("3.2", "TB/s").amount
    assert measure("3.2", "T", like="GB").dimensions == BITS


def test_the_last_printed_digit_is_known():
    assert measure("4.50", "").step == Fraction(1, 100)
    assert measure("3.2", "Tbps").step == 10**11
    assert measure("320", "Gbps").step == 10**9


@pytest.mark.parametrize(
    ("text", "period"),
    [
        ("2025H1", Period(2025, 6, 1)),
        ("2025 年上半年", Period(2025, 6, 1)),
        ("second half of 2024", Period(2024, 6, 7)),
        ("Q3 2026", Period(2026, 3, 7)),
        ("2026 年第二季度", Period(2026, 3, 4)),
        ("2025-06", Period(2025, 1, 6)),
        ("2030", Period(2030, 12, 1)),
        ("half of 2025", Period(2025, 6, 1)),
        ("full year", Period(None, 12, 1)),
        ("Tbps", None),
    ],
)
def test_periods(text, period):
    assert read_period(text) == period
