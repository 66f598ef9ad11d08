"""`koujing verify --cases`: one object a case; a line that cannot be read is named and the others still run."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from flows.cli import app

GOOD = '{"id": "g", "parts": [{"role": "term", "value": "2", "unit": "TB"}, {"role": "term", "value": "2000", "unit": "GB"}]}'
PAIR = '{"id": "p", "a": {"metric": "mfu", "low": "0.4"}, "b": {"metric": "mfu", "low": "0.5"}}'


def verify(text: bytes, *arguments: str):
    return CliRunner().invoke(app, ["verify", *arguments], input=text)


def test_each_case_gives_one_object():
    got = verify(f"{GOOD}\n\n{PAIR}\n".encode(), "--cases", "-")
    assert got.exit_code == 0
    objects = [json.loads(line) for line in got.stdout.splitlines()]
    assert [(o["id"], o["verdict"]) for o in objects] == [("g", "consistent"), ("p", "conflict")]
    assert all(set(o) == {"id", "verdict", "reason"} and o["reason"] for o in objects)


@pytest.mark.parametrize(
    "bad", [b"{", b"[1]", b'{"id": 3}', b"\xff\xfe", b'{"id": "x", "parts": 7}', b"[" * 5000]
)
def test_a_bad_line_is_named_and_the_rest_still_runs(bad):
    got = verify(GOOD.encode() + b"\n" + bad + b"\n" + PAIR.encode(), "--cases", "-")
    assert got.exit_code == 1
    assert len(got.stdout.splitlines()) == 2
    assert "-, line 2: " in got.stderr
    assert "1 line could not be read" in got.stderr


def test_a_case_without_id_is_named_by_its_line():
    got = verify(
        b'\xef\xbb\xbf{"a": {"metric": "mfu", "low": 0.4}, "b": {"metric": "mfu", "low": 0.4}}',
        "--cases",
        "-",
    )
    assert json.loads(got.stdout) == {
        "id": 1, "verdict": "no_conflict", "reason": "0.4 fraction and 0.4 fraction are one figure"
    }  # fmt: skip


def test_a_file_that_is_not_there_is_a_failure(tmp_path):
    got = CliRunner().invoke(app, ["verify", "--cases", str(tmp_path / "none.jsonl")])
    assert got.exit_code == 1
    assert "cannot be read (No such file or directory); give a file of cases or -" in str(got.exception)
