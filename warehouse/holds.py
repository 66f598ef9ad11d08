"""Pages that would lose most of their claims at once: held, until they come well again or a person decides.

A site that is down, a login wall, an empty script shell and a new design look alike to a reader of claims: nearly
all of them are gone. None of these is the vendor taking its word back, so nothing is taken from such a page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from schemas.extraction import Extraction
from schemas.ledger import Hold, HoldReason, Release
from warehouse.database import Database
from warehouse.rows import utc

_SHELL_CHARACTERS = 200
"""Visible text below which a page that lost its claims is taken for the shell of a script."""

_NO_TEXT = re.compile(r"no visible text|\bis empty\b")
"""In a reader's reason: the page came, and nothing on it is to be seen."""

_WALL_CHARACTERS = 3000
_WALL = re.compile(
    r"登[录入錄]|扫码|短信验证码|手机号|忘记密码|ログイン|"
    r"\b(?:log ?in|sign ?in|sign ?on|password|single sign-on|verify you are (?:a )?human|captcha)\b",
    re.IGNORECASE,
)


def would_lose_most(standing: int, lost: int) -> bool:
    """Whether a page that stands with so many claims would lose more than half of them at once."""
    return 2 * lost > standing


def reason_of(extraction: Extraction) -> HoldReason:
    """What a page that lost its claims looks like."""
    document = extraction.document
    if document is None:
        return HoldReason.SCRIPT_SHELL if _NO_TEXT.search(extraction.reason) else HoldReason.UNREADABLE
    visible = " ".join(document.text.split())
    if len(visible) < _WALL_CHARACTERS and _WALL.search(f"{document.title} {visible}"):
        return HoldReason.LOGIN_WALL
    return HoldReason.SCRIPT_SHELL if len(visible) < _SHELL_CHARACTERS else HoldReason.LOST_CLAIMS


def open_holds(database: Database, source_id: str | None = None) -> tuple[Hold, ...]:
    """The holds that nothing has ended yet, oldest first; of one source there is one at most."""
    rows = database.rows(
        """
        SELECT hold.* FROM stored.holds AS hold ANTI JOIN stored.releases USING (hold_id)
        WHERE $1::VARCHAR IS NULL OR source_id = $1 ORDER BY hold_id
        """,
        [source_id],
    )
    return tuple(stored_hold(row) for row in rows)


def stored_hold(row: Mapping[str, Any]) -> Hold:
    """The hold that a row of `stored.holds` holds."""
    return Hold(
        reason=HoldReason(row["reason"]),
        **{name: row[name] for name in Hold.model_fields if name != "reason"},
    )


def put_hold(database: Database, hold: Hold, run_id: int, visit_id: int) -> Hold:
    """Keeps the hold and gives it with its number."""
    numbered = hold.model_copy(update={"hold_id": database.next_id("stored.holds", "hold_id")})
    row = {**numbered.model_dump(), "reason": str(hold.reason), "held_at": utc(hold.held_at)}
    database.insert("stored.holds", [{**row, "run_id": run_id, "visit_id": visit_id}])
    return numbered


def end_hold(
    database: Database, hold: Hold, run_id: int, visit_id: int, at: datetime, word: Release | None = None
) -> None:
    """Ends the hold: by a person's word, or else because the page came well again."""
    how = "good_crawl" if word is None else "accepted" if word.accept else "kept"
    row = {
        "hold_id": hold.hold_id,
        "run_id": run_id,
        "visit_id": visit_id,
        "how": how,
        "who": word.who if word else "",
        "note": word.note if word else "",
        "released_at": utc(at),
    }
    database.insert("stored.releases", [row])


def was_kept(database: Database, source_id: str) -> bool:
    """Whether a person has let the claims stand since the page last came well, so that nobody is asked again."""
    rows = database.rows(
        """
        SELECT max(release.visit_id) FILTER (release.how = 'kept') AS kept,
            (SELECT max(visit_id) FROM stored.visits AS visit WHERE visit.source_id = $1 AND (
                visit.status = 'unchanged' OR visit.visit_id IN (
                    SELECT visit_id FROM stored.snapshots WHERE source_id = $1 AND written))) AS well
        FROM stored.holds AS hold JOIN stored.releases AS release USING (hold_id) WHERE hold.source_id = $1
        """,
        [source_id],
    )
    kept, well = rows[0]["kept"], rows[0]["well"]
    return kept is not None and (well is None or kept > well)
