"""One page of the site, before its template is filled in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Page:
    """Its address within the edition, the template, its title, and what the template is filled with."""

    path: str
    template: str
    title: str
    values: Mapping[str, Any]
