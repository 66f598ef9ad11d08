"""Every provider's own package against a scripted server that speaks its protocol: form, ends, errors, limits."""

from __future__ import annotations

import json

import pytest
from langchain_core.language_models import FakeListChatModel

from extractors.model.answers import Bad, Refused, Reply, read_reply
from extractors.model.asking import Answer
from flows.model.bounds import MOST_BYTES
from flows.model.cache import Memory
from flows.model.calling import CalledModel
from flows.model.provider import methods_of
from flows.model.settings import settings_from
from prompts.loader import load_prompt
from schemas.errors import KoujingError
from tests.model.fake_server import NOTHING_SAID, FakeServer, Step, serving
from tests.model.test_calling import QUESTION, outcome

pytestmark = pytest.mark.slow
KEY = "canary-0123456789-key"
# The name, where it is asked, and what in a request holds the model to a form: by schema, and by a tool.
PROVIDERS = {
    "openai:small": ("/v1/chat/completions", "response_format", "tools"),
    "anthropic:claude-sonnet-4-5": ("/v1/messages", "output_config", "tools"),
    "ollama:small": ("/api/chat", "format", "tools"),
    "deepseek:deepseek-chat": ("/v1/chat/completions", "tools", "tools"),
}
NO_SCHEMA = Step(status=400, text="response_format, output_config: this schema is not supported here")
NO_TOOLS = Step(status=400, text="this model does not support tools")
names = pytest.mark.parametrize("name", PROVIDERS)
# What waits for seconds to pass is asked of one provider by `make test`, and of all by `make faults`.
one_of_the_names = pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.long] if number else []) for number, name in enumerate(PROVIDERS)],
)


def asked(name: str, server: FakeServer, slept: list[float] | None = None, **env: str) -> CalledModel:
    own = server.url if name.startswith(("openai", "deepseek")) else server.root
    env = {"KOUJING_MODEL_URL": own, "KOUJING_MODEL_TIMEOUT": "5", "KOUJING_MODEL_KEY": KEY} | env
    settings = settings_from({"KOUJING_MODEL": name} | env)
    assert settings is not None
    return CalledModel(
        settings, load_prompt("read_mentions"), Memory(), sleep=([] if slept is None else slept).append
    )


def replied(got: Answer | str) -> Reply:
    assert isinstance(got, Answer), got
    return got.reply


@names
def test_a_model_is_held_to_the_form_by_schema_and_else_by_a_tool(name):
    path, by_schema, by_tool = PROVIDERS[name]
    with serving(Step(tool=by_schema == "tools", tokens=(70, 7))) as server:
        got = outcome(asked(name, server))
        assert isinstance(got, Answer)
        assert json.loads(got.reply.text) == json.loads(NOTHING_SAID)
        assert (got.hit, got.calls, got.input_tokens, got.output_tokens) == (False, 1, 70, 7)
        assert (server.paths, bool(server.requests[0][by_schema])) == ([path], True)
        for field in ("metric_quote", "baseline_quote", "capabilities", "missed"):
            assert field in json.dumps(server.requests[0][by_schema]), "the form goes with the question"
    with serving(NO_SCHEMA, Step(tool=True)) as server:
        model = asked(name, server)
        assert json.loads(replied(outcome(model)).text) == json.loads(NOTHING_SAID)
        assert server.requests[1][by_tool]
        assert "metric_quote" in json.dumps(server.requests[1][by_tool])


@names
def test_a_model_that_can_do_neither_is_named_and_asked_no_more(name):
    with serving(NO_SCHEMA, NO_TOOLS) as server:
        model = asked(name, server)
        got = [outcome(model), outcome(model, QUESTION._replace(data="{}"))]
        assert len(server.requests) == 2
    assert got[0] == got[1]
    assert f"the model {name} can neither answer in a JSON schema nor call a tool" in str(got[0])


def test_a_package_that_can_hold_a_model_to_no_form_is_named_before_it_is_asked():
    settings = settings_from({"KOUJING_MODEL": "other:model"})
    assert settings is not None
    with pytest.raises(KoujingError, match="can neither answer in a JSON schema nor call a tool"):
        methods_of(FakeListChatModel(responses=["x"]), settings)
    known = FakeListChatModel(responses=["x"], profile={"structured_output": False, "tool_calling": False})
    with pytest.raises(KoujingError, match="can neither answer in a JSON schema nor call a tool"):
        methods_of(known, settings)


@names
@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (Step(text=NOTHING_SAID, finish="length"), Bad.CUT),
        (Step(text="I cannot help with that", finish="refusal"), Bad.REFUSED),
        (Step(text=""), Bad.EMPTY),
        (Step(text="no JSON"), Bad.MALFORMED),
        (Step(text="half a \ud800"), Bad.MALFORMED),
        (Step(text="[" * 10_000 + "]" * 10_000), Bad.MALFORMED),
        (Step(text='{"a":' * 10_000 + "1" + "}" * 10_000), Bad.MALFORMED),
        (Step(text='{"claims": [{"metric": "rdma_bandwidth", "value": "9.9 Tbps"}]}'), Bad.SCHEMA),
        (Step(text=NOTHING_SAID.replace("{", '{"missed":[],')), Bad.SCHEMA),
        (Step(body="<html>"), Bad.MALFORMED),
        (Step(body=""), Bad.MALFORMED),
        (Step(body='{"a": 1}'), Bad.MALFORMED),
        (Step(body="[" * 100_000), Bad.MALFORMED),
    ],
)
def test_a_bad_reply_is_refused_whoever_sends_it(name, step, kind):
    with serving(step) as server:
        got = outcome(asked(name, server, KOUJING_MODEL_METHOD="json_schema"))
        found = read_reply(replied(got))
    assert isinstance(found, Refused)
    assert found.kind is kind or (found.kind in (Bad.MALFORMED, Bad.EMPTY) and kind is Bad.MALFORMED)
    assert len(found.reason) < 400


