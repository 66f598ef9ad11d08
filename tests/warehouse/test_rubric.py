"""What a rubric makes of claims: which count, under which readings, at which score, and what is left out."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.datafile import parse_data
from schemas.flag import Flag, Reading
from schemas.quantity import Bound
from schemas.record import Words
from schemas.rubric import Alternative, CriterionTerm, Derivation, Fact, LeftOut, OpenFlag
from schemas.scorecard import Scorecard
from tests.warehouse.conftest import make_claim, make_stored
from warehouse.cards import CardFile, builtin_cards
from warehouse.rubric import derive

CASES = Path(__file__).parents[1] / "cases" / "cards"
TEXT = (CASES / "derived.yaml").read_text(encoding="utf-8")
CARD = parse_data(TEXT, CardFile, name="derived.yaml")
WORDS = Words(en="a reading", zh="一种读法")
VENDOR = "alibaba-cloud"


def reading(key: str, low: str | None, **more: Any) -> Reading:
    return Reading(key=key, label=WORDS, low=None if low is None else Decimal(low), **more)


def flag(key: str, name: str, *readings: Reading) -> Flag:
    return Flag(claim_key=key, name=name, question=WORDS, readings=readings)


def fact(key: str, low: str | None, *flags: Flag, **changes: Any) -> Fact:
    about = {name: changes.pop(name) for name in ("tier", "roll_up", "why") if name in changes}
    return Fact(stored=make_stored(make_claim(key, low, **changes)), flags=flags, **about)


def stated(key: str, capability: str, *flags: Flag, low: str = "1", **more: Any) -> Fact:
    qualifiers = {"capability": capability, **({"of": more.pop("of")} if "of" in more else {})}
    return fact(
        key, low, *flags, metric="capability", unit="bool", basis="unspecified", qualifiers=qualifiers, **more
    )


def found(*facts: Fact, card: Scorecard = CARD) -> Derivation:
    return derive(card, facts, vendors=[VENDOR])


def term(derivation: Derivation, criterion: str) -> CriterionTerm:
    (only,) = [t for t in derivation.terms if t.criterion == criterion]
    return only


def score(derivation: Derivation, criterion: str) -> Fraction:
    """The best under first readings."""
    of = term(derivation, criterion)
    return max((a.values[0] for a in of.alternatives), default=of.missing)


UNIT = flag("k", "unit_truncated", reading("bits", "1e12"), reading("bytes", "8e12"))


def test_a_settled_claim_gives_one_score() -> None:
    bandwidth = term(found(fact("k", "1e12")), "bandwidth")
    assert bandwidth.alternatives == (Alternative(claim_key="k", values=(Fraction(3),)),)
    assert (bandwidth.weight, bandwidth.missing) == (Fraction(1, 2), Fraction(1, 2))


def test_the_terms_are_those_of_the_card_in_its_order() -> None:
    derivation = found()
    assert (derivation.card, derivation.decimals, derivation.rounding) == ("derived", 2, None)
    assert [(d.id, d.weight) for d in derivation.dimensions] == [
        ("network", Fraction(3, 5)),
        ("storage", Fraction(2, 5)),
    ]
    assert [(t.criterion, t.weight, t.missing) for t in derivation.terms] == [
        ("bandwidth", Fraction(1, 2), Fraction(1, 2)),
        ("latency", Fraction(3, 10), Fraction(0)),
        ("extras.infiniband", Fraction(3, 25), Fraction(0)),
        ("extras.allowlist_only", Fraction(2, 25), Fraction(5)),
        ("throughput", Fraction(1), Fraction(0)),
    ]


def test_open_readings_stand_row_by_row_with_the_last_flag_fastest() -> None:
    basis = flag(
        "k",
        "basis_unspecified",
        reading("per_machine", "1e11", basis="per_machine"),
        reading("aggregate", "1e11", basis="aggregate"),
        reading("per_node", "1e11", basis="per_node"),
    )
    unit = flag("k", "unit_truncated", reading("bits", "1e11"), reading("more", "1e12"))
    derivation = found(fact("k", "1e11", basis, unit, basis="unspecified"))
    missing = Fraction(1, 2)  # what a reading that compares with nothing is worth
    assert term(derivation, "bandwidth").alternatives == (
        Alternative(
            claim_key="k",
            flags=("k:basis_unspecified", "k:unit_truncated"),
            values=(Fraction(1), Fraction(3), missing, missing, Fraction(1), Fraction(3)),
        ),
    )
    assert derivation.open_flags == (
        OpenFlag(
            id="k:basis_unspecified", claim_key="k", flag="basis_unspecified", vendor=VENDOR,
            readings=("per_machine", "aggregate", "per_node"), labels=(WORDS,) * 3,
        ),
        OpenFlag(
            id="k:unit_truncated", claim_key="k", flag="unit_truncated", vendor=VENDOR,
            readings=("bits", "more"), labels=(WORDS,) * 2,
        ),
    )  # fmt: skip


def test_a_flag_that_changes_no_score_is_not_open() -> None:
    same = flag(
        "k",
        "basis_unspecified",
        reading("a", "1e12", basis="per_machine"),
        reading("b", "1e12", basis="per_node"),
    )
    derivation = found(fact("k", "1e12", same, UNIT, basis="unspecified"))
    (alternative,) = term(derivation, "bandwidth").alternatives
    assert alternative.flags == ("k:unit_truncated",)
    assert (alternative.values[0], len(alternative.values)) == (Fraction(3), 2)
    assert [f.flag for f in derivation.open_flags] == ["unit_truncated"]


def test_a_settled_flag_leaves_its_one_reading() -> None:
    settled = flag("k", "unit_truncated", reading("bytes", "1e13"))
    derivation = found(fact("k", "1e12", settled))
    assert term(derivation, "bandwidth").alternatives == (Alternative(claim_key="k", values=(Fraction(5),)),)
    assert derivation.open_flags == ()


def test_a_flag_set_aside_by_the_card_leaves_the_figure_as_published() -> None:
    peak = flag("k", "peak_without_load", reading("loaded", "1e12"), reading("empty", None))
    assert score(found(fact("k", "1e12", peak)), "bandwidth") == 3
    assert found(fact("k", "1e12", peak)).open_flags == ()


def test_readings_multiply_whatever_the_others_are_and_an_end_that_is_taken_away_stays_away() -> None:
    magnitude = flag("k", "order_of_magnitude_only", reading("first", "1"), reading("last", "10"))
    access = flag("k", "access_unspecified", reading("read", "1", high=Decimal(10)), reading("write", None))
    derivation = found(
        fact("k", "1", magnitude, access, high=Decimal(10), metric="fs_throughput", unit="byte/s",
             basis="per_filesystem", bound=Bound.ORDER_OF_MAGNITUDE),
        card=parse_data(TEXT.replace("2e12, score: 4", "20, score: 4"), CardFile, name="card"),
    )  # fmt: skip
    (alternative,) = term(derivation, "throughput").alternatives
    assert alternative.values == (Fraction(1, 5), Fraction(0), Fraction(2), Fraction(0))


@pytest.mark.parametrize(
    ("metric", "unit", "basis", "criterion", "value"),
    [
        ("rdma_bandwidth", "bit/s", "per_node", "bandwidth", "1"),
        ("network_latency", "s", "unspecified", "latency", "1"),
    ],
)
def test_a_range_counts_at_the_end_that_promises_less(
    metric: str, unit: str, basis: str, criterion: str, value: str
) -> None:
    low, high = ("1e11", "1e13") if metric == "rdma_bandwidth" else ("0.000001", "0.001")
    ranged = fact(
        "k", low, high=Decimal(high), metric=metric, unit=unit, basis=basis, bound=Bound.RANGE,
        condition={"protocol": "RDMA"},
    )  # fmt: skip
    assert score(found(ranged), criterion) == Fraction(value)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"tier": "T3"}, "its source is of tier T3; T1 count"),
        ({"roll_up": "IMPLAUSIBLE", "why": "above 12.8 Tb/s"}, "implausible: above 12.8 Tb/s"),
        ({"roll_up": "CONFLICTING"}, "conflicting"),
        ({"roll_up": "STALE", "why": "not on its page for 2 visits"}, "stale: not on its page for 2 visits"),
        ({"roll_up": "UNSUPPORTED"}, "unsupported"),
        ({"basis": "aggregate"}, "not comparable: its basis is aggregate; per_machine, per_node compare"),
        ({"basis": "per_accelerator"}, "not comparable: per_accelerator needs one stated accelerator_count, per_node"),
        ({"unit": "byte/s"}, "not comparable: its unit is byte/s; bit/s compare"),
        (
            {"metric": "network_latency", "unit": "s", "basis": "unspecified"},
            "its condition is not the one that is asked for (protocol)",
        ),
    ],
)  # fmt: skip
def test_what_counts_for_nothing_is_listed_with_its_reason(changes: dict[str, str], reason: str) -> None:
    derivation = found(fact("k", "1e12", **changes))
    assert derivation.left_out == (LeftOut(claim_key="k", reason=reason),)
    assert all(t.alternatives == () for t in derivation.terms)


def test_hearsay_counts_for_nothing_until_a_person_confirms_it() -> None:
    readings = (reading("repeated_rightly", "1e12"), reading("not_confirmed", None))
    heard = found(fact("k", "1e12", flag("k", "secondhand", *readings)))
    assert heard.left_out == (LeftOut(claim_key="k", reason="secondhand: it repeats another's figure"),)
    assert score(found(fact("k", "1e12", flag("k", "secondhand", readings[0]))), "bandwidth") == 3
    assert found(fact("k", "1e12", flag("k", "secondhand", readings[1]))).left_out == heard.left_out


def test_a_claim_that_the_card_does_not_ask_for_is_not_listed() -> None:
    derivation = found(fact("k", "9", metric="sku_count", unit="count", basis="unspecified", tier="T4"))
    assert derivation.left_out == ()


def test_only_the_last_version_of_a_claim_counts() -> None:
    old = Fact(stored=make_stored(make_claim("k", "1e13"), version=1))
    new = Fact(stored=make_stored(make_claim("k", "1e12"), version=2))
    assert found(new, old) == found(new)
    assert score(found(old, new), "bandwidth") == 3


def count(key: str, number: str, basis: str = "per_node", **more: Any) -> Fact:
    return fact(key, number, metric="accelerator_count", unit="accelerators", basis=basis, **more)


def test_a_conversion_is_by_the_vendors_own_count_and_is_shown() -> None:
    derivation = found(fact("k", "1e11", basis="per_accelerator"), count("c", "10"))
    assert score(derivation, "bandwidth") == 3
    (used,) = derivation.conversions
    assert (used.claim_key, used.dimension, used.criterion) == ("k", "network", "bandwidth")
    assert (used.given, used.times, used.becomes) == (
        "100000000000 bit/s per_accelerator", "10", "1000000000000 bit/s per_node",
    )  # fmt: skip
    assert (used.count_key, used.why.en) == ("c", "Summed")


@pytest.mark.parametrize(
    "counts",
    [
        (count("c", "384", basis="per_supernode"),),
        (count("c", "8"), count("d", "16")),
        (count("c", "8", vendor="huawei-cloud"),),
        (count("c", "8", tier="T4"),),
    ],
    ids=["on another basis", "that differ", "of another vendor", "of a source that does not count"],
)
def test_a_count_that_is_not_certain_converts_nothing(counts: tuple[Fact, ...]) -> None:
    assert score(found(fact("k", "1e11", basis="per_accelerator"), *counts), "bandwidth") == Fraction(1, 2)


def test_the_products_own_count_goes_before_those_of_others() -> None:
    counts = (count("c", "10"), count("d", "100", product="hpn7"))
    assert score(found(fact("k", "1e11", basis="per_accelerator"), *counts), "bandwidth") == 3


def test_a_unit_is_converted_by_the_cards_factor() -> None:
    bits = fact("k", "4e12", metric="storage_network_bandwidth", unit="bit/s", basis="per_cluster")
    derivation = found(bits)
    assert score(derivation, "throughput") == Fraction(3, 2)
    assert derivation.conversions[0].becomes == "500000000000 byte/s per_cluster"


def test_capabilities_add_points_and_take_some_away() -> None:
    open_to_all = found(stated("i", "infiniband"))
    assert [score(open_to_all, f"extras.{name}") for name in ("infiniband", "allowlist_only")] == [5, 5]
    closed = found(stated("a", "allowlist_only"))
    assert [score(closed, f"extras.{name}") for name in ("infiniband", "allowlist_only")] == [0, 0]


def test_what_takes_points_away_is_not_excused_by_an_open_question() -> None:
    asked = flag("a", "on_request_only", reading("granted", "1"), reading("not_granted", None))
    derivation = found(stated("a", "allowlist_only", asked))
    assert term(derivation, "extras.allowlist_only").alternatives == (
        Alternative(claim_key="a", values=(Fraction(0),)),
    )


def test_a_capability_that_is_denied_counts_for_nothing() -> None:
    derivation = found(stated("i", "infiniband", low="0"), stated("a", "allowlist_only", low="0"))
    assert [score(derivation, f"extras.{name}") for name in ("infiniband", "allowlist_only")] == [0, 5]
    assert [entry.claim_key for entry in derivation.left_out] == ["a", "i"]


def test_silence_is_missing_and_a_page_that_says_that_it_does_not_say_is_not_disclosed() -> None:
    assert term(found(), "bandwidth").missing == Fraction(1, 2)
    silent = stated("n", "not_disclosed", of="rdma_bandwidth")
    assert term(found(silent), "bandwidth").missing == Fraction(1, 4)
    assert term(found(stated("n", "not_disclosed", of="roce")), "bandwidth").missing == Fraction(1, 4)
    assert term(found(stated("n", "not_disclosed", of="fs_iops")), "bandwidth").missing == Fraction(1, 2)
    assert score(found(silent, fact("k", "1e12")), "bandwidth") == 3


def test_vendors_are_those_with_a_published_score_or_a_claim_that_counts() -> None:
    facts = (
        fact("k", "1e12", vendor="ucloud"),
        fact("l", "1e12", vendor="azure", tier="T4"),
        fact("m", "1", vendor=None),
    )
    assert derive(CARD, facts).vendors == ("ucloud",)
    main = builtin_cards()[0]
    assert derive(main, facts).vendors == tuple(sorted(main.editorial))


def test_a_card_without_a_rubric_derives_nothing() -> None:
    with pytest.raises(ValueError, match="small has no rubric; it has published scores only"):
        derive(parse_data((CASES / "sound.yaml").read_text("utf-8"), CardFile, name="sound.yaml"), ())


METRICS = [("rdma_bandwidth", "bit/s", "per_node"), ("network_latency", "s", "unspecified"),
           ("fs_throughput", "byte/s", "per_filesystem"), ("storage_network_bandwidth", "bit/s", "per_cluster")]  # fmt: skip
numbers = st.decimals(min_value=Decimal("1e-7"), max_value=Decimal("1e14"), allow_nan=False, places=9)


@st.composite
def claims(draw: st.DrawFn) -> Fact:
    metric, unit, basis = draw(st.sampled_from(METRICS))
    low = draw(numbers)
    readings = draw(st.lists(st.sampled_from(["1", "8", "0.125", None]), min_size=1, max_size=3))
    key = f"k{draw(st.integers(0, 99))}"
    open_flag = flag(
        key,
        "unit_truncated",
        *(reading(f"r{n}", None if f is None else str(low * Decimal(f))) for n, f in enumerate(readings)),
    )
    return fact(
        key, str(low), open_flag, metric=metric, unit=unit, basis=basis, condition={"protocol": "RDMA"}
    )


def bounds(of: CriterionTerm) -> tuple[Fraction, Fraction]:
    """The lowest and highest score, where no two alternatives share a flag."""
    if not of.alternatives:
        return of.missing, of.missing
    return max(min(a.values) for a in of.alternatives), max(max(a.values) for a in of.alternatives)


@settings(deadline=None)
@given(st.lists(claims(), max_size=4, unique_by=lambda f: f.stored.claim.claim_key), st.data())
def test_improving_a_claim_lowers_no_score(facts: list[Fact], data: st.DataObject) -> None:
    if not facts:
        return
    place = data.draw(st.integers(0, len(facts) - 1))
    factor = data.draw(st.decimals(min_value=1, max_value=1000, places=3))
    if facts[place].stored.claim.metric == "network_latency":
        factor = 1 / factor
    before, after = found(*facts), found(*facts[:place], improved(facts[place], factor), *facts[place + 1 :])
    for old, new in zip(before.terms, after.terms, strict=True):
        assert bounds(new)[0] >= bounds(old)[0]
        assert bounds(new)[1] >= bounds(old)[1]


def improved(one: Fact, factor: Decimal) -> Fact:
    claim = one.stored.claim
    better = claim.model_copy(update={"low": (claim.low or Decimal(0)) * factor})
    flags = tuple(
        f.model_copy(
            update={
                "readings": tuple(
                    r.model_copy(update={"low": None if r.low is None else r.low * factor})
                    for r in f.readings
                )
            }
        )
        for f in one.flags
    )
    return one.model_copy(update={"stored": one.stored.model_copy(update={"claim": better}), "flags": flags})


@settings(deadline=None)
@given(st.lists(claims(), max_size=5, unique_by=lambda f: f.stored.claim.claim_key), st.randoms())
def test_the_order_of_the_claims_changes_nothing(facts: list[Fact], random: Any) -> None:
    shuffled = list(facts)
    random.shuffle(shuffled)
    assert found(*shuffled).model_dump_json() == found(*facts).model_dump_json()


@settings(deadline=None)
@given(st.lists(claims(), max_size=4, unique_by=lambda f: f.stored.claim.claim_key))
def test_only_the_shares_of_the_criteria_matter(facts: list[Fact]) -> None:
    """A criterion that is asked twice, with half its weight each time, weighs what it weighed."""
    dimension = CARD.dimensions[0]
    first, *others = dimension.criteria
    halves = tuple(
        first.model_copy(update={"id": name, "weight": first.weight / 2}) for name in ("one", "two")
    )
    twice = dimension.model_copy(update={"criteria": (*halves, *others)})
    split = CARD.model_copy(update={"dimensions": (twice, *CARD.dimensions[1:])})
    assert averages(found(*facts, card=split)) == averages(found(*facts))


def averages(derivation: Derivation) -> dict[str, tuple[Fraction, ...]]:
    """By dimension, the lowest and the highest score."""
    result = {}
    for dimension in derivation.dimensions:
        own = [t for t in derivation.terms if t.dimension == dimension.id]
        assert sum(t.weight for t in own) == 1
        result[dimension.id] = tuple(
            sum((t.weight * bounds(t)[end] for t in own), Fraction(0)) for end in (0, 1)
        )
        assert all(0 <= score <= 5 for score in result[dimension.id])
    return result


def test_every_alternative_has_a_score_for_each_combination_on_the_shipped_cards() -> None:
    magnitude = flag("k", "order_of_magnitude_only", reading("first", "1e11"), reading("last", "1e12"))
    for card in builtin_cards():
        derivation = derive(card, (fact("k", "1e11", magnitude), stated("i", "infiniband")))
        sizes = {f.id: len(f.readings) for f in derivation.open_flags}
        for of in derivation.terms:
            for alternative in of.alternatives:
                combinations = 1
                for name in alternative.flags:
                    combinations *= sizes[name]
                assert len(alternative.values) == combinations
