"""What a newcomer meets: whose scores they are, what is missing, and what to type instead."""

from __future__ import annotations

import csv
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.demo_server import DemoServer
from flows.progress import told
from flows.summary import PageRow
from schemas.registry import registry
from schemas.source import FetchStatus
from warehouse.home import Home, open_home
from warehouse.ledger import Ledger

Run = Callable[..., Any]
ORIGIN = "Scores and weights of a comparison that was published with vendor pages read on 4 November 2026"
UNREAD = "published scores only: no claims have been read yet"
STORAGE_OF_HUAWEI = {"standing": "4.1", "proposed": "4.6"}


@pytest.fixture
def empty(tmp_path: Path) -> Home:
    """A home whose ledger was published and holds nothing."""
    home = open_home(tmp_path / "empty")
    with Ledger.open(home) as ledger:
        ledger.publish()
    return home


def lines(outcome: Any) -> list[str]:
    return [line for line in outcome.out.splitlines() if line]


# rank


def test_each_title_stands_over_whose_scores_they_are(koujing: Run) -> None:
    printed = lines(koujing("rank"))
    titles = [place for place, line in enumerate(printed) if line.endswith(("-cards)", "-clusters)"))]
    assert [printed[place + 1 : place + 3] for place in titles] == [[ORIGIN, UNREAD]] * 2
    last = next(place for place, line in enumerate(printed) if line.endswith("(six-dimensions)"))
    assert printed[last + 1 : last + 3] == [
        "Weights of a published buyer's guide of 2026 that gives no scores",
        "No scores were published with these weights, so there is no order to print.",
    ]


def test_a_ledger_without_claims_is_said_and_one_with_claims_is_not(
    koujing: Run, empty: Home, played: Home
) -> None:
    assert koujing("--home", str(empty.root), "rank").out.count(UNREAD) == 2
    assert UNREAD not in koujing("--home", str(played.root), "rank").out


def test_rank_as_json_carries_the_scores_and_their_origin(koujing: Run, played: Home) -> None:
    cards = json.loads(koujing("--home", str(played.root), "rank", "--format", "json").out)
    assert cards[0]["origin"]["en"] == ORIGIN
    main = [c for c in cards if c["scorecard"] == "ten-thousand-cards" and c["variant"] != "derived"]
    for card in main:
        for place in card["placements"]:
            assert set(place["scores"]) == set(card["weights"])
            assert "claims" not in place
    found = {
        card["variant"]: place["scores"]["storage_io"]
        for card in main
        for place in card["placements"]
        if place["vendor"] == "huawei-cloud"
    }
    assert found == STORAGE_OF_HUAWEI


def test_explain_shows_each_score_and_how_many_claims_it_rests_on(koujing: Run, played: Home) -> None:
    home = ("--home", str(played.root), "rank", "--scorecard", "ten-thousand-cards", "--explain")
    printed = lines(koujing(*home))
    standing, proposed, derived = json.loads(koujing(*home, "--format", "json").out)
    assert [ranking["variant"] for ranking in (standing, proposed, derived)] == [
        "standing",
        "proposed",
        "derived",
    ]
    dimensions = list(standing["weights"])
    heads = [place for place, line in enumerate(printed) if line.split() == ["id", *dimensions]]
    assert len(heads) == 2
    for head, ranking in zip(heads, (standing, proposed), strict=True):
        assert printed[head - 1] == "Scores by dimension, with the number of claims that each rests on:"
        for offset, place in enumerate(ranking["placements"]):
            cells = [f"{place['scores'][d]} ({place['claims'][d]})" for d in dimensions]
            assert " ".join(printed[head + 2 + offset].split()) == " ".join([place["vendor"], *cells])
        assert printed[head + 8] == "not scored by this card: azure, kingsoft-cloud"
        assert ranking["not_scored"] == ["azure", "kingsoft-cloud"]
    huawei = next(p for p in standing["placements"] if p["vendor"] == "huawei-cloud")
    query = (
        "SELECT count(*) AS n FROM claims WHERE vendor = 'huawei-cloud' AND metric IN "
        "('fs_throughput', 'fs_iops')"
    )
    ((direct,),) = [
        list(row.values()) for row in koujing(*home[:2], "sql", query, "--format", "jsonl").objects
    ]
    assert huawei["claims"]["storage_io"] >= direct > 0


def test_explain_without_a_ledger_shows_the_scores_alone(koujing: Run) -> None:
    printed = lines(koujing("rank", "--scorecard", "ten-thousand-cards", "--explain"))
    head = printed.index("Scores by dimension:")
    assert printed[head + 3].split()[0] == "alibaba-cloud"
    assert "(" not in printed[head + 3]
    assert not any(line.startswith("not scored") for line in printed)


# flags and changes


