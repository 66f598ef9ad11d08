"""The buyer's list on paper: Markdown, JSON or a Word document, in Chinese or English."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote
from xml.sax.saxutils import escape

from flows.printing import as_json, clean
from review.questions import Question, VendorList, topics, trial
from schemas.record import Words
from schemas.registry import registry

Language = Literal["en", "zh"]

_TITLE = Words(en="Questions before buying", zh="采购前的问题")
_TRIAL = Words(en="What a trial must measure", zh="PoC 要测的项目")
_WORDS = {
    "says": Words(en="Your page says: ", zh="贵方页面写道："),
    "says_of": Words(en="Your page says of {}: ", zh="关于{}，贵方页面写道："),
    "silent": Words(
        en="Nothing on this was found on the pages that were read.", zh="在已读的页面上没有找到相关说明。"
    ),
    "wanted": Words(en="A reviewer wants this asked: ", zh="评审人要求询问："),
    "matters": Words(en="Rests on it: ", zh="影响评分："),
    "stated": Words(en="Stated by the vendor: ", zh="厂商自述："),
    "nothing": Words(en="states nothing", zh="没有给出"),
    "measured": Words(en="Measured: ", zh="实测："),
}

_AND: dict[Language, str] = {"en": "; ", "zh": "；"}
_BESIDE: dict[Language, str] = {"en": "{} ({})", "zh": "{}（{}）"}


@dataclass(frozen=True, slots=True)
class Line:
    """One paragraph: `level` 1 to 3 for headings, 0 for text, -1 for an item of a list, -2 for one below it.

    `url`: an address behind the text.
    """

    level: int
    text: str
    url: str = ""


def lines(listed: tuple[VendorList, ...], lang: Language) -> Iterator[Line]:
    """The list as paragraphs. Words of pages have nothing in them that a terminal or a reader would obey."""
    yield Line(1, _say(_TITLE, lang))
    for own in listed:
        yield Line(2, vendor_name(own.vendor, lang))
        number = 0
        for topic in topics():
            asked = own.questions.get(topic.id, ())
            if not asked:
                continue
            number += 1
            yield Line(3, f"{number}. {_say(topic.title, lang)}")
            yield Line(0, _say(topic.why, lang))
            for same in _together(asked, lang):
                yield from _asked(same, lang)
        yield Line(3, _say(_TRIAL, lang))
        for item in trial():
            yield Line(-1, f"{_say(item.title, lang)}{'：' if lang == 'zh' else ': '}{_say(item.how, lang)}")
            stated = own.trial.get(item.id, ())
            said = _AND[lang].join(
                _BESIDE[lang].format(clean(s.value), _metric(s.metric, lang)) for s in stated
            )
            said = said or _say(_WORDS["nothing"], lang)
            yield Line(-2, f"{_say(_WORDS['stated'], lang)}{said}")
            yield Line(-2, f"{_say(_WORDS['measured'], lang)}______")


def _together(asked: Iterable[Question], lang: Language) -> Iterator[list[Question]]:
    """Questions in the same words, which are asked once; in the order of the first of each."""
    groups: dict[str, list[Question]] = {}
    for question in asked:
        groups.setdefault(_say(question.ask, lang), []).append(question)
    yield from groups.values()


def _asked(same: list[Question], lang: Language) -> Iterator[Line]:
    """One question, the statements of the vendor's that raise it, and what rests on them."""
    yield Line(-1, clean(_say(same[0].ask, lang)))
    for question in same:
        if not question.quote:
            yield Line(-2, _say(_WORDS["silent"], lang))
            continue
        says = _say(_WORDS["says"], lang)
        if question.about is not None:
            says = _say(_WORDS["says_of"], lang).format(_apart(_say(question.about, lang), lang))
        yield Line(-2, f"{says}“{clean(question.quote)}”", clean(question.url))
        if question.asked_by:
            told = ": ".join(filter(None, (question.asked_by, question.note)))
            yield Line(-2, f"{_say(_WORDS['wanted'], lang)}{clean(told)}")
    matters = dict.fromkeys(_say(words, lang) for question in same for words in question.matters)
    if matters:
        yield Line(-2, f"{_say(_WORDS['matters'], lang)}{_AND[lang].join(matters)}")


def _apart(label: str, lang: Language) -> str:
    """In Chinese a word of Latin letters stands apart from the characters before it."""
    return f" {label}" if lang == "zh" and label[:1].isascii() else label


def _metric(name: str, lang: Language) -> str:
    known = registry().metrics.get(name)
    return _say(known.label, lang) if known else name


def vendor_name(vendor: str, lang: Language) -> str:
    """The vendor's name for readers; its id where nobody is known by it."""
    known = registry().vendors.get(vendor)
    return _say(known.label, lang) if known else vendor


def _say(words: Words, lang: Language) -> str:
    return words.zh if lang == "zh" else words.en


