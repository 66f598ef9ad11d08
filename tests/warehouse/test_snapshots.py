from __future__ import annotations

import gzip
import hashlib

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import LedgerError
from warehouse import snapshots


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(body=st.binary(max_size=3000))
def test_what_is_kept_is_loaded(home, body):
    sha256 = snapshots.keep(home, body)
    assert sha256 == hashlib.sha256(body).hexdigest()
    assert snapshots.load(home, sha256) == body


def test_identical_bytes_are_stored_once(home):
    first, second = snapshots.keep(home, b"page"), snapshots.keep(home, b"page")
    assert first == second
    (file,) = [path for path in home.snapshots.rglob("*") if path.is_file()]
    assert file == home.snapshots / first[:2] / f"{first}.gz"


def test_a_missing_snapshot_is_named(home):
    with pytest.raises(LedgerError, match=f"no snapshot {'a' * 64}"):
        snapshots.load(home, "a" * 64)


@pytest.mark.parametrize(
    "damage", [b"", b"junk", gzip.compress(b"another page"), gzip.compress(b"page")[:-6]]
)
def test_a_damaged_snapshot_is_refused_and_mended_by_the_same_bytes(home, damage):
    sha256 = snapshots.keep(home, b"page")
    (home.snapshots / sha256[:2] / f"{sha256}.gz").write_bytes(damage)
    with pytest.raises(LedgerError, match=f"{sha256} is damaged"):
        snapshots.load(home, sha256)
    snapshots.keep(home, b"page")
    assert snapshots.load(home, sha256) == b"page"


@pytest.mark.parametrize(
    "name", ["../../../etc/passwd", "", "A" * 64, "a" * 63, "a" * 64 + "\n", "/" + "a" * 63]
)
def test_only_a_hash_becomes_a_path(home, name):
    with pytest.raises(LedgerError, match="is no sha256"):
        snapshots.load(home, name)


def test_a_disk_that_refuses_is_a_ledger_error_and_leaves_no_half_file(home):
    home.snapshots.write_text("in the way")
    with pytest.raises(LedgerError, match="cannot be stored"):
        snapshots.keep(home, b"page")
