"""`koujing verify --cases`: one object a case; a line that cannot be read is named and the others still run."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

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


LONG = json.dumps(
    {"id": "x", "a": {"metric": "mfu", "text_value": "9" * 2001}, "b": {"metric": "mfu"}}
).encode()


@pytest.mark.parametrize(
    "bad", [b"{", b"[1]", b'{"id": 3}', b"\xff\xfe", b'{"id": "x", "parts": 7}', b"[" * 5000, LONG]
)
def test_a_bad_line_is_named_and_the_rest_still_runs(bad):
    got = verify(GOOD.encode() + b"\n" + bad + b"\n" + PAIR.encode(), "--cases", "-")
    assert got.exit_code == 1
    assert len(got.stdout.splitlines()) == 2
    assert "-, line 2: " in got.stderr
    assert "1 line could not be read" in got.stderr


def test_a_growth_beyond_all_figures_is_no_failure():
    sides = [("start", "1"), ("end", "1e59"), ("periods", "1e-59"), ("cagr", "5")]
    case = {"id": "g", "parts": [{"role": role, "value": value} for role, value in sides]}
    got = verify(json.dumps(case).encode(), "--cases", "-")
    assert json.loads(got.stdout)["verdict"] == "not_comparable"


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


def test_two_cases_of_one_id_are_both_judged_and_said_to_be_two():
    got = verify(f"{GOOD}\n{GOOD}\n".encode(), "--cases", "-")
    assert (got.exit_code, len(got.stdout.splitlines())) == (0, 2)
    assert '-, line 2: the id "g" stands on line 1 already; both are judged' in got.stderr


def test_a_file_without_a_case_says_so():
    got = verify(b"\n \n", "--cases", "-")
    assert (got.exit_code, got.stdout, got.stderr) == (0, "", "- holds no case\n")


def test_all_is_of_the_ledger():
    got = verify(GOOD.encode(), "--all", "--cases", "-")
    assert got.exit_code == 2
    assert "leave out --all or --cases" in got.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
@pytest.mark.parametrize("arguments", [["verify", "--cases", "-"], ["extract", "-"]])
def test_a_full_disk_ends_with_a_sentence(arguments):
    with Path("/dev/full").open("w") as full:
        got = subprocess.run(
            [sys.executable, "-m", "flows.cli", *arguments], input=f"{GOOD}\n3.2T RDMA".encode(), stdout=full, stderr=subprocess.PIPE,
            check=False,
        )  # fmt: skip
    assert got.returncode == 1
    assert got.stderr == b"error: the output cannot be written (No space left on device); nothing more is\n"
