"""A card's derivation as trees of integers, one a vendor, all on one scale."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import lcm, prod
from operator import mul

from schemas.errors import KoujingError
from schemas.rubric import Alternative, CriterionTerm, Derivation
from warehouse.uncertainty.tree import Finish, Fold, Node, Readings, Table, constant, step


@dataclass(frozen=True)
class VendorTree:
    """A vendor's score in each dimension, in the card's order, and its total."""

    vendor: str
    dimensions: tuple[Node, ...]
    total: Node


@dataclass(frozen=True)
class CardTrees:
    """A card's vendors as trees. A dimension's score is its integer over `score_unit`, a total over `total_unit`.

    `weights`: of the dimensions, summing to 1. `flags`: the readings of each open flag.
    """

    weights: dict[str, Fraction]
    flags: dict[str, tuple[str, ...]]
    vendors: tuple[VendorTree, ...]
    score_unit: int
    total_unit: int


@dataclass(frozen=True)
class _Scales:
    """Common denominators, so that everything below is a whole number."""

    value: int
    criterion: int
    dimension: int
    rounding: int | None
    readings: Readings

    @property
    def whole(self) -> int:
        """What a dimension's unrounded score is counted in."""
        return self.value * self.criterion

    @property
    def score(self) -> int:
        """What a dimension's score is counted in once it is rounded, if it is."""
        return self.whole if self.rounding is None else 10**self.rounding


def trees(derivation: Derivation, weights: Mapping[str, Fraction] | None, table: int) -> CardTrees:
    """Gives the card's vendors as trees, under `weights` of its dimensions or else under its own.

    Weights are taken in proportion: they need not sum to 1, and scaling all of them changes nothing. Flags that
    hang together are written out as one table of at most `table` values, else left as a knot.

    Raises KoujingError, naming the card and the place, for weights that do not fit the card and for a
    derivation that contradicts itself.
    """
    shares = _shares(derivation, weights)
    flags = {flag.id: flag.readings for flag in derivation.open_flags}
    own_vendor = {flag.id: flag.vendor for flag in derivation.open_flags}
    terms = derivation.terms
    scales = _Scales(
        value=_common(v for t in terms for a in t.alternatives for v in a.values)
        * _common(t.missing for t in terms),
        criterion=_common(t.weight for t in terms),
        dimension=_common(shares.values()),
        rounding=derivation.rounding,
        readings=Readings({flag: len(readings) for flag, readings in flags.items()}, table),
    )
    rows: dict[str, dict[str, list[CriterionTerm]]] = {
        vendor: {name: [] for name in shares} for vendor in derivation.vendors
    }
    for term in terms:
        _refuse_unfit_term(derivation.card, term, rows, scales.readings.sizes, own_vendor)
        rows[term.vendor][term.dimension].append(term)
    factors = {name: _whole(share, scales.dimension) for name, share in shares.items()}
    return CardTrees(
        weights=shares,
        flags=flags,
        vendors=tuple(_vendor(derivation.card, v, row, factors, scales) for v, row in rows.items()),
        score_unit=scales.score,
        total_unit=scales.score * scales.dimension,
    )


def half_up(number: int, unit: int, places: int) -> int:
    """Gives number/unit in units of the last of `places`, rounded half away from zero."""
    scale: int = 10**places
    size = (2 * abs(number) * scale + unit) // (2 * unit)
    return size if number >= 0 else -size


def _vendor(
    card: str, vendor: str, row: dict[str, list[CriterionTerm]], factors: dict[str, int], scales: _Scales
) -> VendorTree:
    rounded: Finish | None = None
    if scales.rounding is not None:
        rounded = partial(half_up, unit=scales.whole, places=scales.rounding)
    dimensions: list[Node] = []
    added: list[Node] = []
    for name, terms in row.items():
        if sum(_whole(term.weight, scales.criterion) for term in terms) != scales.criterion:
            raise KoujingError(
                f"{card}: the criteria of {vendor} in {name} have weights that do not sum to 1; derive it again"
            )
        scored = [_criterion(term, scales) for term in terms]
        dimension = step(scored, Fold.SUM, rounded, scales.readings)
        dimensions.append(dimension)
        # Without rounding a total is a plain sum over criteria: fewer of them hang together than dimensions do.
        weighted = partial(mul, factors[name])
        parts = (dimension,) if rounded else scored
        added.extend(step((part,), Fold.SUM, weighted, scales.readings) for part in parts)
    return VendorTree(vendor, tuple(dimensions), step(added, Fold.SUM, None, scales.readings))


def _criterion(term: CriterionTerm, scales: _Scales) -> Node:
    factor = _whole(term.weight, scales.criterion)
    if not term.alternatives:
        return constant(factor * _whole(term.missing, scales.value))
    if not any(alternative.flags for alternative in term.alternatives):
        return constant(factor * max(_whole(a.values[0], scales.value) for a in term.alternatives))
    tables = [_table(alternative, factor, scales) for alternative in term.alternatives]
    return step(tables, Fold.MAX, None, scales.readings)


def _table(alternative: Alternative, factor: int, scales: _Scales) -> Table:
    return Table(
        alternative.flags,
        tuple(scales.readings.sizes[flag] for flag in alternative.flags),
        tuple(factor * _whole(value, scales.value) for value in alternative.values),
    )


def _shares(derivation: Derivation, weights: Mapping[str, Fraction] | None) -> dict[str, Fraction]:
    own = {dimension.id: dimension.weight for dimension in derivation.dimensions}
    taken = own if weights is None else weights
    if set(taken) != set(own):
        raise KoujingError(
            f"weights are given for {', '.join(taken) or 'nothing'}; {derivation.card} has {', '.join(own)}"
        )
    whole = sum(taken.values(), Fraction(0))
    if whole <= 0 or min(taken.values()) < 0:
        listed = ", ".join(f"{name}={weight}" for name, weight in taken.items())
        raise KoujingError(f"{derivation.card}: {listed}; no weight may be below 0, and one must be above")
    return {name: taken[name] / whole for name in own}


def _refuse_unfit_term(
    card: str,
    term: CriterionTerm,
    rows: Mapping[str, Mapping[str, object]],
    sizes: Mapping[str, int],
    own_vendor: Mapping[str, str],
) -> None:
    fault = ""
    if term.vendor not in rows or term.dimension not in rows[term.vendor]:
        fault = "the card has no such vendor or dimension"
    for alternative in term.alternatives:
        flags, key = alternative.flags, alternative.claim_key
        if stranger := next((flag for flag in flags if own_vendor.get(flag) != term.vendor), None):
            fault = fault or f"{key} waits for {stranger}, which is no open flag of this vendor"
        elif len(set(flags)) != len(flags):
            fault = fault or f"{key} names a flag twice"
        elif len(alternative.values) != (expected := prod(sizes[flag] for flag in flags)):
            fault = fault or (
                f"{key} has {len(alternative.values)} values; its flags have {expected} combinations of readings"
            )
    if fault:
        where = f"{card}: {term.vendor}, {term.dimension}, {term.criterion}"
        raise KoujingError(f"{where}: {fault}; derive it again")


def _common(numbers: Iterable[Fraction]) -> int:
    return lcm(*{number.denominator for number in numbers})


def _whole(number: Fraction, unit: int) -> int:
    return number.numerator * (unit // number.denominator)
