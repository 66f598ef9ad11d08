"""The base of everything that Koujing stores or passes on: frozen, strict, nothing extra."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, PlainSerializer


def plain(number: Decimal) -> str:
    """Writes a decimal without exponent and without trailing zeros: 3.2E+12 becomes 3200000000000."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


Exact = Annotated[Decimal, Field(allow_inf_nan=False), PlainSerializer(plain, when_used="json")]
"""A decimal that never passes through a binary float; a plain string in JSON."""

Written = Annotated[Exact, Field(max_digits=38, decimal_places=18)]
"""A decimal that a person writes into a file: small enough that sums are exact and no power of ten takes memory."""


def _visible(text: str) -> str:
    if not text.strip():
        raise ValueError("it must not be blank")
    if any(unicodedata.category(sign) == "Cc" for sign in text):
        raise ValueError("it must be one line, without control characters")
    return text


Visible = Annotated[str, AfterValidator(_visible)]
"""A text on one line that shows something, and does nothing to a terminal."""


class Record(BaseModel):
    """A value: cannot be changed, takes no unknown field, coerces nothing."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", ser_json_inf_nan="constants")


class Words(Record):
    """One text in both languages that readers see."""

    en: Visible
    zh: Visible
