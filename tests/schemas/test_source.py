from __future__ import annotations

import pytest
from pydantic import ValidationError

from schemas.datafile import parse_data
from schemas.errors import DataFileError
from schemas.source import Source, SourceList


@pytest.mark.parametrize(
    "url",
    [
        "http://user:secret@vendor.example/gpu",
        "https://user@vendor.example/",
        "https://@vendor.example/",
        "https://:secret@vendor.example",
    ],
)
def test_an_address_with_credentials_is_refused_with_the_reason(url):
    with pytest.raises(ValidationError, match="user name or password, which would be published; take it out"):
        Source(id="page", url=url)


@pytest.mark.parametrize("url", ["https://vendor.example/@team", "https://vendor.example/?mail=a@b"])
def test_an_at_sign_further_on_is_no_credential(url):
    assert Source(id="page", url=url).url == url


@pytest.mark.parametrize("language", ["zh", "en-US", "zh-Hant-TW", "yue", "EN"])
def test_language_tags_are_taken(language):
    assert Source(id="page", url="https://vendor.example/", language=language).language == language


@pytest.mark.parametrize(
    "language",
    ["", "z", "Chinese", "zh_CN", "zh-", "zh\r\nX: 1", "zh\n", "中文", "zh,en", "zh-verylongsubtag"],
)
def test_what_is_no_language_tag_is_refused(language):
    with pytest.raises(ValidationError, match="should match pattern"):
        Source(id="page", url="https://vendor.example/", language=language)


@pytest.mark.parametrize(
    ("field", "says"),
    [("language: zh_CN", "zh_CN"), ("language: zh\n    url: https://u:p@vendor.example/", "password")],
)
def test_a_source_list_names_the_line(field, says):
    url = "" if "url" in field else "\n    url: https://vendor.example/"
    with pytest.raises(DataFileError, match=says) as refused:
        parse_data(f"sources:\n  - id: page\n    {field}{url}\n", SourceList, name="list.yaml")
    assert refused.value.line in (3, 4)
