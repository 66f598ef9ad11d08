"""Calls a model within its budget: one try after the other, as the provider asks, and never more than is allowed."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from extractors.model.answers import SCHEMA_VERSION, Reply
from extractors.model.asking import Answer, NotAsked, Question
from flows.model.budget import Budget
from flows.model.cache import ReplyCache, Store
from flows.model.messages import reply_of, usage_of
from flows.model.provider import chat_model, held_to_form, methods_of, no_way
from flows.model.settings import Method, Settings, redacted
from prompts.loader import Prompt

_TRIES = 3
_FIRST_WAIT = 1.0
_LONGEST_WAIT = 60.0
_GIVEN_UP_AFTER = 2
"""Passages in a row that could not be asked before the server is taken to be out of reach for the whole run."""
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
        self._cache = ReplyCache(
            store, (settings.model, f"{prompt.name}@{prompt.version}", SCHEMA_VERSION), self._may_call
        )
        self._model = chat_model(settings, self._cache)
        self._methods: list[Method] = list(methods_of(self._model, settings))

    def ask(self, question: Question) -> Answer:
        """The reply, from the cache or by a call. Raises NotAsked where none can be had, with the reason."""
        before = self.budget.calls
        for attempt in range(_TRIES):
            try:
                return self._call(question, before)
            except NotAsked:
                raise
            except Exception as error:  # noqa: BLE001 - every provider raises its own; all are told apart below
                answer = self._after(error, attempt, before)
                if answer is not None:
                    return answer
        raise AssertionError("the last attempt raises")

    def _call(self, question: Question, before: int) -> Answer:
        bound = held_to_form(self._model, self._methods[0], self.settings.provider, question.mentions)
        got: Any = bound.invoke(question.messages())
        message = got["raw"]
        self._failed = 0
        if self._cache.hit:
            return Answer(reply_of(message), hit=True, calls=0)
        tokens_in, tokens_out = usage_of(message)
        return self._answer(reply_of(message), before, tokens_in, tokens_out)

    def _answer(self, reply: Reply, before: int, tokens_in: int, tokens_out: int) -> Answer:
        self.budget.spend(tokens_in, tokens_out)
        cost: Decimal | None = self.budget.price(tokens_in, tokens_out)
        return Answer(reply, False, self.budget.calls - before, tokens_in, tokens_out, cost)

    def _may_call(self) -> None:
        """Told by the cache before each call: raises where there must be none, and else counts it."""
        if reason := self._closed or self.budget.used_up():
            raise NotAsked(reason)
        self.budget.calls += 1

    def _after(self, error: Exception, attempt: int, before: int) -> Answer | None:
        """What an error comes to: a bad reply, None for another try, or NotAsked."""
        name = type(error).__name__
        if name == "LengthFinishReasonError":
            completion: Any = getattr(error, "completion", None)
            usage: Any = getattr(completion, "usage", None)
            tokens = (getattr(usage, "prompt_tokens", 0) or 0, getattr(usage, "completion_tokens", 0) or 0)
            return self._answer(Reply("", cut=True), before, *tokens)
        if name == "ContentFilterFinishReasonError":
            return self._answer(Reply("", refusal="the provider's filter stopped it"), before, 0, 0)
        status = _status(error)
        if status in (400, 404, 422, 501) and self._may_change_method(error):
            return None
        if status in (401, 402, 403):
            self._closed = f"the provider refused the request ({status}); see the key and the account"
            raise NotAsked(self._closed) from None
        if status == 200 or (status is None and not _is_transport(error)):
            return self._answer(
                Reply(f"({name})"), before, 0, 0
            )  # an answer that the client itself cannot read
        if status is not None and status not in _TRANSIENT:
            raise NotAsked(f"the provider answered {status}: {self._said(error)}") from None
        wait = _retry_after(error)
        wait = _FIRST_WAIT * 2**attempt if wait is None else wait
        if attempt + 1 < _TRIES and wait <= min(_LONGEST_WAIT, self.budget.seconds_left):
            self._sleep(wait)
            return None
        self._failed += 1
        reason = f"the server answered {status}" if status else f"the server is out of reach ({name})"
        if wait > _LONGEST_WAIT:
            reason += f" and wants {wait:g} seconds to pass"
        if self._failed >= _GIVEN_UP_AFTER or wait > _LONGEST_WAIT:
            self._closed = reason
        raise NotAsked(reason) from None

    def _may_change_method(self, error: Exception) -> bool:
        """Whether there is another way to hold the model to a form, once the server has refused this one."""
        said = str(error).lower()
        about_form = any(
            word in said for word in ("response_format", "json_schema", "schema", "tool", "function")
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


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None) or getattr(
        getattr(error, "response", None), "status_code", None
    )
    return status if isinstance(status, int) else None


def _is_transport(error: BaseException | None) -> bool:
    """Whether the connection failed: by the names that HTTP clients and providers give to that."""
    while error is not None:
        names = {kind.__name__ for kind in type(error).__mro__}
        if names & {
            "APIConnectionError",
            "APITimeoutError",
            "TransportError",
            "ConnectionError",
            "TimeoutError",
            "OSError",
        }:
            return True
        error = error.__cause__
    return False


def _retry_after(error: Exception) -> float | None:
    """The seconds that the provider asks to wait, from its header; None where it names none that can be read."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            value = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= value < 10**6:
            return value
    return None
