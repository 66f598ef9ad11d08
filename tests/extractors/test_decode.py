"""Which encoding is believed, and what is said about it."""

import codecs

import pytest

from extractors.decode import clean, decode

RARE = "镕铸算力 3.2Tbps"  # its first character is not in GB 2312


@pytest.mark.parametrize(
    ("body", "content_type", "text", "encoding", "origin"),
    [
        (codecs.BOM_UTF8 + "每节点".encode(), "text/html; charset=gbk", "每节点", "utf-8", "bom"),
        (codecs.BOM_UTF16_LE + "每节点".encode("utf-16-le"), "", "每节点", "utf-16-le", "bom"),
        (RARE.encode("gb18030"), "text/html; charset=gb2312", RARE, "gb18030", "header"),
        (RARE.encode("gb18030"), 'text/html; charset="GBK"', RARE, "gb18030", "header"),
        (
            f"<meta charset='gb2312'>{RARE}".encode("gb18030"),
            "",
            f"<meta charset='gb2312'>{RARE}",
            "gb18030",
            "meta",
        ),
        ("<meta charset=utf-16>每".encode(), "", "<meta charset=utf-16>每", "utf-8", "meta"),
        ("每节点 3.2T".encode(), "", "每节点 3.2T", "utf-8", "utf-8"),
        ("每节点 3.2T".encode("gbk"), "", "每节点 3.2T", "gb18030", "gb18030"),
        ("頻寬".encode("big5"), "text/html; charset=big5", "頻寬", "big5hkscs", "header"),
        (b"caf\xe9", "text/html; charset=iso-8859-1", "café", "cp1252", "header"),
        (b"plain", "", "plain", "utf-8", "utf-8"),
    ],
)
def test_the_first_encoding_that_fits_is_believed(
    body: bytes, content_type: str, text: str, encoding: str, origin: str
) -> None:
    found = decode(body, content_type)
    assert (found.text, found.encoding, found.encoding_from, found.notes) == (text, encoding, origin, ())


def test_a_declared_charset_with_errors_is_not_trusted() -> None:
    found = decode("<meta charset=utf-8>每节点 3.2T".encode("gbk"), "text/html; charset=utf-8")
    assert (found.text, found.encoding_from) == ("<meta charset=utf-8>每节点 3.2T", "gb18030")
    assert found.notes == (
        "the header declares utf-8, but the bytes are not valid in it",
        "the meta declares utf-8, but the bytes are not valid in it",
    )


def test_a_declaration_inside_a_comment_does_not_count() -> None:
    assert decode("<!-- <meta charset=big5> -->每".encode()).encoding_from == "utf-8"


@pytest.mark.parametrize("label", ["unicode_escape", "idna", "no-such-thing", "rot13", "\u00e9"])
def test_a_charset_that_pages_do_not_have_is_named_and_passed_over(label: str) -> None:
    found = decode("每".encode(), f"text/html; charset={label}")
    assert (found.text, found.encoding_from) == ("每", "utf-8")
    assert "unknown charset" in found.notes[0]


def test_utf8_sent_as_latin_1_is_utf8() -> None:
    found = decode("2 µs 每".encode(), "text/html; charset=ISO-8859-1")
    assert (found.text, found.encoding_from) == ("2 µs 每", "utf-8")
    assert found.notes == ("the header declares ISO-8859-1, but the bytes are valid UTF-8",)


@pytest.mark.parametrize("content_type", ["", "text/html; charset=utf-8"])
def test_a_page_cut_inside_a_character_is_read(content_type: str) -> None:
    found = decode("每节点".encode()[:-1], content_type)
    assert (found.text, found.encoding, found.notes) == ("每节", "utf-8", ("the last character is cut",))


def test_a_long_page_with_one_broken_byte_is_not_read_as_another_encoding() -> None:
    body = ("每台机器的互联带宽，" * 20).encode() + b"\xff" + "结束".encode()
    found = decode(body)
    assert found.encoding == "utf-8"
    assert found.text.endswith("\ufffd结束")
    assert found.notes == ("1 characters are broken in utf-8 and could not be read",)


def test_windows_quotes_within_utf8_are_read_as_quotes() -> None:
    body = ("每台机器的互联带宽，" * 20).encode() + b"\n\x93RDMA\x94 3.2\x964 Tbps\n" + "结束".encode()
    found = decode(body)
    assert found.encoding == "utf-8"
    assert found.text.endswith("\n“RDMA” 3.2–4 Tbps\n结束")
    assert found.notes == ("3 characters within the UTF-8 were windows-1252 and read as such",)


def test_a_guess_is_called_a_guess() -> None:
    found = decode("Durée moyenne : 3 ms, débit élevé à Orléans.".encode("latin-1"))
    assert found.encoding_from == "detected"
    assert "3 ms" in found.text
    assert any(note.startswith("the encoding was guessed") for note in found.notes)


def test_bytes_that_hardly_are_chinese_say_so() -> None:
    found = decode("單台伺服器的頻寬".encode("big5"))
    assert found.encoding_from == "gb18030"
    assert found.notes == (
        "valid as gb18030, but it does not look like Chinese: the encoding may be another",
    )


def test_control_characters_go_and_line_ends_stay() -> None:
    assert clean("\ufeffa\x00\x1b\tb\r\nc\x0cd\ufffe\ud800é\u00a0") == "a\tb\r\nc dé\u00a0"
