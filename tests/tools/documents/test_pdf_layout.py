"""A PDF's words in reading order: columns, paragraphs, sections, references, and where each word stands."""

from __future__ import annotations

from collections.abc import Callable
from io import BytesIO

import pdfplumber
import pytest
from pypdf import PdfReader, PdfWriter
from reportlab.pdfgen.canvas import Canvas

from state.documents import Document, Paragraph
from tests.tools.documents.sheets import Column, lines, pdf, prose, read, read_paper
from tests.tools.pdfs import with_contents, words

TITLE = "Warm Seas and Where to Find Them"
ABSTRACT = "We measured how warm the sea was in many years. It was three degrees warmer than before, which is a lot."


def texts(document: Document, section: str | None = None) -> list[str]:
    return [item["text"] for item in document["paragraphs"] if section in (None, item["section"])]


def word(paragraph: Paragraph, text: str) -> list[list[float]]:
    found = [item for item in paragraph["words"] if paragraph["text"][item["start"] : item["end"]] == text]
    return [[item["page"], *item["box"]] for item in found]


def front_page(sheet: Canvas) -> None:
    """Title and authors over the whole width, two columns below, a footnote in the first."""
    sheet.setFont("Times-Bold", 16)
    sheet.drawCentredString(306, 720, TITLE)
    sheet.setFont("Times-Roman", 11)
    sheet.drawCentredString(306, 700, "Ada Author and Ben Brother, University of the Northern Sea")
    left = Column(sheet, left=60, top=660, width=235)
    right = Column(sheet, left=320, top=660, width=235)
    left.heading("Abstract")
    left.paragraph(ABSTRACT, indent=0)
    left.heading("1 Introduction")
    left.paragraph(prose(1), indent=0)
    left.paragraph(prose(2, 12))
    left.paragraph("The third paragraph is long enough to run on in the second column, where it", indent=12)
    left.y -= 20
    left.line("A footnote in small type.", size=8)
    right.line("ends at last.")
    right.paragraph(prose(3))
    right.heading("2 Methods")
    right.paragraph(prose(4), indent=0)
    right.y -= 20
    right.line("Figure 1: A picture of the sea in small type.", size=9)
    right.line("It shows waves.", size=9)
    right.y -= 20
    right.paragraph(prose(5))


def last_page(sheet: Canvas) -> None:
    left = Column(sheet, left=60, top=720, width=235)
    right = Column(sheet, left=320, top=720, width=235)
    left.heading("3 Results")
    for seed in (6, 7, 8):
        left.paragraph(prose(seed, 9))
    right.heading("References")
    for name in ("Ant", "Bee", "Cat", "Doe"):
        right.line(f"{name}, A. and B. Else. 2019. The seas of the")
        right.line("northern world and their fish. Journal of Seas.", indent=10)


@pytest.fixture(scope="module")
def paper(tmp_path_factory: pytest.TempPathFactory) -> Document:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("DRAFTROOM_HOME", str(tmp_path_factory.mktemp("home")))
        return read_paper(pdf(front_page, last_page), "paper.pdf")


def test_title_abstract_and_sections_are_found(paper: Document) -> None:
    assert (paper["title"], paper["abstract"], paper["pages"]) == (TITLE, ABSTRACT, 2)
    assert paper["paragraphs"][0]["text"] == ABSTRACT
    sections = list(dict.fromkeys(paragraph["section"] for paragraph in paper["paragraphs"]))
    assert sections == ["Abstract", "1 Introduction", "2 Methods", "3 Results"]
    assert {each["page"] for each in paper["paragraphs"] if each["section"] == "3 Results"} == {2}
    assert [paragraph["id"] for paragraph in paper["paragraphs"]][:3] == ["p1", "p2", "p3"]


def test_columns_are_read_one_after_the_other(paper: Document) -> None:
    assert texts(paper, "2 Methods") == [
        prose(4),
        "Figure 1: A picture of the sea in small type. It shows waves.",
        prose(5),
    ]
    assert texts(paper, "3 Results") == [prose(6, 9), prose(7, 9), prose(8, 9)]


def abstract_beside_dates(sheet: Canvas) -> None:
    """An abstract that reaches over both columns of the text below, beside a narrow column in smaller type."""
    sheet.setFont("Times-Bold", 16)
    sheet.drawString(60, 740, TITLE)
    dates = Column(sheet, left=60, top=700, width=120)
    for text in (
        "Article history:",
        "Received 10 October",
        "Revised 14 March",
        "Keywords:",
        "Language and seas",
        "Warm water",
    ):
        dates.line(text, size=8)
    Column(sheet, left=220, top=700, width=335).paragraph(prose(1, 26), size=9, indent=0)
    left, right = (Column(sheet, left=edge, top=440, width=235) for edge in (60, 320))
    left.heading("1 Introduction")
    left.paragraph(prose(2, 20), indent=0)
    right.paragraph(prose(3, 24), indent=0)


