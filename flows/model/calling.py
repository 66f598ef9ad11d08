"""Calls a model within its budget: one try after the other, as the provider asks, and never more than is allowed."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from datetime import UTC, datetime
from decimal import Decimal
from functools import partial
from typing import NoReturn

from langchain_core.messages import BaseMessage

from extractors.model.answers import SCHEMA_VERSION, Reply, json_schema
from extractors.model.asking import Answer, NotAsked, Question
from flows.model.bounds import Bounds
from flows.model.budget import Budget
from flows.model.cache import ReplyCache, Store
from flows.model.failures import (
    headers_of,
    is_timeout,
    is_too_long,
    is_transport,
    retry_after,
    status_of,
    tokens_of,
)
from flows.model.messages import reply_of, usage_of
from flows.model.provider import chat_model, held_to_form, methods_of, no_way
from flows.model.settings import Method, Settings, redacted, without_keys
from prompts.loader import Prompt

_TRIES = 3
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 60.0
_GIVEN_UP_AFTER = 2
"""Passages in a row that could not be asked before the server is taken to be out of reach for the whole run."""
_ENDS = {
    "LengthFinishReasonError": Reply("", cut=True),
    "ContentFilterFinishReasonError": Reply("", refusal="the provider's filter stopped it"),
}
"""Replies that OpenAI's package gives as errors."""
_TOO_LONG = Reply("", cut=True)
"""What a question comes to that is longer than the model can read: it is asked in smaller parts."""
_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})


