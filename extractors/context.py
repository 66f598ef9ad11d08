"""What is known of a page before its first sentence is read for claims."""

from __future__ import annotations

from dataclasses import dataclass

from extractors.subject import Subject
from schemas.source import Tier

GRAMMAR_VERSION = "6"
EXTRACTOR = f"grammar@{GRAMMAR_VERSION}"


@dataclass(frozen=True, slots=True)
class Context:
    """What is known of the page before its first sentence.

    `article`: it is about no one vendor. `repeats`: it has a byline, so it repeats what others said.
    `best_measured_from`: the offset after which its tables hold best measured values.
    """

    source: str
    subject: Subject
    tier: Tier
    language: str
    article: bool
    repeats: bool = False
    best_measured_from: int | None = None
