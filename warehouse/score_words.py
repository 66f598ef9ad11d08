"""A person's word on a published score whose claims had changed: kept, and the scorecard as it stands with it."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from schemas.errors import KoujingError
from schemas.ranking import ScoreWord
from schemas.record import plain
from schemas.scorecard import Scorecard
from warehouse.database import Database
from warehouse.rows import stored_decimal, utc

WORDS = """
SELECT * FROM stored.score_words
QUALIFY row_number() OVER (PARTITION BY scorecard, vendor, dimension ORDER BY word_id DESC) = 1
ORDER BY word_id
"""
"""The last word on each score."""
_CHANGED = """
SELECT claim_key, max(change_id) AS change_id FROM stored.changes
WHERE kind IN ('new', 'changed') AND NOT first_visit AND cause <> 'extractor' GROUP BY claim_key
"""
_KNOWN = """
SELECT word.vendor, word.dimension, list(changed.claim_key) AS keys
FROM ({changed}) AS changed
JOIN ({words}) AS word ON changed.change_id <= word.change_id
WHERE word.scorecard = ? GROUP BY ALL
"""
_STEP = Decimal("0.0001")


def word_of(row: dict[str, Any]) -> ScoreWord:
    """The record of a row of `WORDS`."""
    return ScoreWord(**{name: row[name] for name in ScoreWord.model_fields})


def with_words(card: Scorecard, words: Iterable[ScoreWord]) -> Scorecard:
    """Gives the card with the scores that persons confirmed in place of the published ones.

    A word counts while the card's file gives the score that it was said about.
    """
    editorial = {vendor: dict(entries) for vendor, entries in card.editorial.items()}
    for word in words:
        entry = editorial.get(word.vendor, {}).get(word.dimension)
        if word.scorecard == card.id and entry is not None and entry.score == word.published:
            editorial[word.vendor][word.dimension] = entry.model_copy(update={"score": word.score})
    return card.model_copy(update={"editorial": editorial})


def changed_keys(database: Database) -> frozenset[str]:
    """The keys of claims that vendors stated anew or differently since their pages were first read."""
    return frozenset(row["claim_key"] for row in database.rows(_CHANGED))


def known_changes(database: Database, card: Scorecard) -> dict[tuple[str, str], frozenset[str]]:
    """By vendor and dimension, the keys of claims whose changes were all known when a person spoke of the score."""
    spoken = {(w.vendor, w.dimension): w for w in map(word_of, database.rows(WORDS))}
    return {
        (row["vendor"], row["dimension"]): frozenset(row["keys"])
        for row in database.rows(_KNOWN.format(changed=_CHANGED, words=WORDS), [card.id])
        if _counts(card, spoken.get((row["vendor"], row["dimension"])))
    }


def _counts(card: Scorecard, word: ScoreWord | None) -> bool:
    if word is None:
        return False
    entry = card.editorial.get(word.vendor, {}).get(word.dimension)
    return entry is not None and entry.score in (word.published, word.score)


def put_word(database: Database, run_id: int, word: ScoreWord) -> None:
    """Keeps it. Raises KoujingError for a word of nobody."""
    if not word.who.strip():
        raise KoujingError("a word on a score needs the name of who says it")
    what = f"the score {plain(word.score)} of {word.vendor} in {word.dimension}"
    numbers = {
        name: stored_decimal(getattr(word, name), what, _STEP) for name in ("published", "standing", "score")
    }
    database.insert(
        "stored.score_words",
        [
            {
                **word.model_dump(),
                **numbers,
                "word_id": database.next_id("stored.score_words", "word_id"),
                "run_id": run_id,
                "said_at": utc(word.said_at),
            }
        ],
    )


def last_change(database: Database) -> int:
    """The number of the last event that the ledger knows; 0 before the first."""
    return int(database.rows("SELECT coalesce(max(change_id), 0) AS last FROM stored.changes")[0]["last"])
