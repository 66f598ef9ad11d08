"""The scorecards that count in a home: those that ship, and those of its folder `scorecards`."""

from __future__ import annotations

from pathlib import Path

from schemas.errors import DataFileError
from schemas.scorecard import Scorecard
from warehouse.cards import builtin_cards, card, load_cards, read_card
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


def chosen_cards(named: str | None, home: Home | None) -> tuple[Scorecard, ...]:
    """Gives the card of that id or file, or all that count in the home; KoujingError for an id that none has."""
    if named is not None and ("/" in named or named.endswith((".yaml", ".yml"))):
        return (read_card(Path(named)),)
    cards = cards_of(home) if home else builtin_cards()
    return cards if named is None else (card(named, cards),)
