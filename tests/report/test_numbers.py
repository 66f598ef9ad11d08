"""Figures as people read them."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from report.numbers import amount, percent, shown, span


@pytest.mark.parametrize(
    ("number", "unit", "said"),
    [
        ("3200000000000", "bit/s", "3.2 Tbit/s"),
        ("320000000000", "bit/s", "320 Gbit/s"),
        ("2000000000000", "byte/s", "2 TB/s"),
        ("439804651110.4", "byte/s/TiB", "439.8 GB/s/TiB"),
        ("0.000002", "s", "2 µs"),
        ("0.00025", "s", "250 µs"),
        ("600", "s", "10 min"),
        ("3456000", "s", "40 d"),
        ("5400", "s", "1.5 h"),
        ("0.9778", "fraction", "97.78%"),
        ("30000000", "1/s", "30,000,000/s"),
        ("160000", "accelerators", "160,000"),
        ("1000", "count", "1000"),
        ("0", "bit/s", "0 bit/s"),
        ("12.50", "CNY", "12.5 CNY"),
        ("1234.5", "token/s", "1234.5 token/s"),
        ("0.0000000015", "s", "1.5 ns"),
    ],
)
def test_amounts(number, unit, said):
    assert amount(Decimal(number), unit) == said


@pytest.mark.parametrize(
    ("number", "places", "said"),
    [
        (Fraction(4355, 1000), 2, "4.36"),
        (Fraction(1, 3), 2, "0.33"),
        (Fraction(-1, 8), 2, "-0.13"),
        (Fraction(5), 1, "5.0"),
        (Fraction(1, 2), 0, "1"),
    ],
)
def test_rounding_is_half_up_once(number, places, said):
    assert shown(number, places) == said


def test_a_share_that_is_neither_none_nor_all_never_looks_like_it():
    assert [percent(Fraction(n, 1000)) for n in (0, 1, 500, 999, 1000)] == [
        "0%",
        "<1%",
        "50%",
        ">99%",
        "100%",
    ]


def test_a_span_of_one_is_one():
    assert (span("1", "1"), span("1", "3")) == ("1", "1–3")
