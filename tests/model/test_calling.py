"""A model over the network: tries, waits, budgets, cache and keys, against a scripted server on loopback."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest
import yaml

from extractors.model.answers import Reply, json_schema
from extractors.model.asking import Answer, NotAsked, Question
from flows.model.budget import reckoned
from flows.model.cache import Memory
from flows.model.calling import CalledModel
from flows.model.failures import retry_after
from flows.model.settings import redacted, settings_from
from prompts.loader import load_prompt
from schemas.errors import KoujingError
from tests.model.fake_server import NOTHING_SAID, FakeServer, Step, _openai, serving
from warehouse.replies import Replies

pytestmark = pytest.mark.slow
CANARY = "canary-0123456789-key"
CASES = Path(__file__).parents[1] / "cases/model"
USAGE = yaml.safe_load((CASES / "usage.yaml").read_text(encoding="utf-8"))
WAITS = yaml.safe_load((CASES / "retry_after.yaml").read_text(encoding="utf-8"))
QUESTION = Question("instructions", '{"text": "a"}')
NOTHING = Reply(NOTHING_SAID)
NO_KEY = (
    "the provider refused the request (401); see the key and the account "
    "(the server at KOUJING_MODEL_URL is given the key in KOUJING_MODEL_KEY and no other)"
)


def model_at(server: FakeServer, slept: list[float] | None = None, store=None, **env: str) -> CalledModel:
    env = {
        "KOUJING_MODEL": "openai:small",
        "KOUJING_MODEL_URL": server.url,
        "KOUJING_MODEL_TIMEOUT": "0.5",
    } | env
    settings = settings_from(env)
    assert settings is not None
    waits = [] if slept is None else slept
    return CalledModel(settings, load_prompt("read_mentions"), store or Memory(), sleep=waits.append)


def outcome(model: CalledModel, question: Question = QUESTION) -> Answer | str:
    try:
        return model.ask(question)
    except NotAsked as reason:
        return str(reason)


@pytest.mark.parametrize(
    ("steps", "expected", "waits", "calls"),
    [
        ([Step()], NOTHING, [], 1),
        ([Step(text="no JSON")], Reply("no JSON"), [], 1),
        ([Step(text=NOTHING_SAID, finish="length")], Reply("", cut=True), [], 1),
        ([Step(refusal="I cannot")], Reply(NOTHING_SAID, refusal="I cannot"), [], 1),
        ([Step(status=429, headers={"retry-after": "7"}), Step()], NOTHING, [7.0], 2),
        ([Step(status=429, headers={"retry-after-ms": "250"}), Step()], NOTHING, [0.25], 2),
        ([Step(status=429, headers={"retry-after": "soon"}), Step()], NOTHING, [1.0], 2),
        ([Step(status=503), Step(status=503), Step()], NOTHING, [1.0, 2.0], 3),
        ([Step(status=500)], "the server answered 500", [1.0, 2.0], 3),
        ([Step(status=429, headers={"retry-after": "700"})], "the server answered 429 and wants 700 seconds to pass", [], 1),
        ([Step(status=401, text=f"bad key {CANARY}")], NO_KEY, [], 1),
        ([Step(cut_after=40)], "the server is out of reach (OpenAIConnectionError)", [1.0, 2.0], 3),
        ([Step(hang=True)], "no whole reply came within 0.5 seconds", [1.0, 2.0], 3),
        ([Step(body="<html>")], Reply("(OpenAIAPIResponseValidationError)"), [], 1),
        ([Step(body='{"a": 1}')], None, [], 1),
    ],
)  # fmt: skip
def test_what_a_server_does_becomes_a_reply_or_a_reason(steps, expected, waits, calls):
    slept: list[float] = []
    with serving(*steps) as server:
        got = outcome(model_at(server, slept))
        assert (slept, len(server.requests)) == (waits, calls)
    if isinstance(expected, str):
        assert got == expected
        return
    assert isinstance(got, Answer)
    if expected is None or expected.text.startswith("("):
        assert got.reply.text.startswith("("), "named after the client's error, which is no JSON"
    else:
        assert got.reply == expected
    assert (got.hit, got.calls) == (False, calls)


def test_the_form_is_asked_for_as_a_schema_and_else_as_a_tool():
    with serving(Step()) as server:
        outcome(model_at(server))
        form = server.requests[0]["response_format"]
    assert (form["type"], form["json_schema"]["strict"]) == ("json_schema", True)
    refused = Step(status=400, text="response_format is not supported")
    with serving(refused, Step(tool=True)) as server:
        model = model_at(server)
        got = outcome(model)
        assert isinstance(got, Answer)
        assert json.loads(got.reply.text) == json.loads(NOTHING_SAID)
        assert "response_format" not in server.requests[1]
        assert server.requests[1]["tools"][0]["function"]["name"] == "Answers"
        outcome(model, QUESTION._replace(data="{}"))
        assert "tools" in server.requests[2], "what the server refused once is not tried again"
    with serving(refused, Step(status=400, text="tools are not supported")) as server:
        assert "can neither answer in a JSON schema nor call a tool" in str(outcome(model_at(server)))


def test_a_reply_is_paid_for_once(tmp_path):
    with serving(Step(tokens=(70, 7))) as server, Replies(tmp_path / "replies.duckdb") as store:
        first = outcome(model_at(server, store=store))
        again = model_at(server, store=store, KOUJING_MODEL_CALLS="0")
        second = outcome(again)
        assert (len(server.requests), again.budget.calls) == (1, 0)
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert (first.input_tokens, first.output_tokens, first.hit) == (70, 7, False)
    assert (second.input_tokens, second.output_tokens, second.hit) == (0, 0, True)
    assert second.reply == first.reply
    with serving(Step(text="other")) as server, Replies(tmp_path / "replies.duckdb") as store:
        assert isinstance(kept := outcome(model_at(server, store=store)), Answer)
        assert (kept.hit, server.requests) == (True, [])
        assert outcome(model_at(server, store=store, KOUJING_MODEL="openai:other")).reply == Reply("other")


@pytest.mark.parametrize("step", [Step(finish="length"), Step(finish="content_filter")])
def test_a_reply_that_ends_as_an_error_is_kept_too(step):
    kept = Memory()
    with serving(step) as server:
        first, second = (outcome(model_at(server, store=kept)) for _ in range(2))
        assert len(server.requests) == 1
    assert isinstance(first, Answer)
    assert isinstance(second, Answer)
    assert second == Answer(first.reply, hit=True, calls=0)
    assert first.reply.cut or first.reply.refusal


def test_a_damaged_cache_is_set_aside(tmp_path):
    path = tmp_path / "replies.duckdb"
    path.write_bytes(b"no database" * 1000)
    with Replies(path) as store:
        assert store.get("a") is None
        store.put("a", {"text": "b"})
        assert store.get("a") == {"text": "b"}
    assert path.with_name("replies.duckdb.damaged").read_bytes().startswith(b"no database")


@pytest.mark.parametrize(
    ("env", "reason"),
    [
        ({"KOUJING_MODEL_CALLS": "2"}, "the run's 2 calls are used up"),
        ({"KOUJING_MODEL_TOKENS": "10000"}, "the run's 10000 tokens are used up"),
        ({"KOUJING_MODEL_TOKENS": "10500"}, "what is left of the run's 10500 tokens may not be enough for another call"),
        ({"KOUJING_MODEL_COST": "0.03", "KOUJING_MODEL_PRICE": "3 3 USD"}, "the run's 0.03 USD are used up"),
        ({"KOUJING_MODEL_COST": "0.035", "KOUJING_MODEL_PRICE": "3 3 USD"}, "what is left of the run's 0.035 USD may not be enough for another call"),
        ({"KOUJING_MODEL_SECONDS": "0"}, "the run's 0 seconds for asking are used up"),
    ],
)  # fmt: skip
def test_a_budget_ends_the_asking_before_a_limit_is_passed(env, reason):
    with serving(Step(tokens=(4900, 100))) as server:
        model = model_at(server, **env)
        got = [outcome(model, QUESTION._replace(data=str(n))) for n in range(4)]
        assert got[-1] == reason
        assert len(server.requests) == (0 if "seconds" in reason else 2)
        assert model.budget.input_tokens + model.budget.output_tokens == 5000 * len(server.requests)


@pytest.mark.parametrize("case", USAGE, ids=[case["what"] for case in USAGE])
def test_tokens_that_a_provider_cannot_have_counted_are_reckoned(case):
    usage = json.loads(case["usage"])
    body = json.dumps(_openai(Step()) | {"usage": usage})
    with serving(Step(body=body)) as server:
        model = model_at(server, KOUJING_MODEL_PRICE="2.5 10 USD", KOUJING_MODEL_TOKENS="6000")
        got = [outcome(model, QUESTION._replace(data=str(n))) for n in range(9)]
    first, last = got[0], got[-1]
    assert isinstance(first, Answer)
    if case["believed"]:
        assert (first.input_tokens, first.output_tokens) == tuple(case["believed"])
    else:
        assert first.input_tokens == reckoned("instructions0" + json.dumps(json_schema(8)))
        assert first.output_tokens == reckoned(first.reply.text)
        assert str(last).endswith("tokens may not be enough for another call")
    assert 0 < (first.cost or 0) < 1
    assert 0 < model.budget.input_tokens + model.budget.output_tokens <= 6000


@pytest.mark.parametrize("case", WAITS, ids=[str(case["headers"]) for case in WAITS])
def test_a_provider_is_left_alone_as_long_as_it_asks(case):
    assert retry_after(case["headers"], datetime(2026, 5, 1, 12, tzinfo=UTC)) == case["seconds"]


def test_a_date_in_retry_after_is_waited_for():
    slept: list[float] = []
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=30), usegmt=True)
    with serving(Step(status=429, headers={"retry-after": later}), Step()) as server:
        assert isinstance(outcome(model_at(server, slept)), Answer)
    assert len(slept) == 1
    assert 20 < slept[0] <= 30
    with serving(Step(status=429, headers={"retry-after": "Thu, 01 May 2036 12:00:00 GMT"})) as server:
        assert "the server answered 429 and wants " in str(outcome(model_at(server)))
        assert len(server.requests) == 1


def test_calls_keep_their_distance_and_nobody_waits_past_the_runs_seconds():
    slept: list[float] = []
    with serving(Step()) as server:
        model = model_at(server, slept, KOUJING_MODEL_RATE="0.01", KOUJING_MODEL_SECONDS="1000")
        got = [outcome(model, QUESTION._replace(data=str(n))) for n in range(2)]
        assert all(isinstance(one, Answer) for one in got)
        assert [round(wait, -1) for wait in slept] == [100]
        model = model_at(server, slept, KOUJING_MODEL_RATE="0.01", KOUJING_MODEL_SECONDS="50")
        got = [outcome(model, QUESTION._replace(data=str(n))) for n in range(2)]
    assert got[1] == "the run's 50 seconds for asking are used up"
    assert len(slept) == 1


def test_calls_that_brought_no_reply_are_counted_too():
    with serving(Step(status=500)) as server, pytest.raises(NotAsked) as reason:
        model_at(server).ask(QUESTION)
    assert reason.value.calls == 3


@pytest.mark.parametrize("status", [400, 413])
def test_a_question_longer_than_the_model_reads_is_a_reply_that_is_cut_and_no_want_of_a_form(status):
    words = "the model's maximum context length is 4096 tokens; reduce the messages or functions"
    with serving(Step(status=status, text=words)) as server:
        model = model_at(server)
        got = [outcome(model) for _ in range(2)]
        assert len(server.requests) == 1
    assert [one.reply for one in got if isinstance(one, Answer)] == [Reply("", cut=True)] * 2


def test_a_server_that_sends_a_question_round_in_circles_is_asked_no_more():
    with serving(Step(status=307, headers={"location": "/v1/chat/completions"})) as server:
        model = model_at(server)
        got = [outcome(model, QUESTION._replace(data=str(n))) for n in range(2)]
        assert len(server.requests) == 3
    assert set(got) == {"the server sends the question on to one address after the other, which is not done"}


def test_money_is_exact():
    with serving(Step(tokens=(100, 20))) as server:
        got = outcome(model_at(server, KOUJING_MODEL_PRICE="2.5 10 USD"))
    assert isinstance(got, Answer)
    assert str(got.cost) == "0.00045"


def test_after_two_passages_that_failed_nobody_waits_any_more():
    slept: list[float] = []
    with serving(Step(status=500)) as server:
        model = model_at(server, slept)
        got = [outcome(model, QUESTION._replace(data=str(n))) for n in range(5)]
        assert set(got) == {"the server answered 500"}
        assert len(server.requests) == 6


@pytest.mark.parametrize(
    ("env", "message"),
    [
        ({"KOUJING_MODEL": "gpt"}, "must be provider:model"),
        ({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_COST": "1"}, "KOUJING_MODEL_PRICE"),
        (
            {"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_CALLS": "many"},
            "KOUJING_MODEL_CALLS must be a number",
        ),
        ({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_CALLS": "-1"}, "from 0 on"),
        ({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_URL": "ftp://x"}, "http or https"),
        ({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_URL": "http://[x"}, "http or https"),
        ({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_URL": "http://"}, "http or https"),
        (
            {"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_URL": "http://me:word@host/v1"},
            "without a name, a password",
        ),
        ({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_URL": "http://host/v1?key=word"}, "put the key into"),
        ({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_METHOD": "regex"}, "json_schema or function_calling"),
        ({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_OPTIONS": "[1]"}, "JSON object"),
    ],
)
def test_a_wrong_setting_is_named(env, message):
    with pytest.raises(KoujingError, match=message):
        settings_from(env)


@pytest.mark.parametrize("name", ["", "none", "off", " "])
def test_no_model_is_the_default(name):
    assert settings_from({"KOUJING_MODEL": name}) is None
    assert settings_from({}) is None


def test_a_provider_whose_package_is_missing_names_its_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "langchain_anthropic", None)
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    settings = settings_from({"KOUJING_MODEL": "anthropic:claude"})
    assert settings is not None
    with pytest.raises(KoujingError, match=r"pip install 'koujing\[anthropic\]'"):
        CalledModel(settings, load_prompt("read_mentions"), Memory())


def test_an_unknown_provider_is_refused_without_its_key(monkeypatch):
    monkeypatch.setenv("NOSUCH_API_KEY", CANARY)
    settings = settings_from({"KOUJING_MODEL": "nosuch:model", "KOUJING_MODEL_KEY": CANARY})
    assert settings is not None
    assert CANARY not in repr(settings)
    with pytest.raises(KoujingError, match="cannot be used") as caught:
        CalledModel(settings, load_prompt("read_mentions"), Memory())
    assert CANARY not in str(caught.value)
    assert caught.value.__cause__ is None


def test_a_key_is_taken_out_of_whatever_is_said(monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", CANARY)
    options = '{"default_headers": {"x-own": "a-header-of-16-and-more"}}'
    settings = settings_from({"KOUJING_MODEL": "openai:x", "KOUJING_MODEL_OPTIONS": options})
    assert settings is not None
    said = redacted(f"wrong key {CANARY}, a-header-of-16-and-more, sk-proj-abcdef0123456789", settings)
    assert said == "wrong key [key], [key], [key]"


def test_a_key_that_a_reply_repeats_is_neither_kept_nor_read():
    kept = Memory()
    with serving(Step(text=f"no JSON, and {CANARY}"), Step(refusal=f"not for {CANARY}")) as server:
        model = model_at(server, store=kept, KOUJING_MODEL_KEY=CANARY)
        got = [outcome(model, QUESTION._replace(data=str(n))) for n in range(2)]
    assert next(one.reply.text for one in got if isinstance(one, Answer)) == "no JSON, and [key]"
    assert CANARY not in repr((got, kept.kept))
