"""What stays ambiguous in a claim, as the vocabulary defines it, with the readings each flag leaves open.

Restraint counts: a flag is raised only where the claim's own metric asks the question and the page, as far as
it stands near the number, does not answer it.
"""

from __future__ import annotations

import re
from decimal import Decimal

from extractors import flag_words as words
from extractors.mention import Mention
from extractors.scopes import Surroundings
from extractors.units import Dimension
from schemas.claim import Claim
from schemas.flag import Flag, Reading
from schemas.quantity import Bound
from schemas.registry import FlagKind, Metric, registry
from schemas.source import Tier

_BY_SCALE = re.compile(r"\bGPUs\b|卡数|节点数|\bnodes\b|GPU ?数|规模", re.IGNORECASE)
_ACCESS_NAMED = re.compile(r"\b(?:read|write)|读|写", re.IGNORECASE)
_DOWN_BY = re.compile(r"(?:降低|减少|缩短|下降|压低|减小|节省|收窄)(?:了|高达|达|约|近|超过?)? ?$")
_FELL_BY = re.compile(
    r"\b(?:fell|dropp?(?:s|ed)|cuts?|reduc(?:es|ed)|shr[aiu]nk|down|lower(?:s|ed)?) (?:by )?(?:up to |about )?$",
    re.IGNORECASE,
)
_TIMES_LESS = re.compile(r" ?(?:lower|less|fewer|smaller|shorter)", re.IGNORECASE)
_ARTICLE_TIERS = ("T3", "T4")


def flag_names(
    metric: Metric,
    mention: Mention,
    claim: Claim,
    around: Surroundings,
    *,
    tier: Tier,
    repeats: bool,
    top: str,
) -> tuple[str, ...]:
    """The flags of one claim, in the registry's order."""
    on = {
        "basis_unspecified": "basis" in metric.asks and claim.basis == "unspecified",
        "basis_mixed": metric.family == "network"
        and "basis" in metric.asks
        and (claim.basis == "aggregate" or _summed(claim, mention)),
        "unit_truncated": _truncated(mention, metric),
        "bit_or_byte": _bit_or_byte(metric, mention),
        "decimal_or_binary": _decimal_or_binary(metric, mention, around),
        "direction_unspecified": "direction" in metric.asks and claim.direction == "unspecified",
        "access_unspecified": "access" in metric.asks
        and "access" not in claim.condition
        and not _names_access(around),
        "peak_without_load": "load" in metric.asks and claim.best_case and "load" not in claim.condition,
        "no_test_condition": "test_condition" in metric.asks
        and _no_test_condition(metric, mention, claim, top),
        "no_baseline": metric.name == "relative_improvement" and claim.baseline is None,
        "ill_defined_multiple": metric.name == "relative_improvement" and _ill_defined(claim, around),
        "order_of_magnitude_only": claim.bound is Bound.ORDER_OF_MAGNITUDE or _sub_level(mention),
        "scale_scope_unclear": metric.name == "cluster_size_max" and claim.basis == "unspecified",
        "fault_class_unspecified": "fault_class" in metric.asks
        and not words.FAULT_TYPES.search(
            top + "\n" + (around.text_of("heading") if around.block.cell is not None else "")
        )
        and not words.FAULT_CLASS.search(
            _part(around) + "\n" + "\n".join(around.headers) + around.text_of("question", "note")
        ),
        "sla_terms_unspecified": "sla_terms" in metric.asks and not _sla_terms(around),
        "capacity_formula": claim.bound is Bound.FORMULA,
        "on_request_only": _on_request(claim, around),
        "secondhand": repeats or tier in _ARTICLE_TIERS or bool(words.CREDITED.search(around.sentence)),
    }
    return tuple(name for name in registry().flags if on.get(name))


def _part(around: Surroundings) -> str:
    """The part of the sentence between semicolons that holds the figure."""
    return re.split(r"[;；]", around.before)[-1] + " " + re.split(r"[;；]", around.after)[0]


def _summed(claim: Claim, mention: Mention) -> bool:
    return (
        claim.basis == "per_supernode"
        and mention.times is None
        and claim.metric
        in (
            "rdma_bandwidth",
            "bisection_bandwidth",
        )
    )


def _truncated(mention: Mention, metric: Metric) -> bool:
    if mention.dimension is Dimension.TRUNCATED:
        return True
    return mention.dimension is Dimension.DATA and metric.unit.endswith("/s") and not mention.level


def _bit_or_byte(metric: Metric, mention: Mention) -> bool:
    """Bits where the metric is counted in bytes (storage), bytes where it is counted in bits (networks)."""
    if mention.unit.bytes_written is None or mention.dimension not in (
        Dimension.DATA_RATE,
        Dimension.RATE_DENSITY,
    ):
        return False
    if metric.family == "storage":
        return not mention.unit.bytes_written
    return metric.unit == "bit/s" and mention.unit.bytes_written and metric.name != "bisection_bandwidth"


def _decimal_or_binary(metric: Metric, mention: Mention, around: Surroundings) -> bool:
    if not metric.unit.endswith("/TiB"):
        return False
    if mention.dimension is Dimension.DATA_RATE:
        return "TiB" not in around.text_of("near", "column", "row")
    return mention.unit.binary_denominator is False


