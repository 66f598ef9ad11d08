"""What asking a model about a page came to: what was sent, what was refused and why, what was left undone."""

from __future__ import annotations

from pydantic import Field

from schemas.record import Exact, Record


class Rejection(Record):
    """Something that a model said and that was not believed. `field` is what it was about; `said` its words, cut.

    `passage`: the digest of what was asked. `mention`: the figure's words on the page, empty where the whole reply
    was refused. `attempt`: 1, or 2 for the one time it was asked again with the reason.
    """

    passage: str
    mention: str = ""
    field: str
    said: str = ""
    reason: str = Field(min_length=1)
    attempt: int = Field(ge=1, le=2)


class Asked(Record):
    """One page's questions to a model. Replies from the cache are counted as hits and nowhere else.

    `blocks`: how many blocks the page has without its frame; `sent`: of how many something was asked. `undone`: the
    digests of passages that got no reply, with `why`. `filled`: how many claims rest on a reply.
    """

    model: str
    prompt: str
    schema_version: str
    blocks: int = Field(ge=0)
    sent: int = Field(ge=0)
    calls: int = Field(default=0, ge=0)
    hits: int = Field(default=0, ge=0)
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost: Exact | None = None
    filled: int = Field(default=0, ge=0)
    undone: tuple[str, ...] = ()
    why: str = ""
    rejections: tuple[Rejection, ...] = ()
