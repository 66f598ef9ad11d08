"""Where each cell of a table stands and which headers speak for it, rows and columns spanned or not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from schemas.document import Cell, Header

_MAX_SPAN = 1000  # what browsers allow for columns
_SPARE_SLOTS = 200_000  # grid places that spans may fill beyond the cells themselves
_MAX_HEADERS = 8
_MAX_BAND = 60

# A number that is a quantity: not the digits in a name (H100, GB200, ND96isr_v4, GP-100, v2.3).
NUMBER = re.compile(r"(?<![A-Za-z_\d.,])(?<![A-Za-z]-)\d")
_BARE_VALUE = re.compile(r"^[\W_]*\d[\d.,\s]*\s*[%A-Za-z/°µμ]{0,6}$")
_DIGITS = re.compile(r"^\s*(\d{1,6})")


@dataclass(slots=True, eq=False)
class RawCell:
    """A cell as the page writes it; `header` is its text and place once read, `blocks` their indices.

    `place` is (table, row, cell) in writing order, before spans are resolved.
    """

    place: tuple[int, int, int]
    is_th: bool
    scope: str
    colspan: str
    rowspan: str
    blocks: list[int] = field(default_factory=list)
    header: Header | None = None
    row: int = 0
    col: int = 0
    rows: int = 1
    cols: int = 1
    is_header: bool = False

    @property
    def text(self) -> str:
        """The text of the cell; "" where it is empty."""
        return self.header.text if self.header else ""


_Runs = dict[int, tuple[RawCell, ...]]


@dataclass(slots=True)
class RawRow:
    """A row as the page writes it; `group` numbers its thead, tbody or tfoot."""

    group: int
    in_head: bool
    cells: list[RawCell] = field(default_factory=list)


class Table:
    """Rows are added as the page is read; `resolve` then places every cell and finds its headers."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.rows: list[RawRow] = []
        self.caption = ""
        self._group = 0
        self._in_head = False

    def start_group(self, name: str) -> None:
        """Begins a thead, tbody or tfoot; an empty name ends one."""
        self._group += 1
        self._in_head = name == "thead"

    def start_row(self) -> None:
        """Begins a row in the present group."""
        self.rows.append(RawRow(self._group, self._in_head))

    def add_cell(self, *, is_th: bool, scope: str, colspan: str, rowspan: str) -> RawCell:
        """Adds a cell to the present row; the spans and the scope are the attributes as written."""
        if not self.rows:
            self.start_row()
        row = self.rows[-1]
        place = (self.number, len(self.rows) - 1, len(row.cells))
        cell = RawCell(place, is_th, scope.strip().lower(), colspan, rowspan)
        row.cells.append(cell)
        return cell

    def resolve(self) -> list[tuple[RawCell, Cell]]:
        """Every cell with its place and headers. Spans end where the table ends."""
        if not self.rows:
            return []
        grid = _place(self.rows)
        header_rows = _header_rows(self.rows, grid)
        labels = _label_columns(self.rows, header_rows)
        _mark_headers(self.rows, header_rows, labels)
        columns = _ColumnHeaders()
        on_left = [
            {} if index in header_rows else _runs_of_headers(row) for index, row in enumerate(grid.slots)
        ]
        resolved: list[tuple[RawCell, Cell]] = []
        for index, row in enumerate(self.rows):
            columns.enter(index, row, is_header_row=index in header_rows, grid=grid)
            resolved.extend((cell, self._cell(cell, columns, on_left)) for cell in row.cells)
        return resolved

    def _cell(self, cell: RawCell, columns: _ColumnHeaders, on_left: list[_Runs]) -> Cell:
        return Cell(
            table=self.number,
            row=cell.row,
            col=cell.col,
            rows=cell.rows,
            cols=cell.cols,
            is_header=cell.is_header,
            row_headers=_row_headers(cell, on_left),
            col_headers=columns.of(cell),
        )


@dataclass(slots=True)
class _Grid:
    slots: list[dict[int, RawCell]]
    width: int


