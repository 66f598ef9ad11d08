"""The checks that need only the page, run on one claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from extractors.checks import condition, entailment, equations, grounding, plausibility
from extractors.checks.running import Found, digest, run_check
from extractors.document import masked, read_document
from extractors.plain import restructure
from schemas.check import ENTAILED, Check, Verdict
from schemas.claim import Claim
from schemas.document import Document


def versions() -> dict[str, str]:
    """The version of each of these checks; rows of another one are found again from the page's bytes."""
    return {
        "grounding": grounding.VERSION,
        **{f"entailment.{name}": entailment.VERSION for name in ENTAILED},
        "condition": condition.VERSION,
        "plausibility": plausibility.VERSION,
        "arithmetic.sentence": equations.VERSION,
    }


def replay(claims: Iterable[Claim], body: bytes, *, content_type: str, name: str) -> tuple[Check, ...]:
    """The checks of claims that were read from these bytes, run once more. UnreadableError as from reading them."""
    document = read_document(body, content_type=content_type, name=name)
    if document.form == "text":
        document, _ = restructure(document)
    visible = masked(document)
    return tuple(check for claim in claims for check in check_claim(claim, document, visible))


def not_run(claims: Iterable[Claim], reason: str) -> tuple[Check, ...]:
    """One CHECK_FAILED row a claim and check: what cannot be run again is no pass."""
    found = Found(Verdict.CHECK_FAILED, reason)
    return tuple(
        run_check(claim.claim_key, name, version, _inputs(claim), lambda: found)
        for claim in claims
        for name, version in versions().items()
    )


def check_claim(claim: Claim, document: Document, visible: str) -> tuple[Check, ...]:
    """One row a check of `schemas.check.ON_PAGE`. A check that cannot run gives CHECK_FAILED, never a pass.

    `visible` is the document's text with note marks blanked (`document.masked`).
    """
    evidence = claim.evidence
    runs: dict[str, Callable[[], Found]] = {
        "grounding": lambda: Found(*grounding.ground(evidence.quote, evidence.start, document)),
        **{f"entailment.{name}": run for name, run in entailment.fields(claim, visible).items()},
        "condition": lambda: condition.check(claim),
        "plausibility": lambda: plausibility.check(claim),
        "arithmetic.sentence": lambda: equations.check_sentence(claim, visible),
    }
    known = versions()
    inputs = _inputs(claim)
    return tuple(run_check(claim.claim_key, name, known[name], inputs, run) for name, run in runs.items())


def _inputs(claim: Claim) -> str:
    return digest(claim.model_dump_json(exclude={"claim_key", "source"}))
