"""Scores that follow from claims: for each vendor and criterion, what the stored claims leave possible.

Pure and exact. A claim counts for a measure where it is of its metric and comparable: in its unit, on one of its
bases, in its direction, or through a conversion that the card states. What counts for nothing is listed with the reason.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction

from schemas.claim import Claim
from schemas.criteria import TOP, Criterion, Measure, Points, Rubric
from schemas.flag import Flag
from schemas.rubric import (
    Alternative,
    CriterionTerm,
    Derivation,
    Fact,
    LeftOut,
    OpenFlag,
    UsedConversion,
    WeightedDimension,
)
from schemas.scorecard import Dimension, Scorecard
from warehouse.comparable import Counts, Step, comparable
from warehouse.figures import figures
from warehouse.interpolation import Scale

_SUPPORTS = ("VERIFIED", "QUALIFIED", "AMBIGUOUS")
_NOTHING, _BEST = Fraction(0), Fraction(TOP)


def derive(card: Scorecard, facts: Iterable[Fact], *, vendors: Iterable[str] | None = None) -> Derivation:
    """Gives what the card's criteria make of the claims, ready for intervals over the open readings.

    `vendors`: whom to score; without it, those of the published scores and all of whom some claim counts. Facts may
    come in any order, and from all vendors. Raises ValueError for a card without a rubric.
    """
    if card.rubric is None:
        raise ValueError(f"{card.id} has no rubric; it has published scores only")
    questions = tuple(_questions(card))
    work = _Work()
    admitted = list(_admitted(card.rubric, facts))
    counts = Counts(a.claim for a in admitted if not a.refused and _settled(a.flags))
    by_vendor: dict[str, dict[str, list[_Admitted]]] = defaultdict(lambda: defaultdict(list))
    for one in admitted:
        if one.claim.vendor is not None:
            by_vendor[one.claim.vendor][_subject(one.claim)].append(one)
    terms = {
        vendor: tuple(_terms(questions, vendor, by_vendor.get(vendor, {}), counts, work))
        for vendor in sorted({*card.editorial, *by_vendor} if vendors is None else set(vendors))
    }
    if vendors is None:
        kept = {vendor for vendor, own in terms.items() if any(term.alternatives for term in own)}
        terms = {vendor: own for vendor, own in terms.items() if vendor in kept or vendor in card.editorial}
    return Derivation(
        card=card.id,
        decimals=card.decimals,
        rounding=card.rubric.places,
        vendors=tuple(terms),
        dimensions=tuple(WeightedDimension(id=d.id, weight=Fraction(d.weight)) for d in card.dimensions),
        open_flags=tuple(work.open_flags[name] for name in sorted(work.open_flags)),
        terms=tuple(term for own in terms.values() for term in own),
        left_out=tuple(
            LeftOut(claim_key=key, reason=reason)
            for key, reason in sorted(work.left_out.items())
            if key not in work.counted
        ),
        conversions=tuple(work.conversions.values()),
    )


@dataclass(frozen=True, slots=True)
class _Admitted:
    """A claim with the flags that leave its readings open; `refused` says why it supports nothing."""

    claim: Claim
    flags: tuple[Flag, ...]
    refused: str = ""


@dataclass(slots=True)
class _Work:
    """What is noted on the way."""

    counted: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)
    open_flags: dict[str, OpenFlag] = field(default_factory=dict)
    conversions: dict[tuple[str, str, str, str], UsedConversion] = field(default_factory=dict)

    def leave_out(self, claim: Claim, reason: str) -> None:
        self.left_out.setdefault(claim.claim_key, reason)


def _admitted(rubric: Rubric, facts: Iterable[Fact]) -> Iterator[_Admitted]:
    """The last version of each claim, in the order of their keys."""
    aside = {entry.flag for entry in rubric.as_published}
    ordered = sorted(facts, key=lambda f: (f.stored.claim.claim_key, f.stored.version))
    last = {fact.stored.claim.claim_key: fact for fact in ordered}
    for fact in last.values():
        flags = tuple(f for f in fact.flags if f.name not in aside and f.readings)
        refused = ""
        if fact.roll_up not in _SUPPORTS:
            refused = ": ".join(filter(None, (fact.roll_up.lower(), fact.why)))
        elif fact.tier not in rubric.tiers:
            refused = f"its source is of tier {fact.tier}; {', '.join(rubric.tiers)} count"
        elif any(f.name == "secondhand" and not _confirmed(f) for f in flags):
            refused = "secondhand: it repeats another's figure"
        yield _Admitted(fact.stored.claim, flags, refused)


def _confirmed(flag: Flag) -> bool:
    return len(flag.readings) == 1 and (flag.readings[0].low, flag.readings[0].high) != (None, None)


def _settled(flags: tuple[Flag, ...]) -> bool:
    return all(len(flag.readings) == 1 for flag in flags)


def _subject(claim: Claim) -> str:
    """The metric, or the capability after a colon."""
    return f"capability:{claim.qualifiers['capability']}" if claim.metric == "capability" else claim.metric


Claims = dict[str, list[_Admitted]]
"""A vendor's claims by subject."""


