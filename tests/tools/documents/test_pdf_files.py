"""PDFs: what a reader would take for the paper is kept, and bad or hostile files end in one sentence."""

from __future__ import annotations

import os
import random
import signal
import zlib
from contextlib import suppress

import pytest

from state.documents import DocumentRef
from state.errors import ErrorKind, InputError
from state.settings import Scope
from tests.tools.pdfs import Line, encrypted, from_objects, typeset, with_contents, words
from tools.documents.parser_process import UnreadableFileError, run_parser
from tools.documents.pdf.process import parse_pdf
from tools.documents.reading import load_source_text, read_document_bytes

ABSTRACT = "We measured how warm the sea was in 2019. It was 3 degrees warmer than before, which nobody expected."
LINES = ["We measured how warm the sea was in 2019. It was 3 de-", "grees warmer than before, which nobody expected."]
SUBJECTS = (
    "Arctic Baltic Caspian Dead East Far Great High Irish Java Kara Low Mid North Outer Polar Quiet Red South Timor"
)
SPACE: Line = ("", 8)
BODY = [f"The {subject} Sea is told of at length and with care." for subject in SUBJECTS.split()]


def read(pdf: bytes, scope: Scope = "auto", max_pages: int = 100) -> DocumentRef:
    return read_document_bytes(pdf, name="paper.pdf", scope=scope, max_pages=max_pages)


def kind_of(pdf: bytes) -> ErrorKind:
    with pytest.raises(InputError) as error:
        read(pdf)
    assert "paper.pdf" in str(error.value)
    assert "\n" not in str(error.value)
    return error.value.kind


@pytest.mark.parametrize(
    "page",
    [
        [("A warm sea", 18), "A. Author", ("Abstract", 12), *LINES, ("1 Introduction", 12), *BODY],
        [
            ("A warm sea", 18),
            SPACE,
            f"Abstract\u2014{LINES[0]}",
            LINES[1],
            SPACE,
            "Index Terms\u2014sea, warmth",
            *BODY,
        ],
        [
            ("A warm sea", 18),
            SPACE,
            "ABSTRACT",
            SPACE,
            *LINES,
            SPACE,
            "Keywords: sea, warmth",
            "I. INTRODUCTION",
            *BODY,
        ],
    ],
)
def test_the_abstract_is_found(page: list[Line]) -> None:
    paper = read(typeset(page))
    assert load_source_text(paper) == ABSTRACT
    assert (paper["scope"], paper["title"], paper["pages"]) == ("abstract", "A warm sea", 1)
    assert (paper["words"], paper["warnings"]) == (len(ABSTRACT.split()), [])


def test_headings_inside_an_abstract_do_not_end_it() -> None:
    inside = [("Background", 11), BODY[0], ("Results", 11), BODY[1]]
    page = [("A warm sea", 18), ("Abstract", 12), *inside, ("1 Introduction", 12), *BODY[2:]]
    assert load_source_text(read(typeset(page))).split("\n\n") == ["Background", BODY[0], "Results", BODY[1]]


def test_an_abstract_without_an_end_stops_at_the_next_heading() -> None:
    page = [("A warm sea", 18), ("Abstract", 12), *LINES, ("Seas of the World", 12), *BODY]
    assert load_source_text(read(typeset(page, *[BODY] * 10))) == ABSTRACT


def test_the_whole_paper_is_used_when_there_is_no_abstract() -> None:
    paper = read(typeset(BODY))
    assert paper["scope"] == "whole"
    assert paper["warnings"] == ["the abstract was not found, so the whole paper is used"]
    assert load_source_text(paper) == " ".join(BODY)


def test_the_whole_paper_is_its_title_headings_and_paragraphs_without_references() -> None:
    references = [f"A. Author. {year}. On seas and lakes." for year in (2018, 2019, 2020)]
    pages = [("A warm sea", 18), ("1 Warm seas", 12), *BODY[:5]], [("References", 12), *references]
    text = load_source_text(read(typeset(*pages, [("A Appendix", 12), BODY[6]]), scope="whole"))
    assert text.split("\n\n") == ["A warm sea", "1 Warm seas", " ".join(BODY[:5]), "A Appendix", BODY[6]]


@pytest.mark.parametrize("metadata", ["A warm sea in winter", "Microsoft Word - final.doc", ""])
def test_the_title_is_what_stands_on_the_first_page(metadata: str) -> None:
    page = ["Journal of Seas, volume 3", ("A warm sea", 17), ("in winter", 17), "A. Author", ("Abstract", 12), *LINES]
    assert read(typeset([*page, *BODY], title=metadata, stamp="a sideways stamp"))["title"] == "A warm sea in winter"


def test_the_title_of_a_page_in_one_size_is_its_first_line_above_an_abstract() -> None:
    assert read(typeset(["A warm sea", "Abstract", *LINES, "1 Introduction"]))["title"] == "A warm sea"
    assert read(typeset(BODY))["title"] == ""


def test_pages_without_text_are_counted() -> None:
    paper = read(with_contents(words(b"First page."), b"\n0 0 m 9 9 l S"), scope="whole")
    assert paper["warnings"] == ["no text was found on 1 of 2 pages (images need OCR)"]


def test_encrypted_files_need_an_empty_password() -> None:
    pdf = typeset(BODY)
    assert load_source_text(read(encrypted(pdf, user_password=""))) == " ".join(BODY)
    assert kind_of(encrypted(pdf, user_password="secret")) == "encrypted_pdf"


