"""The annotated PDF: every highlight lies over the words that its comment quotes, however a page is turned or cut."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from pypdf import PdfReader

from draftroom.rendering.manuscripts import compute_line_quadrilaterals, render_annotated_pdf
from state.errors import InputError
from tests.draftroom.feedback_values import comment, finished, record, stored
from tests.draftroom.typeset_draft import typeset
from tests.tools.pdfs import encrypted
from tools.documents.reading import load_document, read_document

DIVIDED = "the number of measurements stayed the same"
OVER_PAGES = "and by 9.3 mm in average ones. In the two dry summers"
OVER_COLUMNS = "dry while their neighbours were wet."
ORIGINS = [(0.0, 0.0), (50.0, 70.0)]


def annotated(values: dict[str, Any]) -> bytes:
    return render_annotated_pdf(record(values), values)


def annotations(pdf: bytes) -> list[tuple[int, dict[str, Any]]]:
    """Every annotation and the index of its page."""
    pages = PdfReader(BytesIO(pdf)).pages
    return [(page, note.get_object()) for page, sheet in enumerate(pages) for note in sheet.get("/Annots", [])]


def highlighted(values: dict[str, Any]) -> dict[str, str]:
    """The weakness type of each comment, and the words that its highlights cover, as another library reads them."""
    pdf = annotated(values)
    document = pypdfium2.PdfDocument(pdf)
    found: dict[str, str] = {}
    for number, note in annotations(pdf):
        page = document[number]
        text = page.get_textpage()
        points = [float(at) for at in note["/QuadPoints"]]
        for quad in (points[at : at + 8] for at in range(0, len(points), 8)):
            left, right, bottom, top = min(quad[::2]), max(quad[::2]), min(quad[1::2]), max(quad[1::2])
            # A hair's breadth less, because letters of neighbouring words may reach into the box.
            piece = text.get_text_bounded(left + 0.5, bottom + 0.5, right - 0.5, top - 0.5)
            found[note["/Subj"]] = f"{found.get(note['/Subj'], '')} {piece}".strip()
        text.close()
        page.close()
    document.close()
    return {label: re.sub(r"meas\S\s*urements", "measurements", words) for label, words in found.items()}


def quotes(values: dict[str, Any]) -> list[tuple[str, str]]:
    return [(item["label"], item["quote"]) for item in values["comments"]]


def whole_words(text: str, quote: str) -> str:
    """The quote with the punctuation that belongs to its words."""
    found = re.search(rf"\S*{re.escape(quote)}\S*", text)
    assert found
    return found[0]


def replace_paper(values: dict[str, Any], data: bytes) -> None:
    """Put another file in the place of the paper, as if it had been the one that was reviewed."""
    values["document"] = stored(Path(values["paper"]).parent, data, typeset()[1])


def with_difficult_quotes(folder: Path, rotation: int, origin: tuple[float, float]) -> dict[str, Any]:
    """A finished run with comments on words over line ends, columns and pages, and on a divided word."""
    values = finished(folder, rotation, origin)
    _, document = typeset(rotation, origin)
    harder = [
        comment(document, "p4", "Replicability", DIVIDED),
        comment(document, "p6", "Meaningful Comparison", OVER_PAGES),
        comment(document, "p3", "Originality", OVER_COLUMNS),
    ]
    kept = [item for item in values["comments"] if item["label"] not in {made["label"] for made in harder}]
    return {**values, "comments": [*harder, *kept]}


@pytest.mark.parametrize("origin", ORIGINS, ids=["plain", "moved and cropped"])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_highlights_lie_over_words_where_the_reader_has_found_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rotation: int, origin: tuple[float, float]
):
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path / "home"))
    values = with_difficult_quotes(tmp_path, rotation, origin)
    values["document"] = read_document(values["paper"])
    read = load_document(values["document"])["paragraphs"]
    found_in = {
        item["label"]: next(part for part in read if item["quote"] in part["text"]) for item in values["comments"]
    }
    for item in values["comments"]:
        paragraph = found_in[item["label"]]
        item |= {"paragraph": paragraph["id"], "start": paragraph["text"].index(item["quote"])}
    expected = {label: whole_words(found_in[label]["text"], quote) for label, quote in quotes(values)}
    assert highlighted(values) == expected


def test_a_comment_without_a_quote_highlights_its_paragraph(tmp_path: Path):
    values = finished(tmp_path)
    first = values["comments"][0]
    values["comments"] = [first | {"quote": "", "start": 0}]
    (text,) = (target["text"] for target in values["targets"] if target["id"] == first["paragraph"])
    marked, words = highlighted(values)[first["label"]].split(), text.split()
    assert (marked[:3], marked[-3:]) == (words[:3], words[-3:])


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_corners_follow_the_text_as_it_is_read(tmp_path: Path, rotation: int):
    _, document = typeset(rotation)
    words = [word for word in document["paragraphs"][0]["words"] if word["page"] == 1][:3]
    (quad,) = compute_line_quadrilaterals(words, rotation)
    right = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}[rotation]
    (x1, y1), (x2, y2), (x3, y3), _ = zip(quad[::2], quad[1::2], strict=True)
    along, down = (x2 - x1, y2 - y1), (x3 - x1, y3 - y1)
    assert along[0] * right[0] + along[1] * right[1] > 30, "from upper left to upper right"
    assert down[0] * right[1] - down[1] * right[0] == pytest.approx(9), "from upper left to lower left"


def test_each_note_holds_the_comment(tmp_path: Path):
    values = finished(tmp_path)
    notes = {note["/Subj"]: note for _, note in annotations(annotated(values))}
    assert len({tuple(note["/C"]) for note in notes.values()}) == 5, "a colour for each weakness type"
    for rank, item in enumerate(values["comments"], start=1):
        note = notes[item["label"]]
        assert note["/Subtype"] == "/Highlight"
        assert note["/T"] == "Draftroom"
        assert note["/F"] == 4, "printed, and nothing else"
        assert note["/Contents"].startswith(f"{rank}. {item['label']}\n\n{item['review'][:30]}")
        assert item["suggestion"] in note["/Contents"]
        assert "\x1b" not in note["/Contents"]
    assert "Evidence e3: What is known of matter 3?" in notes["Empirical and Theoretical Soundness"]["/Contents"]
    assert "Moss and rain, https://arxiv.org/abs/1234.5678" in notes["Empirical and Theoretical Soundness"]["/Contents"]
    assert "Check (softened): The paper says itself" in notes["Empirical and Theoretical Soundness"]["/Contents"]


def test_the_box_of_a_note_holds_its_highlight(tmp_path: Path):
    for _, note in annotations(annotated(finished(tmp_path))):
        x0, y0, x1, y1 = map(float, note["/Rect"])
        points = [float(at) for at in note["/QuadPoints"]]
        assert (min(points[::2]), min(points[1::2])) == pytest.approx((x0, y0), abs=0.01)
        assert (max(points[::2]), max(points[1::2])) == pytest.approx((x1, y1), abs=0.01)


def test_every_byte_of_the_paper_stays(tmp_path: Path):
    values = finished(tmp_path)
    original = Path(values["document"]["source"]).read_bytes()
    made = annotated(values)
    assert made.startswith(original)
    assert len(made) > len(original)
    texts = [[page.extract_text() for page in PdfReader(BytesIO(pdf)).pages] for pdf in (original, made)]
    assert texts[0] == texts[1]
    assert Path(values["document"]["source"]).read_bytes() == original


def test_a_comment_whose_words_no_page_shows_is_a_note_on_its_page(tmp_path: Path):
    values = finished(tmp_path, origin=ORIGINS[1])
    beside = {**values["comments"][0], "paragraph": "text", "page": 2}
    nowhere = {**beside, "page": 0}
    (page, note), (other_page, other) = reversed(annotations(annotated({**values, "comments": [beside, nowhere]})))
    assert (page, other_page) == (1, 0)
    for found in (note, other):
        x0, y0, x1, y1 = map(float, found["/Rect"])
        assert found["/Subtype"] == "/Text"
        assert values["comments"][0]["review"] in found["/Contents"]
        assert 70 <= x0 < x1 <= 642
        assert 100 <= y0 < y1 <= 832


def test_an_encrypted_paper_that_opens_without_a_password_is_annotated(tmp_path: Path):
    values = finished(tmp_path)
    replace_paper(values, encrypted(typeset()[0], user_password=""))
    assert highlighted(values)["Replicability"] == "whenever it seemed dry,"


def test_a_run_without_comments_gives_the_paper_as_it_is(tmp_path: Path):
    values = {**finished(tmp_path), "comments": [], "reviews": []}
    assert annotated(values) == Path(values["document"]["source"]).read_bytes()


@pytest.mark.parametrize(("format_", "source"), [("html", "draft.html"), ("text", "")])
def test_only_a_pdf_can_be_annotated(tmp_path: Path, format_: str, source: str):
    values = finished(tmp_path)
    values["document"] |= {"format": format_, "source": source}
    with pytest.raises(InputError, match=r"^Only a paper that was read from a PDF can.* \.html or \.md instead\.$"):
        annotated(values)


def test_a_paper_that_is_gone_is_an_error(tmp_path: Path):
    values = finished(tmp_path)
    Path(values["document"]["source"]).unlink()
    with pytest.raises(InputError, match="cannot be read") as caught:
        annotated(values)
    assert caught.value.kind == "missing_file"


def test_a_paper_that_was_changed_is_an_error(tmp_path: Path):
    values = finished(tmp_path)
    with Path(values["document"]["source"]).open("ab") as file:
        file.write(b"\n")
    with pytest.raises(InputError, match="was changed since it was reviewed"):
        annotated(values)


def test_a_file_that_cannot_be_written_to_is_an_error(tmp_path: Path):
    values = finished(tmp_path)
    replace_paper(values, b"%PDF-1.7 and no more")
    with pytest.raises(InputError, match="too unusual a PDF") as caught:
        annotated(values)
    assert caught.value.kind == "broken_pdf"
