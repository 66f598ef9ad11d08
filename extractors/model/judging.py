"""What is believed of a model's answers about one passage: each against the page's words, field by field.

A model may settle what the rules left open, and only by pointing at words that the rules themselves know for it. It
never removes a claim, never changes one that the rules are sure of, and never gives a value, a unit or an offset.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial

from extractors.checks import check_claim
from extractors.checks.grounding import ground
from extractors.claims import Figure, claim_of, with_flags
from extractors.conditions import condition_in, is_vague
from extractors.context import Context
from extractors.fold import fold
from extractors.meaning import Meaning
from extractors.model.answers import NOTHING, Answers, MentionAnswer, MissedAnswer
from extractors.model.capability_answers import capability_claim
from extractors.model.missed import missed_figure
from extractors.model.passages import Passage, metrics_for
from extractors.model.quoting import bases_in, cue_in, standing, stands_cut
from extractors.model.routing import disputed
from extractors.page import Page
from extractors.quantities import find_mentions
from extractors.subject import product_names, vendor_names
from schemas.asking import Rejection
from schemas.check import Verdict
from schemas.claim import Claim
from schemas.quantity import Bound
from schemas.registry import Metric, registry

NO_CLAIM = "no claim"
"""What is noted where a model sees no claim in what the rules read as one: for a person, never acted on."""
_LONGEST_REASON = 400
_MAY_TIGHTEN = frozenset({Bound.AT_LEAST, Bound.AT_MOST, Bound.APPROX})
_REFUSING = {
    "grounding": frozenset({Verdict.ABSENT, Verdict.HIDDEN_TEXT, Verdict.NOT_UNIQUE}),
    "entailment.value": frozenset({Verdict.NOT_STATED, Verdict.CONTRADICTED}),
    "entailment.metric": frozenset({Verdict.NOT_STATED, Verdict.CONTRADICTED}),
    "plausibility": frozenset({Verdict.ABOVE_BOUND}),
    "arithmetic.sentence": frozenset({Verdict.FAIL}),
}


@dataclass(slots=True)
class Judged:
    """What one reply comes to. `claims`: by the figure's place (start, end), the claim as it now stands."""

    claims: dict[tuple[int, int], Claim] = field(default_factory=dict)
    capabilities: list[Claim] = field(default_factory=list)
    rejections: list[Rejection] = field(default_factory=list)


