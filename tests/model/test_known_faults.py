"""Faults of other tools in quotes and replies, each with what is right here."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from extractors.checks.grounding import ground
from extractors.document import read_document
from extractors.model.answers import Refused, Reply, read_reply
from tests.model.test_bad_answers import Says, read
from tests.quality.evaluate import HANDED

CASES = yaml.safe_load(
    (Path(__file__).parents[1] / "cases/model/known_faults.yaml").read_text(encoding="utf-8")
)
QUOTES = [case for case in CASES if "quote" in case]
REPLIES = [case for case in CASES if "reply" in case]


@pytest.mark.parametrize("case", QUOTES, ids=[case["what"] for case in QUOTES])
def test_a_quote_is_grounded_as_it_stands(case):
    document = read_document(case["page"].encode(), name="page.txt")
    verdict, _ = ground(case["quote"], case.get("start"), document)
    assert verdict.value == case["grounding"]
    if "slice" in case:
        start, end = case["slice"]
        assert document.text[start:end] == case["quote"]
        assert "start" in case or document.text.index(case["quote"]) == start


@pytest.mark.parametrize("case", REPLIES, ids=[case["what"] for case in REPLIES])
def test_a_reply_is_refused_asked_for_once_more_and_kept(case):
    reply = Reply(case["reply"], cut=case.get("cut", False))
    found = read_reply(reply)
    assert isinstance(found, Refused)
    assert case["reason"] in found.reason
    model = Says(reply)
    got = read(model)
    assert [claim.basis for claim in got.claims] == ["unspecified"]
    assert len(model.asked) == 2
    assert [r.attempt for r in got.asked.rejections] == [1, 2]


@pytest.mark.skipif(not (HANDED / "gold").is_dir(), reason="the handed faults are not beside this checkout")
def test_every_handed_fault_of_these_kinds_has_a_case():
    lines = (HANDED / "gold" / "known_faults.jsonl").read_text(encoding="utf-8").splitlines()
    faults = [json.loads(line) for line in lines if line.strip()]
    assert {f["id"] for f in faults if f["kind"] in ("quote-alignment", "llm-output")} <= {
        c["id"] for c in CASES
    }
