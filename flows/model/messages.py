"""What a provider's message says, whichever provider it is: the text, whether it was cut, whether it is a refusal."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage

from extractors.model.answers import Reply

_CUT = frozenset({"length", "max_tokens", "MAX_TOKENS"})
_REFUSED = frozenset({"content_filter", "refusal", "SAFETY"})


def reply_of(message: BaseMessage, clean: Callable[[str], str]) -> Reply:
    """The reply in a message: its text, or the arguments of the tool that it calls, as they came.

    `clean` takes out what must not be kept: a server may repeat the key that it was sent.
    """
    meta = message.response_metadata
    ended = {str(meta.get(name)) for name in ("finish_reason", "stop_reason", "done_reason")}
    refusal = str(message.additional_kwargs.get("refusal") or "")
    if not refusal and ended & _REFUSED:
        refusal = message.text[:200] or "the provider stopped it"
    # Half a surrogate can be neither stored nor sent back.
    words = _words(message).encode("utf-8", "replace").decode("utf-8")
    return Reply(clean(words), cut=bool(ended & _CUT or meta.get("cut")), refusal=clean(refusal))


def _words(message: BaseMessage) -> str:
    if not isinstance(message, AIMessage):
        return message.text
    calls = [json.dumps(call["args"], ensure_ascii=False) for call in message.tool_calls]
    calls += [str(call.get("args") or "") for call in message.invalid_tool_calls]
    if calls:
        return "\n".join(calls)  # two of them are no JSON, and none of both is taken
    return message.text


def usage_of(message: BaseMessage) -> tuple[object, object]:
    """Tokens in and out, as the provider says; None where it does not."""
    usage: Any = getattr(message, "usage_metadata", None) or {}
    return usage.get("input_tokens"), usage.get("output_tokens")
