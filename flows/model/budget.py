"""What a run may spend on a model: calls, tokens, money and wall time, whichever ends first."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal

from flows.model.settings import Settings

_MILLION = Decimal(1_000_000)
_BYTES_A_TOKEN = 3
"""Fewer than any tokenizer takes of English or Chinese on average, so that what is reckoned by it is rather too much."""
_MOST_TOKENS = 10_000_000
"""No call takes so many: whoever says more has not counted."""


class Budget:
    """Counts what a run uses. Replies from the cache never reach it."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self.calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self._clock = clock
        self._began = clock()
        self._next_turn = self._began

    @property
    def cost(self) -> Decimal | None:
        """The money used so far; None where no price is known."""
        return self.price(self.input_tokens, self.output_tokens)

    def price(self, input_tokens: int, output_tokens: int) -> Decimal | None:
        """What so many tokens cost."""
        if self.settings.prices is None:
            return None
        price_in, price_out = self.settings.prices
        return (input_tokens * price_in + output_tokens * price_out) / _MILLION

    @property
    def seconds_left(self) -> float:
        """How long the run may go on asking."""
        return self.settings.seconds - (self._clock() - self._began)

    def used_up(self, sent: str = "") -> str:
        """Which limit would not hold if this were sent, in words; empty where the call may be made.

        The reply is taken to be as long as it may be, so that a limit is not found out when it has been passed.
        """
        limits = self.settings
        tokens_in, tokens_out = reckoned(sent), limits.answer_tokens
        used = self.input_tokens + self.output_tokens
        if self.calls >= limits.calls:
            return f"the run's {limits.calls} calls are used up"
        if used + tokens_in + tokens_out > limits.tokens:
            return _told(used >= limits.tokens, f"{limits.tokens} tokens")
        if (
            limits.cost is not None
            and (self.cost or 0) + (self.price(tokens_in, tokens_out) or 0) > limits.cost
        ):
            return _told((self.cost or 0) >= limits.cost, f"{limits.cost} {limits.currency}".rstrip())
        if self.seconds_left <= 0 or self.wait > self.seconds_left:
            return f"the run's {limits.seconds:g} seconds for asking are used up"
        return ""

    @property
    def wait(self) -> float:
        """The seconds until the next call may be made, where there is a limit of calls a second."""
        return max(0.0, self._next_turn - self._clock())

    def begin_call(self) -> None:
        """Counts a call that is made now."""
        self.calls += 1
        if self.settings.rate:
            self._next_turn = self._clock() + 1 / self.settings.rate

    def spend(self, tokens_in: object, tokens_out: object, sent: str, came: str) -> tuple[int, int]:
        """Counts the tokens of a call that was answered, as the provider says, and gives back what was counted.

        Where it says nothing that can be (below nought, beyond all measure, no number), they are reckoned from the
        length of what was sent and what came.
        """
        counted = _believed(tokens_in, sent), _believed(tokens_out, came)
        self.input_tokens += counted[0]
        self.output_tokens += counted[1]
        return counted


def reckoned(text: str) -> int:
    """About how many tokens a text has; rather more than it really has."""
    return -(-len(text.encode("utf-8", "replace")) // _BYTES_A_TOKEN)


def _believed(said: object, text: str) -> int:
    if isinstance(said, int) and 0 < said <= _MOST_TOKENS:
        return said
    return reckoned(text)


def _told(all_used: bool, limit: str) -> str:
    if all_used:
        return f"the run's {limit} are used up"
    return f"what is left of the run's {limit} may not be enough for another call"
