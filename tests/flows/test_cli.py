from __future__ import annotations

import csv
import io
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml

from flows import cli
from flows.commands.examples import EXAMPLES
from flows.demo_server import DemoServer
from warehouse.home import Home

ROOT = Path(__file__).parents[2]
KOUJING = Path(sys.executable).with_name("koujing")
PAGE = """<!doctype html><html lang="zh"><title>华为云 SFS Turbo</title><h1>SFS Turbo 规格</h1>
<table><tr><th>文件系统总吞吐</th><th>文件系统 IOPS</th></tr>
<tr><td>最高 2 TB/s</td><td>最高 3000 万</td></tr></table></html>"""
FIRST_CARD = ["4.76", "4.61", "4.54", "4.52", "4.50", "3.81"]
SECOND_CARD = ["4.55", "4.36", "4.24", "4.13", "4.02", "3.90"]


Run = Callable[..., Any]


# Help, version, usage


@pytest.mark.parametrize("command", [(), *(tuple(name.split()) for name in EXAMPLES)])
def test_every_command_explains_itself(koujing: Run, command: tuple[str, ...]) -> None:
    outcome = koujing(*command, "--help")
    assert (outcome.code, outcome.err) == (0, "")
    assert outcome.out.startswith(f"Usage: koujing {' '.join(command)}".strip())
    for example in EXAMPLES.get(" ".join(command), ()):
        assert example in outcome.out


@pytest.mark.parametrize("example", [line for lines in EXAMPLES.values() for line in lines])
def test_examples_are_accepted(example: str, monkeypatch: pytest.MonkeyPatch) -> None:
    words = shlex.split(example.split(" < ")[0].split(" | head")[0].rpartition("| ")[2])
    words = [word for word in words if "=/" not in word]
    assert words[0] == "koujing"
    import typer

    group = typer.main.get_command(cli.app)
    context = group.make_context("koujing", words[1:], resilient_parsing=False)
    with context:
        name, command, rest = group.resolve_command(context, [*context._protected_args, *context.args])
        while hasattr(command, "resolve_command"):
            name, command, rest = command.resolve_command(context, rest)
        command.make_context(name, list(rest), parent=context).close()


def test_the_version_is_printed(koujing: Run) -> None:
    outcome = koujing("--version")
    assert outcome.code == 0
    assert outcome.out.startswith("koujing ")


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("rank", "--nonsense"),
        ("rank", "--format", "xml"),
        ("rank", "--weight", "storage_io"),
        ("rank", "--weight", "storage_io=much"),
        ("rank", "--weight", "storage_io=NaN"),
        ("rank", "--weight", "storage_io=1.5"),
        ("rank", "--weight", "nothing=0.1"),
        ("rank", "--weight", "rdma=0.1", "--weight", "rdma=0.2"),
        ("rank", "--scorecard", "nothing"),
        ("flags", "--vendor", "nobody"),
        ("extract", "page.html", "--vendor", "nobody"),
        ("changes", "--since", "yesterday"),
        ("extract",),
        ("sources", "nothing"),
    ],
)
def test_wrong_usage_exits_with_2_and_speaks_on_stderr(koujing: Run, arguments: tuple[str, ...]) -> None:
    outcome = koujing(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Error:" in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("extract", "no-such-file.html"), "no-such-file.html cannot be read"),
        (("extract", "http://"), "is no address"),
        (("extract", "http://127.0.0.1:9/"), "127.0.0.1"),
        (("sql", "SELECT 1"), "there is no ledger"),
        (("flags",), "there is no ledger"),
        (("changes",), "there is no ledger"),
        (("refresh", "--sources", "no-such-list.yaml"), "no-such-list.yaml: there is no such file"),
        (("sources", "list", "no-such-list.yaml"), "no-such-list.yaml: there is no such file"),
        (("rank", "--scorecard", "./no-such-card.yaml"), "no-such-card.yaml: there is no such file"),
    ],
)
def test_failures_exit_with_1_and_one_sentence_on_stderr(
    koujing: Run, arguments: tuple[str, ...], said: str
) -> None:
    outcome = koujing(*arguments)
    assert (outcome.code, outcome.out) == (1, "")
    assert said in outcome.err
    assert "Traceback" not in outcome.err


