"""The report as one Markdown file, in which no word of a page is markup."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from report.edition import Edition, Shown, clean, web_address
from report.model import Card
from report.standing import flag_lines, lead, matrices, pair_lines
from report.tables import MetricTable, VendorRow, dimension_tables
from report.words import Says

_ESCAPED = re.compile(r"([\\`*_{}\[\]<>#|~!&$])")
_UNSAFE_IN_LINK = re.compile(r"[^!-;=?-\[\]-~]")


def as_markdown(edition: Edition) -> str:
    """The whole report: who leads, the tables of every dimension, what is undecided, what to beware of."""
    lines = [line for part in (_front(edition), *_cards(edition)) for line in (*part, "")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip() + "\n"


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    return _ESCAPED.sub(r"\\\1", " ".join(clean(text).split()))


def _front(edition: Edition) -> Iterator[str]:
    says, content = edition.says, edition.content
    yield f"# {says('site.title')}"
    yield ""
    if content.last_run is None:
        yield says("site.never")
        return
    as_of = says("site.as_of", run=content.last_run["run_id"], at=edition.moment(content.at))
    size = says(
        "site.size", vendors=len(content.vendors), pages=len(content.pages), claims=len(content.figures)
    )
    yield f"{as_of} · {size}"


def _cards(edition: Edition) -> Iterator[Iterable[str]]:
    for card in edition.content.cards:
        yield _card(edition, card)
        for dimension in card.card.dimensions:
            metrics, capabilities = dimension_tables(edition, dimension)
            yield [f"### {escaped(edition.word(dimension.label))}", "", escaped(edition.word(dimension.why))]
            for table in metrics:
                yield _metric(edition, table)
            stated = [table for table in capabilities if table.stated]
            if stated:
                yield _capabilities(edition, stated)


def _card(edition: Edition, card: Card) -> Iterator[str]:
    says = edition.says
    told = lead(edition, card)
    yield f"## {escaped(edition.card_name(card))}"
    yield ""
    yield escaped(edition.word(card.card.origin))
    yield ""
    yield from (escaped(sentence) for sentence in told.sentences)
    yield ""
    heads = [says("column.vendor")]
    heads += [says("column.by_published")] if card.published else []
    heads += [says("column.by_claims")] if card.derived else []
    rows = []
    for row in told.rows:
        cells = [edition.vendor(row.vendor)]
        cells += [row.published] if card.published else []
        cells += [row.claims] if card.derived else []
        rows.append([escaped(cell) for cell in cells])
    yield from table(heads, rows)
    for matrix in matrices(edition, card):
        yield ""
        yield f"**{escaped(matrix.title)}**"
        yield ""
        labels = [escaped(edition.word(d.label)) for d in card.card.dimensions]
        yield from table(
            [says("column.vendor"), *labels],
            [[escaped(edition.vendor(r.vendor)), *(escaped(c.text) for c in r.cells)] for r in matrix.rows],
        )
    if card.derived is not None:
        yield ""
        yield f"**{says('card.pairs')}**"
        yield ""
        pairs = pair_lines(edition, card)
        yield from (f"- {escaped(line)}" for line in pairs or (says("card.pairs_none"),))
        yield ""
        yield f"**{says('card.worth')}**"
        yield ""
        found = flag_lines(edition, card)
        heads = [says(f"column.{name}") for name in ("vendor", "flag", "what", "narrowing", "decides")]
        yield from (
            table(
                heads,
                [
                    [
                        escaped(edition.vendor(f.vendor)),
                        escaped(f.flag),
                        f"{escaped(edition.what(f.shown.figure))} {_linked(f.shown)}",
                        f.narrowing,
                        escaped(f.decides),
                    ]
                    for f in found
                ],
            )
            if found
            else [says("card.worth_none")]
        )


def _metric(edition: Edition, found: MetricTable) -> Iterator[str]:
    says = edition.says
    yield f"#### {escaped(found.label)}"
    yield ""
    if not found.stated:
        yield says("dimension.silent_all")
        return
    if found.asks_basis:
        yield escaped(says("dimension.bases", len(found.bases), bases=says.listed(found.bases)))
        yield ""
    names = ("vendor", "worded", "normalised", "basis", "marks", "stands", "tier", "since")
    yield from table([says(f"column.{name}") for name in names], [_row(edition, r) for r in found.rows])


def _row(edition: Edition, row: VendorRow) -> list[str]:
    name = escaped(edition.vendor(row.vendor))
    if row.main is None:
        return [name, _silent(edition.says, row), "", "", "", "", "", ""]
    shown = row.main
    return [
        name,
        _linked(shown),
        escaped(shown.normalised),
        escaped(shown.basis),
        escaped(" · ".join(mark.text for mark in shown.marks)),
        escaped(edition.says.or_plain("roll_up", shown.figure.roll_up)),
        escaped(shown.tier),
        shown.since,
    ]


def _capabilities(edition: Edition, tables: Sequence[MetricTable]) -> Iterator[str]:
    yield f"#### {edition.says('dimension.capabilities')}"
    yield ""
    rows = []
    for place, vendor in enumerate(edition.content.vendors):
        found = [each.rows[place] for each in tables]
        cells = [_linked(row.main) if row.main else _silent(edition.says, row) for row in found]
        rows.append([escaped(edition.vendor(vendor)), *cells])
    yield from table([edition.says("column.vendor"), *(escaped(t.label) for t in tables)], rows)


def _silent(says: Says, row: VendorRow) -> str:
    return says("cell.not_disclosed" if row.undisclosed else "cell.not_stated")


def _linked(shown: Shown) -> str:
    return f"[{escaped(shown.text)}]({shown.href})"


def table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A Markdown table; its cells are escaped already."""
    yield f"| {' | '.join(heads)} |"
    yield f"|{'---|' * len(heads)}"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def address(url: str) -> str:
    """An address as Markdown shows it: a link where it may be followed, else text."""
    if not web_address(url):
        return escaped(url)
    safe = _UNSAFE_IN_LINK.sub(lambda found: f"%{ord(found[0]):02X}" if found[0].isascii() else found[0], url)
    return f"<{safe}>"
