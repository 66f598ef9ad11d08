"""Cases as they come from outside: a pair of claims, or a statement with its parts, and what is to be said of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from extractors.checks.comparing import Relation, compare
from extractors.checks.said import said
from extractors.checks.statements import judge

_LONGEST = 2000


def judge_case(case: Mapping[str, object]) -> tuple[str, str]:
    """The verdict on a case and its reason. ValueError, saying what is missing, where it is no case.

    `conflict` or `no_conflict` for one with `a` and `b`, each a claim in the contract's form; `consistent`,
    `inconsistent` or `not_comparable` for one with `parts`.
    """
    if "parts" in case:
        outcome = judge(case)
        return outcome.verdict.value, outcome.reason
    sides = [case.get(name) for name in ("a", "b")]
    if not all(isinstance(side, Mapping) for side in sides):
        raise ValueError("it has neither `parts` nor the two claims `a` and `b`")
    first, second = (dict(side) for side in sides if isinstance(side, Mapping))
    for text in (*_texts(first), *_texts(second)):
        if len(text) > _LONGEST:
            raise ValueError(f"{text[:40]!r} has {len(text)} characters; {_LONGEST} are allowed")
    for one, other in ((first, second), (second, first)):
        one.setdefault("metric", other.get("metric"))
        if "vendor" not in one:
            one["vendor"] = other.get("vendor")
    compared = compare(said(first), said(second))
    verdict = "conflict" if compared.relation is Relation.CONFLICT else "no_conflict"
    return verdict, compared.reason


def _texts(value: object) -> Iterator[str]:
    """Every text in a value from JSON."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, one in value.items():
            yield from (str(key), *_texts(one))
    elif isinstance(value, list):
        for one in value:
            yield from _texts(one)
