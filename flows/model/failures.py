"""What an error of whichever provider's client says: each has its own classes, and they are told by what they carry."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_TIMEOUT = frozenset({"APITimeoutError", "ReadTimeout", "WriteTimeout", "TimeoutError"})
_TRANSPORT = _TIMEOUT | {"APIConnectionError", "TransportError", "ConnectionError", "OSError"}


def tokens_of(error: Exception) -> tuple[int, int]:
    """Tokens in and out of a reply that was cut off and came as an error; 0 where it does not say."""
    usage: Any = getattr(getattr(error, "completion", None), "usage", None)
    return getattr(usage, "prompt_tokens", 0) or 0, getattr(usage, "completion_tokens", 0) or 0


def status_of(error: Exception) -> int | None:
    """The HTTP status that the server answered; None where it did not."""
    status = getattr(error, "status_code", None) or getattr(
        getattr(error, "response", None), "status_code", None
    )
    return status if isinstance(status, int) else None


def is_transport(error: BaseException) -> bool:
    """Whether the connection failed: by the names that HTTP clients and providers give to that."""
    return bool(_kinds(error) & _TRANSPORT)


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


def retry_after(headers: Mapping[str, str]) -> float | None:
    """The seconds that the provider asks to wait, from its header; None where it names none that can be read."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        try:
            value = float(headers.get(name, "")) * unit
        except ValueError:
            continue
        if 0 <= value < 10**6:
            return value
    return None
