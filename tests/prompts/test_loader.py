"""Prompts load, name their version, and are filled once."""

import pytest

from prompts.loader import load_prompt
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
    text = load_prompt("read_mentions").fill(**VALUES)
    assert "Page: {vendor}\n" in text
    assert "3.2T {mentions}" in text
    assert "Mentions:\n[1] 3.2T\n" in text


def test_a_missing_and_an_unknown_field_are_named():
    values = {k: v for k, v in VALUES.items() if k != "bases"} | {"colour": "red"}
    with pytest.raises(ValueError, match=r"missing \['bases'\], unknown \['colour'\]"):
        load_prompt("read_mentions").fill(**values)


@pytest.mark.parametrize("name", ["none_such", "../schemas/registry", "read-mentions"])
def test_an_unknown_prompt_is_refused(name):
    with pytest.raises(DataFileError, match="there is no such prompt"):
        load_prompt(name)
