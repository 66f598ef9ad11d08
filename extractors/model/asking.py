"""Asks a model about one page: routes, asks, reads the reply, judges it, and asks once more with the reasons."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple, Protocol

from extractors.claims import figures_of, ordered
from extractors.context import Context
from extractors.model.answers import SCHEMA_VERSION, Answers, Bad, Refused, Reply, read_reply
from extractors.model.judging import NO_CLAIM, Judge, Judged
from extractors.model.passages import Passage
from extractors.model.routing import route
from extractors.page import Page
from prompts.loader import Prompt, load_prompt
from schemas.asking import Asked, Rejection
from schemas.claim import Claim
from schemas.errors import KoujingError
from schemas.registry import registry

PROMPT = "read_mentions"
FORM = f"extractors.model.answers@{SCHEMA_VERSION}"
"""What a prompt's head must name under `answers`."""
_LONGEST_BEFORE = 2000


class NotAsked(Exception):  # noqa: N818 - it is no error: the passage is asked about another night
    """No reply could be had: a budget is used up, or the server is out of reach. The message says which.

    `calls`: how many were made all the same.
    """

    calls = 0


class Question(NamedTuple):
    """One request: the instructions, the passage as JSON, and where it is asked again what was wrong the first time.

    `mentions`: about how many figures.
    """

    instructions: str
    data: str
    before: str = ""
    wrong: tuple[str, ...] = ()
    again: str = ""
    mentions: int = 8

    def messages(self) -> list[tuple[str, str]]:
        """The question as a conversation: who speaks and what is said."""
        said = [("system", self.instructions), ("human", self.data)]
        if self.wrong:
            reasons = json.dumps(self.wrong, ensure_ascii=False)
            said += [("ai", self.before or "(no answer)"), ("human", f"{self.again}\n{reasons}")]
        return said


class Answer(NamedTuple):
    """A reply and what it cost. One from the cache costs nothing."""

    reply: Reply
    hit: bool = False
    calls: int = 1
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None


class Model(Protocol):
    """Whoever answers: a language model behind its budgets, or a script in a test."""

    name: str

    def ask(self, question: Question) -> Answer:
        """The reply to one question. Raises NotAsked where none can be had now."""


@dataclass(slots=True)
class _Tally:
    calls: int = 0
    hits: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Decimal | None = None
    undone: list[str] = field(default_factory=list)
    why: str = ""

    def count(self, answer: Answer) -> None:
        if answer.hit:
            self.hits += 1
            return
        self.calls += answer.calls
        self.input_tokens += answer.input_tokens
        self.output_tokens += answer.output_tokens
        if answer.cost is not None:
            self.cost = (self.cost or Decimal(0)) + answer.cost


