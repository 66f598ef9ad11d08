"""The list on paper: no word of a page is markup, and a Word document is well formed."""

from __future__ import annotations

import io
import json
import zipfile
from xml.etree import ElementTree as ET

import pytest

from flows import buyers_list
from review.questions import Question, Stated, VendorList, topics, trial
from schemas.record import Words

NASTY = "</w:t> <script>alert(1)</script> [x](javascript:1) **3.2T** \x1b[31m\u202e`rm`"


def listed(quote: str = NASTY) -> tuple[VendorList, ...]:
    question = Question(
        topic="basis",
        ask=Words(en="Of what?", zh="按什么计？"),
        value="3.2T",
        metric="rdma_bandwidth",
        quote=quote,
        url="https://v.example/p",
        matters=(Words(en="RDMA", zh="机间"),),
    )
    stated = Stated(metric="mfu", value="55%", quote="55%", url="https://v.example/p")
    return (
        VendorList(
            vendor="huawei-cloud",
            questions={topic.id: (question,) if topic.id == "basis" else () for topic in topics()},
            trial={item.id: (stated,) if item.id == "tokens_per_gpu" else () for item in trial()},
        ),
    )


@pytest.mark.parametrize(
    ("lang", "name", "title"),
    [("en", "Huawei Cloud", "Questions before buying"), ("zh", "华为云", "采购前的问题")],
)
def test_markdown(lang, name, title):
    text = buyers_list.as_markdown(listed(), lang)
    assert text.startswith(f"# {title}\n\n## {name}\n")
    assert "\\<script\\>alert(1)\\</script\\>" in text
    assert "\\*\\*3.2T\\*\\*" in text
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert {"en": "55% (model FLOPs utilisation)", "zh": "55%（模型算力利用率）"}[lang] in text
    assert {"en": "Rests on it: RDMA", "zh": "影响评分：机间"}[lang] in text


def asked(*quotes: str, url: str = "https://v.example/p") -> tuple[VendorList, ...]:
    (one,) = listed()
    (question,) = one.questions["basis"]
    same = tuple(question.model_copy(update={"quote": text, "url": url}) for text in quotes)
    return (one.model_copy(update={"questions": {**one.questions, "basis": same}}),)


def test_one_question_is_asked_once_with_every_statement_that_raises_it():
    text = buyers_list.as_markdown(asked("3.2T", "800Gbps"), "zh")
    assert text.count("按什么计？") == 1
    assert text.count("影响评分：机间") == 1
    assert "贵方页面写道：“3.2T” <https://v.example/p>\n  - 贵方页面写道：“800Gbps”" in text


@pytest.mark.parametrize(
    ("url", "written"),
    [
        ("https://v.example/a_b~c?x=1&y=2", "<https://v.example/a_b~c?x=1&y=2>"),
        ("https://v.example/a b>c<d\\e", "<https://v.example/a%20b%3Ec%3Cd%5Ce>"),
        ("https://v.example/页", "<https://v.example/%E9%A1%B5>"),
        ("javascript:alert(1)//[x]", "javascript:alert(1)//\\[x\\]"),
        ("", ""),
    ],
)
def test_an_address_can_be_clicked_and_ends_where_it_ends(url, written):
    text = buyers_list.as_markdown(asked("3.2T", url=url), "en")
    assert f"  - Your page says: “3.2T” {written}".rstrip() + "\n" in text


def test_json_holds_both_languages_and_the_words_as_they_are():
    (own,) = json.loads(buyers_list.as_json_text(listed(), "zh"))
    (question,) = own["questions"]
    assert question["text"] == "按什么计？"
    assert question["ask"] == {"en": "Of what?", "zh": "按什么计？"}
    assert question["quote"] == NASTY
    assert len(own["trial"]) == len(trial())


@pytest.mark.parametrize("quote", ["a\ufffeb", "a\uffffb", "a\x0bb\x00", "a\ud800b", "a\u2028b ]]> &amp;"])
def test_a_word_document_is_well_formed_whatever_the_page_says(quote):
    with zipfile.ZipFile(io.BytesIO(buyers_list.as_docx(listed(quote), "en"))) as archive:
        texts = "".join(ET.fromstring(archive.read("word/document.xml")).itertext())
    assert "a" in texts
    assert "]]> &amp;" in texts or "]]>" not in quote


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_a_word_document_is_whole_and_the_same_each_time(lang):
    body = buyers_list.as_docx(listed(), lang)
    assert body == buyers_list.as_docx(listed(), lang)
    with zipfile.ZipFile(io.BytesIO(body)) as archive:
        assert archive.testzip() is None
        assert "[Content_Types].xml" in archive.namelist()
        parsed = {name: ET.fromstring(archive.read(name)) for name in archive.namelist()}
    words = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}t"
    texts = [element.text for element in parsed["word/document.xml"].iter(words)]
    assert any("<script>alert(1)</script>" in (text or "") for text in texts)
    assert len(texts) > 20
    space = words.removesuffix("t")
    styles = {
        style.get(f"{space}styleId"): style.get(f"{space}default") for style in parsed["word/styles.xml"]
    }
    assert styles["Normal"] == "1"
    used = {style.get(f"{space}val") for style in parsed["word/document.xml"].iter(f"{space}pStyle")}
    assert used == {"Heading1", "Heading2", "Heading3"} <= set(styles)
