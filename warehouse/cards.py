"""Scorecards read from files, and which claims their scores rest on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from decimal import Decimal
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

from pydantic import ValidationInfo, field_validator

from schemas.claim import Claim
from schemas.datafile import fault, read_data_file
from schemas.errors import DataFileError, KoujingError
from schemas.registry import registry
from schemas.scorecard import Dimension, EditorialScore, Scorecard

# In the order in which people meet them.
_BUILTIN = ("ten-thousand-cards", "small-clusters", "six-dimensions", "stability-poc")
_CAPABILITY = "capability:"


class CardFile(Scorecard):
    """A scorecard as a person wrote it: each fault is reported at the line it stands on.

    The rules are those of Scorecard, which sees the card as a whole and so knows no line; here the same
    faults are found at their field first. One rule is added: `rests_on` names only what the dimension has.
    """

    @field_validator("dimensions")
    @classmethod
    def _weighed_once(cls, value: tuple[Dimension, ...]) -> tuple[Dimension, ...]:
        seen: set[str] = set()
        for place, dimension in enumerate(value):
            if dimension.id in seen:
                raise fault((place, "id"), dimension.id, "a dimension of this id stands above already")
            seen.add(dimension.id)
        total = sum((d.weight for d in value), Decimal(0))
        if total != 1:
            weights = [str(d.weight) for d in value]
            raise fault((), weights, f"the weights sum to {total}; they must sum to 1")
        return value

    @field_validator("editorial")
    @classmethod
    def _scored_whole(
        cls, value: dict[str, dict[str, EditorialScore]], info: ValidationInfo
    ) -> dict[str, dict[str, EditorialScore]]:
        read = info.data
        if not {"dimensions", "scale_min", "scale_max"} <= read.keys():
            return value  # what they depend on is wrong, and already reported
        dimensions: dict[str, Dimension] = {d.id: d for d in read["dimensions"]}
        for vendor, scores in value.items():
            try:
                registry().vendor(vendor)
            except ValueError as error:
                raise fault((vendor,), sorted(scores), str(error)) from None
            if missing := sorted(dimensions.keys() - scores.keys()):
                raise fault((vendor,), sorted(scores), f"not scored in {', '.join(missing)}")
            for name, entry in scores.items():
                if name not in dimensions:
                    known = ", ".join(dimensions)
                    raise fault((vendor, name), name, f"no dimension of this card; there are {known}")
                if not read["scale_min"] <= entry.score <= read["scale_max"]:
                    scale = f"the scale is {read['scale_min']} to {read['scale_max']}"
                    raise fault((vendor, name, "score"), str(entry.score), scale)
                if strangers := [r for r in entry.rests_on if r not in _names(dimensions[name])]:
                    known = ", ".join(_names(dimensions[name]))
                    raise fault((vendor, name, "rests_on"), strangers, f"{name} rests on {known}")
        return value


def _names(dimension: Dimension) -> tuple[str, ...]:
    return (*dimension.metrics, *(f"{_CAPABILITY}{name}" for name in dimension.capabilities))


def read_card(path: Path) -> Scorecard:
    """Gives the scorecard of a YAML file, or raises DataFileError with the line that is wrong."""
    read = read_data_file(path, CardFile)
    return Scorecard(**{name: getattr(read, name) for name in Scorecard.model_fields})


@cache
def builtin_cards() -> tuple[Scorecard, ...]:
    """Gives the scorecards that ship with Koujing."""
    with as_file(files("warehouse") / "scorecards") as folder:
        return tuple(read_card(folder / f"{name}.yaml") for name in _BUILTIN)


def load_cards(folder: Path) -> tuple[Scorecard, ...]:
    """Gives the scorecards that ship with Koujing and then those of `folder`, by file name.

    `folder` is a home's `scorecards`; where there is none, nothing is added. Raises DataFileError for a file
    that is wrong or whose id is taken.
    """
    return _with_files(_files_of(folder))


def check_card(path: Path, folder: Path | None = None) -> Scorecard:
    """Gives the scorecard of the file if it could be added to `folder`, else raises DataFileError with the line."""
    read = read_card(path)
    if read in builtin_cards():
        return read
    others = [p for p in _files_of(folder) if p.resolve() != path.resolve()] if folder else []
    _with_files([*others, path])
    return read


def _files_of(folder: Path) -> list[Path]:
    return sorted((*folder.glob("*.yaml"), *folder.glob("*.yml")))


def _with_files(paths: Iterable[Path]) -> tuple[Scorecard, ...]:
    cards = {card.id: card for card in builtin_cards()}
    origin = dict.fromkeys(cards, "the scorecards that ship with Koujing")
    for path in paths:
        added = read_card(path)
        if added.id in cards:
            found = f"id is {added.id!r}, which is taken by {origin[added.id]}"
            raise DataFileError(str(path), _line_of_id(path), found, "give this scorecard another id")
        cards[added.id] = added
        origin[added.id] = path.name
    return tuple(cards.values())


def _line_of_id(path: Path) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next((number for number, line in enumerate(lines, 1) if re.match(r"id\s*:", line)), 0)


def card(card_id: str, cards: Iterable[Scorecard]) -> Scorecard:
    """Gives the scorecard of that id, or raises KoujingError that names the ids there are."""
    known = {c.id: c for c in cards}
    if card_id not in known:
        raise KoujingError(f"there is no scorecard {card_id!r}; there are {', '.join(known)}")
    return known[card_id]


def touches(card: Scorecard, claim: Claim) -> tuple[str, ...]:
    """Names the dimensions of `card`, in its order, that must be looked at again when `claim` changes.

    Empty where the card scores no vendor of the claim. A score may rest on fewer claims than its dimension:
    see `rests_on`.
    """
    if claim.vendor is None or claim.vendor not in card.editorial:
        return ()
    return tuple(d.id for d in card.dimensions if rests_on(d, claim))


def metrics_read(card: Scorecard) -> frozenset[str]:
    """Names every metric whose claims a score of `card` may rest on: more than `rests_on` admits, never fewer."""
    names = {name for dimension in card.dimensions for name in dimension.metrics}
    narrowed = {name for row in card.editorial.values() for entry in row.values() for name in entry.rests_on}
    return frozenset({"capability", "relative_improvement"} | names | narrowed)


def rests_on(dimension: Dimension, claim: Claim, entry: EditorialScore | None = None) -> bool:
    """Tells whether the claim is one that a score in `dimension` rests on, under the narrowing of `entry`.

    A relative improvement, or a non-disclosure, speaks of the metric in its `qualifiers.of` and counts where
    that metric counts. An improvement of something that is no metric counts in a dimension that lists
    `relative_improvement` and shares the family (storage, network, …) of the claim's product.
    """
    narrowed = entry.rests_on if entry else ()
    names = narrowed or _names(dimension)
    about = claim.qualifiers.get("of")
    if claim.metric == "capability":
        name = claim.qualifiers["capability"]
        if name == "not_disclosed" and about is not None:
            return about in names or f"{_CAPABILITY}{about}" in names
        return f"{_CAPABILITY}{name}" in names
    if claim.metric == "relative_improvement":
        if about in registry().metrics:
            return about in names
        return "relative_improvement" in names and _family(claim) in _families(dimension)
    return claim.metric in names


def _families(dimension: Dimension) -> frozenset[str]:
    return frozenset(registry().metric(name).family for name in dimension.metrics) - {"any"}


def _family(claim: Claim) -> str | None:
    vendor = registry().vendors.get(claim.vendor or "")
    return next((p.family for p in vendor.products if p.id == claim.product), None) if vendor else None