class Judge:
    """Judges replies about one page. `visible`: the page's text with marks and attempts blanked."""

    def __init__(
        self, page: Page, context: Context, visible: str, extractor: str, examples: str = ""
    ) -> None:
        self.page = page
        self.context = context
        self.visible = visible
        self.extractor = extractor
        self.examples = examples

    def judge(self, passage: Passage, digest: str, answers: Answers, attempt: int) -> Judged:
        """What of the answers holds, and why the rest does not. Never raises on what a model says."""
        out = Judged()

        def reject(field: str, said: str, reason: str, *, mention: str = "") -> None:
            out.rejections.append(
                Rejection(
                    passage=digest,
                    mention=mention,
                    field=field,
                    said=said[:200],
                    reason=reason[:_LONGEST_REASON],
                    attempt=attempt,
                )
            )

        for number, answer in _once(answers.mentions, reject).items():
            if not 1 <= number <= len(passage.figures):
                reject(
                    "mention", str(number), f"there is no mention {number}; there are {len(passage.figures)}"
                )
                continue
            figure = passage.figures[number - 1]
            words = self.page.document.text[figure.mention.start : figure.mention.end]
            claim = self._mention(passage, figure, answer, partial(reject, mention=words))
            if claim is not None:
                out.claims[figure.mention.start, figure.mention.end] = claim
        for missed in answers.missed:
            self._missed(passage, missed, out, reject)
        for capability in answers.capabilities:
            told = capability_claim(self.page, self.context, passage, capability, self.quoted)
            if isinstance(told, str):
                reject("capability", f"{capability.capability}: {capability.quote}", told)
            else:
                claim = told.model_copy(update={"extractor": self.extractor})
                if reason := self._fails(claim):
                    reject("capability", capability.quote, reason)
                else:
                    out.capabilities.append(claim)
        return out

    def _mention(
        self, passage: Passage, figure: Figure, answer: MentionAnswer, reject: Callable[[str, str, str], None]
    ) -> Claim | None:
        """The figure's claim with what the answer settles; None where nothing changes."""
        before = figure.claim
        if not answer.claim:
            if before is not None and before.metric != "other":
                reject("claim", NO_CLAIM, "the rules read a claim here, which no answer takes away")
            return None
        if answer.metric == NOTHING:
            if before is None or before.metric == "other":
                reject("metric", NOTHING, "a claim needs a metric")
                return None
            claim: Claim | None = before
        else:
            claim = self._with_metric(passage, figure, answer.metric, answer.metric_quote, reject)
        if claim is None:
            return None
        for fill in (self._subject, self._basis, self._bound, self._conditions, self._baseline):
            claim = fill(passage, figure, claim, answer, reject)
        if before is not None and claim == before:
            return None
        claim = claim.model_copy(update={"extractor": self.extractor})
        claim = with_flags(self.page, figure.mention, claim, figure.around, self.context)
        if reason := self._fails(claim):
            reject("claim", answer.metric, reason)
            return None
        return claim

    def _with_metric(
        self,
        passage: Passage,
        figure: Figure,
        metric: str,
        quote: str,
        reject: Callable[[str, str, str], None],
    ) -> Claim | None:
        before = figure.claim
        if before is not None and before.metric == metric:
            return before
        said = f"{metric}: {quote}"
        if metric not in metrics_for(figure):
            reject("metric", said, f"a figure in {figure.mention.dimension.value} is no {metric}")
            return before
        if before is not None and before.metric != "other" and metric not in disputed(self.page, figure):
            reject("metric", said, f"the words beside it leave no doubt that it is {before.metric}")
            return before
        if reason := self.quoted(passage, quote):
            reject("metric", said, reason)
            return before
        named = next(
            (
                (words, cue)
                for words in standing(passage, quote)
                if (cue := cue_in(words, metric, figure.mention.dimension))
            ),
            None,
        )
        if named is None:
            reject("metric", said, f"the quote holds no word for {metric}")
            return before
        words, (start, end) = named
        start, end = (passage.start + start, passage.start + end) if words.in_passage else (-1, -1)
        chosen = Meaning(registry().metric(metric), f"model: {quote}", start, end)
        claim = claim_of(
            self.page,
            figure.mention,
            figure.around,
            figure.subject,
            self.context,
            spec_sheet=figure.spec_sheet,
            beside=figure.beside,
            chosen=chosen,
        )
        if claim is None:
            reject("metric", said, f"the figure cannot be a {metric}")
            return before
        return claim

    def _subject(
        self,
        passage: Passage,
        figure: Figure,  # noqa: ARG002 - each filler is called alike
        claim: Claim,
        answer: MentionAnswer,
        reject: Callable[[str, str, str], None],
    ) -> Claim:
        quote = answer.vendor_quote
        if not quote:
            return claim
        if reason := self.quoted(passage, quote):
            reject("vendor", quote, reason)
            return claim
        named = {vendor for vendor, _, _ in vendor_names(fold(quote))}
        named |= {vendor for vendor, _, _, _ in product_names(fold(quote))}
        if len(named) != 1:
            reject("vendor", quote, f"the quote names {len(named)} vendors")
            return claim
        vendor = named.pop()
        if claim.vendor is not None:
            if claim.vendor != vendor:
                reject("vendor", quote, f"the page says that it is {claim.vendor}'s")
            return claim
        products = {product for _, product, _, _ in product_names(fold(quote))}
        update = {"vendor": vendor, "product": products.pop() if len(products) == 1 else None}
        rules = {**claim.rules, "vendor": f"model: {quote}"}
        return claim.model_copy(update={**update, "rules": rules})

    def _basis(
        self,
        passage: Passage,
        figure: Figure,  # noqa: ARG002
        claim: Claim,
        answer: MentionAnswer,
        reject: Callable[[str, str, str], None],
    ) -> Claim:
        basis, quote = answer.basis, answer.basis_quote
        metric = registry().metric(claim.metric)
        if basis in ("unspecified", claim.basis) or not metric.comparable_on:
            return claim
        said = f"{basis}: {quote}"
        if claim.basis != "unspecified":
            reject("basis", said, f"the page says {claim.basis}")
        elif reason := self.quoted(passage, quote):
            reject("basis", said, reason)
        elif basis not in (named := _bases_at(passage, quote, metric)):
            reject("basis", said, f"the quote names {', '.join(sorted(named)) or 'no basis'}")
        else:
            rules = {**claim.rules, "basis": f"model: {quote}"}
            return claim.model_copy(update={"basis": basis, "rules": rules})
        return claim

    def _bound(
        self,
        passage: Passage,
        figure: Figure,
        claim: Claim,
        answer: MentionAnswer,
        reject: Callable[[str, str, str], None],
    ) -> Claim:
        if answer.bound in (NOTHING, claim.bound.value):
            return claim
        bound, quote = Bound(answer.bound), answer.bound_quote
        words = self.page.document.text[figure.mention.start : figure.mention.end]
        if claim.bound is not Bound.EXACT or bound not in _MAY_TIGHTEN:
            reject("bound", f"{bound.value}: {quote}", f"the page says {claim.bound.value}")
        elif reason := self.quoted(passage, quote):
            reject("bound", f"{bound.value}: {quote}", reason)
        elif not _over(passage, figure, quote):
            reject("bound", f"{bound.value}: {quote}", f"the quote does not hold the figure {words} itself")
        elif not any(m.bound is bound and quote[m.start : m.end] == words for m in find_mentions(quote)):
            reject(
                "bound",
                f"{bound.value}: {quote}",
                f"read again, the quote does not say {bound.value} of {words}",
            )
        else:
            return claim.model_copy(
                update={"bound": bound, "rules": {**claim.rules, "bound": f"model: {quote}"}}
            )
        return claim

    def _conditions(
        self,
        passage: Passage,
        figure: Figure,  # noqa: ARG002
        claim: Claim,
        answer: MentionAnswer,
        reject: Callable[[str, str, str], None],
    ) -> Claim:
        condition = dict(claim.condition)
        rules = dict(claim.rules)
        for told in answer.conditions:
            said = f"{told.key}: {told.quote}"
            if told.key in condition:
                continue
            if reason := self.quoted(passage, told.quote):
                reject("condition", said, reason)
            elif (value := condition_in(told.key, fold(told.quote))) is None:
                reject("condition", said, f"the quote states no {told.key}")
            else:
                condition[told.key] = value
                rules[f"condition.{told.key}"] = f"model: {told.quote}"
        if condition == claim.condition:
            return claim
        return claim.model_copy(update={"condition": condition, "rules": rules})

    def _baseline(
        self,
        passage: Passage,
        figure: Figure,  # noqa: ARG002
        claim: Claim,
        answer: MentionAnswer,
        reject: Callable[[str, str, str], None],
    ) -> Claim:
        quote = answer.baseline_quote
        if not quote or claim.metric != "relative_improvement" or claim.baseline is not None:
            return claim
        if reason := self.quoted(passage, quote):
            reject("baseline", quote, reason)
        elif is_vague(quote) or quote not in passage.text:
            reject("baseline", quote, "the quote names nothing to compare with")
        else:
            return claim.model_copy(
                update={"baseline": quote, "rules": {**claim.rules, "baseline": f"model: {quote}"}}
            )
        return claim

    def _missed(
        self, passage: Passage, missed: MissedAnswer, out: Judged, reject: Callable[[str, str, str], None]
    ) -> None:
        said = f"{missed.metric}: {missed.quote}"
        if reason := self.quoted(passage, missed.quote):
            reject("missed", said, reason)
            return
        figure = missed_figure(self.page, self.context, passage, missed.quote)
        if isinstance(figure, str):
            reject("missed", said, figure)
            return
        claim = self._with_metric(passage, figure, missed.metric, missed.metric_quote, reject)
        if claim is None:
            return
        claim = claim.model_copy(update={"extractor": self.extractor})
        if reason := self._fails(claim):
            reject("missed", said, reason)
        else:
            out.claims[figure.mention.start, figure.mention.end] = claim

    def _fails(self, claim: Claim) -> str:
        """Why the claim does not stand, by the checks that every claim goes through; empty where it does."""
        for check in check_claim(claim, self.page.document, self.visible):
            if check.verdict is Verdict.CHECK_FAILED or check.verdict in _REFUSING.get(check.name, ()):
                return f"{check.name}: {check.verdict.value}, {check.reason}"
        return ""

    def quoted(self, passage: Passage, quote: str) -> str:
        """Why the words may not be quoted; empty where they stand in the passage or over it, exactly."""
        if not quote.strip():
            return "there is no quote"
        if any(standing(passage, quote)):
            return ""
        if stands_cut(passage, quote):
            return "the quote cuts a word or a figure in two"
        verdict, why = ground(quote, None, self.page.document)
        if verdict is Verdict.HIDDEN_TEXT:
            return f"the quote {why}"
        if verdict is not Verdict.ABSENT:
            return "the quote stands elsewhere on the page, not in this passage"
        if quote in self.examples:
            return "the quote is from the instructions' own examples, not from the page"
        return "the quote does not stand on the page"


def _bases_at(passage: Passage, quote: str, metric: Metric) -> frozenset[str]:
    return frozenset(name for words in standing(passage, quote) for name in bases_in(words, metric))


def _over(passage: Passage, figure: Figure, quote: str) -> bool:
    """Whether the quoted words hold the figure itself, and not one like it elsewhere."""
    start, end = figure.mention.start - passage.start, figure.mention.end - passage.start
    return any(
        words.in_passage and words.start <= start and end <= words.end for words in standing(passage, quote)
    )


def _once(
    answers: Sequence[MentionAnswer], reject: Callable[[str, str, str], None]
) -> dict[int, MentionAnswer]:
    """One answer a mention; a mention that is answered in two ways is answered in none."""
    found: dict[int, MentionAnswer] = {}
    twice: set[int] = set()
    for answer in answers:
        if answer.mention in found and found[answer.mention] != answer:
            twice.add(answer.mention)
        found[answer.mention] = answer
    for number in sorted(twice):
        reject("mention", str(number), f"mention {number} was answered twice, differently")
        del found[number]
    return found