def _span(value: str) -> int:
    found = _DIGITS.match(value)
    return int(found[1]) if found and found[1].isascii() else 1


def _place(rows: Sequence[RawRow]) -> _Grid:
    """Gives every cell its row, column and spans, and every grid place its cell."""
    slots: list[dict[int, RawCell]] = [{} for _ in rows]
    ends = _group_ends(rows)
    spare = _SPARE_SLOTS
    width = 1
    for index, row in enumerate(rows):
        col = 0
        for cell in row.cells:
            while col in slots[index]:
                col += 1
            down = _span(cell.rowspan) or len(rows)  # a rowspan of 0 reaches to the end of the group
            cell.row, cell.col = index, col
            cell.rows = max(1, min(down, ends[index] - index))
            cell.cols = max(1, min(_span(cell.colspan), _MAX_SPAN))
            if cell.rows * cell.cols > 1 + spare:
                cell.rows = cell.cols = 1
            spare -= cell.rows * cell.cols - 1
            for down_to in range(index, index + cell.rows):
                for right_to in range(col, col + cell.cols):
                    slots[down_to].setdefault(right_to, cell)
            width = max(width, col + 1)
            col += cell.cols
    for row in rows:
        for cell in row.cells:
            cell.cols = min(cell.cols, width - cell.col)  # columns in which no cell begins do not exist
    return _Grid(slots, width)


def _group_ends(rows: Sequence[RawRow]) -> list[int]:
    ends = [len(rows)] * len(rows)
    for index in range(len(rows) - 2, -1, -1):
        ends[index] = ends[index + 1] if rows[index].group == rows[index + 1].group else index + 1
    return ends


def _header_rows(rows: Sequence[RawRow], grid: _Grid) -> set[int]:
    found = {index for index, row in enumerate(rows) if row.in_head or _is_header_row(row)}
    if found or len(rows) < 2:
        return found
    has_th = any(cell.is_th for row in rows for cell in row.cells)
    if has_th and (grid.width < 3 or any(cell.is_th for cell in rows[0].cells[1:])):
        return found  # a sheet of names and values: its first row is a value like the others
    first = [cell.text for cell in rows[0].cells]
    below = any(NUMBER.search(cell.text) for row in rows[1:] for cell in row.cells)
    if below and any(first) and len(first) > 1 and not any(NUMBER.search(text) for text in first):
        return {0}
    return found


def _is_header_row(row: RawRow) -> bool:
    filled = [cell for cell in row.cells if cell.text]
    if not filled or not all(cell.is_th and not cell.scope.startswith("row") for cell in filled):
        return False
    return len(filled) > 1 or all(cell.is_th for cell in row.cells)


def _label_columns(rows: Sequence[RawRow], header_rows: set[int]) -> int:
    """How many leading columns name the rows: most of their cells are th or hold no number."""
    body = [row for index, row in enumerate(rows) if index not in header_rows]
    has_th = bool(header_rows) or any(cell.is_th for row in body for cell in row.cells)
    if not body or (len(rows) == 1 and not has_th):
        return 0
    filled: dict[int, int] = {}
    naming: dict[int, int] = {}
    last = 0
    for row in body:
        for cell in row.cells:
            last = max(last, cell.col)
            if cell.text and not _is_lone(cell, row):
                filled[cell.col] = filled.get(cell.col, 0) + 1
                naming[cell.col] = naming.get(cell.col, 0) + _is_naming(cell)
    labels = 0
    # Half will do for the first column: "Latency, 4 KB" names a row although it has a number.
    while labels <= last and naming.get(labels, 0) * 2 > filled.get(labels, 0) - (not labels):
        labels += 1
    # A table without numbers still has values: only its first column names them.
    return labels if labels <= last else min(1, last)


def _is_naming(cell: RawCell) -> bool:
    number = NUMBER.search(cell.text)
    # A cell beside several rows is a name, unless it is a number in the first place.
    return cell.is_th or number is None or (cell.rows > 1 and cell.col == 0 and number.start() > 1)


