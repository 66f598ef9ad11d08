"""A quote is whole words and whole figures that the passage says; a part of them is no quote."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from extractors.model.answers import Reply
from tests.model.test_bad_answers import Says, read, whole
from tests.quality.scripted import blank

CASES = yaml.safe_load((Path(__file__).parents[1] / "cases/model/quotes.yaml").read_text(encoding="utf-8"))
SAID = blank(1) | {"claim": True, "metric": "rdma_bandwidth", "metric_quote": "Compute network"}


@pytest.mark.parametrize("case", CASES, ids=[case["what"] for case in CASES])
def test_a_quote_is_what_the_passage_says(case):
    first = case.get("instead", "All told 3.2 Tbps.")
    # Below it, another sentence that leaves the basis open for the model to say.
    page = f"<h1>Compute network</h1><p>{first}</p><p>{case.get('text', 'Every node has RDMA cards.')}</p>"
    before = read(Says(Reply(whole(mentions=[]))), page.encode()).claims[0]
    answer = case["answer"]
    got = read(Says(Reply(whole(mentions=[SAID | answer]))), page.encode())
    assert got.asked.calls > 0
    claim = got.claims[0]
    assert claim.text_value == "3.2 Tbps"
    for name in ("basis", "bound", "condition", "low", "metric"):
        assert getattr(claim, name) == case.get("gives", {}).get(name, getattr(before, name)), name
    reasons = [
        rejection.reason
        for rejection in got.asked.rejections
        if rejection.field in ("basis", "condition", "bound")
    ]
    if "refused" in case:
        assert reasons
        assert all(case["refused"] in reason for reason in reasons), reasons
    else:
        assert reasons == []
