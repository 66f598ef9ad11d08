"""Commands that read one text and touch no ledger: extract and quantities."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.commands.asking import metric_of
from flows.commands.options import ShownLines, known_vendor, put
from flows.printing import as_json, json_safe, out_text, say
from schemas.errors import FetchError, KoujingError

if TYPE_CHECKING:
    from schemas.claim import Claim
    from schemas.quantity import Quantity

_MOST_BYTES = 64 * 1024 * 1024
_STDIN = "-"


def extract(
    page: Annotated[str, typer.Argument(metavar="PATH|URL|-", help="HTML, Markdown or text.")],
    vendor: Annotated[
        str | None, typer.Option("--vendor", metavar="ID", help="Whose page it is, where it does not say.")
    ] = None,
    product: Annotated[
        str | None, typer.Option("--product", metavar="ID", help="Which product it is about.")
    ] = None,
    form: Annotated[ShownLines, typer.Option("--format", help="One table, or one JSON object a line.")] = (
        ShownLines.TABLE
    ),
) -> None:
    """Print the claims of one page, each with the words that say it. Nothing is stored.

    A page that cannot be read gives no claims and its reason on stderr; a file or address that cannot be
    opened is a failure.
    """
    known_vendor(vendor)
    body, content_type = _bytes_of(page)
    from extractors.extract import extract as extract_page

    name = "stdin" if page == _STDIN else page
    found = extract_page(
        body,
        source=name if "://" in page else Path(name).name,
        content_type=content_type,
        name=name,
        vendor=vendor,
        product=product,
    )
    if found.reason:
        say(f"{name}: {found.reason}")
    if form is ShownLines.JSONL:
        out_text("".join(f"{json_safe(claim.model_dump_json())}\n" for claim in found.claims))
    elif found.claims:
        columns = ("vendor", "product", "metric", "low", "high", "unit", "basis", "bound", "flags", "quote")
        put(columns, [_claim_row(c) for c in found.claims], "table", numeric=("low", "high"))
    elif not found.reason:
        say(f"{name}: the page holds no claim")


def _claim_row(claim: Claim) -> tuple[object, ...]:
    return (
        claim.vendor,
        claim.product,
        metric_of(claim),
        claim.low,
        claim.high,
        claim.unit,
        claim.basis,
        f"{claim.bound}, best case" if claim.best_case else claim.bound.value,
        claim.flags,
        claim.evidence.quote,
    )


def _bytes_of(page: str) -> tuple[bytes, str]:
    if page == _STDIN:
        return sys.stdin.buffer.read(), ""
    if page.startswith(("http://", "https://")):
        return _fetched(page)
    path = Path(page)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise KoujingError(f"{page} has {path.stat().st_size} bytes; {_MOST_BYTES} are allowed")
        return path.read_bytes(), ""
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise KoujingError(
            f"{page} cannot be read ({reason or error}); give a file, an address or -"
        ) from None


def _fetched(url: str) -> tuple[bytes, str]:
    from pydantic import ValidationError

    from flows.fetch import Fetcher
    from schemas.source import Source

    try:
        source = Source(id="page", url=url)
    except ValidationError as error:
        first = error.errors()[0]
        if first["type"] == "value_error":  # its text is ours, and does not repeat a password
            reason = first["msg"].removeprefix("Value error, ")
            raise KoujingError(f"the address cannot be used: {reason}") from None
        raise KoujingError(f"{url} is no address; it must be http:// or https:// without spaces") from None
    with Fetcher() as fetcher:
        fetched = fetcher.fetch(source, None)
    if fetched.body is None or fetched.visit.snapshot is None:
        raise FetchError(f"{url}: {fetched.visit.reason or fetched.visit.status.value}")
    return fetched.body, fetched.visit.snapshot.content_type


def quantities(
    text: Annotated[str, typer.Argument(metavar="TEXT|-", help="The text, or - for standard input.")],
    form: Annotated[ShownLines, typer.Option("--format", help="One table, or one JSON object a line.")] = (
        ShownLines.TABLE
    ),
    lines: Annotated[
        bool, typer.Option("--lines", help="Each line is a text of its own; results carry its number.")
    ] = False,
) -> None:
    """Print the quantities of a text: low, high, unit, bound, the words and where they stand.

    Numbers are in the canonical unit of their dimension; start and end count characters from 0.
    """
    if text == _STDIN:
        text = sys.stdin.buffer.read().decode("utf-8", "replace")
    from extractors.quantities import find_quantities

    texts = text.split("\n") if lines else [text]
    if lines and texts[-1] == "":
        texts.pop()
    found = [
        (number, quantity)
        for number, line in enumerate(texts, start=1)
        for quantity in find_quantities(line.removesuffix("\r") if lines else line)
    ]
    if form is ShownLines.JSONL:
        out_text("".join(f"{as_json(_fields(q, number if lines else None))}\n" for number, q in found))
        return
    if not found:
        say("the text holds no quantity")
        return
    columns = tuple(_fields(found[0][1], found[0][0] if lines else None))
    rows = [tuple(_fields(q, number if lines else None).values()) for number, q in found]
    put(columns, rows, "table", numeric=("low", "high", "start", "end", "line"))


def _fields(quantity: Quantity, line: int | None) -> dict[str, object]:
    fields: dict[str, object] = {
        "low": quantity.low,
        "high": quantity.high,
        "unit": quantity.unit,
        "bound": quantity.bound.value,
        "text": quantity.text,
        "start": quantity.start,
        "end": quantity.end,
    }
    return fields if line is None else {**fields, "line": line}