def as_markdown(listed: tuple[VendorList, ...], lang: Language) -> str:
    """The list as Markdown in which no word of a page is markup."""
    out = []
    for line in lines(listed, lang):
        text = f"{_plain_markdown(line.text)} {_markdown_link(line.url)}".rstrip()
        if line.level > 0:
            out += ["", f"{'#' * line.level} {text}", ""]
        elif line.level == 0:
            out += [text, ""]
        else:
            out.append(f"{'  ' * (-line.level - 1)}- {text}")
    return re.sub(r"\n{3,}", "\n\n", "\n".join(out)).strip() + "\n"


def _plain_markdown(text: str) -> str:
    # Every character that Markdown or HTML could read as markup; a number's dot and a plain dash stay.
    return re.sub(r"([\\`*_{}\[\]<>#|~!&])", r"\\\1", text)


def _markdown_link(url: str) -> str:
    """An address that can be clicked; what could end it is written in per cents, and another scheme is only text."""
    if re.match(r"https?://", url) is None:
        return _plain_markdown(url)
    safe = re.sub(r"[^!-;=?-\[\]-~]", lambda found: quote(found[0]), url)
    return f"<{safe}>"


def as_json_text(listed: tuple[VendorList, ...], lang: Language) -> str:
    """The list as JSON, with both languages of every question and the one that was asked for as `text`."""
    objects = [
        {
            "vendor": own.vendor,
            "name": vendor_name(own.vendor, lang),
            "questions": [
                {
                    "topic": topic.id,
                    "title": _say(topic.title, lang),
                    "why": _say(topic.why, lang),
                    "text": _say(question.ask, lang),
                    **question.model_dump(exclude={"topic"}),
                }
                for topic in topics()
                for question in own.questions.get(topic.id, ())
            ],
            "trial": [
                {
                    "id": item.id,
                    "title": _say(item.title, lang),
                    "how": _say(item.how, lang),
                    "stated": [s.model_dump() for s in own.trial.get(item.id, ())],
                }
                for item in trial()
            ],
        }
        for own in listed
    ]
    return f"{as_json(objects, indent=2)}\n"


_DOCUMENT = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>{}'
    '<w:sectPr><w:pgSz w:w="11906" w:h="16838"/><w:pgMar w:top="1134" w:right="1134" w:bottom="1134" w:left="1134" '
    'w:header="567" w:footer="567" w:gutter="0"/></w:sectPr></w:body></w:document>'
)
_STYLES = (
    '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
    '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
    '<w:docDefaults><w:rPrDefault><w:rPr><w:rFonts w:ascii="Calibri" w:hAnsi="Calibri" w:eastAsia="Microsoft YaHei"/>'
    '<w:sz w:val="21"/></w:rPr></w:rPrDefault></w:docDefaults>'
    '<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>{}</w:styles>'
)
_HEADING = (
    '<w:style w:type="paragraph" w:styleId="Heading{n}"><w:name w:val="heading {n}"/><w:basedOn w:val="Normal"/>'
    '<w:pPr><w:keepNext/><w:spacing w:before="240" w:after="120"/><w:outlineLvl w:val="{level}"/></w:pPr>'
    '<w:rPr><w:b/><w:sz w:val="{size}"/></w:rPr></w:style>'
)
_PARTS = {
    "[Content_Types].xml": (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
        '<Override PartName="/word/styles.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.styles+xml"/></Types>'
    ),
    "_rels/.rels": (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>'
    ),
    "word/_rels/document.xml.rels": (
        '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" '
        'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles" '
        'Target="styles.xml"/></Relationships>'
    ),
}
_NOT_XML = re.compile("[\ufffe\uffff]")
"""Of what may stand in a text without controls, all that a document may not hold."""
_MADE = (1980, 1, 1, 0, 0, 0)


def as_docx(listed: tuple[VendorList, ...], lang: Language) -> bytes:
    """The list as a Word document, the same bytes for the same list."""
    styles = "".join(_HEADING.format(n=n, level=n - 1, size=40 - 6 * n) for n in (1, 2, 3))
    body = "".join(_paragraph(line) for line in lines(listed, lang))
    parts = {**_PARTS, "word/styles.xml": _STYLES.format(styles), "word/document.xml": _DOCUMENT.format(body)}
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(zipfile.ZipInfo(name, _MADE), text.encode("utf-8"), zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _paragraph(line: Line) -> str:
    properties, text = "", f"{line.text} {line.url}".rstrip()
    if line.level > 0:
        properties = f'<w:pPr><w:pStyle w:val="Heading{line.level}"/></w:pPr>'
    elif line.level < 0:
        left = 360 * -line.level
        properties = f'<w:pPr><w:ind w:left="{left}" w:hanging="200"/></w:pPr>'
        text = f"{'•' if line.level == -1 else '–'} {text}"
    text = escape(_NOT_XML.sub("\ufffd", text))
    return f'<w:p>{properties}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'