def test_an_abstract_beside_dates_and_the_columns_below_it_are_read_one_after_the_other() -> None:
    assert {prose(1, 26), prose(2, 20), prose(3, 24)} <= {*texts(read(pdf(abstract_beside_dates)))}


def test_a_paragraph_goes_on_behind_a_footnote_and_in_the_next_column(paper: Document) -> None:
    whole = "The third paragraph is long enough to run on in the second column, where it ends at last."
    assert texts(paper, "1 Introduction") == [prose(1), prose(2, 12), whole, "A footnote in small type.", prose(3)]


def test_references_are_entries_and_no_paragraphs(paper: Document) -> None:
    entry = "{}, A. and B. Else. 2019. The seas of the northern world and their fish. Journal of Seas."
    assert [item["text"] for item in paper["references"]] == [
        entry.format(name) for name in ("Ant", "Bee", "Cat", "Doe")
    ]
    assert [item["id"] for item in paper["references"]] == ["r1", "r2", "r3", "r4"]
    assert not any("Journal of Seas" in text for text in texts(paper))


def test_every_word_lies_where_its_offsets_and_its_box_say(paper: Document) -> None:
    with pdfplumber.open(BytesIO(pdf(front_page, last_page))) as file:
        for paragraph in paper["paragraphs"]:
            spans = [paragraph["text"][item["start"] : item["end"]] for item in paragraph["words"]]
            assert spans == paragraph["text"].split()
            for span, item in zip(spans, paragraph["words"], strict=True):
                page = file.pages[item["page"] - 1]
                x0, y0, x1, y1 = item["box"]
                inside = page.crop((x0 - 0.5, page.height - y1 - 0.5, x1 + 0.5, page.height - y0 + 0.5))
                assert span in inside.extract_text()


def test_headers_footers_and_page_numbers_are_no_text() -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        def draw(sheet: Canvas) -> None:
            sheet.setFont("Times-Roman", 9)
            sheet.drawString(72, 760, f"Journal of Warm Seas, page {number}")
            sheet.drawCentredString(306, 40, str(number))
            Column(sheet, left=72, top=700, width=460).paragraph(prose(number, 20))

        return draw

    document = read(pdf(page(1), page(2), page(3)))
    assert texts(document) == [prose(1, 20), prose(2, 20), prose(3, 20)]


def test_rows_of_numbers_and_sentences_that_differ_in_numbers_are_no_headers() -> None:
    def page(number: int) -> Callable[[Canvas], None]:
        rows = [f"{30 * number + row}   0.{row + number}   1.{row * number}" for row in range(30)]
        sentence = f"In group {3 * number * number} there were {40 + 7 * number} plants."
        return lines([f"Journal of Warm Seas {100 + number}", sentence, *rows, sentence], top=770)

    text = " ".join(texts(read(pdf(page(1), page(2), page(3)))))
    assert [text.count(f"{30 * number + row} 0.{row + number} 1.") for number in (1, 2, 3) for row in range(30)] == [
        1
    ] * 90
    assert [text.count(f"In group {3 * n * n} there were {40 + 7 * n} plants.") for n in (1, 2, 3)] == [2, 2, 2]
    assert "Journal" not in text


def test_numbers_of_lines_at_the_margin_are_not_read() -> None:
    def page(sheet: Canvas) -> None:
        for at, line in enumerate(prose(1, 24).split(". ")):
            sheet.drawRightString(50, 720 - 14 * at, str(93 + at))
            sheet.drawString(60, 720 - 14 * at, f"{line}.")

    assert not any(number in " ".join(texts(read(pdf(page)))) for number in ("93", "99", "100"))


@pytest.mark.parametrize(
    ("runs", "text"),
    [
        (
            [("Of the 96 patients, 48", "3", 72), ("(50%) had p = 1.2 \u00b7 10", "\u20135", 180), (".", "", 280)],
            "Of the 96 patients, 48\u00b3 (50%) had p = 1.2 \u00b7 10\u207b\u2075 .",
        ),
        (
            [("The water", "3", 72), ("is 10", "2", 130), ("degrees warm.", "", 170)],
            "The water is 10\u00b2 degrees warm.",
        ),
    ],
    ids=["no part of a number", "marks of footnotes are dropped"],
)
def test_raised_digits_are_read_as_exponents(runs: list[tuple[str, str, int]], text: str) -> None:
    def draw(sheet: Canvas) -> None:
        for words_, mark, x in runs:
            sheet.setFont("Times-Roman", 10)
            sheet.drawString(x, 650, words_)
            sheet.setFont("Times-Roman", 6)
            sheet.drawString(x + sheet.stringWidth(words_, "Times-Roman", 10), 654, mark)

    assert texts(read(pdf(draw))) == [text]


