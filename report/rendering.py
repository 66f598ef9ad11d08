"""Templates filled in. Everything that is filled in is text: markup in it is shown as it is written."""

from __future__ import annotations

from functools import cache
from itertools import count
from typing import Any

import jinja2

from report.edition import clean, page_of, web_address
from report.numbers import percent
from schemas.record import plain


@cache
def environment() -> jinja2.Environment:
    """The environment of all templates: escapes everywhere, and fails on a name that is not given."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters.update(clean=clean, web_address=web_address, page_of=page_of, plain=plain, percent=percent)
    return made


class Numbering:
    """Names for the parts of one page, each given once."""

    def __init__(self) -> None:
        self._next = count(1)

    def next_id(self) -> str:
        """A name that nothing else on the page has."""
        return f"p{next(self._next)}"


def render(template: str, **values: Any) -> str:
    """The filled template."""
    return environment().get_template(template).render(**values)
