"""What models were asked about pages, kept with what was refused of their answers and what was left undone."""

from __future__ import annotations

from datetime import datetime

from schemas.extraction import Extraction
from warehouse.database import Database


def write_asked(
    database: Database, run_id: int, source_id: str, sha256: str, extraction: Extraction, at: datetime
) -> None:
    """Keeps, within a transaction, what asking about one reading came to, and which of its words were for machines."""
    place = {"run_id": run_id, "source_id": source_id, "snapshot_sha256": sha256}
    first = database.next_id("stored.suspicious_text", "suspicion_id")
    database.insert(
        "stored.suspicious_text",
        [
            {"suspicion_id": first + offset, **place, "kind": found.kind, "place": found.place}
            | {"words": found.text, "starts": found.start, "ends": found.end, "recorded_at": at}
            for offset, found in enumerate(extraction.suspicions)
        ],
    )
    asked = extraction.asked
    if asked is None:
        return
    asked_id = database.next_id("stored.asked", "asked_id")
    row = {
        "asked_id": asked_id,
        **place,
        **asked.model_dump(exclude={"rejections", "undone"}),
        "undone": asked.undone,
        "recorded_at": at,
    }
    database.insert("stored.asked", [row])
    first = database.next_id("stored.rejections", "rejection_id")
    database.insert(
        "stored.rejections",
        [
            {"rejection_id": first + offset, "asked_id": asked_id, **rejection.model_dump()}
            for offset, rejection in enumerate(asked.rejections)
        ],
    )


def left_undone(database: Database) -> frozenset[str]:
    """The sources whose last asking left passages without a reply, and which were not read otherwise since."""
    rows = database.rows(
        """
        SELECT source_id FROM (
            SELECT source_id, undone, recorded_at FROM stored.asked
            QUALIFY row_number() OVER (PARTITION BY source_id ORDER BY asked_id DESC) = 1
        ) AS last
        WHERE len(undone) > 0
        """
    )
    return frozenset(row["source_id"] for row in rows)