class ModelReader:
    """Reads pages a second time, with a model. Nothing that the model says is taken without the judge."""

    def __init__(self, model: Model, prompt: Prompt | None = None) -> None:
        """Raises KoujingError for a prompt whose answers have a form that is not read here."""
        self.model = model
        self.prompt = prompt or load_prompt(PROMPT)
        if self.prompt.answers != FORM:
            raise KoujingError(
                f"the prompt {self.prompt.name} {self.prompt.version} asks for answers in another form "
                f"({self.prompt.answers or 'none is named'}) than is read here ({FORM}); choose a later version"
            )
        self.name = f"llm:{model.name}@{self.prompt.version}.{SCHEMA_VERSION}"
        self.instructions = instructions(self.prompt)

    def read(
        self, page: Page, context: Context, visible: str, claims: list[Claim]
    ) -> tuple[list[Claim], Asked]:
        """The page's claims with what the model settled, and what asking came to. Never raises on a bad answer."""
        figures = list(figures_of(page, context))
        routed = route(page, figures, claims)
        judge = Judge(page, context, visible, self.name, self.instructions)
        tally, judged = _Tally(), Judged()
        for passage in routed.passages:
            _merge(judged, self._ask_about(passage, judge, tally))
        stated = [claim for claim in claims if claim.metric == "capability"]
        read = {(f.mention.start, f.mention.end): f.claim for f in figures if f.claim is not None}
        more = _not_among(judged.capabilities, stated)
        filled = len(judged.claims) + len(more)
        if filled:
            claims = ordered([*(read | judged.claims).values(), *stated, *more])
        return claims, Asked(
            model=self.model.name,
            prompt=f"{self.prompt.name}@{self.prompt.version}",
            schema_version=SCHEMA_VERSION,
            blocks=routed.blocks,
            sent=routed.sent,
            calls=tally.calls,
            hits=tally.hits,
            input_tokens=tally.input_tokens,
            output_tokens=tally.output_tokens,
            cost=tally.cost,
            filled=filled,
            undone=tuple(dict.fromkeys(tally.undone)),
            why=tally.why,
            rejections=tuple(judged.rejections),
        )

    def _ask_about(self, passage: Passage, judge: Judge, tally: _Tally) -> Judged:
        """What is believed about one passage, asked once, and once more with the reasons where some was refused."""
        digest = digest_of(passage.data)
        question = Question(
            self.instructions, passage.data, again=self.prompt.again, mentions=len(passage.figures)
        )
        first = self._reply(question, digest, tally)
        if first is None:
            return Judged()
        answers = read_reply(first)
        judged = _judged(judge, passage, digest, answers, 1)
        if isinstance(answers, Refused) and answers.kind is Bad.CUT and (parts := passage.split()):
            for part in parts:
                _merge(judged, self._ask_about(part, judge, tally))
            return judged
        wrong = tuple(_told(r) for r in judged.rejections if r.said != NO_CLAIM)
        if not wrong:
            return judged
        again = self._reply(
            question._replace(before=first.text[:_LONGEST_BEFORE], wrong=wrong), digest, tally
        )
        if again is not None:
            _merge(judged, _judged(judge, passage, digest, read_reply(again), 2))
        return judged

    def _reply(self, question: Question, digest: str, tally: _Tally) -> Reply | None:
        try:
            answer = self.model.ask(question)
        except NotAsked as reason:
            tally.calls += reason.calls
            tally.undone.append(digest)
            tally.why = str(reason)
            return None
        tally.count(answer)
        return answer.reply


def instructions(prompt: Prompt) -> str:
    """What the model is told before every passage: the prompt with the names it may use and its examples."""
    examples = [
        f"Example ({example.language}).\nPassage: {example.passage}\nAnswer: {example.answer}"
        for example in prompt.examples
    ]
    names = {
        "metrics": ", ".join(registry().metrics),
        "bases": ", ".join(registry().bases),
        "capabilities": ", ".join(name for name in registry().capabilities if name != "not_disclosed"),
        "examples": "\n\n".join(examples),
    }
    return prompt.fill(**{name: names[name] for name in prompt.needs})


def digest_of(data: str) -> str:
    """The name of a passage: the same for the same words, wherever they stand."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _judged(judge: Judge, passage: Passage, digest: str, answers: Answers | Refused, attempt: int) -> Judged:
    if not isinstance(answers, Refused):
        return judge.judge(passage, digest, answers, attempt)
    refusal = Rejection(
        passage=digest, field="reply", said=answers.kind.value, reason=answers.reason, attempt=attempt
    )
    return Judged(rejections=[refusal])


def _merge(whole: Judged, part: Judged) -> None:
    """Adds what was judged later. Of two claims of one figure the later one counts, which was asked with reasons."""
    whole.claims |= part.claims
    whole.capabilities += part.capabilities
    whole.rejections += part.rejections


def _told(rejection: Rejection) -> str:
    about = f"mention {rejection.mention!r}, " if rejection.mention else ""
    return f"{about}{rejection.field}: {rejection.reason}"


def _not_among(found: Sequence[Claim], known: Sequence[Claim]) -> list[Claim]:
    """Capabilities that no claim states yet, each once for a product."""
    seen = {(claim.vendor, claim.product, claim.qualifiers["capability"]) for claim in known}
    out = []
    for claim in found:
        key = (claim.vendor, claim.product, claim.qualifiers["capability"])
        if key not in seen:
            seen.add(key)
            out.append(claim)
    return out