def test_flags_of_a_vendor_that_was_never_read_say_so(koujing: Run, empty: Home, played: Home) -> None:
    for form, shown in (("table", ""), ("json", "[]\n"), ("jsonl", "")):
        outcome = koujing("--home", str(played.root), "flags", "--vendor", "aws", "--format", form)
        assert (outcome.code, outcome.out, outcome.err) == (0, shown, "nothing has been read for aws yet\n")
    outcome = koujing("--home", str(empty.root), "flags")
    assert (outcome.code, outcome.out, outcome.err) == (0, "", "nothing has been read yet\n")


def test_flags_as_table_and_csv_name_the_page_and_leave_the_long_fields_to_json(
    koujing: Run, played: Home
) -> None:
    columns = ["vendor", "metric", "value", "flag", "why", "question", "page"]
    home = ("--home", str(played.root), "flags")
    assert koujing(*home).out.splitlines()[0].split() == columns
    head, *rows = csv.reader(io.StringIO(koujing(*home, "--format", "csv").out))
    objects = koujing(*home, "--format", "jsonl").objects
    assert head == columns
    assert [row[6] for row in rows] == [flag["source_id"] for flag in objects]
    assert [row[3] for row in rows] == [flag["flag"] for flag in objects]
    assert [row[4] for row in rows] == [flag["why"] for flag in objects]
    assert all(flag["flag_id"] and flag["quote"] and flag["readings"] for flag in objects)


def test_changes_as_csv_hold_the_tables_rows(koujing: Run, played: Home, empty: Home) -> None:
    home = ("--home", str(played.root), "changes")
    head, *rows = csv.reader(io.StringIO(koujing(*home, "--format", "csv").out))
    assert head == ["changed_at", "vendor", "metric", "kind", "before", "after", "quote", "source"]
    listed = json.loads(koujing(*home, "--format", "json").out)
    assert [(row[1], row[3]) for row in rows] == [(c["vendor"], c["kind"]) for c in listed]
    nothing = koujing("--home", str(empty.root), "changes", "--format", "csv")
    assert (nothing.code, nothing.out) == (0, f"{','.join(head)}\n")
    assert nothing.err == "nothing changed\n"


# Only the demo was run


