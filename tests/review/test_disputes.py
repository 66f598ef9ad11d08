"""What a buyer is told of a figure that is contradicted or impossible: in Chinese without a word of English of ours."""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from extractors.checks import equations, plausibility
from extractors.checks.equations import sentence_programs
from review.disputes import Against, dispute
from schemas.claim import Claim, Evidence
from schemas.quantity import Bound


def test_a_conflict_shows_the_other_statement():
    detail = {"quote": "1 Gbit/s", "other_quote": "1GB/s", "other_source": "cpfs-zh"}
    words = dispute([Against(verdict="CONFLICT", reason="two values", detail=json.dumps(detail))])
    assert words is not None
    assert words.en == "Which figure holds? Found: two values"
    assert words.zh == "以哪个数字为准？核对发现：另一处写的是“1GB/s”（cpfs-zh）"


def test_an_impossible_figure_shows_its_bound_and_the_likely_slip():
    claim = Claim(
        claim_key="k", source="p", vendor="azure", product="nd-a100-v4", metric="rdma_bandwidth",
        low=Decimal(12800000000000), bound=Bound.EXACT, unit="bit/s", text_value="1.6 TB/s", unit_as_written="TB/s", basis="per_instance",
        evidence=Evidence(quote="1.6 TB/s", start=0, end=8), extractor="grammar@1",
    )  # fmt: skip
    found = plausibility.check(claim)
    words = dispute(
        [Against(verdict=str(found.verdict), reason=found.reason, detail=json.dumps(found.detail))]
    )
    assert words is not None
    assert words.zh.startswith("以哪个数字为准？核对发现：超出硬件所能达到的范围（界限为 ")
    assert words.zh.endswith("；可能把比特写成了字节，即 1.6 Tbit/s")


def test_a_calculation_that_does_not_hold_shows_its_figures():
    found = equations.judged(list(sentence_programs("64 × 400 Gbps = 51.2 Tbps")))
    words = dispute(
        [Against(verdict=str(found.verdict), reason=found.reason, detail=json.dumps(found.detail))]
    )
    assert words is not None
    assert words.zh == "以哪个数字为准？核对发现：由 64、400 Gbps 算不出页面上的 51.2 Tbps"


def test_the_gravest_is_told_and_nothing_where_nothing_stands_against_it():
    rows = [Against(verdict="CONFLICT", reason="two"), Against(verdict="ABOVE_BOUND", reason="too much")]
    words = dispute(rows)
    assert words is not None
    assert words.en.endswith("too much")
    assert dispute([Against(verdict="OK", reason="fine")]) is None


@pytest.mark.parametrize(
    "detail", ["", "{", "[]", '{"programs": [{"x": 1}, 3]}', '{"bound": "NaN", "readings": 3}']
)
@pytest.mark.parametrize("verdict", ["CONFLICT", "ABOVE_BOUND", "FAIL"])
def test_what_the_detail_leaves_out_is_told_in_the_words_of_the_check(verdict, detail):
    words = dispute([Against(verdict=verdict, reason="as found", detail=detail)])
    assert words is not None
    assert words.zh == "以哪个数字为准？核对发现：as found"