@names
@pytest.mark.parametrize(
    ("step", "part"),
    [
        (Step(tool=True, calls=2), "no JSON (Invalid JSON: trailing characters"),
        (Step(tool=True, text=NOTHING_SAID.replace("{", '{"value":"9.9 Tbps",')), "Extra inputs"),
        (Step(tool=True, text="{}"), "mentions: Field required"),
    ],
)
def test_a_tool_call_is_read_as_strictly(name, step, part):
    with serving(step) as server:
        got = outcome(asked(name, server, KOUJING_MODEL_METHOD="function_calling"))
    found = read_reply(replied(got))
    assert isinstance(found, Refused)
    assert part in found.reason


@names
@pytest.mark.parametrize(
    ("steps", "reason", "waits"),
    [
        ([Step(status=429, headers={"retry-after": "7"}), Step(status=503)], "the server answered 503", [7.0, 2.0]),
        ([Step(status=529)], "the server answered 529", [1.0, 2.0]),
        ([Step(status=401, text=f"wrong key {KEY}")], "the provider refused the request (401); see the key and the account", []),
        ([Step(status=418, text=f"wrong key {KEY}")], "wrong key [key]", []),
        ([Step(cut_after=40)], "the server is out of reach (", [1.0, 2.0]),
    ],
)  # fmt: skip
def test_a_server_in_trouble_is_a_reason(name, steps, reason, waits):
    slept: list[float] = []
    with serving(*steps) as server:
        got = outcome(asked(name, server, slept))
    assert reason in str(got)
    assert KEY not in str(got)
    assert slept == waits


@names
def test_a_key_that_is_the_providers_goes_to_no_other_server(name, monkeypatch):
    for variable in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "DEEPSEEK_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    with serving(Step(status=401)) as server:
        got = outcome(asked(name, server, KOUJING_MODEL_KEY=""))
        assert KEY not in repr(server.headers)
    assert "is given the key in KOUJING_MODEL_KEY and no other" in str(got)


@names
def test_without_a_network_there_is_a_reason(name):
    with serving() as server:
        pass
    slept: list[float] = []
    assert "the server is out of reach (" in str(outcome(asked(name, server, slept)))
    assert slept == [1.0, 2.0]


@one_of_the_names
@pytest.mark.parametrize("step", [Step(drip=0.2), Step(drip_head=0.2), Step(hang=True)])
def test_a_call_ends_with_its_time_however_slowly_the_server_goes_on(name, step):
    with serving(step) as server:
        got = outcome(asked(name, server, KOUJING_MODEL_TIMEOUT="0.5"))
    assert got == "no whole reply came within 0.5 seconds"


@one_of_the_names
def test_a_run_without_seconds_left_cuts_a_call_short(name):
    with serving(Step(drip=0.2)) as server:
        got = outcome(asked(name, server, KOUJING_MODEL_TIMEOUT="60", KOUJING_MODEL_SECONDS="0.5"))
    assert got == "no whole reply came within 1 seconds"


@one_of_the_names
@pytest.mark.parametrize(
    "step",
    [
        Step(for_ever=b" " * 65_536),
        Step(text="9" * (MOST_BYTES + 1)),
        Step(text="9" * 100_000_000, packed=True),
    ],
    ids=["endless", "too long", "a hundred megabytes in a hundred kilobytes"],
)
def test_a_reply_without_end_is_a_reply_that_is_cut(name, step):
    with serving(step) as server:
        got = outcome(asked(name, server, KOUJING_MODEL_TIMEOUT="60"))
        assert len(server.requests) == 1
    assert replied(got) == Reply("", cut=True)


@names
def test_a_packed_reply_is_unpacked(name):
    tool = PROVIDERS[name][1] == "tools"
    with serving(Step(packed=True, tool=tool)) as server:
        got = outcome(asked(name, server))
    assert json.loads(replied(got).text) == json.loads(NOTHING_SAID)


@names
def test_a_question_and_its_key_go_to_no_other_server(name):
    with serving() as other:
        for_other = f"{other.root.replace('127.0.0.1', 'localhost')}/v1/messages"
        with serving(Step(status=307, headers={"location": for_other})) as server:
            model = asked(name, server)
            got = outcome(model)
            assert got == outcome(model), "nor is it asked again"
        assert other.requests == []
    assert got == "the server sends the question on to localhost, which is not done"


@pytest.mark.parametrize(
    ("name", "told"), [("anthropic:claude-opus-4-7", False), ("anthropic:claude-sonnet-4-5", True)]
)
def test_a_model_that_takes_no_temperature_is_told_none(name, told):
    with serving() as server:
        assert replied(outcome(asked(name, server))).text == NOTHING_SAID
        assert ("temperature" in server.requests[0]) is told


def test_a_question_that_cannot_be_sent_is_no_reply():
    with serving() as server:
        options = '{"extra_headers": {"x": "\\u00e9\\u4e00"}}'
        got = outcome(
            asked("openai:small", server, KOUJING_MODEL_OPTIONS='{"model_kwargs": ' + options + "}")
        )
        assert server.requests == []
    assert str(got).startswith("the question could not be sent (UnicodeEncodeError: ")
