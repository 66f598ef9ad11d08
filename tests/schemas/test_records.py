"""Claims and sources are strict: what is not in the contract is refused."""

from decimal import Decimal

import pytest
from pydantic import ValidationError

from schemas.claim import Claim
from schemas.quantity import Bound, Quantity
from schemas.record import plain
from schemas.source import SourceList

CLAIM = {
    "claim_key": "k",
    "source": "s",
    "vendor": "ucloud",
    "product": None,
    "metric": "fs_iops",
    "low": Decimal(30_000_000),
    "unit": "1/s",
    "text_value": "3000 万",
    "bound": Bound.EXACT,
    "basis": "per_filesystem",
    "evidence": {"quote": "3000 万", "start": 0, "end": 6},
    "extractor": "grammar@1",
}


def test_a_claim_survives_its_own_json_digit_for_digit():
    claim = Claim.model_validate(CLAIM | {"low": Decimal("0.333333333333"), "high": Decimal("1E+12")})
    text = claim.model_dump_json()
    assert '"low":"0.333333333333"' in text
    assert '"high":"1000000000000"' in text
    assert Claim.model_validate_json(text) == claim


@pytest.mark.parametrize(
    "change",
    [
        {"metric": "speed"},
        {"basis": "per_box"},
        {"flags": ("odd",)},
        {"flags": ("secondhand", "secondhand")},
        {"low": 3.2},
        {"low": Decimal("NaN")},
        {"low": None},
        {"colour": "red"},
        {"metric": "capability"},
    ],
)
def test_what_the_contract_does_not_know_is_refused(change):
    with pytest.raises(ValidationError):
        Claim.model_validate(CLAIM | change)


def test_a_claim_cannot_be_changed():
    with pytest.raises(ValidationError):
        Claim.model_validate(CLAIM).metric = "fs_latency"  # type: ignore[misc]


def test_a_quantity_has_its_ends_in_order():
    with pytest.raises(ValidationError, match="high 1 is below low 2"):
        Quantity(low=Decimal(2), high=Decimal(1), unit="s", text="x", start=0, end=1)


@pytest.mark.parametrize(
    ("number", "text"), [("3.2E+12", "3200000000000"), ("0.50", "0.5"), ("100", "100"), ("1E-7", "0.0000001")]
)
def test_decimals_are_written_plainly(number, text):
    assert plain(Decimal(number)) == text


def test_a_source_id_twice_is_refused():
    entry = {"id": "a", "url": "https://example.test/"}
    with pytest.raises(ValidationError, match="stands twice"):
        SourceList.model_validate({"sources": (entry, entry)})
