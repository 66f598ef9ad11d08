"""The README's sample is what the command prints, and the commands it names exist."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")


def koujing(*words: str, text: str = "") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "flows.cli", *words]
    return subprocess.run(command, input=text, capture_output=True, text=True, cwd=ROOT, timeout=60)


def test_the_sample_claim_is_what_the_command_prints():
    sample = json.loads(re.search(r"```json\n(.*?)```", README, re.DOTALL)[1])
    words = re.search(r"echo '(.*?)' \| koujing extract - --format jsonl", README)[1]
    printed = json.loads(koujing("extract", "-", "--format", "jsonl", text=words + "\n").stdout)
    evidence = sample.pop("evidence")
    assert {key: printed[key] for key in sample} == sample
    assert {key: printed["evidence"][key] for key in evidence} == evidence


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_every_command_that_a_readme_names_exists(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    named = set(re.findall(r"^koujing (\w+)", text, re.MULTILINE))
    assert {"refresh", "rank", "flags", "changes", "sql"} <= named
    assert named <= set(re.findall(r"^  ([a-z]+) ", koujing("--help").stdout, re.MULTILINE))


@pytest.mark.parametrize("page", ["README.md", "docs/ledger.md", "CONTRIBUTING.md"])
def test_every_make_target_that_a_page_names_exists(page):
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    text = (ROOT / page).read_text(encoding="utf-8")
    assert set(re.findall(r"(?:^|`)make ([a-z]+)", text, re.MULTILINE)) <= targets


def test_the_cases_in_the_page_on_verification_are_judged_as_it_says():
    page = (ROOT / "docs" / "verification.md").read_text(encoding="utf-8")
    blocks = [block.strip().split("\n") for block in re.findall(r"```json\n(.*?)```", page, re.DOTALL)]
    assert len(blocks) == 2
    printed = koujing("verify", "--cases", "-", text="".join(f"{case}\n" for case, _ in blocks))
    assert printed.stderr == ""
    told = [json.loads(line) for line in printed.stdout.splitlines()]
    assert told == [json.loads(outcome) for _, outcome in blocks]
