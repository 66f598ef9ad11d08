"""What a card says while flags are open: totals as intervals, ranks as ranges, orders as shares of readings."""

from __future__ import annotations

from enum import StrEnum
from fractions import Fraction

from schemas.record import Record


class Interval(Record):
    """The lowest and the highest value over all combinations of readings.

    Both are reached by some combination when `exact`; else the values lie within, and no combination need
    reach the ends (there were too many to search).
    """

    low: Fraction
    high: Fraction
    exact: bool = True

    @property
    def width(self) -> Fraction:
        """How much the open readings leave undecided; 0 when they leave nothing."""
        return self.high - self.low


class DimensionStanding(Record):
    """A vendor's score in one dimension. `mean` is over equally likely readings; None where not computed."""

    dimension: str
    score: Interval
    mean: Fraction | None = None


class Standing(Record):
    """A vendor's total and the ranks it can take (best, worst); equal totals share a rank, as in 1, 2, 2, 4.

    `shown_low` and `shown_high`: the ends rounded half up once, to the card's decimals. `rank_shares`: the
    share of combinations that give it each rank from best to worst; None where not computed.
    """

    vendor: str
    total: Interval
    mean: Fraction | None
    shown_low: str
    shown_high: str
    best: int
    worst: int
    rank_shares: tuple[Fraction, ...] | None
    dimensions: tuple[DimensionStanding, ...]


class PairShare(Record):
    """In how many of equally likely combinations each of two vendors is ahead, and in how many they tie.

    The counts are in lowest terms with their sum. All three are None where they were not computed.
    """

    first: str
    second: str
    first_ahead: int | None
    tied: int | None
    second_ahead: int | None

    def shares(self) -> tuple[Fraction, Fraction, Fraction] | None:
        """Gives the shares of combinations: first ahead, tied, second ahead. They sum to exactly 1."""
        if self.first_ahead is None or self.tied is None or self.second_ahead is None:
            return None
        whole = self.first_ahead + self.tied + self.second_ahead
        return (
            Fraction(self.first_ahead, whole),
            Fraction(self.tied, whole),
            Fraction(self.second_ahead, whole),
        )


class NotComputed(Record):
    """What was left out of an evaluation because it would cost too much, and by which limit."""

    vendor: str
    what: str
    limit: int
    reason: str


class Outcome(Record):
    """What one reading of a flag makes of its vendor, the other flags still open.

    `ahead`, `behind`, `tied`: vendors whose order with it was undecided and is now the same in every
    combination left. `winners`: those in first place in every combination left; empty while undecided.
    `contenders`: how many vendors can still be first.
    """

    reading: str
    total: Interval
    best: int
    worst: int
    ahead: tuple[str, ...]
    behind: tuple[str, ...]
    tied: tuple[str, ...]
    winners: tuple[str, ...]
    contenders: int


class FlagEffect(Record):
    """What settling a flag can do on one card; each figure is that of the reading that does most.

    `narrowing`: width taken from the total. `places`: ranks taken from the range. `decides`: vendors whose
    order with the flag's own vendor some reading decides. `place`: the one rank its vendor is left with under
    some reading (the best such), where it had more. `decides_winner`: undecided before, decided under some
    reading. `contenders_out`: how many vendors can no longer be first.
    """

    card: str
    flag: str
    vendor: str
    narrowing: Fraction
    places: int
    decides: tuple[str, ...]
    place: int | None
    decides_winner: bool
    contenders_out: int
    outcomes: tuple[Outcome, ...]


class Worth(StrEnum):
    """The most that settling a flag can do, strongest first."""

    WINNER = "winner"
    PLACE = "place"
    ORDER = "order"
    CONTENDER = "contender"
    WIDTH = "width"
    NOTHING = "nothing"


class Reason(Record):
    """Why a flag stands where it does in the queue, as data for one line of words.

    On `card`, settling can decide: who is first (`winner`; `vendor` is the flag's own), `vendor`'s place
    (`place`), its order with `against` (`order`), whether someone can be first (`contender`), or only take
    `narrowing` from the interval of its total (`width`).
    """

    kind: Worth
    vendor: str
    card: str = ""
    place: int | None = None
    against: tuple[str, ...] = ()
    narrowing: Fraction = Fraction(0)


class FlagWorth(Record):
    """A flag's worth over all cards: the sums that the queue is ordered by, and its effect on each card."""

    flag: str
    claim_key: str
    name: str
    vendor: str
    winners: int
    pairs: int
    contenders_out: int
    places: int
    narrowing: Fraction
    reason: Reason
    effects: tuple[FlagEffect, ...]


class Evaluation(Record):
    """One card over all combinations of open readings.

    `weights` sum to 1. `standings` by best rank, worst rank, middle of the total (higher first), vendor.
    `undecided`: pairs that readings can put in more than one order, each with the vendor that stands first in
    `standings` as `first`. `tied`: groups of vendors whose totals are equal in every combination.
    `contenders`: those that can be first. `effects`: by flag id, of the flags that can move anything here.
    """

    card: str
    decimals: int
    weights: dict[str, Fraction]
    standings: tuple[Standing, ...]
    undecided: tuple[PairShare, ...]
    tied: tuple[tuple[str, ...], ...]
    contenders: tuple[str, ...]
    effects: tuple[FlagEffect, ...]
    not_computed: tuple[NotComputed, ...]

    def pair(self, one: str, other: str) -> PairShare:
        """Gives the shares of any two vendors, `one` first, also of those whose order is decided.

        Raises KeyError for a vendor that is not on the card, or the same vendor twice.
        """
        if one == other:
            raise KeyError(f"{one} is compared with itself")
        by_vendor = {s.vendor: s for s in self.standings}
        mine, theirs = by_vendor[one].total, by_vendor[other].total
        for found in self.undecided:
            if (found.first, found.second) == (one, other):
                return found
            if (found.first, found.second) == (other, one):
                return PairShare(
                    first=one,
                    second=other,
                    first_ahead=found.second_ahead,
                    tied=found.tied,
                    second_ahead=found.first_ahead,
                )
        return PairShare(
            first=one,
            second=other,
            first_ahead=int(mine.low > theirs.high),
            tied=int(mine == theirs),
            second_ahead=int(theirs.low > mine.high),
        )


class Flip(Record):
    """The smallest change of one dimension's weight, the others scaled in proportion, that turns a pair.

    At weight `tie_at` the two are equal, just beyond it `behind` is ahead of `ahead`. `change` is `tie_at`
    less the weight now, so its sign says which way.
    """

    ahead: str
    behind: str
    dimension: str
    weight: Fraction
    tie_at: Fraction
    change: Fraction


class Sensitivity(Record):
    """What weights can turn: one flip a pair that some single weight can turn, the smallest change first.

    `firm`: pairs (ahead, behind) that no single weight turns. `tied`: pairs equal at the weights now, which
    have no order to turn. Among equal changes: the earlier dimension of the card, then the vendors' ids.
    """

    flips: tuple[Flip, ...]
    firm: tuple[tuple[str, str], ...]
    tied: tuple[tuple[str, str], ...]

    @property
    def smallest(self) -> Flip | None:
        """The smallest change that turns any pair; None where no single weight turns one."""
        return self.flips[0] if self.flips else None
