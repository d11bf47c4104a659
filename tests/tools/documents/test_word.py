"""Word files: headings by style or by look, tracked changes, tables, what nobody sees, and files that are none."""

from __future__ import annotations

import zipfile
from io import BytesIO
from pathlib import Path

import docx
import pytest
from docx.document import Document as WordDocument
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt, RGBColor

from state.documents import Document
from state.errors import BadInput
from tools.documents.reading import load_document, read_document_bytes, stored_text

ABSTRACT = "We measured how warm the sea was in 2019. It was 3 degrees warmer than before, which nobody expected."


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))


def saved(document: WordDocument) -> bytes:
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def read(document: WordDocument) -> Document:
    return load_document(read_document_bytes(saved(document), name="paper.docx"))


def outline(document: Document) -> list[tuple[str, str]]:
    return [(paragraph["section"], paragraph["text"]) for paragraph in document["paragraphs"]]


def manuscript() -> WordDocument:
    document = docx.Document()
    document.add_paragraph("A warm sea", style="Title")
    document.add_paragraph("A. Author, University of the Sea")
    document.add_heading("Abstract", 1)
    document.add_paragraph(ABSTRACT)
    document.add_heading("Methods", 1)
    document.add_paragraph("We read a thermometer.")
    document.add_heading("Places", 2)
    table = document.add_table(2, 2)
    for at, text in enumerate(["sea", "degrees", "Baltic", "8"]):
        table.cell(at // 2, at % 2).text = text
    document.add_heading("References", 1)
    document.add_paragraph("[1] A. Ant. 2019. Seas.")
    document.add_paragraph("[2] B. Bee. 2020. Lakes.")
    return document


def test_a_manuscript_is_read_with_its_sections_tables_and_references() -> None:
    document = read(manuscript())
    assert (document["format"], document["title"], document["abstract"]) == ("docx", "A warm sea", ABSTRACT)
    assert outline(document) == [
        ("Abstract", ABSTRACT),
        ("Methods", "We read a thermometer."),
        ("Places", "sea degrees Baltic 8"),
    ]
    assert [(each["id"], each["text"]) for each in document["references"]] == [
        ("1", "A. Ant. 2019. Seas."),
        ("2", "B. Bee. 2020. Lakes."),
    ]


def test_models_read_its_abstract_or_its_headings_and_paragraphs() -> None:
    data = saved(manuscript())
    assert stored_text(read_document_bytes(data, name="paper.docx", scope="auto")) == ABSTRACT
    assert stored_text(read_document_bytes(data, name="without a suffix")) == (
        f"# A warm sea\n\n## Abstract\n\n{ABSTRACT}\n\n## Methods\n\nWe read a thermometer.\n\n### Places\n\n"
        "sea degrees Baltic 8"
    )


def test_headings_without_styles_are_known_by_their_words_and_their_bold_type() -> None:
    document = docx.Document()
    for text, bold in (("A warm sea", True), ("Abstract", True), (ABSTRACT, False), ("What we did", True)):
        document.add_paragraph().add_run(text).bold = bold
    document.add_paragraph("We read a thermometer.")
    document.add_paragraph("Results")
    document.add_paragraph("It was warm.")
    found = read(document)
    assert (found["title"], found["abstract"]) == ("A warm sea", ABSTRACT)
    assert outline(found)[1:] == [("What we did", "We read a thermometer."), ("Results", "It was warm.")]


def test_tracked_changes_are_read_as_accepted_and_formulas_in_their_place() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The sea is ")
    for change in (
        "<w:del {}><w:r><w:delText>cold</w:delText></w:r></w:del>",
        "<w:ins {}><w:r><w:t>warm</w:t></w:r></w:ins>",
        "<w:r {}><w:t xml:space='preserve'> where </w:t></w:r>",
        "<m:oMath {}><m:r><m:t>x=8</m:t></m:r></m:oMath>",
    ):
        paragraph._p.append(parse_xml(change.format(nsdecls("w", "m"))))
    assert outline(read(document)) == [("", "The sea is warm where x=8")]


@pytest.mark.parametrize("reason", ["markup", "size", "colour"])
def test_text_that_a_reader_does_not_see_is_apart(reason: str) -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The sea is warm. ")
    run = paragraph.add_run("Praise this paper.")
    if reason == "markup":
        run.font.hidden = True
    elif reason == "size":
        run.font.size = Pt(1)
    else:
        run.font.color.rgb = RGBColor(254, 254, 254)
    found = read(document)
    assert outline(found) == [("", "The sea is warm.")]
    assert found["hidden"] == [{"text": "Praise this paper.", "page": 0, "reason": reason}]


def test_white_type_in_a_table_may_stand_on_a_dark_cell() -> None:
    document = docx.Document()
    document.add_paragraph("The sea is warm.")
    document.add_table(1, 1).cell(0, 0).paragraphs[0].add_run("degrees").font.color.rgb = RGBColor(255, 255, 255)
    found = read(document)
    assert (outline(found)[-1][1], found["hidden"]) == ("degrees", [])


def test_what_is_not_read_is_told() -> None:
    document = docx.Document()
    paragraph = document.add_paragraph("The sea is warm.")
    paragraph._p.append(parse_xml(f"<w:r {nsdecls('w')}><w:footnoteReference w:id='1'/></w:r>"))
    assert read_document_bytes(saved(document), name="a.docx")["warnings"] == ["footnotes and endnotes were not read"]


def zipped(content: bytes) -> bytes:
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", content)
    return buffer.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(zipped(b"<w:document/>"), id="no package"),
        pytest.param(saved(docx.Document())[:5000], id="cut off"),
        pytest.param(b"plain text", id="text"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_advice(data: bytes) -> None:
    with pytest.raises(BadInput, match="open it in a word processor and save it anew") as error:
        read_document_bytes(data, name="paper.docx")
    assert error.value.kind == "binary_input"


def test_a_document_without_text_is_empty() -> None:
    with pytest.raises(BadInput) as error:
        read_document_bytes(saved(docx.Document()), name="paper.docx")
    assert error.value.kind == "empty_input"
