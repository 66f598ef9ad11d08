from __future__ import annotations

import gzip
import hashlib
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from schemas.errors import LedgerError
from warehouse import snapshots

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd


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
    assert file == home.snapshots / first[:2] / f"{first}.zst"


def test_a_missing_snapshot_is_named(home):
    with pytest.raises(LedgerError, match=f"no snapshot {'a' * 64}"):
        snapshots.load(home, "a" * 64)


@pytest.mark.parametrize(
    "damage", [b"", b"junk", zstd.compress(b"another page"), zstd.compress(b"page")[:-6]]
)
def test_a_damaged_snapshot_is_refused_and_mended_by_the_same_bytes(home, damage):
    sha256 = snapshots.keep(home, b"page")
    (home.snapshots / sha256[:2] / f"{sha256}.zst").write_bytes(damage)
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


def test_what_an_earlier_version_packed_with_gzip_is_read(home):
    sha256 = hashlib.sha256(b"page").hexdigest()
    place = home.snapshots / sha256[:2] / f"{sha256}.gz"
    place.parent.mkdir(parents=True)
    place.write_bytes(gzip.compress(b"page"))
    assert snapshots.is_there(home, sha256)
    assert snapshots.load(home, sha256) == b"page"
    assert snapshots.keep(home, b"page") == sha256
    assert snapshots.files(home) == [place]


def test_a_look_at_all_bodies_finds_what_is_damaged_missing_or_unnamed(home):
    whole, damaged, unnamed = (snapshots.keep(home, body) for body in (b"whole", b"damaged", b"unnamed"))
    (home.snapshots / damaged[:2] / f"{damaged}.zst").write_bytes(zstd.compress(b"something else"))
    found = snapshots.check(home, frozenset({whole, damaged, "0" * 64}))
    assert found == snapshots.Integrity(whole=2, damaged=(damaged,), missing=("0" * 64,), unnamed=(unnamed,))
    assert not found.is_sound
    assert snapshots.check(home, frozenset({whole})).damaged == (damaged,)
