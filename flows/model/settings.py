"""What the environment says of the model to ask. Without KOUJING_MODEL there is none, and the rules alone read."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any, Literal
from urllib.parse import urlsplit

from schemas.errors import KoujingError

MODEL_VARIABLE = "KOUJING_MODEL"
Method = Literal["json_schema", "function_calling"]
_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET = 8
_NONE = ("", "none", "off")


@dataclass(frozen=True)
class Settings:
    """A model and its limits. `key` and `options` are never shown: see `redacted`.

    `model`: provider:name. `url`: another server that speaks OpenAI's protocol. `calls`, `tokens`, `cost`,
    `seconds`: what one run may use at most. `prices`: money for a million tokens in and out. `rate`: calls a second.
    `answer_tokens`: how long one reply may be. `timeout`: seconds for one call.
    """

    model: str
    url: str = ""
    key: str = field(default="", repr=False)
    method: Method | None = None
    calls: int = 500
    tokens: int = 1_000_000
    cost: Decimal | None = None
    prices: tuple[Decimal, Decimal] | None = None
    currency: str = ""
    seconds: float = 1800
    rate: float = 0
    timeout: float = 120
    answer_tokens: int = 1500
    options: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def provider(self) -> str:
        """Whose protocol is spoken."""
        return self.model.partition(":")[0]


def settings_from(environment: Mapping[str, str] | None = None, model: str = "") -> Settings | None:
    """The model that the environment names, or `model` with the environment's limits; None where there is none.

    Raises KoujingError naming the variable that cannot be used, and never its value where that may be a secret.
    """
    env = os.environ if environment is None else environment
    named = (model or env.get(MODEL_VARIABLE, "")).strip()
    if named.lower() in _NONE:
        return None
    if not re.fullmatch(r"[a-z_]+:\S+", named):
        raise KoujingError(
            f"{MODEL_VARIABLE} must be provider:model, such as openai:gpt-5.5, anthropic:…, ollama:… or "
            "deepseek:…; leave it unset to do without a model"
        )
    prices, currency = _prices(env)
    cost = _number(env, "KOUJING_MODEL_COST", None)
    if cost is not None and prices is None:
        raise KoujingError(
            "KOUJING_MODEL_COST limits the money, for which prices are needed: set KOUJING_MODEL_PRICE to the "
            "price of a million tokens in and out, such as '2.5 10 USD'"
        )
    url = env.get("KOUJING_MODEL_URL", "").strip()
    if url:
        _check_address(url)
    return Settings(
        model=named,
        url=url,
        key=env.get("KOUJING_MODEL_KEY", "").strip(),
        method=_method(env),
        calls=int(_number(env, "KOUJING_MODEL_CALLS", Decimal(500)) or 0),
        tokens=int(_number(env, "KOUJING_MODEL_TOKENS", Decimal(1_000_000)) or 0),
        cost=cost,
        prices=prices,
        currency=currency,
        seconds=float(_number(env, "KOUJING_MODEL_SECONDS", Decimal(1800)) or 0),
        rate=float(_number(env, "KOUJING_MODEL_RATE", Decimal(0)) or 0),
        timeout=float(_number(env, "KOUJING_MODEL_TIMEOUT", Decimal(120)) or 120),
        answer_tokens=int(_number(env, "KOUJING_MODEL_ANSWER_TOKENS", Decimal(1500)) or 1500),
        options=_options(env),
    )


def _check_address(url: str) -> None:
    """Raises KoujingError for one that cannot be used, or that carries a key: addresses get into other programs' logs."""
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = urlsplit("")
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise KoujingError("KOUJING_MODEL_URL must be an http or https address")
    if parts.username is not None or parts.query:
        raise KoujingError(
            "KOUJING_MODEL_URL must be an address without a name, a password or a question mark: put the key into "
            "KOUJING_MODEL_KEY, or headers of your own into KOUJING_MODEL_OPTIONS as default_headers"
        )


def _method(env: Mapping[str, str]) -> Method | None:
    match env.get("KOUJING_MODEL_METHOD", "").strip():
        case "":
            return None
        case "json_schema":
            return "json_schema"
        case "function_calling":
            return "function_calling"
    raise KoujingError("KOUJING_MODEL_METHOD must be json_schema or function_calling")


def _number(env: Mapping[str, str], name: str, default: Decimal | None) -> Decimal | None:
    text = env.get(name, "").strip()
    if not text:
        return default
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise KoujingError(f"{name} must be a number, not {text[:40]!r}") from None
    if not value.is_finite() or value < 0:
        raise KoujingError(f"{name} must be a number from 0 on, not {text[:40]!r}")
    return value


def _prices(env: Mapping[str, str]) -> tuple[tuple[Decimal, Decimal] | None, str]:
    text = env.get("KOUJING_MODEL_PRICE", "").strip()
    if not text:
        return None, ""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)[ ,]+(\d+(?:\.\d+)?)(?:[ ,]+([A-Z]{3}))?", text)
    if found is None:
        raise KoujingError(
            "KOUJING_MODEL_PRICE must be the price of a million tokens in and out: '2.5 10 USD'"
        )
    return (Decimal(found[1]), Decimal(found[2])), found[3] or ""


def _options(env: Mapping[str, str]) -> dict[str, Any]:
    text = env.get("KOUJING_MODEL_OPTIONS", "").strip()
    try:
        found = json.loads(text) if text else {}
    except ValueError:
        found = None
    if not isinstance(found, dict):
        raise KoujingError("KOUJING_MODEL_OPTIONS must be a JSON object of the provider's own options")
    return found


def redacted(text: str, settings: Settings, environment: Mapping[str, str] | None = None) -> str:
    """A message without any key: see `without_keys`; and without what looks like one."""
    text = without_keys(text, settings, environment)
    return re.sub(r"\b(?:sk|pk|key|gsk|xai)-[\w-]{12,}", "[key]", text)


def without_keys(text: str, settings: Settings, environment: Mapping[str, str] | None = None) -> str:
    """The text without any key that is known: the settings' own, and those in the environment and the options."""
    env = os.environ if environment is None else environment
    secrets = {value for name, value in env.items() if _SECRET_NAME.search(name)}
    secrets |= {settings.key, *(value for value in _texts(settings.options) if len(value) >= 16)}
    for secret in sorted(secrets, key=len, reverse=True):
        if len(secret) >= _SHORTEST_SECRET and not secret.isdigit():  # KOUJING_MODEL_TOKENS is a number
            text = text.replace(secret, "[key]")
    return text


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [text for part in value.values() for text in _texts(part)]
    if isinstance(value, list):
        return [text for part in value for text in _texts(part)]
    return []