class CalledModel:
    """A model that is asked over the network. `name` goes into the extractor of the claims that rest on it."""

    def __init__(
        self,
        settings: Settings,
        prompt: Prompt,
        store: Store,
        *,
        budget: Budget | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = settings.model
        self.settings = settings
        self.budget = budget or Budget(settings)
        self._sleep = sleep
        self._closed = ""
        self._failed = 0
        self._sent = ""
        self._bounds = Bounds(settings.timeout)
        self._clean = partial(without_keys, settings=settings)
        versions = (settings.model, f"{prompt.name}@{prompt.version}", SCHEMA_VERSION)
        self._cache = ReplyCache(store, versions, self._may_call, self._clean)
        self._model = chat_model(settings, self._cache)
        self._methods: list[Method] = list(methods_of(self._model, settings))

    def ask(self, question: Question) -> Answer:
        """The reply, from the cache or by a call. Raises NotAsked where none can be had, with the reason."""
        before = self.budget.calls
        try:
            for attempt in range(_TRIES):
                try:
                    return self._call(question, before)
                except NotAsked:
                    raise
                except Exception as error:  # noqa: BLE001 - every provider raises its own; all are told apart below
                    answer = self._after(error, attempt, before)
                    if answer is not None:
                        return answer
        except NotAsked as reason:
            reason.calls = self.budget.calls - before
            raise
        raise AssertionError("the last attempt raises")

    def _call(self, question: Question, before: int) -> Answer:
        asked = held_to_form(self._model, self._methods[0], self.settings.provider, question.mentions)
        self._bounds = Bounds(min(self.settings.timeout, max(1.0, self.budget.seconds_left)))
        messages = question.messages()
        self._sent = "".join(text for _, text in messages) + json.dumps(json_schema(question.mentions))
        with self._bounds.on(self._model):
            message: BaseMessage = asked.invoke(messages)
        self._failed = 0
        if self._cache.hit:
            return Answer(reply_of(message, self._clean), hit=True, calls=0)
        return self._answer(reply_of(message, self._clean), before, *usage_of(message))

    def _answer(self, reply: Reply, before: int, said_in: object, said_out: object) -> Answer:
        tokens_in, tokens_out = self.budget.spend(said_in, said_out, self._sent, reply.text + reply.refusal)
        cost: Decimal | None = self.budget.price(tokens_in, tokens_out)
        return Answer(reply, False, self.budget.calls - before, tokens_in, tokens_out, cost)

    def _may_call(self) -> None:
        """Told by the cache before each call: raises where there must be none, and else counts it."""
        if reason := self._closed or self.budget.used_up(self._sent):
            raise NotAsked(reason)
        if wait := self.budget.wait:
            self._sleep(wait)
        self.budget.begin_call()

    def _after(self, error: Exception, attempt: int, before: int) -> Answer | None:
        """What an error comes to: a bad reply, None for another try, or NotAsked."""
        status = status_of(error)
        if is_too_long(error, status):
            self._cache.keep(_TOO_LONG)
            return Answer(_TOO_LONG, calls=self.budget.calls - before)
        if status in (400, 404, 422, 501) and self._may_change_method(error):
            return None
        if (reply := self._bad_reply(error, status)) is not None:
            return self._answer(reply, before, *tokens_of(error))
        if not self._bounds.sent and status is None and not is_transport(error):
            self._closed = f"the question could not be sent ({type(error).__name__}: {self._said(error)})"
            raise NotAsked(self._closed) from None
        if self._bounds.elsewhere:
            self._closed = f"the server sends the question on to {self._bounds.elsewhere}, which is not done"
            raise NotAsked(self._closed) from None
        if status in (401, 402, 403):
            self._closed = f"the provider refused the request ({status}); see the key and the account"
            if self.settings.url and not self.settings.key:
                self._closed += (
                    " (the server at KOUJING_MODEL_URL is given the key in KOUJING_MODEL_KEY and no other)"
                )
            raise NotAsked(self._closed) from None
        if status is not None and status not in _TRANSIENT:
            self._give_up(f"the provider answered {status}: {self._said(error)}")
        self._again_later(error, status, attempt)
        return None

    def _bad_reply(self, error: Exception, status: int | None) -> Reply | None:
        """The reply that an error stands for; None where none has come."""
        name = type(error).__name__
        if self._bounds.too_long:
            return Reply("", cut=True)
        if name in _ENDS:
            self._cache.keep(_ENDS[name])
            return _ENDS[name]
        if not self._bounds.sent or self._bounds.too_slow or self._bounds.elsewhere or is_transport(error):
            return None
        # An answer that the client itself cannot read.
        return Reply(f"({name})") if status in (None, 200) else None

    def _again_later(self, error: Exception, status: int | None, attempt: int) -> None:
        """Waits before another try, as long as the provider asks; raises NotAsked where none is left."""
        wait = retry_after(self._bounds.headers or headers_of(error), datetime.now(UTC))
        wait = _FIRST_WAIT * 2**attempt if wait is None else wait
        if attempt + 1 < _TRIES and wait <= min(_LONGEST_WAIT, self.budget.seconds_left):
            self._sleep(wait)
            return
        if self._bounds.too_slow or is_timeout(error):
            reason = f"no whole reply came within {self._bounds.seconds:.3g} seconds"
        elif status:
            reason = f"the server answered {status}"
        else:
            reason = f"the server is out of reach ({type(error).__name__})"
        if wait > _LONGEST_WAIT:
            self._closed = reason = f"{reason} and wants {wait:.0f} seconds to pass"
        self._give_up(reason)

    def _give_up(self, reason: str) -> NoReturn:
        """Leaves the passage undone, and after some in a row all that follow."""
        self._failed += 1
        if self._failed >= _GIVEN_UP_AFTER:
            self._closed = reason
        raise NotAsked(reason) from None

    def _may_change_method(self, error: Exception) -> bool:
        """Whether there is another way to hold the model to a form, once the server has refused this one."""
        said = str(error).lower()
        about_form = any(
            word in said
            for word in (
                "response_format",
                "output_config",
                "schema",
                "structured output",
                "tool",
                "function",
            )
        )
        if not about_form:
            return False
        if len(self._methods) > 1:
            del self._methods[0]
            return True
        self._closed = no_way(self.settings)
        raise NotAsked(self._closed) from None

    def _said(self, error: Exception) -> str:
        return redacted(" ".join(str(error).split())[:200], self.settings)
