"""Real PDF files, made here: their text and tables come out as a page's do, and what is a trap stops."""

from __future__ import annotations

import io
import zlib
from decimal import Decimal

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Spacer, Table, TableStyle

from extractors.document import read_document
from extractors.extract import extract
from schemas.document import BlockKind
from schemas.errors import UnreadableError

FONT = "STSong-Light"  # named in the file and not part of it, as Chinese vendors' papers do

ROWS = [
    ["实例规格", "网络", ""],
    ["", "RDMA 带宽", "时延"],
    ["ebmgn8v", "3.2 Tbps", "2 us"],
    ["ebmgn7ex", "1.6 Tbps", "3 us"],
]


@pytest.fixture(scope="module")
def paper() -> bytes:
    pdfmetrics.registerFont(UnicodeCIDFont(FONT))
    styles = getSampleStyleSheet()
    for style in (styles["Title"], styles["Normal"]):
        style.fontName = FONT
    table = Table(ROWS)
    table.setStyle(
        TableStyle(
            [
                ("GRID", (0, 0), (-1, -1), 0.5, colors.black),
                ("FONTNAME", (0, 0), (-1, -1), FONT),
                ("SPAN", (0, 0), (0, 1)),
                ("SPAN", (1, 0), (2, 0)),
            ]
        )
    )
    file = io.BytesIO()
    SimpleDocTemplate(file, pagesize=A4, title="灵骏白皮书").build(
        [
            Paragraph("灵骏集群性能白皮书", styles["Title"]),
            Paragraph(
                "每节点 RDMA 带宽 3.2 Tbps &lt;script&gt;。" + "集群为大模型训练而建，" * 12, styles["Normal"]
            ),
            Spacer(1, 12),
            table,
            Spacer(1, 12),
            Paragraph("文件系统吞吐最高 2 TB/s。", styles["Normal"]),
        ]
    )
    return file.getvalue()


def test_text_headings_and_tables_come_out_in_their_order(paper: bytes) -> None:
    document = read_document(paper, content_type="application/pdf")
    assert (document.form, document.title, document.encoding_from) == ("pdf", "灵骏白皮书", "pdf")
    assert document.text.index("性能白皮书") < document.text.index("ebmgn8v") < document.text.index("2 TB/s")
    heading = next(block for block in document.blocks if block.kind is BlockKind.HEADING)
    assert document.text[heading.start : heading.end] == "灵骏集群性能白皮书"
    assert "<script>" in document.text  # words of the page, and no markup
    assert "集群为大模型训练而建，集群为大模型训练而建" in document.text.replace("\n", "")


def test_spanned_headers_head_each_of_their_columns(paper: bytes) -> None:
    document = read_document(paper)
    cell = next(
        block
        for block in document.blocks
        if block.cell and document.text[block.start : block.end] == "1.6 Tbps"
    )
    assert cell.cell is not None
    assert (cell.cell.row, cell.cell.col) == (3, 1)
    assert [header.text for header in cell.cell.col_headers][:1] == ["网络"]


def test_a_paper_states_claims_with_quotes_at_their_offsets(paper: bytes) -> None:
    found = extract(
        paper, source="paper", content_type="application/pdf", vendor="alibaba-cloud", product=None, tier="T2"
    )
    assert found.document is not None
    claims = {(claim.metric, claim.low) for claim in found.claims}
    assert ("rdma_bandwidth", Decimal(3_200_000_000_000)) in claims
    for claim in found.claims:
        span = claim.evidence
        assert found.document.text[span.start : span.end] == span.quote


def test_the_same_bytes_give_the_same_text(paper: bytes) -> None:
    from extractors.pdf import pdf_to_html

    first = pdf_to_html(paper)
    pdf_to_html.cache_clear()
    assert pdf_to_html(paper) == first


def drawn(draw: object = None, **options: object) -> bytes:
    file = io.BytesIO()
    canvas = Canvas(file, **options)
    if callable(draw):
        draw(canvas)
    canvas.showPage()
    canvas.save()
    return file.getvalue()


def test_a_paper_of_pictures_says_so() -> None:
    with pytest.raises(UnreadableError, match="it holds no text, only pictures"):
        read_document(drawn(lambda canvas: canvas.rect(10, 10, 100, 100, fill=1)))


def test_a_locked_paper_says_so() -> None:
    from reportlab.lib.pdfencrypt import StandardEncryption

    locked = drawn(
        lambda canvas: canvas.drawString(72, 700, "3.2 Tbps"),
        encrypt=StandardEncryption("secret", strength=128),
    )
    with pytest.raises(UnreadableError, match="it asks for a password"):
        read_document(locked)


@pytest.mark.parametrize("share", [10, 50, 90])
def test_a_cut_paper_gives_a_reason_or_its_text(paper: bytes, share: int) -> None:
    def told(body: bytes) -> str:
        try:
            return read_document(body).text
        except UnreadableError as error:
            return str(error)

    text = told(paper[: len(paper) * share // 100])
    assert "PDF cannot be read" in text or "性能白皮书" in text


def bomb(unpacked: int) -> bytes:
    """A one-page PDF whose content stream unpacks to `unpacked` bytes."""
    packer = zlib.compressobj(9)
    piece = b" " * (1 << 20)
    stream = b"".join([*(packer.compress(piece) for _ in range(unpacked >> 20)), packer.flush()])
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 100 100] /Contents 4 0 R >>",
        b"<< /Length %d /Filter /FlateDecode >>\nstream\n%s\nendstream" % (len(stream), stream),
    ]
    body, places = b"%PDF-1.4\n", []
    for number, content in enumerate(objects, start=1):
        places.append(len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    trailer = b"xref\n0 5\n0000000000 65535 f \n%strailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF"
    return body + trailer % (table, len(body))


@pytest.mark.slow
@pytest.mark.long
def test_a_paper_that_unpacks_to_more_than_its_memory_is_refused() -> None:
    packed = bomb(1600 << 20)
    assert len(packed) < 2_000_000
    with pytest.raises(UnreadableError, match="the PDF cannot be read"):
        read_document(packed)
