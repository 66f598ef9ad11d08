"""What an error of whichever provider's client says: each has its own classes, and they are told by what they carry."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from flows.fetch import retry_after as until

_NUMBER = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_TIMEOUT = frozenset({"APITimeoutError", "ReadTimeout", "WriteTimeout", "TimeoutError"})
_TRANSPORT = _TIMEOUT | {"APIConnectionError", "TransportError", "ConnectionError", "OSError"}


def tokens_of(error: Exception) -> tuple[object, object]:
    """Tokens in and out of a reply that was cut off and came as an error, as it says; None where it does not."""
    usage: Any = getattr(getattr(error, "completion", None), "usage", None)
    return getattr(usage, "prompt_tokens", None), getattr(usage, "completion_tokens", None)


def status_of(error: Exception) -> int | None:
    """The HTTP status that the server answered; None where it did not."""
    status = getattr(error, "status_code", None) or getattr(
        getattr(error, "response", None), "status_code", None
    )
    return status if isinstance(status, int) else None


def is_transport(error: BaseException) -> bool:
    """Whether the connection failed: by the names that HTTP clients and providers give to that."""
    return bool(_kinds(error) & _TRANSPORT)


def is_too_long(error: Exception, status: int | None) -> bool:
    """Whether the server refuses the question because it is longer than the model can read."""
    said = str(error).lower()
    return status in (400, 413, 422) and any(
        words in said for words in ("context length", "context_length", "context size", "prompt is too long")
    )


def is_timeout(error: BaseException) -> bool:
    """Whether nothing came in time."""
    return bool(_kinds(error) & _TIMEOUT)


def _kinds(error: BaseException | None) -> set[str]:
    names: set[str] = set()
    while error is not None:
        names |= {kind.__name__ for kind in type(error).__mro__}
        error = error.__cause__
    return names


def headers_of(error: Exception) -> Mapping[str, str]:
    """The headers of the answer that an error is about, where it keeps them."""
    return getattr(getattr(error, "response", None), "headers", None) or {}


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """The seconds that the provider asks to wait, from its header; None where it names none that are to come.

    A number may be as large as it likes: who asks for ten years is not asked again after a second.
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name, "").strip()
        if _NUMBER.fullmatch(value):
            return float(value) * unit
    return until(headers.get("retry-after", ""), now) or None