@dataclass(frozen=True, slots=True)
class _Evidence:
    """A measure made ready. `scale` for a metric, `score` for a capability."""

    measure: Measure
    subject: str
    score: Fraction
    scale: Scale | None
    where: tuple[tuple[str, re.Pattern[str]], ...]


@dataclass(frozen=True, slots=True)
class _Question:
    """What every vendor is asked for one term: a criterion with measures, or one capability of one with points.

    `takes_away`: stating the capability costs. `about`: the metrics and capabilities of which a page may say that it
    does not say.
    """

    dimension: str
    criterion: str
    weight: Fraction
    evidence: tuple[_Evidence, ...]
    missing: Fraction
    not_disclosed: Fraction
    about: frozenset[str] = frozenset()
    takes_away: bool = False


def _questions(card: Scorecard) -> Iterator[_Question]:
    for dimension in card.dimensions:
        for criterion in dimension.criteria:
            if criterion.points:
                yield from (_question_of_points(dimension, criterion, entry) for entry in criterion.points)
                continue
            missing = criterion.missing
            unsaid = missing if criterion.not_disclosed is None else criterion.not_disclosed
            yield _Question(
                dimension=dimension.id,
                criterion=criterion.id,
                weight=Fraction(criterion.weight),
                evidence=tuple(_evidence(measure) for measure in criterion.measures),
                missing=Fraction(missing),
                not_disclosed=Fraction(unsaid),
                about=frozenset({*criterion.metrics, *criterion.capabilities}),
            )


def _question_of_points(dimension: Dimension, criterion: Criterion, entry: Points) -> _Question:
    adds = entry.points > 0
    stated, silent = (_BEST, _NOTHING) if adds else (_NOTHING, _BEST)
    measure = Measure(capability=entry.capability, score=TOP if adds else Decimal(0), why=entry.why)
    return _Question(
        dimension=dimension.id,
        criterion=f"{criterion.id}.{entry.capability}",
        weight=Fraction(criterion.weight) * abs(Fraction(entry.points)) / _BEST,
        evidence=(_Evidence(measure, f"capability:{entry.capability}", stated, None, ()),),
        missing=silent,
        not_disclosed=silent,
        takes_away=not adds,
    )


def _evidence(measure: Measure) -> _Evidence:
    return _Evidence(
        measure=measure,
        subject=measure.metric or f"capability:{measure.capability}",
        score=Fraction(measure.score or 0),
        scale=Scale(measure) if measure.metric else None,
        where=tuple((key, re.compile(pattern)) for key, pattern in measure.where.items()),
    )


def _terms(
    questions: tuple[_Question, ...], vendor: str, claims: Claims, counts: Counts, work: _Work
) -> Iterator[CriterionTerm]:
    silent_about = {
        one.claim.qualifiers.get("of")
        for one in claims.get("capability:not_disclosed", [])
        if not one.refused
    }
    for question in questions:
        yield CriterionTerm(
            vendor=vendor,
            dimension=question.dimension,
            criterion=question.criterion,
            weight=question.weight,
            alternatives=tuple(_alternatives(question, claims, counts, work)),
            missing=question.missing if silent_about.isdisjoint(question.about) else question.not_disclosed,
        )


