"""Models that follow a script: an oracle that answers from the labels, and adversaries that answer against them."""

from __future__ import annotations

import json
import random
import re
import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any

from extractors.basis import bases_named
from extractors.cues import capability_cues, metric_hits
from extractors.fold import fold
from extractors.model.answers import CONDITIONS, NOTHING, Reply
from extractors.model.asking import Answer, Question
from extractors.units import Dimension
from schemas.quantity import Bound
from schemas.registry import registry

Row = Mapping[str, Any]
_SHOWN = re.compile("⟦(.*?)⟧", re.DOTALL)


def blank(mention: int) -> dict[str, Any]:
    """The answer that says nothing of a mention."""
    return {
        "mention": mention, "claim": False, "metric": NOTHING, "metric_quote": "", "vendor_quote": "",
        "basis": "unspecified", "basis_quote": "", "bound": NOTHING, "bound_quote": "", "conditions": [],
        "baseline_quote": "",
    }  # fmt: skip


def answered(**parts: Any) -> Answer:
    """A reply of these parts."""
    whole = {"mentions": [], "capabilities": [], "missed": [], **parts}
    text = json.dumps(whole, ensure_ascii=False)
    return Answer(Reply(text), input_tokens=len(text) // 3, output_tokens=len(text) // 3)


class Oracle:
    """Answers from the labels of the page that `labels` holds, and quotes words where the passage has them."""

    name = "scripted:oracle"

    def __init__(self) -> None:
        self.labels: Sequence[Row] = ()
        self.sent: list[Question] = []

    def ask(self, question: Question) -> Answer:
        self.sent.append(question)
        passage = json.loads(question.data)
        words = [passage["text"], *(around["text"] for around in passage["around"])]
        mentions = [self._mention(mention, words, passage) for mention in passage["mentions"]]
        capabilities = [
            {"capability": (row["qualifiers"])["capability"], "quote": quote, "product_quote": ""}
            for row in self.labels
            if row["metric"] == "capability"
            and row["qualifiers"]["capability"] != "not_disclosed"
            and (quote := _capability_quote(row["qualifiers"]["capability"], passage["text"], row))
        ]
        return answered(mentions=mentions, capabilities=capabilities[:6])

    def _mention(self, mention: Row, words: list[str], passage: Row) -> dict[str, Any]:
        out = blank(mention["mention"])
        shown = _SHOWN.search(mention["in"])
        text = _plain(shown.group(1)) if shown else ""
        labels = [row for row in self.labels if row["metric"] not in ("other", "capability")]
        rows = [
            row for row in labels if text and _plain(row.get("text_value")) in (text, _plain(mention["in"]))
        ]
        rows = rows or [row for row in labels if text and text in _plain(row.get("text_value"))]
        rows.sort(key=lambda row: _plain(row["quote"]) not in _plain(passage["text"]))
        if not rows:
            return out
        row = rows[0]
        out |= {"claim": True, "metric": row["metric"], "basis": row["basis"]}
        out["metric_quote"] = next((q for q in _windows(words) if _names(row["metric"], q)), "")
        metric = registry().metric(row["metric"])
        out["basis_quote"] = next((q for q in _windows(words) if row["basis"] in bases_named(q, metric)), "")
        return out


def _windows(words: list[str]) -> list[str]:
    return [text[at : at + 160] for text in words for at in range(0, max(1, len(text)), 120)]


def _names(metric: str, text: str) -> bool:
    return any(
        hit.name == metric and hit.weight > 0
        for dimension in Dimension
        for hit in metric_hits(fold(text), dimension)
    )


def _capability_quote(name: str, text: str, row: Row) -> str:
    wanted = _plain(row["quote"])
    if wanted not in _plain(text):
        return ""
    folded = fold(text)
    for (capability, _), cues in capability_cues().of(folded):
        if capability.name == name:
            for match in reversed(list(cues.finditer(folded))):
                return text[match.start() : match.end()]
    return ""


def _plain(text: object) -> str:
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", str(text or "")))


class Adversary:
    """Answers whatever does most harm: every mention a claim of anything, with quotes from anywhere."""

    def __init__(self, seed: int) -> None:
        self.name = f"scripted:adversary-{seed}"
        self.random = random.Random(seed)

    def ask(self, question: Question) -> Answer:
        passage, pick = json.loads(question.data), self.random
        text = passage["text"] + " ".join(around["text"] for around in passage["around"])
        numbers = [m["mention"] for m in passage["mentions"]] + [0, 7, 99]
        mentions = [
            {
                "mention": number,
                "claim": pick.random() < 0.8,
                "metric": pick.choice(list(registry().metrics)),
                "metric_quote": self._quote(text),
                "vendor_quote": pick.choice([self._quote(text), "AWS", "阿里云", ""]),
                "basis": pick.choice(list(registry().bases)),
                "basis_quote": self._quote(text),
                "bound": pick.choice([bound.value for bound in Bound]),
                "bound_quote": self._quote(text),
                "conditions": [{"key": pick.choice(CONDITIONS), "quote": self._quote(text)}],
                "baseline_quote": self._quote(text),
            }
            for number in numbers[:8]
        ]
        missed = [
            {
                "quote": self._quote(text),
                "metric": pick.choice(list(registry().metrics)),
                "metric_quote": self._quote(text),
            }
            for _ in range(3)
        ]
        capabilities = [
            {
                "capability": pick.choice([n for n in registry().capabilities if n != "not_disclosed"]),
                "quote": self._quote(text),
                "product_quote": "",
            }
            for _ in range(3)
        ]
        return answered(mentions=mentions, missed=missed, capabilities=capabilities)

    def _quote(self, text: str) -> str:
        pick = self.random
        start = pick.randrange(max(1, len(text)))
        quote = text[start : start + pick.randrange(1, 60)]
        lie = pick.random()
        if lie < 0.25:
            return re.sub(r"\d", lambda m: str((int(m.group()) + 1) % 10), quote)
        if lie < 0.35:
            return "9.9 Tbps per node RDMA"
        return text[:160] if lie < 0.6 else quote
