"""What `koujing prompts`, `koujing eval` and `koujing extract` say with a model behind them, word for word."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.model.fake_server import FakeServer, Step, serving
from tests.model.test_bad_answers import RIGHT, whole

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[2]
CANARY = "canary-0123456789-key"
PAGE = "<h1>Compute network</h1><p>All told 3.2 Tbps.</p><p>Every node has eight RDMA cards.</p>"


@pytest.fixture
def pages(tmp_path) -> Path:
    folder = tmp_path / "pages"
    folder.mkdir()
    label = {
        "id": "1", "page": "a.html", "vendor": None, "product": None, "metric": "rdma_bandwidth", "low": "3200000000000",
        "high": None, "unit": "bit/s", "text_value": "3.2 Tbps", "bound": "exact", "basis": "per_node", "quote": "All told 3.2 Tbps.",
        "qualifiers": {}, "condition": {}, "flags": [],
    }  # fmt: skip
    (folder / "a.html").write_text(PAGE, encoding="utf-8")
    (folder / "labels.jsonl").write_text(json.dumps(label) + "\n", encoding="utf-8")
    return folder


def koujing(
    home: Path, *words: str, server: FakeServer | None = None, **env: str
) -> subprocess.CompletedProcess[str]:
    clean = {name: value for name, value in os.environ.items() if not name.startswith("KOUJING_")}
    model = {"KOUJING_MODEL": "openai:small", "KOUJING_MODEL_URL": server.url} if server else {}
    return subprocess.run(
        [sys.executable, "-m", "flows.cli", "--home", str(home), *words],
        capture_output=True, text=True, cwd=ROOT, timeout=120, env=clean | model | env,
    )  # fmt: skip


def table(text: str) -> list[list[str]]:
    return [line.split() for line in text.splitlines()]


def test_eval_prints_both_readers_and_what_the_model_cost(tmp_path, pages):
    with serving(Step(text=whole(mentions=[RIGHT | {"vendor_quote": ""}]), tokens=(1000, 100))) as server:
        env = {"KOUJING_MODEL_PRICE": "2.5 10 USD"}
        got = koujing(tmp_path / "home", "eval", "--pages", str(pages), server=server, **env)
    assert got.returncode == 0, got.stderr
    assert got.stderr == "[1/1] a.html\n"
    head, _, rules, model, told = table(got.stdout)
    assert head == "reader claim_f1 capability_f1 basis flags_f1 values tokens cost seconds".split()
    assert rules[:4] == ["rules", "1.0000", "1.0000", "0.0000"]
    assert model[:4] == ["openai:small", "1.0000", "1.0000", "1.0000"]
    assert model[-3:-1] == ["1100", "0.0035"]
    assert " ".join(told) == (
        "model: openai:small, 1 of 3 blocks sent (33.3%), 1 call and 0 from the cache, 1100 tokens (1100 a page), "
        "cost 0.0035, 1 claim settled, 0 answers refused"
    )


def test_eval_without_a_model_scores_the_rules_and_says_so(tmp_path, pages):
    got = koujing(tmp_path / "home", "eval", "--pages", str(pages))
    assert got.returncode == 0
    assert "model: none, the rules alone" in got.stderr
    assert [row[0] for row in table(got.stdout)] == ["reader", "------", "rules"]


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (Step(status=401, text=f"Incorrect API key provided: {CANARY}"), "the provider refused the request (401); see the key and the account"),
        (None, "the server is out of reach ("),
    ],
)  # fmt: skip
def test_a_model_that_never_answered_is_an_error_with_the_reason_and_without_the_key(
    tmp_path, pages, step, reason
):
    with serving(*([step] if step else [])) as server:
        if step is not None:
            got = koujing(
                tmp_path / "home", "eval", "--pages", str(pages), server=server, KOUJING_MODEL_KEY=CANARY
            )
    if step is None:  # its port is closed by now
        got = koujing(
            tmp_path / "home", "eval", "--pages", str(pages), server=server, KOUJING_MODEL_KEY=CANARY
        )
    assert got.returncode == 1
    assert f"error: openai:small never answered: {reason}" in got.stderr
    assert "Traceback" not in got.stderr
    assert CANARY not in got.stderr + got.stdout


def test_a_prompt_of_another_form_is_named(tmp_path, pages):
    with serving() as server:
        words = ("prompts", "eval", "read_mentions", "--version", "1", "--pages", str(pages))
        got = koujing(tmp_path / "home", *words, server=server)
        assert server.requests == []
    assert got.returncode == 1
    assert "error: the prompt read_mentions 1 asks for answers in another form" in got.stderr
    assert "Traceback" not in got.stderr


def test_a_prompts_version_is_scored(tmp_path, pages):
    with serving(Step(text=whole())) as server:
        words = ("prompts", "eval", "read_mentions", "--version", "2", "--pages", str(pages))
        got = koujing(tmp_path / "home", *words, server=server)
        assert len(server.requests) == 1
    assert got.returncode == 0
    assert table(got.stdout)[3][:4] == ["openai:small", "1.0000", "1.0000", "1.0000"]


def test_prompts_are_listed_shown_and_compared(tmp_path):
    listed = koujing(tmp_path, "prompts", "show")
    assert table(listed.stdout)[2][:4] == ["read_mentions", "1,", "2", "extractors.model.answers@1"]
    shown = koujing(tmp_path, "prompts", "show", "read_mentions", "--version", "1")
    assert shown.stdout == (ROOT / "prompts" / "read_mentions.1.md").read_text(encoding="utf-8")
    compared = koujing(tmp_path, "prompts", "diff", "read_mentions")
    assert compared.stdout.startswith("--- read_mentions 1\n+++ read_mentions 2\n")
    assert "+purpose: Settle what the rules left open" in compared.stdout
    for words in (
        ("show", "nosuch"),
        ("show", "read_mentions", "--version", "0"),
        ("diff", "read_mentions", "0", "2"),
    ):
        wrong = koujing(tmp_path, "prompts", *words)
        assert (wrong.returncode, wrong.stdout) == (1, "")
        assert "there is no such prompt; there are: read_mentions 1, read_mentions 2" in wrong.stderr
