"""Snippets as data: tests/cases/claims/*.yaml says which claims a sentence or a tiny table makes."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from html import escape
from pathlib import Path
from typing import Any

import pytest
import yaml

from extractors.extract import extract
from schemas.claim import Claim
from schemas.registry import registry

FOLDER = Path(__file__).parents[1] / "cases" / "claims"
CASES: list[dict[str, Any]] = [
    {**case, "file": path.stem}
    for path in sorted(FOLDER.glob("*.yaml"))
    for case in yaml.safe_load(path.read_text(encoding="utf-8"))
]
EXPECTED: list[dict[str, Any]] = [expected for case in CASES for expected in case["expect"]]
NUMBERS = ("low", "high")
TEXTS = ("metric", "unit", "bound", "best_case", "basis", "direction", "vendor", "product", "baseline")
OTHER_KEYS = ("condition", "capability", "of", "flags", "no_flags")


def claims_of(case: dict[str, Any]) -> list[Claim]:
    inner = case.get("html") or f"<p>{escape(case['text'])}</p>"
    lang = f' lang="{case["lang"]}"' if "lang" in case else ""
    body = f'<!doctype html><html{lang}><meta charset="utf-8"><body>{inner}</body></html>'
    found = extract(
        body.encode(),
        source="case.html",
        name="case.html",
        vendor=case.get("vendor"),
        product=case.get("product"),
    )
    return list(found.claims)


def wrong(claim: Claim, expected: dict[str, Any]) -> Iterator[str]:
    """The fields in which a claim is not what the case expects; metric and capability first."""
    wanted = {"metric": "capability"} | {key: expected[key] for key in TEXTS if key in expected}
    yield from differing(vars(claim), wanted)
    yield from differing(claim.qualifiers, {k: expected[k] for k in ("capability", "of") if k in expected})
    yield from differing(vars(claim), {key: exact(expected[key]) for key in NUMBERS if key in expected})
    yield from differing(claim.condition, expected.get("condition", {}))
    yield from (f"no {flag}" for flag in expected.get("flags", []) if flag not in claim.flags)
    yield from (f"{flag} raised" for flag in expected.get("no_flags", []) if flag in claim.flags)


def differing(got: Mapping[str, Any], wanted: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{key} {got.get(key)}" for key, value in wanted.items() if got.get(key) != value)


def exact(value: object) -> Decimal | None:
    return None if value is None else Decimal(str(value))


def paired(claims: list[Claim], expects: list[dict[str, Any]]) -> dict[int, int]:
    """Expected claim → its own claim, as many as can be paired at once."""
    fits = [[j for j, claim in enumerate(claims) if not any(wrong(claim, e))] for e in expects]
    owner: dict[int, int] = {}

    def place(i: int, seen: set[int]) -> bool:
        for j in fits[i]:
            if j not in seen:
                seen.add(j)
                if j not in owner or place(owner[j], seen):
                    owner[j] = i
                    return True
        return False

    for i in range(len(expects)):
        place(i, set())
    return {i: j for j, i in owner.items()}


def short(claim: Claim) -> str:
    name = claim.qualifiers.get("capability", claim.metric)
    return f"{name} {claim.low}..{claim.high} {claim.unit} {claim.evidence.quote!r}"


def nearest(claims: list[Claim], expected: dict[str, Any]) -> str:
    """What a case wants, and how the claim that comes nearest to it differs."""
    wanted = f"{expected.get('capability', expected.get('metric'))} {expected.get('low', '')}".strip()
    if not claims:
        return f"{wanted}: nothing found"
    best = min(claims, key=lambda claim: (not same_kind(claim, expected), len(list(wrong(claim, expected)))))
    if not same_kind(best, expected):
        return f"{wanted}: not found"
    return f"{wanted}: {short(best)}: {'; '.join(wrong(best, expected))}"


def same_kind(claim: Claim, expected: dict[str, Any]) -> bool:
    return not any(problem.startswith(("metric ", "capability ")) for problem in wrong(claim, expected))


@pytest.mark.parametrize("case", CASES, ids=[f"{case['file']}-{case['name']}" for case in CASES])
def test_a_snippet_makes_just_these_claims(case: dict[str, Any]) -> None:
    claims = claims_of(case)
    expects: list[dict[str, Any]] = case["expect"]
    pairs = paired(claims, expects)
    rest = [claim for j, claim in enumerate(claims) if j not in pairs.values()]
    missing = [nearest(rest, e) for i, e in enumerate(expects) if i not in pairs]
    wants_capability = any(e.get("metric", "capability") == "capability" for e in expects)
    free = {"other"} if wants_capability or not expects else {"other", "capability"}
    extra = [short(claim) for claim in rest if claim.metric not in free]
    assert (missing, extra) == ([], [])


def test_the_cases_cover_the_vocabulary() -> None:
    known = registry()
    raised = [flag for e in EXPECTED for flag in e.get("flags", [])]
    spared = [flag for e in EXPECTED for flag in e.get("no_flags", [])]
    assert set(known.metrics) - {e.get("metric", "capability") for e in EXPECTED} == set()
    assert set(known.bases) - {e.get("basis") for e in EXPECTED} == set()
    assert set(known.capabilities) - {e.get("capability") for e in EXPECTED} == set()
    assert set(known.flags) - set(raised) == set()
    assert set(known.flags) - set(spared) == set()


def test_the_cases_are_well_written() -> None:
    known = registry()
    keys = {"metric", *NUMBERS, *TEXTS, *OTHER_KEYS}
    assert [e for e in EXPECTED if set(e) - keys] == []
    assert {e.get("metric", "capability") for e in EXPECTED} <= set(known.metrics)
    assert {e["basis"] for e in EXPECTED if "basis" in e} <= set(known.bases)
    assert {f for e in EXPECTED for f in (*e.get("flags", ()), *e.get("no_flags", ()))} <= set(known.flags)
    names = [(case["file"], case["name"]) for case in CASES]
    assert len(set(names)) == len(names)
    assert len(CASES) >= 120
