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
    always: Words | None = None

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
    topics: tuple[Topic, ...]
    trial: tuple[TrialItem, ...]


class Dispute(Record):
    """Why a claim is contradicted or impossible, as the checks found it."""

    claim_key: str
    why: str


class Question(Record):
    """One question to one vendor. `quote`, `url` and `value` are the vendor's own; empty where it says nothing.

    `worth` and `dimensions`: how much weight rests on the claim, and where (`card.dimension`); `matters` says the
    latter for readers. `asked_by`: the reviewer who could not settle it and wants it asked, with a `note`.
    """

    topic: str
    ask: Words
    value: str = ""
    metric: str = ""
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
    disputes: Mapping[str, str],
    urls: Mapping[str, str],
    cards: Sequence[Scorecard],
) -> tuple[VendorList, ...]:
    """The questions of each vendor of whom anything is known, by vendor id. Pure.

    `claims`: latest versions; those no longer on their page are not asked about. `disputes`: by claim key, why it
    is contradicted or impossible. `urls`: by source id. One claim gives one question a topic, and equal questions
    about equal words are asked once. Within a topic the question comes first on which most weight rests.
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
    disputes: Mapping[str, str],
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


def _asks(claim: Claim, flags: list[OpenFlag], disputes: Mapping[str, str]) -> list[tuple[str, Words]]:
    """By topic, one question about a claim: a missing companion's before a flag's, which says less."""
    asks: dict[str, Words] = {}
    names = {name: topic.id for topic in topics() for name in topic.flags}
    for flag in flags:
        if flag.marked == _ASK:  # a person wants it asked: before anything that would stand in for it
            asks.setdefault(names.get(flag.flag.name, "sources"), flag.flag.question)
    if why := disputes.get(claim.claim_key):
        asks.setdefault(
            "sources", Words(en=f"Which figure holds? Found: {why}", zh=f"以哪个数字为准？核对发现：{why}")
        )
    for companion in missing_beside(claim):
        asks.setdefault(companion.topic, companion.question)
    for flag in sorted(flags, key=lambda f: f.flag.name):
        asks.setdefault(names.get(flag.flag.name, "sources"), flag.flag.question)
    return sorted(asks.items())


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
