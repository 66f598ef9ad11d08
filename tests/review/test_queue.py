from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest

from review.queue import order
from schemas.claim import Claim, Evidence
from schemas.flag import Flag, Reading
from schemas.ledger import StoredClaim
from schemas.quantity import Bound
from schemas.record import Words
from schemas.uncertainty import FlagWorth, Reason, Worth
from warehouse.cards import builtin_cards
from warehouse.rows import OpenFlag

DAY = datetime(2026, 5, 1, tzinfo=UTC)
WORDS = Words(en="Which?", zh="哪个？")


def open_flag(key: str, vendor: str | None, metric: str, name: str, **more: Any) -> OpenFlag:
    claim = Claim(
        claim_key=key,
        source="page",
        vendor=vendor,
        product=more.get("product"),
        metric=metric,
        low=Decimal(1),
        unit="bit/s",
        text_value="1",
        bound=Bound.EXACT,
        basis="unspecified",
        evidence=Evidence(quote="1", start=0, end=1),
        flags=(name,),
        extractor="grammar@1",
    )
    stored = StoredClaim(
        claim=claim,
        version=1,
        source_id="page",
        snapshot_sha256="0" * 64,
        valid_from=DAY,
        recorded_at=DAY,
        not_seen=more.get("not_seen", 0),
    )
    flag = Flag(claim_key=key, name=name, question=WORDS, readings=(Reading(key="a", label=WORDS),))
    return OpenFlag(flag=flag, claim=stored)


STORAGE = open_flag("s", "huawei-cloud", "fs_throughput", "peak_without_load")
STORAGE_ACCESS = open_flag("s", "huawei-cloud", "fs_throughput", "access_unspecified")
FILES = open_flag("f", "huawei-cloud", "file_count_max", "capacity_formula")
PRICE = open_flag("p", "alibaba-cloud", "price_per_accelerator_hour", "on_request_only")
STRANGER = open_flag("x", None, "fs_throughput", "peak_without_load")
LOST = open_flag("l", "alibaba-cloud", "fs_throughput", "peak_without_load", not_seen=1)
BLOCK = open_flag("b", "huawei-cloud", "block_iops", "peak_without_load")
ALL = (STRANGER, LOST, PRICE, FILES, STORAGE, STORAGE_ACCESS)


def keys(queue: tuple[Any, ...]) -> list[str]:
    return [queued.flag.flag.flag_id for queued in queue]


def test_flags_that_scores_rest_on_come_first_and_lost_claims_last() -> None:
    assert keys(order(ALL, builtin_cards())) == [
        "s:access_unspecified",
        "s:peak_without_load",
        "f:capacity_formula",
        "p:on_request_only",
        "x:peak_without_load",
        "l:peak_without_load",
    ]


def test_the_order_of_the_input_does_not_matter() -> None:
    assert order(ALL, builtin_cards()) == order(tuple(reversed(ALL)), builtin_cards())


def test_worth_sums_the_weights_of_all_cards_and_a_compared_metric_counts_twice() -> None:
    card = next(card for card in builtin_cards() if card.id == "ten-thousand-cards")
    storage, files = order((FILES, STORAGE), [card])
    assert (storage.worth, storage.dimensions) == (Decimal("0.36"), ("ten-thousand-cards.storage_io",))
    assert (files.worth, files.dimensions) == (Decimal("0.18"), ("ten-thousand-cards.storage_io",))


@pytest.mark.parametrize("flag", [PRICE, STRANGER, BLOCK])
def test_a_claim_that_no_score_rests_on_is_worth_nothing(flag: OpenFlag) -> None:
    card = next(card for card in builtin_cards() if card.id == "ten-thousand-cards")
    (queued,) = order((flag,), [card])
    assert (queued.worth, queued.dimensions) == (Decimal(0), ())


def test_no_flags_give_an_empty_queue() -> None:
    assert order((), builtin_cards()) == ()


def moved(flag_id: str, **reason: Any) -> FlagWorth:
    return FlagWorth(
        flag=flag_id,
        claim_key=flag_id.partition(":")[0],
        name="n",
        vendor="huawei-cloud",
        winners=0,
        pairs=0,
        contenders_out=0,
        places=0,
        narrowing=Fraction(0),
        reason=Reason(vendor="huawei-cloud", card="ten-thousand-cards", **reason),
        effects=(),
    )


def test_what_moves_a_derived_ranking_comes_before_all_that_does_not() -> None:
    worths = (
        moved("p:on_request_only", kind=Worth.WINNER),
        moved("l:peak_without_load", kind=Worth.PLACE, place=2),
        moved("f:capacity_formula", kind=Worth.PLACE, place=2),
        moved("s:peak_without_load", kind=Worth.NOTHING),
    )
    assert keys(order(ALL, builtin_cards(), worths)) == [
        "p:on_request_only",
        "f:capacity_formula",
        "s:access_unspecified",
        "s:peak_without_load",
        "x:peak_without_load",
        "l:peak_without_load",
    ]


CARD = "“Pre-training on ten thousand cards and more”"


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        ({"kind": Worth.WINNER}, f"settling this can decide 1st place of {CARD}"),
        ({"kind": Worth.PLACE, "place": 2}, f"settling this can decide 2nd place of {CARD} (Huawei Cloud)"),
        ({"kind": Worth.PLACE, "place": 11}, f"settling this can decide 11th place of {CARD} (Huawei Cloud)"),
        (
            {"kind": Worth.ORDER, "against": ("ucloud", "aws")},
            f"settling this can decide the order of Huawei Cloud and UCloud, Amazon Web Services in {CARD}",
        ),
        ({"kind": Worth.CONTENDER}, f"settling this can decide who may still be first in {CARD}"),
        (
            {"kind": Worth.WIDTH, "narrowing": Fraction(1, 3)},
            f"settling this can take 0.33 from the range of Huawei Cloud in {CARD}",
        ),
        (
            {"kind": Worth.WIDTH, "narrowing": Fraction(1, 300)},
            f"settling this takes less than 0.01 from the range of Huawei Cloud in {CARD}",
        ),
    ],
)
def test_each_flag_says_in_one_line_what_settling_it_can_do(reason: dict[str, Any], why: str) -> None:
    (queued,) = order((STORAGE,), builtin_cards(), (moved("s:peak_without_load", **reason),))
    assert queued.why == why


def test_what_moves_no_derived_ranking_says_on_what_it_bears() -> None:
    assert [q.why for q in order((STORAGE, STRANGER), builtin_cards()[:1])] == [
        "published scores rest on its claim: ten-thousand-cards.storage_io",
        "no score rests on its claim",
    ]