def test_a_home_that_is_a_file_is_refused(koujing: Run, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    outcome = koujing("--home", str(tmp_path / "file"), "where")
    assert outcome.code == 1
    assert "is a file, not a folder" in outcome.err


# extract


def test_extract_prints_one_claim_a_line(koujing: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    outcome = koujing("extract", str(page), "--vendor", "huawei-cloud", "--format", "jsonl")
    assert (outcome.code, outcome.err) == (0, "")
    claims = {claim["metric"]: claim for claim in outcome.objects}
    assert claims["fs_throughput"]["low"] == "2000000000000"
    assert claims["fs_iops"]["low"] == "30000000"
    assert claims["fs_iops"]["source"] == "page.html"
    assert claims["fs_iops"]["vendor"] == "huawei-cloud"


def test_extract_prints_a_table_without_cutting_it(koujing: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(PAGE, encoding="utf-8")
    outcome = koujing("extract", str(page))
    assert outcome.code == 0
    assert "2000000000000" in outcome.out
    assert "\x1b" not in outcome.out


@pytest.mark.parametrize("body", [b"", bytes(range(256)) * 20])
def test_an_unreadable_page_gives_its_reason_and_no_claims(koujing: Run, tmp_path: Path, body: bytes) -> None:
    page = tmp_path / "page.html"
    page.write_bytes(body)
    outcome = koujing("extract", str(page), "--format", "jsonl")
    assert (outcome.code, outcome.out) == (0, "")
    assert str(page) in outcome.err


def test_a_page_cannot_speak_to_the_terminal(koujing: Run, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "# 华为云 [red]SFS\x1b[31m\n\n文件系统总吞吐最高 2 TB/s\x1b]0;title\x07\u202e\n", encoding="utf-8"
    )
    for form in ("table", "jsonl"):
        outcome = koujing("extract", str(page), "--vendor", "huawei-cloud", "--format", form)
        assert outcome.code == 0
        assert "2 TB/s" in outcome.out
        assert not set(outcome.out) & {"\x1b", "\x07", "\u202e"}


# quantities


def test_quantities_have_exactly_the_agreed_keys(koujing: Run) -> None:
    text = "RDMA 最高 3.2 Tbps"
    outcome = koujing("quantities", text, "--format", "jsonl")
    (quantity,) = outcome.objects
    assert list(quantity) == ["low", "high", "unit", "bound", "text", "start", "end"]
    assert (quantity["low"], quantity["high"], quantity["unit"]) == ("3200000000000", None, "bit/s")
    assert text[int(str(quantity["start"])) : int(str(quantity["end"]))] == quantity["text"]


def test_with_lines_each_line_is_a_text(koujing: Run) -> None:
    outcome = koujing(
        "quantities", "no number\n400 Gbps\r\n\n5 μs and 6 μs\n", "--lines", "--format", "jsonl"
    )
    found = [(q["line"], q["text"], q["start"]) for q in outcome.objects]
    assert found == [(2, "400 Gbps", 0), (4, "5 μs", 0), (4, "6 μs", 9)]


def test_a_text_without_quantities_is_no_failure(koujing: Run) -> None:
    outcome = koujing("quantities", "nothing here")
    assert (outcome.code, outcome.out) == (0, "")
    assert "no quantity" in outcome.err


# rank


def shown(outcome: Any) -> list[list[str]]:
    return [[place["shown"] for place in card["placements"]] for card in json.loads(outcome.out)]


def test_rank_prints_the_published_totals_without_a_ledger(koujing: Run) -> None:
    outcome = koujing("rank")
    assert (outcome.code, outcome.err) == (0, "")
    totals = [line.split()[-1] for line in outcome.out.splitlines() if line.strip()[:1].isdigit()]
    assert totals == FIRST_CARD + SECOND_CARD
    assert "阿里云" in outcome.out
    assert "Alibaba Cloud" in outcome.out
    assert outcome.out.count("no order to print") == 2


def test_rank_as_json_says_the_same(koujing: Run) -> None:
    assert shown(koujing("rank", "--format", "json")) == [FIRST_CARD, SECOND_CARD, [], []]


def test_another_weight_scales_the_rest_and_says_so(koujing: Run) -> None:
    outcome = koujing("rank", "--weight", "storage_io=0.25", "--format", "json")
    (card,) = json.loads(outcome.out)
    assert card["scorecard"] == "ten-thousand-cards"
    assert card["weights"]["storage_io"] == "0.25"
    assert card["variant"] == "reweighted"
    assert "scaled to sum to 1" in card["note"]
    table = koujing("rank", "--weight", "storage_io=0.25")
    assert "storage_io=0.25 is as given; the others are scaled to sum to 1" in table.out


def test_a_scorecard_that_is_wrong_is_refused_with_its_line(koujing: Run, tmp_path: Path) -> None:
    card = tmp_path / "card.yaml"
    card.write_text("id: mine\nname: {en: Mine, zh: 我的}\norigin: {en: me, zh: 我}\ndimensions: none\n")
    outcome = koujing("rank", "--scorecard", str(card))
    assert outcome.code == 1
    assert "card.yaml:4:" in outcome.err


def test_rank_shows_the_proposal_beside_the_standing_order(koujing: Run, played: Home) -> None:
    outcome = koujing("--home", str(played.root), "rank", "--scorecard", "ten-thousand-cards")
    assert "huawei-cloud, storage_io: 4.1 is stale: of 3 claims under it" in outcome.out
    assert "Proposal for huawei-cloud, storage_io: 4.1 → 4.6." in outcome.out
    totals = [line.split() for line in outcome.out.splitlines() if line.strip()[:1].isdigit()]
    assert [row[-1] for row in totals[:6]] == FIRST_CARD
    assert [(row[0], row[-1]) for row in totals[6:10]] == [
        ("1", "4.76"),
        ("2", "4.61"),
        ("2", "4.61"),
        ("4", "4.54"),
    ]


# sql, flags, changes, where


def test_sql_prints_every_format(koujing: Run, played: Home, tmp_path: Path) -> None:
    query = (
        "SELECT 0.1::DECIMAL(3,2) AS n, NULL AS nothing, '阿,里' AS words, DATE '2026-05-01' AS day, "
        "[1, 2] AS many, 1 AS n"
    )
    home = ("--home", str(played.root))
    (item,) = json.loads(koujing(*home, "sql", query, "--format", "json").out)
    assert item == {
        "n": "0.1",
        "nothing": None,
        "words": "阿,里",
        "day": "2026-05-01",
        "many": [1, 2],
        "n_2": 1,
    }
    assert koujing("sql", query, "--format", "jsonl", *home).objects == [item]
    table = list(csv.reader(io.StringIO(koujing(*home, "sql", query, "--format", "csv").out)))
    assert table == [
        ["n", "nothing", "words", "day", "many", "n_2"],
        ["0.1", "", "阿,里", "2026-05-01", "[1, 2]", "1"],
    ]
    file = tmp_path / "result.jsonl"
    outcome = koujing(*home, "sql", query, "--out", str(file))
    assert (outcome.code, outcome.out) == (0, "")
    assert json.loads(file.read_text(encoding="utf-8")) == item


def test_sql_that_fails_or_cannot_be_written_exits_with_1(koujing: Run, played: Home, tmp_path: Path) -> None:
    home = ("--home", str(played.root))
    for query in ("SELECT nothing FROM nowhere", "DELETE FROM claims", "SELECT 1; SELECT 2"):
        outcome = koujing(*home, "sql", query)
        assert (outcome.code, outcome.out) == (1, "")
        assert outcome.err.startswith("error: ")
    outcome = koujing(*home, "sql", "SELECT 1", "--out", str(tmp_path / "no" / "such" / "folder"))
    assert outcome.code == 1
    assert "cannot be written" in outcome.err


def test_sql_cannot_speak_to_the_terminal(koujing: Run, played: Home) -> None:
    query = "SELECT chr(27) || '[31mred' || chr(155) || chr(8238) AS words"
    for form in ("table", "json", "jsonl"):
        outcome = koujing("--home", str(played.root), "sql", query, "--format", form)
        assert "red" in outcome.out
        assert not set(outcome.out) & {"\x1b", "\x9b", "\u202e"}


def test_headings_of_sql_cannot_speak_to_the_terminal(koujing: Run, played: Home) -> None:
    outcome = koujing("--home", str(played.root), "sql", 'SELECT 1 AS "\x1b[31mred\u202e"')
    assert outcome.out.splitlines() == ["red", "---", "  1"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("rank", "--weight", "\x1b[31mx\u202e=1"),
        ("rank", "--weight", "\x1b[31mx\u202e"),
        ("rank", "--scorecard", "\x1b[31mx\u202e"),
        ("flags", "--vendor", "\x1b[31mx\u202e"),
        ("changes", "--since", "\x1b[31mx\u202e"),
        ("rank", "--\x1b[31mx\u202e"),
        ("\x1b[31mx\u202e",),
        ("where", "\x1b[31mx\u202e"),
        ("sources", "add", "\x1b[31mx\u202e"),
        ("sql", "SELECT 1", "--out", "x.\x1b[31mx\u202e"),
        ("rank", "--format", "\x1b[31mx\u202e"),
        ("refresh", "--wait", "\x1b[31mx\u202e"),
    ],
)
def test_what_was_typed_wrong_is_repeated_without_what_a_terminal_obeys(
    koujing: Run, arguments: tuple[str, ...]
) -> None:
    outcome = koujing(*arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Error: " in outcome.err
    assert not set(outcome.err) & {"\x1b", "\u202e"}


def test_an_sql_result_that_is_too_large_is_refused(
    koujing: Run, played: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("flows.commands.asking._LARGEST_RESULT", 1 << 20)
    outcome = koujing("--home", str(played.root), "sql", "SELECT repeat('x', 10000) FROM range(1000)")
    assert (outcome.code, outcome.out) == (1, "")
    assert "the result is larger than 1 MB; add LIMIT" in outcome.err


def test_flags_come_in_the_order_of_review_with_their_question(koujing: Run, played: Home) -> None:
    flags = koujing("--home", str(played.root), "flags", "--format", "jsonl").objects
    assert {(f["roll_up"], f["reading"]) for f in flags} == {
        ("AMBIGUOUS", "sources_differ"),
        ("QUALIFIED", "test_yourself"),
    }
    seen = [flag for flag in flags if flag["not_seen"] == 0]
    moving = [flag["moves"] is not None for flag in seen]
    assert moving == sorted(moving, reverse=True)
    worth = [Fraction(str(flag["worth"])) for flag in seen if flag["moves"] is None]
    assert worth == sorted(worth, reverse=True)
    assert worth[0] > 0
    assert all(flag["question"] and flag["readings"] for flag in flags)
    of_huawei = koujing("--home", str(played.root), "flags", "--vendor", "huawei-cloud", "--format", "json")
    listed = json.loads(of_huawei.out)
    assert listed
    assert {flag["vendor"] for flag in listed} == {"huawei-cloud"}
    table = koujing("--home", str(played.root), "flags", "--vendor", "huawei-cloud").out
    assert str(listed[0]["question"]["en"]) in table


def test_changes_leave_first_readings_out_unless_asked(koujing: Run, played: Home) -> None:
    home = ("--home", str(played.root))
    listed = json.loads(koujing(*home, "changes", "--format", "json").out)
    assert {(e["roll_up"], e["reading"]) for e in listed} == {("QUALIFIED", "test_yourself")}
    assert {change["kind"] for change in listed} == {"new"}
    throughput = next(change for change in listed if change["metric"] == "fs_throughput")
    assert throughput["before"] is None
    assert throughput["after"]["low"] == "2000000000000"
    everything = json.loads(koujing(*home, "changes", "--all", "--format", "json").out)
    assert len(everything) > len(listed)
    assert json.loads(koujing(*home, "changes", "--since", "2026-05-02", "--format", "json").out) == []
    assert len(koujing(*home, "changes", "--since", "2026-05-01", "--format", "jsonl").objects) == len(listed)
    table = koujing(*home, "changes")
    assert "2 TB/s" in table.out
    assert "first readings are left out" in table.err


def test_where_tells_what_is_there(koujing: Run, played: Home, tmp_path: Path) -> None:
    there = koujing("--home", str(played.root), "where").out
    assert str(played.ledger) in there
    assert "pages" in there
    empty = koujing("where").out
    assert str(tmp_path / "home" / "ledger.duckdb") in empty
    assert "not yet" in empty


# sources


def test_a_source_is_added_listed_and_refused_the_second_time(koujing: Run) -> None:
    added = koujing("sources", "add", "https://vendor.example/gpu", "--vendor", "ucloud", "--no-visit")
    assert added.code == 0
    assert "vendor.example/gpu" in koujing("sources", "list").out
    again = koujing("sources", "add", "https://vendor.example/gpu", "--no-visit")
    assert again.code == 1
    assert "already listed" in again.err


def test_a_page_is_looked_at_before_it_is_added(koujing: Run, tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text(PAGE, encoding="utf-8")
    listed = tmp_path / "list.yaml"
    with DemoServer([tmp_path]) as server:
        url = f"{server.base_url}/page.html"
        options = ("--to", str(listed), "--allow-loopback", "--every", "1d", "--depth", "2", "--pages", "7")
        added = koujing("sources", "add", url, *options)
        lost = koujing(
            "sources", "add", f"{server.base_url}/lost.html", "--to", str(listed), "--allow-loopback"
        )
    assert (added.code, lost.code) == (0, 1)
    assert "claim" in added.out
    assert "is not added" in lost.err
    entry = yaml.safe_load(listed.read_text(encoding="utf-8"))["sources"][0]
    assert (entry["every"], entry["crawl"]) == ("1d", {"depth": 2, "pages": 7, "under": ""})


def test_sources_are_checked_without_storing_anything(koujing: Run, tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    (site / "page.html").write_text(PAGE, encoding="utf-8")
    listed = tmp_path / "list.yaml"
    with DemoServer([site]) as server:
        entry = f"sources:\n  - {{id: here, url: '{server.base_url}/page.html'}}\n"
        listed.write_text(entry, encoding="utf-8")
        good = koujing("sources", "check", str(listed), "--allow-loopback")
        listed.write_text(f"{entry}  - {{id: lost, url: '{server.base_url}/lost.html'}}\n", encoding="utf-8")
        bad = koujing("sources", "check", str(listed), "--allow-loopback")
        closed = koujing("sources", "check", str(listed))
    assert (good.code, "reachable" in good.out) == (0, True)
    assert (bad.code, "gone" in bad.out) == (1, True)
    assert "1 of 2 sources cannot be watched" in bad.err
    assert closed.code == 1
    assert not (tmp_path / "home" / "ledger.duckdb").exists()


# As a process


@pytest.mark.slow
@pytest.mark.parametrize("start", [[str(KOUJING)], [sys.executable, "-m", "flows.cli"]])
def test_both_ways_to_start_it_work(start: list[str], tmp_path: Path) -> None:
    environment = {**os.environ, "KOUJING_HOME": str(tmp_path)}
    done = subprocess.run([*start, "rank"], capture_output=True, text=True, env=environment, cwd=ROOT)
    assert (done.returncode, done.stderr) == (0, "")
    assert "4.76" in done.stdout
    failed = subprocess.run(
        [*start, "rank", "--nonsense"], capture_output=True, text=True, env=environment, cwd=ROOT
    )
    assert (failed.returncode, failed.stdout) == (2, "")


@pytest.mark.slow
def test_one_huge_value_does_not_take_the_machines_memory(played: Home) -> None:
    code = (
        "import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stderr=subprocess.PIPE, text=True); "
        "print(done.returncode, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, done.stderr)"
    )
    query = "SELECT repeat('x', 2000000000)"
    command = [sys.executable, "-c", code, str(KOUJING), "--home", str(played.root), "sql", query]
    done = subprocess.run(command, capture_output=True, text=True)
    ended, megabytes, said = done.stdout.split(" ", 2)
    assert ended == "1"
    assert int(megabytes) < 2_000
    assert said.startswith("error: the query needs more memory than it may have; add LIMIT")


@pytest.mark.slow
def test_a_reader_that_goes_away_ends_it_quietly(played: Home) -> None:
    query = "SELECT range, repeat('x', 1000) FROM range(2000)"
    command = f"{shlex.quote(str(KOUJING))} --home {shlex.quote(str(played.root))} sql {shlex.quote(query)}"
    done = subprocess.run(["bash", "-c", f"{command} | head -1"], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.startswith("range")


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("--help",), ("rank",), ("sql", "SELECT 1"), ("quantities", "1 TB/s")])
def test_small_commands_import_neither_prefect_nor_the_network(
    arguments: tuple[str, ...], played: Home
) -> None:
    code = (
        "import sys; from flows import cli\n"
        "try: cli.main()\n"
        "finally: print(sorted({'prefect', 'httpx', 'langchain'} & set(sys.modules)), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "--home", str(played.root), *arguments],
        capture_output=True,
        text=True,
        cwd=ROOT,
    )
    assert (done.returncode, done.stderr) == (0, "[]\n")