def _names_access(around: Surroundings) -> bool:
    return any(
        _ACCESS_NAMED.search(s.text) for s in around.scopes if s.name in ("near", "column", "row", "label")
    )


def _no_test_condition(metric: Metric, mention: Mention, claim: Claim, top: str) -> bool:
    if claim.bound is Bound.ORDER_OF_MAGNITUDE or mention.level:
        return False  # a magnitude reads as a class of product, not as a measurement
    if metric.name in ("checkpoint_time", "card_failure_rate"):
        return False
    if _BY_SCALE.search(top) and claim.metric in ("mfu", "scaling_efficiency", "allreduce_efficiency"):
        return False  # a table of results by number of cards states the scale of each
    return not any(key in claim.condition for key in ("scale", "workload", "size", "load"))


def _ill_defined(claim: Claim, around: Surroundings) -> bool:
    if claim.unit != "ratio" or (claim.low or Decimal(0)) <= 1:
        return False
    return (
        _DOWN_BY.search(around.before[-12:]) is not None
        or (_FELL_BY.search(around.before[-24:]) is not None and not around.after.lstrip().startswith("as "))
        or _TIMES_LESS.match(around.after[:16] + around.text_of("label")) is not None
    )


def _on_request(claim: Claim, around: Surroundings) -> bool:
    """Whether it is said of the figure, in its headers or footnote, or of its whole table."""
    note = around.text_of("note", "lead")
    near = (
        around.sentence
        + "\n"
        + "\n".join(around.headers)
        + ("" if words.FOR_MORE.search(note) else "\n" + note)
    )
    if any(not _for_more(near, asked, claim) for asked in words.ON_REQUEST.finditer(near)):
        return True
    return around.block.cell is not None and words.TABLE_ON_REQUEST.search(around.section) is not None


def _for_more(near: str, asked: re.Match[str], claim: Claim) -> bool:
    """Whether the words ask for more than the figure: "bigger than that, contact sales" beside a price."""
    before = re.split(r"[。;；.\n]", near[: asked.start()])[-1]
    said = words.FOR_MORE.search(before)
    if said is None:
        return False
    return (claim.text_value or "") not in before or "," in before[: said.start()].partition(
        claim.text_value or ""
    )[2]


def _sub_level(mention: Mention) -> bool:
    return mention.level and mention.bound is Bound.AT_MOST and mention.dimension is Dimension.TIME


def _sla_terms(around: Surroundings) -> bool:
    if words.OTHER_TERMS.search(around.sentence):
        return False
    if around.is_sla and words.TARGET.search(around.sentence) is None:
        return True  # an agreement states period, exclusions and compensation for all its figures
    reach = around.section + around.text_of("row", "column", "label", "caption", "note")
    return bool(words.SLA_PERIOD.search(reach)) and bool(words.SLA_TERMS.search(reach))


_FACTORS = {
    "tb_tib": Decimal(10) ** 12 / Decimal(2) ** 40,
}


def readings_of(claim: Claim, name: str) -> Flag:
    """The flag with its question and, for each admissible reading, the value the claim then has."""
    kind = registry().flag(name)
    metric = registry().metric(claim.metric)
    if kind.readings_from == "bases":
        readings = tuple(
            Reading(
                key=basis, label=registry().basis(basis).label, low=claim.low, high=claim.high, basis=basis
            )
            for basis in (*metric.comparable_on, "aggregate")
        )
    else:
        readings = tuple(_reading(claim, kind, position) for position in range(len(kind.readings)))
    return Flag(claim_key=claim.claim_key, name=name, question=kind.question, readings=readings)


def _reading(claim: Claim, kind: FlagKind, position: int) -> Reading:
    entry = kind.readings[position]
    low, high = claim.low, claim.high
    if entry.factor is None:
        low = high = None
    elif entry.factor == "bit_byte":
        factor = _other_of_bit_byte(claim)
        low, high = _times(low, factor), _times(high, factor)
    elif entry.factor != "1":
        factor = _FACTORS.get(entry.factor) or Decimal(entry.factor)
        low, high = _times(low, factor), _times(high, factor)
    if claim.bound is Bound.ORDER_OF_MAGNITUDE and kind.name == "order_of_magnitude_only":
        high = None
    return Reading(
        key=entry.key, label=entry.label, low=low, high=high, basis=entry.basis, direction=entry.direction
    )


def _other_of_bit_byte(claim: Claim) -> Decimal:
    """Written in bytes and meant in bits divides by 8; written in bits and meant in bytes multiplies."""
    if claim.unit_as_written and re.search(r"(?<![a-z])[kKMGTPE]?i?B|[Bb]yte", claim.unit_as_written):
        return Decimal("0.125")
    if re.search(r"[kKMGTPE]?b(?:ps|/s|it)|bit", claim.unit_as_written):
        return Decimal(8)
    return Decimal(8) if claim.unit.startswith("bit") else Decimal("0.125")


def _times(value: Decimal | None, factor: Decimal) -> Decimal | None:
    return None if value is None else value * factor
