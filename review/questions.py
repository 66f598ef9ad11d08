"""The buyer's list: what to ask each vendor before signing, in its own words, and what only a trial can tell."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from importlib.resources import as_file, files

from pydantic import Field, field_validator

from extractors.checks.condition import Companion, companions
from extractors.checks.condition import missing as missing_beside
from review.queue import bearing
from schemas.claim import Claim
from schemas.datafile import read_data_file
from schemas.ledger import StoredClaim
from schemas.record import Exact, Record, Words, plain
from schemas.registry import registry
from schemas.scorecard import Scorecard
from warehouse.rows import OpenFlag

_ASK = "ask_vendor"


class Topic(Record):
    """A thing to ask about; see the head of `questions.yaml`."""

    id: str
    title: Words
    why: Words
    flags: tuple[str, ...] = ()
    metrics: tuple[str, ...] = ()
    home_of: tuple[str, ...] = ()
    always: Words | None = None

    @field_validator("metrics", "home_of")
    @classmethod
    def _known_metrics(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            registry().metric(name)
        return value

    @field_validator("flags")
    @classmethod
    def _known(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for name in value:
            registry().flag(name)
        return value


class TrialItem(Record):
    """One thing to measure on the vendor's own machines."""

    id: str
    title: Words
    how: Words
    metrics: tuple[str, ...] = Field(min_length=1)


class _File(Record):
    of_any_metric: tuple[str, ...]
    beside_others: tuple[str, ...]
    topics: tuple[Topic, ...]
    trial: tuple[TrialItem, ...]


class Question(Record):
    """One question to one vendor. `quote`, `url` and `value` are the vendor's own; empty where it says nothing.

    `about` names what the quote is a statement of, as a short quote does not.
    `worth` and `dimensions`: how much weight rests on the claim, and where (`card.dimension`); `matters` says the
    latter for readers. `asked_by`: the reviewer who could not settle it and wants it asked, with a `note`.
    """

    topic: str
    ask: Words
    value: str = ""
    metric: str = ""
    about: Words | None = None
    quote: str = ""
    url: str = ""
    claim_key: str = ""
    worth: Exact = Decimal(0)
    asked_by: str = ""
    note: str = ""
    dimensions: tuple[str, ...] = ()
    matters: tuple[Words, ...] = ()


class Stated(Record):
    """What the vendor itself says beside a thing that the trial measures."""

    metric: str
    value: str
    quote: str
    url: str


class VendorList(Record):
    """A vendor's questions by topic, in the topics' order, and its trial with what it states itself."""

    vendor: str
    questions: dict[str, tuple[Question, ...]]
    trial: dict[str, tuple[Stated, ...]]


@cache
def _file() -> _File:
    with as_file(files("review") / "questions.yaml") as path:
        return read_data_file(path, _File)


def topics() -> tuple[Topic, ...]:
    """The topics in the order in which they are asked. Raises DataFileError where the file is wrong."""
    return _file().topics


def trial() -> tuple[TrialItem, ...]:
    """What to measure, in order."""
    return _file().trial


def lists(
    claims: Iterable[StoredClaim],
    open_flags: Iterable[OpenFlag],
    disputes: Mapping[str, Words],
    urls: Mapping[str, str],
    cards: Sequence[Scorecard],
) -> tuple[VendorList, ...]:
    """The questions of each vendor of whom anything is known, by vendor id. Pure.

    `claims`: latest versions; those no longer on their page are not asked about. `disputes`: by claim key, the
    question that its being contradicted or impossible raises (`review.disputes`). `urls`: by source id. One claim
    gives one question a topic (two where one asks for the figure itself), and equal questions about equal words
    are asked once. Within a topic the question comes first on which most weight rests.
    """
    by_vendor: dict[str, list[StoredClaim]] = defaultdict(list)
    for stored in claims:
        if stored.claim.vendor is not None and not stored.not_seen:
            by_vendor[stored.claim.vendor].append(stored)
    flags: dict[str, list[OpenFlag]] = defaultdict(list)
    for flag in open_flags:
        flags[flag.claim.claim.claim_key].append(flag)
    return tuple(
        VendorList(
            vendor=vendor,
            questions=_questions(own, flags, disputes, urls, cards),
            trial={item.id: _stated(own, item, urls) for item in trial()},
        )
        for vendor, own in sorted(by_vendor.items())
    )


