"""Settling flags by commands: on a copy of the demo's home."""

from __future__ import annotations

import io
import json
import shutil
import sys

import pytest


@pytest.fixture
def demo(played, tmp_path):
    home = tmp_path / "copy"
    shutil.copytree(played.root, home)
    return home


def first(koujing, demo):
    return koujing("--home", str(demo), "flags", "--format", "jsonl").objects[0]


def test_a_flag_is_resolved_listed_exported_and_taken_back(koujing, demo, played):
    flag = first(koujing, demo)
    reading = flag["readings"][0]["key"]
    before = len(koujing("--home", str(demo), "flags", "--format", "jsonl").objects)
    done = koujing(
        "--home", str(demo), "resolve", flag["flag_id"], "--reading", reading, "--who", "Li", "--note", "n"
    )
    assert done.code == 0
    assert f"decision 1: {flag['flag_id']} {reading}" in done.out
    assert "ranked again: " in done.out
    assert f"{before - 1} flags left open" in done.out
    log = koujing("--home", str(demo), "decisions", "log", "--format", "jsonl").objects
    assert [(d["who"], d["reading"], d["note"]) for d in log] == [("Li", reading, "n")]
    file = demo / "decisions.jsonl"
    assert koujing("--home", str(demo), "decisions", "export", str(file)).code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["flag"] == flag["flag"]
    other = demo.parent / "other"
    shutil.copytree(played.root, other)
    assert (
        koujing("--home", str(other), "decisions", "import", str(file)).out
        == "1 stored, 0 known before, 0 waiting\n"
    )
    assert (
        koujing("--home", str(other), "decisions", "import", str(file)).out
        == "0 stored, 1 known before, 0 waiting\n"
    )
    assert koujing("--home", str(demo), "decisions", "undo", flag["flag_id"], "--who", "Li").code == 0
    assert first(koujing, demo)["flag_id"] == flag["flag_id"]


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("--reading", "x", "--who", "Li"), 1, "has no reading 'x'; it has"),
        (("--who", "Li"), 2, "give exactly one of"),
        (("--reject", "--unsure"), 2, "give exactly one of"),
        (("--correct", "value", "--who", "Li"), 2, "is not FIELD=TEXT"),
        (("--correct", "value=9 Tbps", "--who", "Li"), 1, "does not stand in the quote"),
        (("--unsure", "--version", "7", "--who", "Li"), 1, "you looked at version 7"),
    ],
)
def test_what_cannot_be_decided_is_told_and_stores_nothing(koujing, demo, arguments, code, told):
    flag = first(koujing, demo)["flag_id"]
    done = koujing("--home", str(demo), "resolve", flag, *arguments)
    assert (done.code, told in done.err) == (code, True), done.err
    assert koujing("--home", str(demo), "decisions", "log").err == "nothing was decided yet\n"


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("{", "decisions.jsonl:1: "),
        ('{"id": "x"}', "decisions.jsonl:1: "),
        (
            (
                '{"id":"0123456789abcdef","claim_key":"k","flag":"f","kind":"reading","reading":"","who":"a","words":"w",'
                '"decided_at":"2026-01-01T00:00:00Z"}'
            ),
            "a reading is chosen by its key",
        ),
    ],
)
def test_a_line_that_is_no_decision_is_named(koujing, demo, line, told):
    file = demo / "decisions.jsonl"
    file.write_text(f"{line}\n", encoding="utf-8")
    done = koujing("--home", str(demo), "decisions", "import", str(file))
    assert (done.code, told in done.err) == (1, True), done.err


def test_flags_are_settled_key_by_key(koujing, demo, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.StringIO("j\nk\n1\nu\na\n9\nq\n"))
    done = koujing("--home", str(demo), "review", "--who", "Bo")
    assert done.code == 0
    assert "1 of " in done.out
    log = koujing("--home", str(demo), "decisions", "log", "--format", "jsonl").objects
    assert [(d["kind"], d["who"]) for d in log] == [("reading", "Bo"), ("undone", "Bo"), ("ask_vendor", "Bo")]
    asked = koujing("--home", str(demo), "questions")
    assert "A reviewer wants this asked: Bo" in asked.out
