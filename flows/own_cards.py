"""The scorecards that count in a home: those that ship, and those of its folder `scorecards`."""

from __future__ import annotations

from schemas.errors import DataFileError
from schemas.scorecard import Scorecard
from warehouse.cards import load_cards
from warehouse.home import Home


def cards_of(home: Home) -> tuple[Scorecard, ...]:
    """Gives them all; DataFileError where one is wrong, or where the folder is none or cannot be read."""
    folder = home.root / "scorecards"
    if folder.exists() and not folder.is_dir():
        raise DataFileError(
            str(folder), 0, "it is a file", "make it a folder of scorecards, or move it away to have none"
        )
    try:
        return load_cards(folder)
    except OSError as error:
        raise DataFileError(
            str(folder), 0, f"it cannot be read ({error.strerror or error})", "make it readable"
        ) from None