def _questions(
    own: list[StoredClaim],
    flags: Mapping[str, list[OpenFlag]],
    disputes: Mapping[str, Words],
    urls: Mapping[str, str],
    cards: Sequence[Scorecard],
) -> dict[str, tuple[Question, ...]]:
    found: dict[str, dict[tuple[str, str], Question]] = {topic.id: {} for topic in topics()}
    for stored in own:
        own_flags = flags.get(stored.claim.claim_key, [])
        wanted = {flag.flag.question.en: flag for flag in own_flags if flag.marked == _ASK}
        for topic, ask in _asks(stored.claim, own_flags, disputes):
            question = _question(topic, ask, stored, urls, cards)
            if flag := wanted.get(ask.en):
                question = question.model_copy(update={"asked_by": flag.marked_by, "note": flag.marked_why})
            found[topic].setdefault((question.ask.en, question.quote), question)
    result = {}
    for topic_ in topics():
        asked = sorted(
            found[topic_.id].values(), key=lambda q: (not q.asked_by, -q.worth, q.metric, q.claim_key)
        )
        stated = any(stored.claim.metric in topic_.metrics for stored in own)
        if not asked and not stated and topic_.always is not None:
            asked = [Question(topic=topic_.id, ask=topic_.always)]
        result[topic_.id] = tuple(asked)
    return result


def _asks(claim: Claim, flags: list[OpenFlag], disputes: Mapping[str, Words]) -> list[tuple[str, Words]]:
    """By topic, one question about a claim: a missing companion's before a flag's, which says less.

    What a reviewer wants asked comes before both. A flag that asks for the figure itself is asked beside it.
    """
    asks: dict[tuple[str, str], Words] = {}
    for flag in flags:
        if flag.marked == _ASK:
            asks.setdefault((_topic_of(flag.flag.name, claim), ""), flag.flag.question)
    if why := disputes.get(claim.claim_key):
        asks.setdefault(("sources", ""), why)
    for companion in missing_beside(claim):
        asks.setdefault((_topic_of(companion.id, claim, companion.topic), ""), companion.question)
    for flag in sorted(flags, key=lambda f: f.flag.name):
        name = flag.flag.name
        beside = name if name in _file().beside_others else ""
        asks.setdefault((_topic_of(name, claim), beside), flag.flag.question)
    return [(topic, ask) for (topic, _), ask in sorted(asks.items())]


def _topic_of(name: str, claim: Claim, usual: str = "") -> str:
    """The topic of a flag or companion of this claim: `usual` or its own, or that of what the claim is about."""
    if name in _file().of_any_metric:
        for metric in (claim.qualifiers.get("of", ""), claim.metric):
            home = next((topic.id for topic in topics() if metric in topic.home_of), None)
            if home is not None:
                return home
    return usual or next((topic.id for topic in topics() if name in topic.flags), "sources")


def _about(claim: Claim) -> Words | None:
    """What the claim states, in words: its metric, and of a gain what it is a gain of."""
    known = registry().metrics
    if claim.metric in ("capability", "other") or claim.metric not in known:
        return None
    label, of = known[claim.metric].label, known.get(claim.qualifiers.get("of", ""))
    if claim.metric == "relative_improvement" and of is not None:
        return Words(en=f"{label.en} of {of.label.en}", zh=f"{of.label.zh}的{label.zh}")
    return label


def _question(
    topic: str, ask: Words, stored: StoredClaim, urls: Mapping[str, str], cards: Sequence[Scorecard]
) -> Question:
    claim = stored.claim
    worth, dimensions = bearing(claim, cards)
    return Question(
        topic=topic,
        ask=ask,
        value=claim.text_value or "",
        metric=claim.metric,
        about=_about(claim),
        quote=claim.evidence.quote,
        url=urls.get(stored.source_id, ""),
        claim_key=claim.claim_key,
        worth=worth,
        dimensions=dimensions,
        matters=_matters(dimensions, cards),
    )


def _matters(names: Sequence[str], cards: Sequence[Scorecard]) -> tuple[Words, ...]:
    """The dimensions with their share of the score, in words."""
    said = []
    for card in cards:
        for dimension in card.dimensions:
            if f"{card.id}.{dimension.id}" in names:
                share = f"{plain(dimension.weight * 100)}%"
                said.append(
                    Words(
                        en=f"{dimension.label.en} ({share} of: {card.name.en})",
                        zh=f"{dimension.label.zh}（占“{card.name.zh}”的 {share}）",
                    )
                )
    return tuple(said)


def _stated(own: list[StoredClaim], item: TrialItem, urls: Mapping[str, str]) -> tuple[Stated, ...]:
    found: dict[tuple[str, str], Stated] = {}
    for stored in own:
        claim = stored.claim
        if claim.metric in item.metrics and claim.text_value:
            found.setdefault(
                (claim.metric, claim.evidence.quote),
                Stated(
                    metric=claim.metric,
                    value=claim.text_value,
                    quote=claim.evidence.quote,
                    url=urls.get(stored.source_id, ""),
                ),
            )
    return tuple(found.values())


__all__ = ["Companion", "Question", "Topic", "VendorList", "companions", "lists", "topics", "trial"]