def test_a_list_of_references_in_one_column_of_two_is_read() -> None:
    """Its heading is as small as its entries, and their numbers stand in the gutter."""

    def draw(sheet: Canvas) -> None:
        left = Column(sheet, left=60, top=700, width=235)
        right = Column(sheet, left=330, top=650, width=225)
        for seed in range(6):
            left.paragraph(prose(seed, 8))
        right.line("References", font="Times-Bold", size=8)
        for number in range(1, 9):
            sheet.setFont("Times-Roman", 8)
            sheet.drawString(315, right.y, f"{number}.")
            right.line(f"Ant A, Bee B: Warm seas, part {number} of the whole series.", size=8)
            right.line("Journal of Seas 2019, 4:1-9.", size=8)

    document = read(pdf(draw))
    entry = "Ant A, Bee B: Warm seas, part {} of the whole series. Journal of Seas 2019, 4:1-9."
    assert document["references"] == [{"id": str(number), "text": entry.format(number)} for number in range(1, 9)]
    assert texts(document) == [prose(seed, 8) for seed in range(6)]


def test_divided_words_are_joined_and_keep_both_boxes() -> None:
    document = read(pdf(lines(["The measure-", "ments are state-", "of-the-art and the sea is warm."])))
    paragraph = document["paragraphs"][0]
    assert paragraph["text"] == "The measurements are state-of-the-art and the sea is warm."
    first, second = word(paragraph, "measurements")
    assert first[2] > second[2] + 10  # the second piece lies one line lower
    assert len(word(paragraph, "state-of-the-art")) == 2


def test_ligatures_are_spelled_out() -> None:
    codes = b"/Encoding << /Type /Encoding /BaseEncoding /WinAnsiEncoding /Differences [1 /fi /fl] >>"
    data = with_contents(words(b"The \\001rst \\002ow is warm."), font=codes)
    assert texts(read(data)) == ["The first flow is warm."]


def test_an_abstract_that_begins_with_the_word_keeps_its_places() -> None:
    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=650, width=460)
        column.line("A. Author, University of the Sea")
        column.y -= 20
        column.paragraph(f"Abstract: {ABSTRACT}", indent=0)
        column.heading("1 Introduction")
        column.paragraph(prose(1))

    document = read(pdf(draw))
    first = document["paragraphs"][0]
    assert (document["abstract"], first["text"], first["section"]) == (ABSTRACT, ABSTRACT, "Abstract")
    assert [ABSTRACT[item["start"] : item["end"]] for item in first["words"]] == ABSTRACT.split()


def test_overprinted_words_and_letters_are_read_once_and_accents_composed() -> None:
    def draw(sheet: Canvas) -> None:
        sheet.setFont("Times-Roman", 10)
        for shift in (0, 0.3):
            sheet.drawString(72 + shift, 650, "Bold")
        for at, letter in enumerate("hills"):  # one by one
            for shift in (0, 0.3):
                sheet.drawString(100 + 4 * at + shift, 650, letter)
        sheet.drawString(125, 650, "from the caf\u00b4e.")

    assert texts(read(pdf(draw))) == ["Bold hills from the caf\u00e9."]


@pytest.mark.parametrize("name", [b"uni00AD", b"uniFEFF"])
def test_signs_that_stand_for_no_character_are_no_line(name: bytes) -> None:
    shown = b"BT /F1 12 Tf 72 %d Td (%b) Tj ET"
    rows = [shown % (700, b"~~"), shown % (700, b"~~"), shown % (680, b"A text that is read."), shown % (660, b"~")]
    font = b"/Encoding << /Differences [126 /%b] >>" % name
    assert texts(read(with_contents(b"\n" + b" ".join(rows), font=font))) == ["A text that is read."]


def test_a_formula_stays_in_its_paragraph() -> None:
    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=650, width=460)
        column.paragraph(prose(1))
        column.paragraph(f"{prose(2)} It holds for all of them that")
        column.y -= 10
        column.line("\u03b1\u03b2\u03b3\u03b4", font="Symbol", indent=150)
        column.y -= 10
        column.line("where the sea is warm.")
        column.paragraph(prose(3))

    first, second, third = texts(read(pdf(draw)))
    assert (first, third) == (prose(1), prose(3))
    assert second.startswith(prose(2))
    assert second.endswith("that \u03b1\u03b2\u03b3\u03b4 where the sea is warm.")


