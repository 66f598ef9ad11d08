"""Prompts load, name their version, and are filled once."""

from importlib.resources import files

import pytest

from extractors.model.answers import SCHEMA_VERSION, Answers, Reply, read_reply
from extractors.model.asking import instructions
from prompts.loader import load_prompt, prompt_diff, prompt_versions, written_digests
from schemas.errors import DataFileError

VALUES = {
    "vendor": "甲云",
    "product": "-",
    "title": "{vendor}",
    "block": "3.2T {mentions}",
    "headings": "-",
    "headers": "-",
    "mentions": "[1] 3.2T",
    "metrics": "rdma_bandwidth",
    "bases": "per_node",
}


def test_a_value_that_looks_like_a_field_is_not_filled_again():
    text = load_prompt("read_mentions", 1).fill(**VALUES)
    assert "Page: {vendor}\n" in text
    assert "3.2T {mentions}" in text
    assert "Mentions:\n[1] 3.2T\n" in text


def test_a_missing_and_an_unknown_field_are_named():
    values = {k: v for k, v in VALUES.items() if k != "bases"} | {"colour": "red"}
    with pytest.raises(ValueError, match=r"missing \['bases'\], unknown \['colour'\]"):
        load_prompt("read_mentions", 1).fill(**values)


@pytest.mark.parametrize("name", ["none_such", "../schemas/registry", "read-mentions", "read_mentions.1"])
def test_an_unknown_prompt_is_refused(name):
    with pytest.raises(DataFileError, match="there is no such prompt"):
        load_prompt(name)


def test_every_prompt_that_ships_is_written_down():
    found = {
        f"{name}.{version}": load_prompt(name, version).digest
        for name, versions in prompt_versions().items()
        for version in versions
    }
    assert found == written_digests(), "put the digest of the new version beside the others"


@pytest.fixture
def own(tmp_path, monkeypatch):
    """A folder of prompts that may be changed."""
    for file in files("prompts").iterdir():
        if file.name.endswith((".md", ".yaml")):
            (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setattr("prompts.loader.files", lambda _: tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "change", [("A figure", "Any figure"), ("Answer with", "Answer  with"), ("\n---\n", "\n---\n\n")]
)
def test_a_changed_prompt_is_refused_with_the_way_out(own, change):
    path = own / "read_mentions.2.md"
    path.write_text(path.read_text(encoding="utf-8").replace(*change) + "\n", encoding="utf-8")
    with pytest.raises(DataFileError, match=r"write yours as read_mentions\.3\.md"):
        load_prompt("read_mentions")
    assert load_prompt("read_mentions", 1).version == 1, "the others are as they were"


def test_a_version_that_is_not_written_down_is_a_draft(own):
    newest = (own / "read_mentions.2.md").read_text(encoding="utf-8")
    (own / "read_mentions.3.md").write_text(newest, encoding="utf-8")
    with pytest.raises(DataFileError, match="its head says read_mentions 2"):
        load_prompt("read_mentions", 3)
    (own / "read_mentions.3.md").write_text(newest.replace("version: 2", "version: 3"), encoding="utf-8")
    assert load_prompt("read_mentions").version == 2
    assert load_prompt("read_mentions", 3).version == 3
    assert "+version: 3\n" in prompt_diff("read_mentions", 2, 3)


def test_the_newest_prompt_says_what_it_is_for_and_shows_both_languages():
    prompt = load_prompt("read_mentions")
    assert (prompt.version, prompt.answers) == (2, f"extractors.model.answers@{SCHEMA_VERSION}")
    assert prompt.purpose
    assert prompt.again
    assert {example.language for example in prompt.examples} == {"zh", "en"}
    assert all(isinstance(read_reply(Reply(example.answer)), Answers) for example in prompt.examples)
    assert all(example.passage in instructions(prompt) for example in prompt.examples)


def test_two_versions_are_compared():
    assert "+version: 2\n" in prompt_diff("read_mentions", 1, 2)
    assert prompt_diff("read_mentions", 1, 1) == ""
