from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest

from review.queue import order
from schemas.claim import Claim, Evidence
from schemas.flag import Flag, Reading
from schemas.ledger import StoredClaim
from schemas.quantity import Bound
from schemas.record import Words
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
