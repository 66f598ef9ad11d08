"""How a check is run: whatever breaks it becomes a row of its own, and its inputs become a digest."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from typing import Any, NamedTuple

from schemas.check import Check, Verdict


class Found(NamedTuple):
    """What a check found, why, and what else a reader may want, as a JSON object."""

    verdict: Verdict
    reason: str
    detail: dict[str, Any] = {}  # noqa: RUF012 - never written to


def run_check(key: str, name: str, version: str, inputs: str, run: Callable[[], Found]) -> Check:
    """The check's row. One that cannot run gives CHECK_FAILED with its reason, never a pass."""
    try:
        found = run()
    except Exception as error:  # noqa: BLE001 - a check that breaks is recorded, whatever broke it
        found = Found(Verdict.CHECK_FAILED, f"{type(error).__name__}: {error}")
    return Check(
        claim_key=key,
        name=name,
        version=version,
        verdict=found.verdict,
        reason=found.reason,
        inputs=inputs,
        detail=json.dumps(found.detail, ensure_ascii=False, sort_keys=True, default=str)
        if found.detail
        else "",
    )


def digest(*parts: object) -> str:
    """A short name for the inputs of a check: the same for the same parts, in every process."""
    text = "\x1f".join(str(part) for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]
