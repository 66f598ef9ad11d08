"""The checks that need only the page, run on one claim."""

from __future__ import annotations

from collections.abc import Callable

from extractors.checks import condition, entailment, equations, grounding, plausibility
from extractors.checks.running import Found, digest, run_check
from schemas.check import Check
from schemas.claim import Claim
from schemas.document import Document


def check_claim(claim: Claim, document: Document, visible: str) -> tuple[Check, ...]:
    """One row a check of `schemas.check.ON_PAGE`. A check that cannot run gives CHECK_FAILED, never a pass.

    `visible` is the document's text with note marks blanked (`document.masked`).
    """
    evidence = claim.evidence
    runs: list[tuple[str, str, Callable[[], Found]]] = [
        (
            "grounding",
            grounding.VERSION,
            lambda: Found(*grounding.ground(evidence.quote, evidence.start, document)),
        )
    ]
    fields = entailment.fields(claim, visible)
    runs += [(f"entailment.{name}", entailment.VERSION, run) for name, run in fields.items()]
    runs.append(("condition", condition.VERSION, lambda: condition.check(claim)))
    runs.append(("plausibility", plausibility.VERSION, lambda: plausibility.check(claim)))
    runs.append(("arithmetic.sentence", equations.VERSION, lambda: equations.check_sentence(claim, visible)))
    inputs = digest(claim.model_dump_json(exclude={"claim_key", "source"}))
    return tuple(run_check(claim.claim_key, name, version, inputs, run) for name, version, run in runs)