@pytest.mark.parametrize(
    "arguments",
    [("flags",), ("flags", "--vendor", "huawei-cloud"), ("changes",), ("sql", "SELECT vendor FROM claims")],
)
def test_without_a_ledger_the_demos_is_named_and_the_command_retyped(
    koujing: Run, played: Home, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    home, demo = tmp_path / "home", tmp_path / "home" / "demo"
    before = koujing(*arguments)
    assert before.code == 1
    assert before.err.startswith(f"error: there is no ledger at {home} yet; run `koujing refresh`")
    demo.mkdir()
    shutil.copy(played.published, demo)
    outcome = koujing(*arguments)
    last = "'SELECT vendor FROM claims'" if arguments[0] == "sql" else arguments[-1]
    again = " ".join([*arguments[:-1], last])
    assert (outcome.code, outcome.out) == (1, "")
    assert (
        outcome.err == f"error: no ledger at {home} yet; the demo's is at {demo}: "
        f"koujing --home {demo} {again}\n"
    )
    assert koujing("--home", str(demo), *arguments).code == 0
    # A home that was named is not second-guessed.
    assert "the demo's" not in koujing("--home", str(home), *arguments).err


# sql


def test_a_slip_in_sql_is_shown_where_it_stands(koujing: Run, played: Home) -> None:
    outcome = koujing("--home", str(played.root), "sql", "SELECT vndor FROM claims")
    first, bindings, query, mark = outcome.err.splitlines()
    assert first == 'error: Binder Error: Referenced column "vndor" not found in FROM clause!'
    assert bindings.startswith('Candidate bindings: "vendor"')
    assert (query, mark) == ("LINE 1: SELECT vndor FROM claims", " " * 15 + "^^^^^")


@pytest.mark.parametrize(
    ("name", "begins"),
    [("a.csv", "n\n1"), ("a.json", "[\n"), ("a.JSONL", '{"n": 1}'), ("a.txt", "n\n-\n1"), ("a", "n\n-\n1")],
)
def test_the_files_ending_decides_the_format(
    koujing: Run, played: Home, tmp_path: Path, name: str, begins: str
) -> None:
    home = ("--home", str(played.root), "sql", "SELECT 1 AS n", "--out", str(tmp_path / name))
    assert koujing(*home).code == 0
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(begins)
    assert koujing(*home, "--format", "csv").code == 0
    assert (tmp_path / name).read_text(encoding="utf-8") == "n\n1\n"


def test_an_ending_that_is_not_written_is_wrong_usage(koujing: Run, played: Home, tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    command = ("--home", str(played.root), "sql", "SELECT 1 AS n", "--out", str(file))
    outcome = koujing(*command)
    assert (outcome.code, outcome.out) == (2, "")
    assert (
        ".xlsx is no format that is written; end the name in .csv, .json, .jsonl, .txt, or give --format"
        in outcome.err
    )
    assert not file.exists()
    assert koujing(*command, "--format", "csv").code == 0
    assert file.read_text(encoding="utf-8") == "n\n1\n"


def test_a_vendor_that_is_like_none_is_answered_with_all(koujing: Run) -> None:
    outcome = koujing("flags", "--vendor", "nope")
    assert outcome.code == 2
    assert f"'nope' is no known vendor; known: {', '.join(sorted(registry().vendors))}" in outcome.err


# sources


@pytest.mark.parametrize("more", [(), ("--no-visit",)])
@pytest.mark.parametrize("host", ["127.0.0.1:9", "localhost:9", "[::1]:9"])
def test_a_page_of_this_machine_is_added_only_with_leave(
    koujing: Run, tmp_path: Path, host: str, more: tuple[str, ...]
) -> None:
    url = f"http://{host}/x"
    outcome = koujing("sources", "add", url, *more)
    assert (outcome.code, outcome.out) == (1, "")
    assert outcome.err == (
        f"error: {url} is not added: it is on this machine; give --allow-loopback to watch it\n"
    )
    assert not (tmp_path / "home" / "sources.yaml").exists()
    assert koujing("sources", "add", url, "--no-visit", "--allow-loopback").code == 0


@pytest.mark.parametrize("more", [(), ("--no-visit",), ("--allow-loopback",)])
def test_a_page_of_a_private_network_is_never_added(
    koujing: Run, tmp_path: Path, more: tuple[str, ...]
) -> None:
    outcome = koujing("sources", "add", "http://10.1.2.3/x", *more)
    assert (outcome.code, outcome.out) == (1, "")
    assert "http://10.1.2.3/x is not added: the host 10.1.2.3 stands for 10.1.2.3, which is not a public" in (
        outcome.err
    )
    assert "(--allow-loopback is for this machine's own addresses only)" in outcome.err
    assert not (tmp_path / "home" / "sources.yaml").exists()


@pytest.mark.parametrize("given", ["./zh.html", "ftp://vendor.example/x", "vendor.example/x"])
def test_a_file_is_sent_to_extract(koujing: Run, tmp_path: Path, given: str) -> None:
    outcome = koujing("sources", "add", given)
    assert (outcome.code, outcome.out) == (2, "")
    assert f"not an http or https address: {given}; to read a file use koujing extract" in outcome.err
    assert not (tmp_path / "home" / "sources.yaml").exists()


def test_a_page_that_cannot_be_fetched_is_added_only_unseen(koujing: Run, tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "page.html").write_text("<title>Here</title><p>x</p>", encoding="utf-8")
    file = tmp_path / "home" / "sources.yaml"
    with DemoServer([tmp_path / "site"]) as server:
        lost = f"{server.base_url}/lost.html"
        outcome = koujing("sources", "add", lost, "--allow-loopback")
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith(f"error: {lost} is not added: the page is gone (404)")
        assert outcome.err.endswith("; --no-visit adds it unseen\n")
        assert not file.exists()
        assert koujing("sources", "add", lost, "--allow-loopback", "--no-visit", "--id", "lost").code == 0
        assert koujing("sources", "add", f"{server.base_url}/page.html", "--allow-loopback").code == 0
    assert "lost.html" in file.read_text(encoding="utf-8")
    assert "title: Here" in file.read_text(encoding="utf-8")


def test_a_source_is_removed_by_its_id(koujing: Run, tmp_path: Path) -> None:
    file = tmp_path / "home" / "sources.yaml"
    for name in ("a", "b"):
        koujing("sources", "add", f"https://vendor.example/{name}", "--no-visit", "--id", name)
    outcome = koujing("sources", "remove", "a")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out == f"removed a (https://vendor.example/a) from {file}\n"
    assert "vendor.example/b" in koujing("sources", "list").out
    assert "vendor.example/a" not in koujing("sources", "list").out
    again = koujing("sources", "remove", "a", "--from", str(file))
    assert again.code == 1
    assert again.err == f"error: {file}: no source is called 'a'; there are b\n"
    assert (
        koujing("sources", "remove", "b").err
        == f"error: {file}: b is the only source; delete the file instead\n"
    )


# How a page is told


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"first_visit": True, "claims": 0}, "first read p 0 claims"),
        ({"first_visit": True, "claims": 1}, "first read p 1 claim"),
        ({"first_visit": True, "claims": 2}, "first read p 2 claims"),
        ({"first_visit": True, "reason": "it is empty"}, "first read p (it is empty)"),
        ({"claims": 2}, "changed    p no claim changed (the words around them did)"),
        ({"status": FetchStatus.UNCHANGED}, "unchanged  p"),
        ({"status": FetchStatus.FAILED, "first_visit": True, "reason": "x"}, "failed     p (x)"),
    ],
)
def test_a_page_is_told_by_what_came_of_it(fields: dict[str, Any], line: str) -> None:
    page = {"source_id": "p", "vendor": None, "url": "u", "status": FetchStatus.CHANGED, **fields}
    assert told(PageRow(**page)) == line