def _alternatives(question: _Question, claims: Claims, counts: Counts, work: _Work) -> Iterator[Alternative]:
    for evidence in question.evidence:
        for one in claims.get(evidence.subject, ()):
            if one.refused:
                work.leave_out(one.claim, one.refused)
                continue
            # What takes points away counts as it is stated: an open question about it is no excuse.
            asked = _Admitted(one.claim, ()) if question.takes_away else one
            scores = (
                _stated(asked, evidence.score, work)
                if evidence.scale is None
                else _measured(asked, evidence, evidence.scale, question, counts, work)
            )
            if any(score is not None for score in scores):
                yield _alternative(asked, scores, question.missing, work)


def _stated(one: _Admitted, score: Fraction, work: _Work) -> list[Fraction | None]:
    """The score of a capability under each reading; None where the page says that there is no such thing."""
    scores = [
        score if f is not None and f.value("higher") > 0 else None for f in figures(one.claim, one.flags)
    ]
    if all(value is None for value in scores):
        work.leave_out(one.claim, "it says that this is not there, or leaves no reading under which it is")
    return scores


def _measured(
    one: _Admitted, evidence: _Evidence, scale: Scale, question: _Question, counts: Counts, work: _Work
) -> list[Fraction | None]:
    """The score of a figure under each reading; None where it compares with nothing."""
    condition = one.claim.condition
    if not all(pattern.search(condition.get(key, "")) for key, pattern in evidence.where):
        asked = ", ".join(evidence.measure.where)
        work.leave_out(one.claim, f"its condition is not the one that is asked for ({asked})")
        return []
    scores: list[Fraction | None] = []
    for figure in figures(one.claim, one.flags):
        if figure is None:
            work.leave_out(one.claim, "no number follows from it under any reading")
            scores.append(None)
            continue
        found = comparable(figure, one.claim, evidence.measure, counts)
        if found.value is None:
            work.leave_out(one.claim, found.reason)
        for step in found.steps:
            _note(step, one.claim, question, work)
        scores.append(None if found.value is None else scale.score(found.value))
    return scores


def _note(step: Step, claim: Claim, question: _Question, work: _Work) -> None:
    used = UsedConversion(
        claim_key=claim.claim_key,
        dimension=question.dimension,
        criterion=question.criterion,
        given=str(step.before),
        times=str(step.times),
        becomes=str(step.after),
        count_key=step.count_key,
        why=step.conversion.why,
    )
    work.conversions[claim.claim_key, used.dimension, used.criterion, f"{used.given} {used.becomes}"] = used


def _alternative(
    one: _Admitted, scores: list[Fraction | None], otherwise: Fraction, work: _Work
) -> Alternative:
    """The claim's scores by reading, without the flags that change none of them."""
    key = one.claim.claim_key
    work.counted.add(key)
    values = tuple(otherwise if score is None else score for score in scores)
    flags = list(one.flags)
    for flag in one.flags:
        shorter = _without(values, [len(f.readings) for f in flags], flags.index(flag))
        if shorter is not None:
            flags.remove(flag)
            values = shorter
    for flag in flags:
        work.open_flags[flag.flag_id] = OpenFlag(
            id=flag.flag_id,
            claim_key=key,
            flag=flag.name,
            vendor=one.claim.vendor or "",
            readings=tuple(reading.key for reading in flag.readings),
            labels=tuple(reading.label for reading in flag.readings),
        )
    return Alternative(claim_key=key, flags=tuple(flag.flag_id for flag in flags), values=values)


def _without(values: tuple[Fraction, ...], sizes: list[int], axis: int) -> tuple[Fraction, ...] | None:
    """The values without one flag, or None where they depend on it."""
    step = 1
    for size in sizes[axis + 1 :]:
        step *= size
    span = step * sizes[axis]
    blocks = [values[start : start + span] for start in range(0, len(values), span)]
    if any(block[i] != block[i % step] for block in blocks for i in range(span)):
        return None
    return tuple(value for block in blocks for value in block[:step])