def test_a_scan_without_text_needs_ocr() -> None:
    assert kind_of(with_contents(b"\n0 0 m 9 9 l S", b"\n0 0 m 9 9 l S")) == "pdf_without_text"


def test_a_page_with_nothing_but_its_number_is_empty() -> None:
    assert kind_of(typeset(["3"])) == "empty_input"


def test_too_many_pages() -> None:
    pdf = typeset(*[[line] for line in BODY[:4]])
    assert read(pdf, max_pages=4)["pages"] == 4
    with pytest.raises(InputError, match="has 4 pages, but only 2") as error:
        read(pdf, max_pages=2)
    assert error.value.kind == "input_too_long"


@pytest.mark.parametrize(
    "pdf",
    [
        pytest.param(b"<html>please log in</html>", id="web page"),
        pytest.param(b"%PDF-1.7\n", id="header only"),
        pytest.param(typeset(BODY)[:400], id="cut off"),
        pytest.param(from_objects(b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] >>"), id="no page"),
    ],
)
def test_a_broken_file(pdf: bytes) -> None:
    assert kind_of(pdf) == "broken_pdf"


def bomb() -> bytes:
    """One page whose content unpacks to more than the 100 MB that are read."""
    packer = zlib.compressobj()
    packed = b"".join(packer.compress(bytes(10_000_000)) for _ in range(11)) + packer.flush()
    return with_contents(b"/Filter /FlateDecode\n" + packed)


def cyclic_tree() -> bytes:
    return from_objects(
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] >>",
        b"<< /Type /Pages /Kids [2 0 R] >>",
    )


def branching_tree() -> bytes:
    """A page tree of twelve levels, each of which names the next one ten times."""
    levels = [b"<< /Type /Pages /Kids [%b] >>" % (b"%d 0 R " % (number + 1) * 10) for number in range(2, 14)]
    return from_objects(b"<< /Type /Catalog /Pages 2 0 R >>", *levels, b"<< /Type /Page /Parent 13 0 R >>")


def deep_nesting() -> bytes:
    return from_objects(b"<< /Type /Catalog /Pages %b >>" % (b"[" * 100_000))


@pytest.mark.parametrize("make", [bomb, cyclic_tree, branching_tree, deep_nesting])
def test_a_hostile_file_is_refused(make: object) -> None:
    assert callable(make)
    assert kind_of(make()) in ("broken_pdf", "pdf_without_text")


def test_a_page_count_that_lies_is_not_believed() -> None:
    pdf = with_contents(words(b"A page.")).replace(b"/Count 1", b"/Count 999999999")
    assert read(pdf)["pages"] == 1


ENDLESS = b"\n" + b"0 0 m 9 9 l S " * 1_000_000
"""A content stream whose drawing takes many seconds."""


def test_a_file_that_takes_more_than_two_seconds_a_page_is_refused_with_the_reason() -> None:
    with pytest.raises(InputError, match="more than 2 seconds of processor time a page") as error:
        read(with_contents(ENDLESS))
    assert error.value.kind == "broken_pdf"


def test_a_long_paper_has_time_for_each_of_its_pages() -> None:
    """Together they take longer than one page may."""
    busy = b"\n" + b"0 0 m 9 9 l S " * 1_600 + b"BT /F1 12 Tf 72 400 Td (The sea was warm.) Tj ET"
    paper = read(with_contents(*[busy] * 60))
    assert paper["pages"] == 60
    assert load_source_text(paper).count("The sea was warm.") == 60, paper["warnings"]


def test_a_file_that_takes_too_long_is_given_up() -> None:
    slow = with_contents(*[b"\n" + b"0 0 m 9 9 l S " * 130_000 + b"BT /F1 1 Tf (x) Tj ET"] * 20)
    with pytest.raises(UnreadableFileError, match="could not be read within 1 second"):
        run_parser("tools.documents.pdf.process", slow, name="paper.pdf", limit=100, seconds=1)


def test_a_parser_that_crashes_is_told() -> None:
    with pytest.raises(UnreadableFileError, match=f"crashed, with signal {signal.SIGABRT.value}"):
        run_parser("tests.tools.documents.test_pdf_files", b"", name="paper.pdf")


def damaged(pdf: bytes, chance: random.Random) -> bytes:
    data = bytearray(pdf)
    kind = chance.randrange(3)
    if kind == 0:
        return bytes(data[: chance.randrange(len(data))])
    for _ in range(chance.choice([1, 5, 50])):
        at = chance.randrange(len(data))
        if kind == 1:
            data[at] ^= 1 << chance.randrange(8)
        else:
            data[at:at] = chance.choice([b"<<", b">>", b"[", b"]", b"null ", b"-1 ", b"9999999999 ", b"1 0 R ", b"("])
    return bytes(data)


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_raise_nothing_in_the_reading_process(seed: int) -> None:
    chance = random.Random(seed)
    files = [
        typeset(BODY, BODY),
        encrypted(typeset(BODY), user_password=""),
        with_contents(words(b"A page."), words(b"B.")),
    ]
    read_files = 0
    for _ in range(60):
        with suppress(InputError, UnreadableFileError):
            read_files += parse_pdf(damaged(chance.choice(files), chance), 100, lambda *_: None).pages > 0
    assert 0 < read_files < 60


def test_the_terminal_stays_clean(capfd: pytest.CaptureFixture[str]) -> None:
    read(typeset(BODY).replace(b"startxref\n", b"startxref\n1"))  # the parser logs that it looked for the table
    assert capfd.readouterr() == ("", "")


if __name__ == "__main__":  # as a parser that crashes
    os.abort()
