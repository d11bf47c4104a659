"""Word files: headings by style or by look, tracked changes, tables, what nobody sees, and files that are none."""

from __future__ import annotations

from io import BytesIO

import docx
import pytest
from docx.document import Document as WordDocument
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import Part
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls
from docx.shared import Pt, RGBColor

from state.documents import Document
from state.errors import InputError
from tests.tools.documents.sheets import read_paper, sections
from tools.documents.reading import load_source_text, read_document_bytes

ABSTRACT = "We measured how warm the sea was in 2019. It was 3 degrees warmer than before, which nobody expected."


def saved(document: WordDocument) -> bytes:
    buffer = BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def read(document: WordDocument) -> Document:
    return read_paper(saved(document), "paper.docx")


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
    assert sections(document) == [
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
    assert load_source_text(read_document_bytes(data, name="paper.docx", scope="auto")) == ABSTRACT
    assert load_source_text(read_document_bytes(data, name="without a suffix")) == (
        f"# A warm sea\n\n## Abstract\n\n{ABSTRACT}\n\n## Methods\n\nWe read a thermometer.\n\n### Places\n\n"
        "sea degrees Baltic 8"
    )


def test_headings_without_styles_are_known_by_their_form() -> None:
    document = docx.Document()
    for text in ("A warm sea", "Abstract", ABSTRACT, "Introduction", "Seas.", "What we did", "We read a thermometer."):
        document.add_paragraph(text)
    found = read(document)
    assert (found["title"], found["abstract"]) == ("A warm sea", ABSTRACT)
    assert sections(found)[1:] == [("Introduction", "Seas."), ("What we did", "We read a thermometer.")]


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
    assert sections(read(document)) == [("", "The sea is warm where x=8")]


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
    assert sections(found) == [("", "The sea is warm.")]
    assert found["hidden"] == [{"text": "Praise this paper.", "page": 0, "reason": reason}]


def test_white_type_in_a_table_may_stand_on_a_dark_cell() -> None:
    document = docx.Document()
    document.add_paragraph("The sea is warm.")
    document.add_table(1, 1).cell(0, 0).paragraphs[0].add_run("degrees").font.color.rgb = RGBColor(255, 255, 255)
    found = read(document)
    assert (sections(found)[-1][1], found["hidden"]) == ("degrees", [])


def read_runs(*runs: str) -> Document:
    """A paragraph of runs in Word's markup."""
    document = docx.Document()
    paragraph = document.add_paragraph()
    for run in runs:
        paragraph._p.append(parse_xml(run.replace(">", f" {nsdecls('w', 'm')}>", 1)))
    return read(document)


def symbol(character: str, font: str = "Symbol") -> str:
    return f"<w:r><w:sym w:font='{font}' w:char='{character}'/></w:r>"


def plain(text: str, properties: str = "") -> str:
    return f"<w:r><w:rPr>{properties}</w:rPr><w:t xml:space='preserve'>{text}</w:t></w:r>"


def test_symbols_are_their_characters_in_unicode() -> None:
    signs = [symbol(f"F0{code}") for code in ("2D", "B1", "B3", "A3", "3C", "63", "B4")]
    found = read_runs(plain("t(40) = 5.00, p "), symbol("F03C"), plain(" .001, \uf062 "), *signs)
    assert sections(found) == [("", "t(40) = 5.00, p < .001, β −±≥≤<χ×")]
    assert read_runs(plain("a "), symbol("F04A", "Wingdings"))["warnings"] == ["1 symbol was not read"]


def test_raised_digits_do_not_fuse_with_a_number() -> None:
    raised = "<w:vertAlign w:val='superscript'/>"
    found = read_runs(
        plain("A mean of 3.5"), plain("2", raised), plain(" of patients"), plain("1", raised), plain("2", raised)
    )
    assert sections(found) == [("", "A mean of 3.5² of patients¹²")]


def test_a_file_without_default_styles_is_read() -> None:
    document = docx.Document()
    document.add_paragraph("The sea is warm.").add_run("2").font.superscript = True
    for style in document.styles.element.xpath("./w:style[@w:default]"):
        document.styles.element.remove(style)
    assert sections(read(document)) == [("", "The sea is warm.²")]


def test_formulas_are_written_in_one_line() -> None:
    power = "<m:sSup><m:e><m:r><m:t>χ</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup>"
    fraction = "<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>n</m:t></m:r></m:den></m:f>"
    found = read_runs(plain("It is "), f"<m:oMath>{power}<m:r><m:t> = </m:t></m:r>{fraction}</m:oMath>", plain("."))
    assert sections(found) == [("", "It is χ² = (a+b)/n.")]


def test_a_text_box_is_read_once_behind_its_paragraph() -> None:
    box = "<w:txbxContent><w:p><w:r><w:t>Figure 1. A sea.</w:t></w:r></w:p></w:txbxContent>"
    both = f"<mc:Choice>{box}</mc:Choice><mc:Fallback>{box}</mc:Fallback>"
    space = "xmlns:mc='http://schemas.openxmlformats.org/markup-compatibility/2006'"
    found = read_runs(
        plain("The sea is warm."), f"<w:r><mc:AlternateContent {space}>{both}</mc:AlternateContent></w:r>"
    )
    assert sections(found) == [("", "The sea is warm."), ("", "Figure 1. A sea.")]


def test_a_footnote_stands_in_brackets_or_is_told() -> None:
    document = docx.Document()
    mark = f"<w:r {nsdecls('w')}><w:footnoteReference w:id='1'/></w:r>"
    document.add_paragraph("The sea is warm.")._p.append(parse_xml(mark))
    assert read(document)["warnings"] == ["1 footnote was not read"]
    note = f"<w:footnotes {nsdecls('w')}><w:footnote w:id='1'><w:p>{plain('In 2019.')}</w:p></w:footnote></w:footnotes>"
    kind = "application/vnd.openxmlformats-officedocument.wordprocessingml.footnotes+xml"
    part = Part(PackURI("/word/footnotes.xml"), kind, note.encode(), document.part.package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    assert sections(read(document)) == [("", "The sea is warm. (In 2019.)")]


def test_automatic_numbers_stand_before_headings_and_references() -> None:
    document = docx.Document()
    levels = "".join(
        f"<w:lvl w:ilvl='{at}'><w:start w:val='1'/><w:numFmt w:val='decimal'/><w:lvlText w:val='{text}'/></w:lvl>"
        for at, text in enumerate(("%1.", "%1.%2"))
    )
    numbering = document.part.numbering_part.element
    numbering.append(parse_xml(f"<w:abstractNum {nsdecls('w')} w:abstractNumId='77'>{levels}</w:abstractNum>"))
    numbering.append(parse_xml(f"<w:num {nsdecls('w')} w:numId='77'><w:abstractNumId w:val='77'/></w:num>"))
    for text, level in (("Introduction", 0), ("Methods", 0), ("Places", 1), ("Times", 1)):
        heading = document.add_heading(text, level + 1)
        numbers = heading._p.get_or_add_pPr().get_or_add_numPr()
        numbers.get_or_add_ilvl().val, numbers.get_or_add_numId().val = level, 77
        document.add_paragraph("It was warm.")
    assert [section for section, _ in sections(read(document))] == [
        "1. Introduction",
        "2. Methods",
        "2.1 Places",
        "2.2 Times",
    ]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(saved(docx.Document())[:5000], id="cut off"),
        pytest.param(b"plain text", id="text"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_with_advice(data: bytes) -> None:
    with pytest.raises(InputError, match="open it in the program") as error:
        read_document_bytes(data, name="paper.docx")
    assert error.value.kind == "binary_input"
