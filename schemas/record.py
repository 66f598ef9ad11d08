"""The base of everything that Koujing stores or passes on: frozen, strict, nothing extra."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer


def plain(number: Decimal) -> str:
    """Writes a decimal without exponent and without trailing zeros: 3.2E+12 becomes 3200000000000."""
    text = format(number, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


Exact = Annotated[Decimal, Field(allow_inf_nan=False), PlainSerializer(plain, when_used="json")]
"""A decimal that never passes through a binary float; a plain string in JSON."""


class Record(BaseModel):
    """A value: cannot be changed, takes no unknown field, coerces nothing."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", ser_json_inf_nan="constants")


class Words(Record):
    """One text in both languages that readers see."""

    en: str = Field(min_length=1)
    zh: str = Field(min_length=1)
