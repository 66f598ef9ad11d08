"""LangChain's cache on a store of our own: replies by model, prompt, schema and the words that were sent."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from langchain_core.caches import RETURN_VAL_TYPE, BaseCache
from langchain_core.messages import AIMessage
from langchain_core.outputs import ChatGeneration

from extractors.model.answers import Reply
from flows.model.messages import reply_of


class Store(Protocol):
    """Where replies are kept: `warehouse.replies.Replies`, or a dict in a test."""

    def get(self, question: str) -> dict[str, Any] | None:
        """The reply to that question, if there is one."""

    def put(self, question: str, reply: dict[str, Any]) -> None:
        """Keeps the reply."""

    def clear(self) -> None:
        """Forgets all of them."""


class ReplyCache(BaseCache):
    """Gives kept replies without a call. `on_miss` is told before a call is made, and may refuse it by raising.

    The key holds nothing of a page but the words of the passage, so that a block keeps its reply when the page around
    it changes. `hit`: whether the last look-up found something. `clean`: see `flows.model.messages.reply_of`.
    """

    def __init__(
        self,
        store: Store,
        versions: Sequence[str],
        on_miss: Callable[[], None],
        clean: Callable[[str], str] = str,
    ) -> None:
        self._store = store
        self._clean = clean
        self._versions = tuple(versions)
        self._on_miss = on_miss
        self.hit = False
        self._asked = ""

    def lookup(self, prompt: str, llm_string: str) -> RETURN_VAL_TYPE | None:  # noqa: ARG002 - see _key
        """The kept reply, as LangChain has it."""
        self._asked = self._key(prompt)
        found = self._store.get(self._asked)
        self.hit = found is not None
        if found is None:
            self._on_miss()
            return None
        message = AIMessage(
            content=str(found.get("text", "")),
            response_metadata={"kept": True, "cut": bool(found.get("cut"))},
            additional_kwargs={"refusal": found["refusal"]} if found.get("refusal") else {},
        )
        return [ChatGeneration(message=message)]

    def update(self, prompt: str, llm_string: str, return_val: RETURN_VAL_TYPE) -> None:  # noqa: ARG002
        """Keeps a reply, also one that will not be believed: asked again it would be no better."""
        for generation in return_val:
            if isinstance(generation, ChatGeneration):
                self._store.put(self._key(prompt), reply_of(generation.message, self._clean)._asdict())
                return

    def keep(self, reply: Reply) -> None:
        """Keeps what the question that was looked up last came to, where it came as an error and no message."""
        self._store.put(self._asked, reply._asdict())

    def clear(self, **kwargs: Any) -> None:  # noqa: ARG002 - LangChain's signature
        """Forgets every reply."""
        self._store.clear()

    def _key(self, prompt: str) -> str:
        """LangChain's own key for the model changes with its release and its options; ours names what matters."""
        said = [[m.get("id", [""])[-1], m.get("kwargs", {}).get("content")] for m in json.loads(prompt)]
        parts = json.dumps([*self._versions, said], ensure_ascii=False)
        return hashlib.sha256(parts.encode("utf-8", "surrogatepass")).hexdigest()


class Memory:
    """A store that lasts as long as the process."""

    def __init__(self) -> None:
        self.kept: dict[str, dict[str, Any]] = {}

    def get(self, question: str) -> dict[str, Any] | None:
        """The reply to that question, if there is one."""
        return self.kept.get(question)

    def put(self, question: str, reply: dict[str, Any]) -> None:
        """Keeps the reply; one that is there already stays."""
        self.kept.setdefault(question, reply)

    def clear(self) -> None:
        """Forgets all of them."""
        self.kept.clear()
