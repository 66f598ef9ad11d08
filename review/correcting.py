"""What a reviewer's correction makes of a claim: validated, and grounded in the quote or marked as the reviewer's own."""

from __future__ import annotations

from decimal import Decimal

from pydantic import ValidationError

from extractors.flags import readings_of
from extractors.fold import fold
from extractors.quantities import find_quantities
from schemas.claim import Claim, Direction
from schemas.errors import LedgerError
from schemas.flag import Flag
from schemas.quantity import Bound
from schemas.registry import registry

FIELDS = ("value", "bound", "basis", "direction", "product", "baseline", "best_case")
"""What can be corrected, beside a condition by its name (`condition.access`)."""

_ANSWERS = {
    "value": {
        "unit_truncated",
        "bit_or_byte",
        "decimal_or_binary",
        "order_of_magnitude_only",
        "capacity_formula",
    },
    "basis": {"basis_unspecified", "basis_mixed", "scale_scope_unclear"},
    "direction": {"direction_unspecified"},
    "baseline": {"no_baseline", "ill_defined_multiple"},
    "best_case": {"peak_without_load"},
    "condition.access": {"access_unspecified"},
    "condition.load": {"peak_without_load", "no_test_condition"},
}
"""The flags whose question a corrected field answers."""
_SAME_THING = {
    ("bit/s", "byte/s"): Decimal("0.125"),
    ("byte/s", "bit/s"): Decimal(8),
    ("byte/s/TiB", "bit/s/TiB"): Decimal(8),
}
_YES = {"yes": True, "true": True, "no": False, "false": False}


def corrected(claim: Claim, corrections: dict[str, str], *, source: str, who: str) -> Claim:
    """Gives the claim with the corrected fields, each with `review: who` as its rule.

    A `value` is words with a figure and its unit. Where they stand in the quote they are read again by the grammar;
    else they are the reviewer's own, and `source` must say where from. Raises LedgerError, naming the field.
    """
    fields: dict[str, object] = {}
    rules = dict(claim.rules)
    condition = dict(claim.condition)
    for name, text in corrections.items():
        said = text.strip()
        if not said:
            raise LedgerError(f"the correction of {name} is empty; leave the field out")
        if name == "value":
            fields |= _value(claim, said, source)
        elif name.startswith("condition.") and name != "condition.":
            condition[name.partition(".")[2]] = said
        elif name == "best_case":
            if said.casefold() not in _YES:
                raise LedgerError(f"best_case is yes or no, not {said!r}")
            fields["best_case"] = _YES[said.casefold()]
        elif name in FIELDS:
            fields[name] = _of_enum(name, said)
        else:
            raise LedgerError(
                f"{name!r} cannot be corrected; these can: {', '.join(FIELDS)}, condition.NAME "
                "(reject the claim where it is of another metric)"
            )
        rules[name] = f"review: {who}" + (
            f", from {source}" if name == "value" and _is_own(claim, said) else ""
        )
    if "basis" in fields:
        _comparable(claim, str(fields["basis"]))
    content = claim.model_dump() | fields | {"condition": condition, "rules": rules}
    answered = {flag for name in corrections for flag in _ANSWERS.get(name, ())}
    content["flags"] = tuple(flag for flag in claim.flags if flag not in answered)
    try:
        return Claim.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"]) or "the claim"
        raise LedgerError(f"the correction is not valid: {where}: {first['msg']}") from None


def flags_of(claim: Claim) -> tuple[Flag, ...]:
    """The claim's flags with the readings that follow from what it says now."""
    return tuple(readings_of(claim, name) for name in claim.flags)


def _of_enum(name: str, said: str) -> object:
    kinds: dict[str, type[Bound] | type[Direction]] = {"bound": Bound, "direction": Direction}
    if name not in kinds:
        return said
    try:
        return kinds[name](said)
    except ValueError:
        raise LedgerError(f"{name} is one of {', '.join(kinds[name])}, not {said!r}") from None


def _comparable(claim: Claim, basis: str) -> None:
    try:
        registry().basis(basis)
    except ValueError as error:
        raise LedgerError(f"the correction of basis is not valid: {error}") from None
    allowed = (*registry().metric(claim.metric).comparable_on, "aggregate", "unspecified", claim.basis)
    if basis not in allowed:
        raise LedgerError(
            f"{claim.metric} has no basis {basis!r}; it has {', '.join(dict.fromkeys(allowed))}"
        )


def _is_own(claim: Claim, said: str) -> bool:
    return fold(said) not in fold(claim.evidence.quote)


def _value(claim: Claim, said: str, source: str) -> dict[str, object]:
    if _is_own(claim, said) and not source.strip():
        raise LedgerError(
            f"{said!r} does not stand in the quote “{claim.evidence.quote}”; give words of the quote, "
            "or say with --source where the value is from"
        )
    found = find_quantities(said)
    if len(found) != 1:
        told = "no figure with a unit" if not found else f"{len(found)} figures"
        raise LedgerError(f"{said!r} holds {told}; give one, such as 3.2 Tbps")
    (quantity,) = found
    factor = Decimal(1) if quantity.unit == claim.unit else _SAME_THING.get((quantity.unit, claim.unit))
    if factor is None:
        raise LedgerError(f"{said!r} is in {quantity.unit}, and {claim.metric} is in {claim.unit}")
    return {
        "low": None if quantity.low is None else quantity.low * factor,
        "high": None if quantity.high is None else quantity.high * factor,
        "bound": quantity.bound,
        "best_case": quantity.best_case or claim.best_case,
        "text_value": said,
        "unit_as_written": said[_unit_start(said) :].strip(),
    }


def _unit_start(said: str) -> int:
    return max((i + 1 for i, char in enumerate(said) if char.isdigit()), default=0)
