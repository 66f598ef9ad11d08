from __future__ import annotations

import pytest

from schemas.errors import LedgerError
from warehouse.ledger import Ledger
from warehouse.query import run_query


def keys_by_source(home):
    return run_query(
        home, "SELECT source_id, list(claim_key ORDER BY claim_key) FROM claims GROUP BY ALL"
    ).rows


def test_a_key_that_another_source_has_is_given_with_a_count_and_stays(visits, home, claim):
    visits.page(claim("k"), source_id="one")
    visits.page(claim("k"), source_id="two")
    visits.page(claim("k", "5"), source_id="two")
    visits.page(claim("k"), source_id="three")
    visits.ledger.publish()
    assert sorted(keys_by_source(home)) == [("one", ["k"]), ("three", ["k~3"]), ("two", ["k~2"])]


def test_keys_are_known_to_the_next_writer_too(home, begin, claim):
    for source_id in ("one", "two", "three"):
        with Ledger.open(home) as ledger:
            begin(home, ledger).page(claim("k"), source_id=source_id)
            ledger.publish()
    assert sorted(keys_by_source(home)) == [("one", ["k"]), ("three", ["k~3"]), ("two", ["k~2"])]


def test_a_page_that_could_not_be_stored_leaves_no_key_in_use(visits, home, claim, monkeypatch):
    def full(*_: object) -> None:
        raise LedgerError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr("warehouse.page_writer.Page._report", full)
        with pytest.raises(LedgerError, match="no space left"):
            visits.page(claim("k"), source_id="one")
    visits.page(claim("k"), source_id="two")
    visits.ledger.publish()
    assert keys_by_source(home) == [("two", ["k"])]


def test_a_claim_that_only_a_newer_reader_finds_gets_a_key_of_its_own(visits, home, claim):
    visits.page(claim("k"), source_id="one")
    visits.page(claim("m", metric="port_speed"), source_id="two")
    visits.reread(claim("m", metric="port_speed"), claim("k"), source_id="two")
    visits.page(claim("k"), source_id="three")
    visits.ledger.publish()
    assert sorted(keys_by_source(home)) == [("one", ["k"]), ("three", ["k~3"]), ("two", ["k~2", "m"])]
