"""What a run may spend on a model: calls, tokens, money and wall time, whichever ends first."""

from __future__ import annotations

import time
from collections.abc import Callable
from decimal import Decimal

from flows.model.settings import Settings

_MILLION = Decimal(1_000_000)


class Budget:
    """Counts what a run uses. Replies from the cache never reach it."""

    def __init__(self, settings: Settings, clock: Callable[[], float] = time.monotonic) -> None:
        self.settings = settings
        self.calls = 0
        self.input_tokens = 0
        self.output_tokens = 0
        self._clock = clock
        self._began = clock()

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

    def used_up(self) -> str:
        """Which limit is reached, in words; empty where another call may be made."""
        limits = self.settings
        if self.calls >= limits.calls:
            return f"the run's {limits.calls} calls are used up"
        if self.input_tokens + self.output_tokens >= limits.tokens:
            return f"the run's {limits.tokens} tokens are used up"
        if limits.cost is not None and (self.cost or 0) >= limits.cost:
            return f"the run's {limits.cost} {limits.currency}".rstrip() + " are used up"
        if self.seconds_left <= 0:
            return f"the run's {limits.seconds:g} seconds for asking are used up"
        return ""

    def spend(self, input_tokens: int, output_tokens: int) -> None:
        """Counts the tokens of a call that was answered."""
        self.input_tokens += input_tokens
        self.output_tokens += output_tokens