def test_bold_words_that_begin_a_paragraph_are_no_heading() -> None:
    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=650, width=235)
        column.heading("1 Introduction")
        column.paragraph(prose(1), indent=0)
        column.y -= 8
        column.line("Warm seas are often found by those people that look", font="Times-Bold")
        column.line("for them. They are large.")
        column.heading("Related Things")
        column.paragraph(prose(2), indent=0)

    document = read(pdf(draw))
    assert (
        texts(document, "1 Introduction")[1]
        == "Warm seas are often found by those people that look for them. They are large."
    )
    assert texts(document, "Related Things") == [prose(2)]


def test_paragraphs_set_off_by_gaps_and_items_of_lists_are_parted() -> None:
    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=650, width=460)
        for seed in (1, 2):
            column.paragraph(prose(seed, 9), indent=0)
            column.y -= 8
        column.line("- One thing that matters.", indent=12)
        column.line("- Another thing.", indent=12)

    items = ["- One thing that matters.", "- Another thing."]
    assert texts(read(pdf(draw))) == [prose(1, 9), prose(2, 9), *items]


def test_small_headings_in_capitals_and_in_italics_are_headings() -> None:
    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=650, width=460)
        for heading, font in (("I. INTRODUCTION", "Times-Roman"), ("A. Data of the sea", "Times-Italic")):
            column.y -= 8
            column.line(heading, font=font)
            column.y -= 8
            column.paragraph(prose(len(heading), 9))

    document = read(pdf(draw))
    assert [item["section"] for item in document["paragraphs"]] == ["I. INTRODUCTION", "A. Data of the sea"]


def test_a_heading_of_two_lines_is_one() -> None:
    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=650, width=200)
        column.paragraph(prose(1))
        column.heading("2 How Seas Are Found")
        column.y += 6
        column.line("and where they are", font="Times-Bold", size=12)
        column.y -= 6
        column.paragraph(prose(2))

    assert texts(read(pdf(draw)), "2 How Seas Are Found and where they are") == [prose(2)]


def test_labelled_references_keep_their_labels() -> None:
    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=700, width=460)
        column.paragraph(prose(1))
        column.heading("References")
        column.line("[12] A. Ant. 2019. Seas.")
        column.line("Journal of Seas.")
        column.line("[13] B. Bee. 2020. Lakes.")
        column.heading("A Appendix")
        column.paragraph(prose(2))

    document = read(pdf(draw))
    assert document["references"] == [
        {"id": "12", "text": "A. Ant. 2019. Seas. Journal of Seas."},
        {"id": "13", "text": "B. Bee. 2020. Lakes."},
    ]
    assert texts(document, "A Appendix") == [prose(2)]


def test_rows_of_a_table_stay_out_of_the_text() -> None:
    def draw(sheet: Canvas) -> None:
        column = Column(sheet, left=72, top=700, width=460)
        column.paragraph(prose(1, 9) + " The next words stand behind the table, where this")
        y = column.y - 20
        for row in range(4):
            for at in range(4):
                sheet.drawString(72 + 100 * at, y - 12 * row, f"cell{row}{at}")
        column.y = y - 80
        column.line("sentence ends.")

    first, table = texts(read(pdf(draw)))
    assert first == prose(1, 9) + " The next words stand behind the table, where this sentence ends."
    assert table.split() == [f"cell{row}{at}" for row in range(4) for at in range(4)]


def test_boxes_are_those_of_the_file_for_a_turned_page() -> None:
    def draw(sheet: Canvas) -> None:
        sheet.rotate(90)
        sheet.drawString(100, -300, "Sideways words are read.")

    writer = PdfWriter(PdfReader(BytesIO(pdf(draw))))
    writer.pages[0].rotate(90)
    buffer = BytesIO()
    writer.write(buffer)
    paragraph = read(buffer.getvalue())["paragraphs"][0]
    assert paragraph["text"] == "Sideways words are read."
    ((_, x0, y0, x1, y1),) = word(paragraph, "Sideways")
    assert 280 < x0 < 300 <= x1 < 310
    assert y0 == pytest.approx(100)
    assert y1 - y0 > 3 * (x1 - x0)


def test_a_page_that_cannot_be_read_is_a_warning() -> None:
    document = read(with_contents(words(b"The sea is warm."), b"/Filter /Nonsense\nBT ET", words(b"It was cold.")))
    assert texts(document) == ["The sea is warm.", "It was cold."]
    (warning,) = document["warnings"]
    assert "page 2" in warning or "1 of 3 pages" in warning


def test_a_form_that_paints_itself_ends() -> None:
    data = with_contents(words(b"The sea is warm."), b"\n/Me Do").replace(
        b"/Font << /F1 3 0 R >>", b"/Font << /F1 3 0 R >> /XObject << /Me 7 0 R >>"
    )
    data = data.replace(b"7 0 obj\n<< ", b"7 0 obj\n<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] ")
    assert texts(read_paper(data, "paper.pdf")) == ["The sea is warm."]
