"""Totals as intervals, ranks as ranges, shares of orders, and what each flag can decide."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import KoujingError
from schemas.rubric import Alternative, CriterionTerm, Derivation, OpenFlag, WeightedDimension
from schemas.uncertainty import Evaluation, Interval, Standing, Worth
from tests.quality.oracle import compare, limits, random_card
from warehouse.uncertainty.evaluate import Limits, evaluate
from warehouse.uncertainty.worth import worths

CARDS = st.integers(min_value=0, max_value=10**9).map(random_card)


def flag(name: str, vendor: str, readings: str = "xy") -> OpenFlag:
    return OpenFlag(id=name, claim_key=f"k-{name}", flag="f", vendor=vendor, readings=tuple(readings))


def alternative(flags: str, *values: int | str | Fraction) -> Alternative:
    return Alternative(claim_key="k", flags=tuple(flags.split()), values=tuple(Fraction(v) for v in values))


def term(
    vendor: str, dimension: str, *alternatives: Alternative, weight: str = "1", criterion: str = "c"
) -> CriterionTerm:
    return CriterionTerm(
        vendor=vendor,
        dimension=dimension,
        criterion=criterion,
        weight=Fraction(weight),
        alternatives=alternatives,
        missing=Fraction(1),
    )


def card(
    flags: tuple[OpenFlag, ...],
    terms: tuple[CriterionTerm, ...],
    weights: dict[str, str] | None = None,
    rounding: int | None = None,
) -> Derivation:
    return Derivation(
        card="made",
        decimals=2,
        rounding=rounding,
        vendors=tuple(dict.fromkeys(t.vendor for t in terms)),
        dimensions=tuple(
            WeightedDimension(id=d, weight=Fraction(w)) for d, w in (weights or {"d": "1"}).items()
        ),
        open_flags=flags,
        terms=terms,
    )


def standing(evaluation: Evaluation, vendor: str) -> Standing:
    return next(s for s in evaluation.standings if s.vendor == vendor)


def total(evaluation: Evaluation, vendor: str) -> tuple[Fraction, Fraction]:
    interval = standing(evaluation, vendor).total
    return interval.low, interval.high


# Three vendors, by hand: a is 2 or 4, b is 3 or 3.5, c is 1 in every reading.
THREE = card(
    (flag("fa", "a"), flag("fb", "b")),
    (
        term("a", "d", alternative("fa", 2, 4)),
        term("b", "d", alternative("fb", 3, "3.5")),
        term("c", "d"),
    ),
)


def test_by_hand_three_vendors() -> None:
    found = evaluate(THREE)
    assert [(s.vendor, s.best, s.worst, s.shown_low, s.shown_high) for s in found.standings] == [
        ("b", 1, 2, "3.00", "3.50"),
        ("a", 1, 2, "2.00", "4.00"),
        ("c", 3, 3, "1.00", "1.00"),
    ]
    assert [s.rank_shares for s in found.standings] == [(Fraction(1, 2),) * 2, (Fraction(1, 2),) * 2, (1,)]
    assert [(p.first, p.second, p.shares()) for p in found.undecided] == [
        ("b", "a", (Fraction(1, 2), 0, Fraction(1, 2)))
    ]
    assert found.pair("a", "c").shares() == (1, 0, 0)
    assert found.pair("c", "a").shares() == (0, 0, 1)
    assert found.contenders == ("a", "b")
    assert found.tied == ()
    assert found.not_computed == ()


def test_by_hand_what_each_flag_decides() -> None:
    fa, fb = evaluate(THREE).effects
    assert (fa.flag, fa.narrowing, fa.places, fa.decides, fa.place, fa.decides_winner) == (
        "fa",
        2,
        1,
        ("b",),
        1,
        True,
    )
    assert [(o.reading, o.ahead, o.behind, o.winners) for o in fa.outcomes] == [
        ("x", (), ("b",), ("b",)),
        ("y", ("b",), (), ("a",)),
    ]
    assert (fb.flag, fb.narrowing, fb.decides, fb.place, fb.decides_winner) == (
        "fb",
        Fraction(1, 2),
        (),
        None,
        False,
    )


def test_the_flag_that_decides_the_winner_comes_first_and_says_so() -> None:
    queue = worths(THREE.open_flags[::-1], [evaluate(THREE)])
    assert [(w.flag, w.reason.kind, w.reason.place, w.reason.against) for w in queue] == [
        ("fa", Worth.WINNER, 1, ("b",)),
        ("fb", Worth.WIDTH, None, ()),
    ]


def test_a_flag_on_several_cards_is_summed_and_one_that_moves_nothing_comes_last() -> None:
    idle = flag("fa0", "a")
    other = THREE.model_copy(update={"card": "second"})
    queue = worths((idle, *THREE.open_flags), [evaluate(THREE), evaluate(other)])
    assert [(w.flag, w.winners, w.pairs, w.narrowing, len(w.effects)) for w in queue] == [
        ("fa", 2, 2, 4, 2),
        ("fb", 0, 0, 1, 2),
        ("fa0", 0, 0, 0, 0),
    ]
    assert queue[-1].reason.kind is Worth.NOTHING
    assert queue[0].reason.card == "made"


def test_one_flag_in_two_criteria_moves_them_together() -> None:
    # Alone, each criterion spans 0 to 4; one flag sets them against each other, so that their sum stays.
    terms = (
        term("a", "d", alternative("f", 0, 4), weight="1/2", criterion="one"),
        term("a", "d", alternative("f", 4, 0), weight="1/2", criterion="two"),
    )
    assert total(evaluate(card((flag("f", "a"),), terms)), "a") == (2, 2)


def test_one_flag_in_two_dimensions_moves_them_together_through_rounding() -> None:
    # 0.25 rounds half up to 0.3 in one place: 0.3 + 0.8 against 0.8 + 0.3 of halves, never 0.3 twice.
    terms = (term("a", "d", alternative("f", "1/4", "3/4")), term("a", "e", alternative("f", "3/4", "1/4")))
    found = evaluate(card((flag("f", "a"),), terms, {"d": "1/2", "e": "1/2"}, rounding=1))
    assert total(found, "a") == (Fraction(55, 100), Fraction(55, 100))
    assert standing(found, "a").dimensions[0].score == Interval(low=Fraction(3, 10), high=Fraction(8, 10))


def test_vendors_that_no_reading_separates_are_tied_and_those_that_meet_are_undecided() -> None:
    terms = (
        term("a", "d", alternative("", 3)),
        term("b", "d", alternative("", 3)),
        term("c", "d", alternative("f", 3, 2)),
    )
    found = evaluate(card((flag("f", "c"),), terms))
    assert found.tied == (("a", "b"),)
    assert [(p.first, p.second, p.shares()) for p in found.undecided] == [
        ("a", "c", (Fraction(1, 2), Fraction(1, 2), 0)),
        ("b", "c", (Fraction(1, 2), Fraction(1, 2), 0)),
    ]
    assert [(s.vendor, s.best, s.worst) for s in found.standings] == [("a", 1, 1), ("b", 1, 1), ("c", 1, 3)]
    assert standing(found, "c").rank_shares == (Fraction(1, 2), 0, Fraction(1, 2))
    assert found.effects[0].outcomes[0].tied == ("a", "b")


def test_many_independent_readings_are_counted_without_being_enumerated() -> None:
    # 2^40 combinations; every flag adds 0 or 1/40 of 4, so that 41 totals are left.
    flags = tuple(flag(f"f{n:02}", "a") for n in range(40))
    terms = (
        *(term("a", "d", alternative(f.id, 0, 4), weight="1/40", criterion=f.id) for f in flags),
        term("b", "d", alternative("", 2)),
    )
    found = evaluate(card(flags, terms))
    assert total(found, "a") == (0, 4)
    assert standing(found, "a").mean == 2
    level = Fraction(137846528820, 2**40)  # 40 over 20
    assert found.pair("a", "b").shares() == ((1 - level) / 2, level, (1 - level) / 2)


def test_the_greatest_of_many_independent_claims_is_counted_without_being_enumerated() -> None:
    flags = tuple(flag(f"f{n:02}", "a", "xyz") for n in range(60))
    terms = (term("a", "d", *(alternative(f.id, 1, 2, 3) for f in flags)), term("b", "d", alternative("", 2)))
    found = evaluate(card(flags, terms))
    below, level = Fraction(1, 3**60), Fraction(2**60 - 1, 3**60)
    assert found.pair("b", "a").shares() == (below, level, 1 - below - level)


def chain(length: int) -> Derivation:
    """Each flag stands in two neighbouring criteria, so that all hang together and all pull one way."""
    last = length - 1
    tables = [alternative(f"f{n:03} f{n + 1:03}", 0, 1, 2, 3) for n in range(last)]
    terms = tuple(
        term("a", "d", table, weight=f"1/{length}", criterion=f"c{n}")
        for n, table in enumerate([*tables, alternative(f"f{last:03}", 0, 3)])
    )
    return card(tuple(flag(f"f{n:03}", "a") for n in range(length)), terms)


def test_flags_that_hang_together_and_pull_one_way_are_bounded_exactly() -> None:
    found = evaluate(chain(200), limits=Limits(spread=20_000))  # 2^200 combinations in one piece
    assert standing(found, "a").total == Interval(low=Fraction(0), high=Fraction(3))
    assert {(m.vendor, m.what) for m in found.not_computed} == {("a", "shares"), ("a", "d mean")}
    assert standing(found, "a").mean is None


def test_what_flags_that_hang_together_can_do_is_exact_too() -> None:
    found = evaluate(chain(20))
    assert all(o.total.exact for effect in found.effects for o in effect.outcomes)
    assert [e.narrowing * 20 for e in found.effects] == [2, *[3] * 18, 4]
    assert standing(found, "a").mean == Fraction(3, 2)
    assert found.not_computed == ()


def test_past_the_limits_nothing_is_sampled_and_it_says_so() -> None:
    found = evaluate(THREE, limits=Limits(spread=3, rank=0))
    assert [(p.first_ahead, p.tied, p.second_ahead) for p in found.undecided] == [(None, None, None)]
    assert found.undecided[0].shares() is None
    assert total(found, "a") == (2, 4)
    assert {(m.vendor, m.what, m.limit) for m in found.not_computed} >= {
        ("a", "shares", 1),
        ("b", "shares", 1),
    }


def test_bounds_that_could_not_be_searched_hold_and_are_marked() -> None:
    terms = (
        term("a", "d", alternative("f g", 0, 4, 4, 0), weight="1/2", criterion="one"),
        term("a", "d", alternative("f g", 4, 0, 0, 4), weight="1/2", criterion="two"),
    )
    flags = (flag("f", "a"), flag("g", "a"))
    assert standing(evaluate(card(flags, terms)), "a").total == Interval(low=Fraction(2), high=Fraction(2))
    found = evaluate(card(flags, terms), limits=Limits(search=0, spread=0, table=0))
    assert standing(found, "a").total == Interval(low=Fraction(0), high=Fraction(4), exact=False)
    assert ("a", "total") in {(m.vendor, m.what) for m in found.not_computed}
    assert all(
        o.total.low <= 2 <= o.total.high and not o.total.exact for e in found.effects for o in e.outcomes
    )


def test_a_card_without_vendors_says_nothing() -> None:
    found = evaluate(card((), ()))
    assert (found.standings, found.undecided, found.contenders, found.effects) == ((), (), (), ())


@pytest.mark.parametrize(
    ("derivation", "says"),
    [
        (card((), (term("a", "e", alternative("", 1)),)), "made: a, e, c: the card has no such vendor"),
        (card((), (term("a", "d", alternative("f", 1, 2)),)), "k waits for f, which is no open flag"),
        (
            card((flag("f", "b"),), (term("a", "d", alternative("f", 1, 2)),)),
            "k waits for f, which is no open",
        ),
        (card((flag("f", "a"),), (term("a", "d", alternative("f", 1)),)), "k has 1 values; its flags have 2"),
        (card((flag("f", "a"),), (term("a", "d", alternative("f f", 1, 2, 3, 4)),)), "k names a flag twice"),
        (
            card((), (term("a", "d", weight="1/2"),)),
            "the criteria of a in d have weights that do not sum to 1",
        ),
    ],
)
def test_a_derivation_that_contradicts_itself_is_refused(derivation: Derivation, says: str) -> None:
    with pytest.raises(KoujingError) as caught:
        evaluate(derivation)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ({"e": Fraction(1)}, "weights are given for e; made has d"),
        ({"d": Fraction(0)}, "d=0; no weight may be below 0, and one must be above"),
        ({"d": Fraction(-1)}, "d=-1; no weight may be below 0"),
    ],
)
def test_weights_that_do_not_fit_are_refused(weights: dict[str, Fraction], says: str) -> None:
    with pytest.raises(KoujingError) as caught:
        evaluate(THREE, weights)
    assert says in str(caught.value)


@pytest.mark.parametrize("first", range(0, 2000, 250))
def test_random_cards_agree_with_the_oracle_to_the_last_digit(first: int) -> None:
    for number in range(first, first + 250):
        compare(random_card(number), evaluate(random_card(number), limits=limits(number)))


@settings(deadline=None)
@given(CARDS, st.fractions(min_value=Fraction(1, 1000), max_value=1000))
def test_scaling_all_weights_changes_nothing(derivation: Derivation, factor: Fraction) -> None:
    scaled = {d.id: d.weight * factor for d in derivation.dimensions}
    assert evaluate(derivation, scaled) == evaluate(derivation)


@settings(deadline=None)
@given(CARDS, st.data())
def test_improving_a_claim_never_lowers_a_score(derivation: Derivation, data: st.DataObject) -> None:
    places = [(n, m) for n, t in enumerate(derivation.terms) for m in range(len(t.alternatives))]
    if not places:
        return
    n, m = data.draw(st.sampled_from(places))
    gain = data.draw(st.fractions(min_value=0, max_value=5, max_denominator=50))
    changed = derivation.terms[n]
    better = changed.alternatives[m].model_copy(
        update={"values": tuple(v + gain for v in changed.alternatives[m].values)}
    )
    alternatives = (*changed.alternatives[:m], better, *changed.alternatives[m + 1 :])
    terms = list(derivation.terms)
    terms[n] = changed.model_copy(update={"alternatives": alternatives})
    before = evaluate(derivation)
    after = evaluate(derivation.model_copy(update={"terms": tuple(terms)}))
    for vendor in derivation.vendors:
        old, new = standing(before, vendor), standing(after, vendor)
        assert new.total.low >= old.total.low
        assert new.total.high >= old.total.high
        assert new.mean is not None
        assert old.mean is not None
        assert new.mean >= old.mean
        if vendor != changed.vendor:
            assert new.total == old.total
            assert (new.best, new.worst) >= (old.best, old.worst)
        else:
            assert new.best <= old.best
            assert new.worst <= old.worst


@settings(deadline=None)
@given(CARDS, st.data())
def test_closing_a_reading_never_widens_an_interval(derivation: Derivation, data: st.DataObject) -> None:
    if not derivation.open_flags:
        return
    settled = data.draw(st.sampled_from(derivation.open_flags))
    index = data.draw(st.integers(0, len(settled.readings) - 1))
    before, after = evaluate(derivation), evaluate(closed(derivation, settled, index))
    for vendor in derivation.vendors:
        old, new = standing(before, vendor), standing(after, vendor)
        assert old.total.low <= new.total.low <= new.total.high <= old.total.high
        assert old.best <= new.best <= new.worst <= old.worst
        for was, now in zip(old.dimensions, new.dimensions, strict=True):
            assert was.score.low <= now.score.low <= now.score.high <= was.score.high
    assert {(p.first, p.second) for p in after.undecided} <= {
        pair for p in before.undecided for pair in ((p.first, p.second), (p.second, p.first))
    }
    for effect in before.effects:
        if effect.flag == settled.id:  # the outcome foretold is the outcome
            assert standing(after, settled.vendor).total == effect.outcomes[index].total


@settings(deadline=None)
@given(CARDS, st.randoms(use_true_random=False))
def test_the_order_of_the_input_changes_not_a_byte(derivation: Derivation, dice: st.DataObject) -> None:
    shuffled = derivation.model_copy(
        update={
            name: tuple(dice.sample(getattr(derivation, name), len(getattr(derivation, name))))  # type: ignore[attr-defined]
            for name in ("vendors", "open_flags", "terms")
        }
    )
    assert evaluate(shuffled).model_dump_json() == evaluate(derivation).model_dump_json()


def test_renaming_vendors_renames_the_result() -> None:
    for names in permutations("abc"):
        new = dict(zip("abc", names, strict=True))
        found = evaluate(
            THREE.model_copy(
                update={
                    "open_flags": tuple(
                        f.model_copy(update={"vendor": new[f.vendor]}) for f in THREE.open_flags
                    ),
                    "terms": tuple(t.model_copy(update={"vendor": new[t.vendor]}) for t in THREE.terms),
                }
            )
        )
        assert [s.vendor for s in found.standings] == [new[v] for v in "bac"]


def closed(derivation: Derivation, settled: OpenFlag, index: int) -> Derivation:
    """The derivation once that reading is chosen: its rows of values are kept, written out by hand."""
    sizes = {f.id: len(f.readings) for f in derivation.open_flags}

    def kept(found: Alternative) -> Alternative:
        if settled.id not in found.flags:
            return found
        values = []
        for number, value in enumerate(found.values):
            rest, reading = number, -1
            for name in reversed(found.flags):
                rest, digit = divmod(rest, sizes[name])
                reading = digit if name == settled.id else reading
            if reading == index:
                values.append(value)
        flags = tuple(name for name in found.flags if name != settled.id)
        return found.model_copy(update={"flags": flags, "values": tuple(values)})

    return derivation.model_copy(
        update={
            "open_flags": tuple(f for f in derivation.open_flags if f.id != settled.id),
            "terms": tuple(
                t.model_copy(update={"alternatives": tuple(map(kept, t.alternatives))})
                for t in derivation.terms
            ),
        }
    )
