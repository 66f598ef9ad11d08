"""Slips are named with both readings, and what is possible is not."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from extractors.checks import plausibility
from schemas.check import Verdict
from schemas.claim import Claim, Evidence
from schemas.quantity import Bound


def claim(metric: str, low: str, unit: str, basis: str, text: str, **more) -> Claim:
    return Claim(
        claim_key="k",
        source="s",
        vendor=None,
        product=more.pop("product", None),
        metric=metric,
        low=Decimal(low),
        unit=unit,
        text_value=text,
        unit_as_written=more.pop("written", ""),
        bound=more.pop("bound", Bound.EXACT),
        basis=basis,
        evidence=Evidence(quote=more.pop("quote", text), start=0, end=len(text), path=more.pop("path", ())),
        extractor="grammar@1",
        **more,
    )


def test_bits_printed_as_bytes_give_both_readings():
    got = plausibility.check(
        claim(
            "rdma_bandwidth",
            "12800000000000",
            "bit/s",
            "per_instance",
            "1.6 TB/s",
            product="nd-a100-v4",
            written="TB/s",
        )
    )
    assert got.verdict is Verdict.ABOVE_BOUND
    assert "likely a slip of B for b" in got.reason
    assert got.detail["readings"] == [
        {"key": "as_written", "value": "12800000000000", "unit": "bit/s"},
        {"key": "bit", "value": "1600000000000", "unit": "bit/s"},
    ]


def test_twice_the_usual_names_both_ways_and_two_dies():
    got = plausibility.check(
        claim(
            "interconnect_bandwidth",
            "1568000000000",
            "byte/s",
            "per_accelerator",
            "1568 GB/s",
            product="cloudmatrix384",
        )
    )
    assert got.verdict is Verdict.ABOVE_BOUND
    assert "both ways may be added, or two dies counted as one chip" in got.reason
    assert (
        json.dumps(got.detail["readings"][1])
        == '{"key": "one_way", "value": "784000000000", "unit": "byte/s"}'
    )


@pytest.mark.parametrize(
    ("metric", "low", "unit", "basis", "verdict"),
    [
        ("mfu", "0.552", "fraction", "unspecified", Verdict.OK),
        ("mfu", "1.2", "fraction", "unspecified", Verdict.ABOVE_BOUND),
        ("sla_availability", "1", "fraction", "per_service", Verdict.OK),
        ("sla_availability", "1.001", "fraction", "per_service", Verdict.ABOVE_BOUND),
        ("network_latency", "0.000002", "s", "unspecified", Verdict.OK),
        ("network_latency", "0.00000015", "s", "unspecified", Verdict.OK),
        ("network_latency", "0.00000002", "s", "unspecified", Verdict.ABOVE_BOUND),
        ("port_speed", "800000000000", "bit/s", "per_port", Verdict.OK),
        ("port_speed", "6400000000000", "bit/s", "per_port", Verdict.ABOVE_BOUND),
        ("rdma_bandwidth", "3200000000000", "bit/s", "per_node", Verdict.OK),
        ("rdma_bandwidth", "28800000000000", "bit/s", "per_supernode", Verdict.NO_BOUND),
        ("cluster_size_max", "160000", "accelerators", "per_cluster", Verdict.OK),
        ("cluster_size_max", "1000000000000", "accelerators", "per_cluster", Verdict.ABOVE_BOUND),
        ("gpu_memory", "640000000000", "byte", "per_accelerator", Verdict.OK),
    ],
)
def test_bounds(metric, low, unit, basis, verdict):
    assert plausibility.check(claim(metric, low, unit, basis, low)).verdict is verdict


def test_every_row_names_its_origin_and_bounds_something():
    for rows in plausibility.limits().values():
        for row in rows:
            assert len(row.origin) > 10
            assert row.most is not None or row.least is not None
            assert row.usual is None or row.most is None or row.usual <= row.most


@pytest.mark.parametrize(
    ("text", "quote", "rule", "verdict"),
    [
        ("51.2 Tbit/s", "51.2 Tbit/s on 64 ports", "near: ports", Verdict.OK),
        ("51.2 Tbit/s", "51.2 Tbit/s a port", "near: port", Verdict.ABOVE_BOUND),
        ("51.2 Tbit/s", "51.2 Tbit/s", "earlier: ports", Verdict.NO_BOUND),
        ("6.4 TB/s", "6.4 TB/s", "earlier: ports", Verdict.ABOVE_BOUND),
    ],
)
def test_a_figure_of_something_else_is_not_called_impossible(text, quote, rule, verdict):
    got = plausibility.check(
        claim(
            "port_speed",
            "51200000000000",
            "bit/s",
            "per_port",
            text,
            written=text[-4:],
            quote=quote,
            rules={"metric": rule},
        )
    )
    assert got.verdict is verdict
    assert "slip of B for b" not in got.reason or "TB" in text
