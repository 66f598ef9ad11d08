"""A chat model of whichever provider, through LangChain's `init_chat_model`."""

from __future__ import annotations

import importlib.util
from contextlib import suppress
from typing import Any

from langchain.chat_models import init_chat_model
from langchain_core.caches import BaseCache
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import BaseMessage
from langchain_core.runnables import Runnable

from extractors.model.answers import json_schema
from flows.model.settings import Method, Settings, redacted
from schemas.errors import KoujingError

_EXTRAS = {
    "openai": "langchain_openai",
    "anthropic": "langchain_anthropic",
    "ollama": "langchain_ollama",
    "deepseek": "langchain_deepseek",
}
_NO_KEY = "none-needed"


def chat_model(settings: Settings, cache: BaseCache) -> BaseChatModel:
    """The model, without retries of its own: those are counted in the run's budget.

    Raises KoujingError where the provider's package is missing or its settings are wrong; no key is in its message.
    """
    package = _EXTRAS.get(settings.provider)
    if package and importlib.util.find_spec(package) is None:
        raise KoujingError(
            f"the provider {settings.provider} needs a package that is not installed: "
            f"pip install 'koujing[{settings.provider}]'"
        )
    try:
        model: BaseChatModel = init_chat_model(settings.model, cache=cache, **_arguments(settings))
    except Exception as error:  # noqa: BLE001 - each provider has its own errors, and they may repeat a key
        said = redacted(" ".join(str(error).split())[:300], settings)
        raise KoujingError(
            f"the model {settings.model} cannot be used ({type(error).__name__}: {said})"
        ) from None
    if hasattr(model, "temperature") and (model.profile or {}).get("temperature") is False:
        model.temperature = settings.options.get("temperature")  # some models refuse to be told any
    return model


def _arguments(settings: Settings) -> dict[str, Any]:
    out: dict[str, Any] = {"temperature": 0}
    if settings.provider == "ollama":
        out |= {"num_predict": settings.answer_tokens, "client_kwargs": {"timeout": settings.timeout}}
    else:
        out |= {"max_tokens": settings.answer_tokens, "timeout": settings.timeout, "max_retries": 0}
    if settings.url:
        out["base_url"] = settings.url
    if settings.key:
        out["api_key"] = settings.key
    elif settings.url and settings.provider != "ollama":
        # The key in the provider's own variable is for the provider, and goes to no other server. Its client insists
        # on one all the same.
        out["api_key"] = _NO_KEY
    return {name: value for name, value in {**out, **settings.options}.items() if value is not None}


def methods_of(model: BaseChatModel, settings: Settings) -> tuple[Method, ...]:
    """How the model can be held to a form, the better way first, as far as LangChain's profile of it tells.

    Raises KoujingError for a model that is known to have neither way.
    """
    if settings.method:
        return _possible(model, settings, [settings.method])
    profile = dict(model.profile or {})
    found: list[Method] = []
    if profile.get("structured_output") is not False:
        found.append("json_schema")
    if profile.get("tool_calling") is not False:
        found.append("function_calling")
    if (
        profile.get("structured_output") is None
        and profile.get("tool_calling")
        and settings.provider != "openai"
    ):
        found.reverse()
    return _possible(model, settings, found)


def _possible(model: BaseChatModel, settings: Settings, methods: list[Method]) -> tuple[Method, ...]:
    """Those methods for which the provider's package can bind the model to a form."""
    found = []
    for method in methods:
        with suppress(NotImplementedError, ValueError, TypeError):
            held_to_form(model, method, settings.provider, 1)
            found.append(method)
    if not found:
        raise KoujingError(no_way(settings))
    return tuple(found)


def no_way(settings: Settings) -> str:
    """What is said of a model that can be held to no form."""
    return (
        f"the model {settings.model} can neither answer in a JSON schema nor call a tool, so that nothing it says "
        "could be checked; choose another"
    )


def held_to_form(
    model: BaseChatModel, method: Method, provider: str, mentions: int
) -> Runnable[LanguageModelInput, BaseMessage]:
    """The model bound to the form of answers about so many figures. Its output is the message as it came.

    The parser that LangChain puts behind it is left out: the reading is ours, and that one mends a broken reply by
    trying ever shorter beginnings of it, for as long as the reply is long.
    """
    strict = {"strict": True} if provider == "openai" else {}
    whole = model.with_structured_output(json_schema(mentions), method=method, include_raw=True, **strict)
    steps = getattr(getattr(whole, "first", None), "steps__", {})
    if "raw" not in steps:
        raise NotImplementedError(f"{type(model).__name__} answers in no way that is known here")
    message: Runnable[LanguageModelInput, BaseMessage] = steps["raw"]
    return message