def _is_lone(cell: RawCell, row: RawRow) -> bool:
    return len(row.cells) == 1 and cell.cols > 1 and cell.col == 0


def _is_band(row: RawRow, grid: _Grid, *, is_last: bool) -> bool:
    """Whether the row is one cell across the table, which heads the rows below it."""
    lone = row.cells[0] if len(row.cells) == 1 else None
    if lone is None or not lone.text or grid.width < 2 or lone.col or lone.cols != grid.width:
        return False
    length = len(lone.text)
    short = length <= _MAX_BAND and (length <= _MAX_BAND // 3 or not NUMBER.search(lone.text))
    return lone.is_th or (short and not is_last)


def _mark_headers(rows: Sequence[RawRow], header_rows: set[int], labels: int) -> None:
    for index, row in enumerate(rows):
        for cell in row.cells:
            in_labels = cell.col + cell.cols <= labels and not _BARE_VALUE.match(cell.text)
            cell.is_header = cell.is_th or index in header_rows or (in_labels and bool(cell.text))


class _ColumnHeaders:
    """The headers above, by column, as the rows go by."""

    def __init__(self) -> None:
        self._above: dict[int, list[RawCell]] = {}
        self._band: RawCell | None = None
        self._last_header_row = -2

    def enter(self, index: int, row: RawRow, *, is_header_row: bool, grid: _Grid) -> None:
        """Takes in one row: a group of header rows replaces the group above it."""
        if _is_band(row, grid, is_last=index == len(grid.slots) - 1):
            self._band = row.cells[0]
            self._band.is_header = True
            return
        if not is_header_row:
            return
        if 0 <= self._last_header_row < index - 1:
            self._above.clear()
            if self._band is not None and self._band.row != index - 1:
                self._band = None
        self._last_header_row = index
        for cell in row.cells:
            for col in range(cell.col, cell.col + cell.cols):
                above = self._above.setdefault(col, [])
                if len(above) < _MAX_HEADERS:
                    above.append(cell)

    def of(self, cell: RawCell) -> tuple[Header, ...]:
        found: list[RawCell] = []
        for col in range(cell.col, cell.col + cell.cols):
            found.extend(self._above.get(col, ()))
        if self._band is not None:
            found.append(self._band)
        # A header is headed only by what stands above it, and only by what spans it.
        kept = [
            one
            for one in _each_once(found)
            if one is not cell and one.row < cell.row and (not cell.is_header or one.cols >= cell.cols)
        ]
        kept.sort(key=lambda one: (one.row, one.col))
        return tuple(one.header for one in kept[:_MAX_HEADERS] if one.header)


def _runs_of_headers(slots: dict[int, RawCell]) -> _Runs:
    """For each column of one row, the nearest unbroken run of header cells to its left."""
    runs: _Runs = {}
    run: tuple[RawCell, ...] = ()
    broken = False
    for col in sorted(slots):
        cell = slots[col]
        if not cell.is_header:
            runs[col], broken = run, True
        elif broken:
            runs[col], run, broken = (), (cell,), False
        else:
            runs[col] = run
            if cell not in run and len(run) < _MAX_HEADERS:
                run = (*run, cell)
    return runs


def _row_headers(cell: RawCell, on_left: list[_Runs]) -> tuple[Header, ...]:
    """The headers to the left; a value that spans several rows is headed by those of each."""
    below = 1 if cell.is_header else cell.rows
    found: list[RawCell] = []
    for row in range(cell.row, cell.row + below):
        found.extend(one for one in on_left[row].get(cell.col, ()) if one.header and one is not cell)
        if len(found) > _MAX_HEADERS * _MAX_HEADERS:
            break
    return tuple(one.header for one in _each_once(found)[:_MAX_HEADERS] if one.header)


def _each_once(cells: Sequence[RawCell]) -> list[RawCell]:
    return list({id(cell): cell for cell in cells}.values())
