"""Write review comments into the author's own file: Word comments, `todonotes` in LaTeX, or annotations of a PDF.

A paper in another format is exported as a new Word file with its text. An annotation is a highlight that has one
quadrilateral per line of the quote, in the coordinates of PDF annotations.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from copy import deepcopy
from difflib import SequenceMatcher
from io import BytesIO
from itertools import groupby
from math import inf
from typing import NamedTuple, cast

import docx
from docx.document import Document as WordDocument
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.oxml.text.paragraph import CT_P
from docx.oxml.text.run import CT_R
from docx.oxml.xmlchemy import BaseOxmlElement
from pypdf import PdfReader, PdfWriter
from pypdf.annotations import Highlight, MarkupAnnotation, Text
from pypdf.constants import AnnotationFlag
from pypdf.generic import ArrayObject, FloatObject, NameObject, TextStringObject
from pypdfium2 import PdfMatrix

from draftroom.rendering.notes import (
    NOTE_AUTHOR,
    OTHER_FORMAT_HINT,
    PlacedNote,
    load_paper_document,
    locate_notes,
    read_original_file,
)
from runs.record import RunRecord
from state.documents import Document, Word
from state.errors import InputError
from state.records import Values
from tools.checks.quotes import find_quote
from tools.documents.word import get_piece_text, list_pieces

AUTHOR_INITIALS = "DR"
MAX_HEADING_CHARS = 200
_WORD = re.compile(r"\w+|[^\w\s]")
_MIN_ALIGNED_WORDS = 3  # in a row

BEGIN_DOCUMENT = r"\begin{document}"
TODONOTES_PACKAGE = "\\usepackage{todonotes} % for the comments of Draftroom\n"
_COMMAND_OR_COMMENT = re.compile(r"\\[a-zA-Z]+\*?|(?<!\\)%[^\n]*|\\.")
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}
_PARAGRAPH_BREAK = re.compile(r"\n\s*\n")
_FIRST_WORD_COUNT = 8  # words that identify the beginning of a paragraph

_ICON_SIZE = 20.0  # width and height of a note's icon in points
# Words of a line overlap by at least this share of the lower one's height; subscripts and superscripts reach it.
_MIN_LINE_OVERLAP = 0.5
_ROTATIONS = {0: (1, 0), 90: (0, 1), 180: (-1, 0), 270: (0, -1)}  # degrees to cosine and sine


class _AlignedWord(NamedTuple):
    """Tuple of a word or punctuation mark: its offsets in the paper's paragraph, and its place in the Word file."""

    start: int
    end: int
    paragraph: CT_P
    file_start: int
    """Offset in the text of the Word paragraph."""
    file_end: int


def render_word(record: RunRecord, values: Values) -> bytes:
    """Return the author's Word file, or a new one with the paper's text, with notes as Word comments."""
    reference, document = load_paper_document(values)
    if reference["format"] == "docx":
        word = docx.Document(BytesIO(read_original_file(reference, "docx")))
    else:
        word = _build_word_document(document)
    order, places = [paragraph["id"] for paragraph in document["paragraphs"]], _align_words(document, word)
    if not places:
        raise InputError(f"None of the paper's words are found in the Word file; {OTHER_FORMAT_HINT}.")
    for placed in locate_notes(document, record, values):
        words, text = _choose_words(places, order, placed)
        comment = word.comments.add_comment(text.replace("\n\n", "\n"), NOTE_AUTHOR, AUTHOR_INITIALS)
        _mark_comment_range(words[0].paragraph, words[0].file_start, words[-1].file_end, str(comment.comment_id))
    buffer = BytesIO()
    word.save(buffer)
    return buffer.getvalue()


def _build_word_document(document: Document) -> WordDocument:
    """Return a new Word file with the paper's headings and paragraphs."""
    word = docx.Document()
    word.add_heading(document["title"], 0)
    section = ""
    for paragraph in document["paragraphs"]:
        if paragraph["section"] != section:
            section = paragraph["section"]
            word.add_heading(section[:MAX_HEADING_CHARS], 1)
        word.add_paragraph(paragraph["text"])
    return word


def _align_words(document: Document, word: WordDocument) -> dict[str, list[_AlignedWord]]:
    """Align the words of the paper as read with those of the Word file; return the aligned ones by paragraph id."""
    read = [
        (paragraph["id"], match) for paragraph in document["paragraphs"] for match in _WORD.finditer(paragraph["text"])
    ]
    written = [
        (paragraph, match)
        for paragraph in word.element.body.iter(qn("w:p"))
        for match in _WORD.finditer("".join(get_piece_text(piece) for piece in list_pieces(paragraph)))
    ]
    places: dict[str, list[_AlignedWord]] = {}
    matcher = SequenceMatcher(None, _fold_words(read), _fold_words(written))
    for first, second, size in matcher.get_matching_blocks():
        # A word alone, such as "the", also stands where it is another one.
        for at in range(size if size >= _MIN_ALIGNED_WORDS else 0):
            (name, mine), (paragraph, theirs) = read[first + at], written[second + at]
            aligned = _AlignedWord(mine.start(), mine.end(), paragraph, theirs.start(), theirs.end())
            places.setdefault(name, []).append(aligned)
    return places


def _fold_words(matches: Sequence[tuple[object, re.Match[str]]]) -> list[str]:
    """Return words in lower case, with plain characters for superscripts and ligatures."""
    return [unicodedata.normalize("NFKC", match[0]).casefold() for _, match in matches]


def _choose_words(
    places: Mapping[str, list[_AlignedWord]], order: Sequence[str], placed: PlacedNote
) -> tuple[list[_AlignedWord], str]:
    """Return the words of one Word paragraph that a comment is attached to, and the comment's text.

    They are the quote's, or else its paragraph's, or else those of the nearest paragraph before. Where the comment does
    not stand at the quote, its text says which words it is about.

    Args:
        places: Aligned words by paragraph id.
        order: Ids of the paper's paragraphs.
        placed: Note with the offsets of its quote.
    """
    name, text = placed.note.paragraph, placed.text
    before = order[: order.index(name) + 1] if name in order else ()
    nearest = next((known for known in reversed(before) if known in places), next(iter(places)))
    words = places[nearest]
    quoted = [word for word in words if word.start < placed.end and word.end > placed.start and nearest == name]
    # The cells of a table are paragraphs of their own.
    within = Counter(word.paragraph for word in quoted or words).most_common(1)[0][0]
    if placed.note.quote and (not quoted or _begins_content_control(within)):
        text += f'\n\nThis is about "{placed.note.quote}".'
    return [word for word in quoted or words if word.paragraph is within], text


def _begins_content_control(paragraph: CT_P) -> bool:
    return paragraph.getparent().tag == qn("w:sdtContent") and paragraph.getprevious() is None


def _mark_comment_range(paragraph: CT_P, start: int, end: int, number: str) -> None:
    """Attach a comment to characters of a paragraph's text: runs are split there, formulas are not."""
    range_start, range_end = (OxmlElement(f"w:commentRange{side}", {qn("w:id"): number}) for side in ("Start", "End"))
    if _begins_content_control(paragraph):  # LibreOffice 7.4 loses what stands before a comment there
        next(child for child in paragraph if child.tag != qn("w:pPr")).addprevious(range_start)
        range_start.addnext(range_end)
    else:
        _split_run(paragraph, start)
        _split_run(paragraph, end)
        position, marked = 0, list[BaseOxmlElement]()
        for piece in list_pieces(paragraph):
            length = len(get_piece_text(piece))
            if start < position + length and position < end:
                # The element of a displayed formula may hold formulas only.
                is_displayed = piece.getparent().tag == qn("m:oMathPara")
                marked.append(piece.getparent() if is_displayed else piece)
            position += length
        marked[0].addprevious(range_start)
        marked[-1].addnext(range_end)
    # Behind the insertion or content control, so that the comment stays if that is rejected or filled anew.
    outer = range_end
    while outer.getparent() is not paragraph:
        outer = outer.getparent()
    reference = cast("CT_R", OxmlElement("w:r"))
    reference.style = "CommentReference"
    reference.append(OxmlElement("w:commentReference", attrs={qn("w:id"): number}))
    outer.addnext(reference)


def _split_run(paragraph: CT_P, at: int) -> None:
    """Split the run around a character offset of a paragraph's text in place; both parts keep its formatting."""
    for piece in list_pieces(paragraph):
        length = len(get_piece_text(piece))
        if 0 < at < length and isinstance(piece, CT_R):
            break
        at -= length
    else:
        return
    second = cast("CT_R", OxmlElement("w:r"))
    if piece.rPr is not None:
        second.append(deepcopy(piece.rPr))
    piece.addnext(second)
    # Whole elements are moved from the end, because a run may hold footnote marks and pictures, too.
    while len(piece.text) > at:
        moved = piece[-1]
        second.insert(len(second.xpath("./w:rPr")), moved)
    if short := at - len(piece.text):  # the last one was a text around the offset, whose beginning goes back
        beginning = deepcopy(moved)
        piece.append(beginning)
        beginning.text, moved.text = moved.text[:short], moved.text[short:]
        for each in (beginning, moved):
            each.set(qn("xml:space"), "preserve")


def render_latex(record: RunRecord, values: Values) -> str:
    """Return the author's LaTeX source with a `todonotes` note for each comment, and that package if missing."""
    reference, document = load_paper_document(values)
    source = read_original_file(reference, "latex").decode("utf-8", errors="replace")
    # Spaces instead of commands keep the offsets of the words.
    words = _COMMAND_OR_COMMENT.sub(lambda match: " " * len(match[0]), source)
    body = source.find(BEGIN_DOCUMENT)
    beginning = body + len(BEGIN_DOCUMENT) if body >= 0 else 0
    marks = []
    for note in locate_notes(document, record, values):
        at = _find_note_offset(note, document, words)
        marks.append((_move_offset_to_plain_text(words, at) if at else beginning, note))
    # From the end, so that the offsets of earlier notes stay right; of notes at one place the first is inserted last.
    marks.sort(key=lambda mark: mark[0])
    for at, note in reversed(marks):
        escaped = "".join(_LATEX_ESCAPES.get(character, character) for character in note.text)
        text = re.sub(r"\s*\n\s*", r"\\par ", escaped.strip())
        source = f"{source[:at]}\\todo[inline]{{{text}}}{source[at:]}"
    if body < 0 or re.search(r"\\usepackage(\[[^]]*\])?\{[^}]*todonotes", source[:body]):
        return source
    return source[:body] + TODONOTES_PACKAGE + source[body:]


def _find_note_offset(placed: PlacedNote, document: Document, words: str) -> int:
    """Return the offset in `words` behind a note's quote, else behind its paragraph's first words, else 0.

    `words` is the LaTeX source with spaces in place of its commands.
    """
    text = next((item["text"] for item in document["paragraphs"] if item["id"] == placed.note.paragraph), "")
    beginning = find_quote(" ".join(text.split()[:_FIRST_WORD_COUNT]), words) if text else None
    after = beginning.start if beginning else 0
    quoted = find_quote(text[placed.start : placed.end], words[after:], fewest=1) if placed.end > placed.start else None
    if quoted:
        return after + quoted.end
    return beginning.end if beginning else 0


def _move_offset_to_plain_text(words: str, at: int) -> int:
    """Return an offset moved behind the formula and braces around it, where a note would not compile."""
    # 1. Behind the formula.
    dollars = list(re.finditer(r"\$+", words))
    before = sum(dollar.start() < at for dollar in dollars)
    if before % 2 and before < len(dollars):
        at = dollars[before].end()
    # 2. Behind the braces of this paragraph: a note has paragraph breaks, which most commands accept in no argument.
    begin = max((gap.end() for gap in _PARAGRAPH_BREAK.finditer(words, 0, at)), default=0)
    gap = _PARAGRAPH_BREAK.search(words, at)
    # Braces that close a group of an earlier paragraph are ignored.
    inside = 0
    for character in words[begin:at]:
        inside = inside + 1 if character == "{" else max(0, inside - 1) if character == "}" else inside
    depth, place = inside, at
    for position in range(at, gap.start() if gap else len(words)):
        if inside == 0:
            break
        depth += {"{": 1, "}": -1}.get(words[position], 0)
        # A further argument may follow directly.
        if depth < inside and not words.startswith("{", position + 1):
            inside, place = depth, position + 1
    return place


def render_annotated_pdf(record: RunRecord, values: Values) -> bytes:
    """Return the reviewed PDF with its comments and computed findings as annotations, otherwise unchanged."""
    reference, document = load_paper_document(values)
    data, notes = read_original_file(reference, "pdf"), locate_notes(document, record, values)
    words = {paragraph["id"]: paragraph["words"] for paragraph in document["paragraphs"]}
    try:
        reader = PdfReader(BytesIO(data))
        # An incremental update leaves every byte of the file as it is; pypdf cannot write one to an encrypted file.
        writer = PdfWriter(clone_from=reader) if reader.is_encrypted else PdfWriter(BytesIO(data), incremental=True)
        for each in notes:
            _add_note(writer, each, words.get(each.note.paragraph, []))
        buffer = BytesIO()
        writer.write(buffer)
    except Exception as error:  # pypdf raises built-in exceptions of all kinds, too, for broken files
        raise InputError(
            f"{reference['source']} is too unusual a PDF to be annotated ({error}); {OTHER_FORMAT_HINT}.",
            kind="broken_pdf",
        ) from error
    return buffer.getvalue()


def _add_note(writer: PdfWriter, placed: PlacedNote, words: list[Word]) -> None:
    """Highlight a note's quote, or without one its paragraph, on each page that holds a part of it.

    If none of the words has a known position, add an icon at the top of the page instead.
    """
    quoted = words
    if placed.end > placed.start:
        quoted = [word for word in words if word["start"] < placed.end and word["end"] > placed.start]
    for page, on_page in groupby(quoted, key=lambda word: word["page"]):
        lines = compute_line_quadrilaterals(on_page, writer.pages[page - 1].rotation)
        xs, ys = [x for line in lines for x in line[::2]], [y for line in lines for y in line[1::2]]
        highlight = Highlight(
            rect=(min(xs), min(ys), max(xs), max(ys)),
            quad_points=ArrayObject(FloatObject(round(at, 3)) for line in lines for at in line),
            highlight_color=placed.note.colour,
            title_bar=NOTE_AUTHOR,
        )
        _add_annotation(writer, page, highlight, placed)
    if not quoted:
        page = max(placed.note.page, 1)
        left, top = writer.pages[page - 1].cropbox.upper_left
        icon = Text(rect=(left, top - _ICON_SIZE, left + _ICON_SIZE, top), text="", title_bar=NOTE_AUTHOR)
        _add_annotation(writer, page, icon, placed)


def _add_annotation(writer: PdfWriter, page: int, annotation: MarkupAnnotation, placed: PlacedNote) -> None:
    """Add an annotation with the text of a note to a page, which is counted from 1."""
    annotation.flags = AnnotationFlag.PRINT
    annotation[NameObject("/NM")] = TextStringObject(f"{placed.note.id}-{page}")
    annotation[NameObject("/Subj")] = TextStringObject(placed.note.kind)
    annotation[NameObject("/Contents")] = TextStringObject(placed.text)
    writer.add_annotation(page - 1, annotation)


def compute_line_quadrilaterals(words: Iterable[Word], rotation: int) -> list[list[float]]:
    """Compute one quadrilateral for each line of words of one page (ISO 32000-1, 12.5.6.10).

    Args:
        words: Words in reading order.
        rotation: Clockwise rotation of the page in degrees.

    Returns:
        Eight coordinates per line, in points.
    """
    cosine, sine = _ROTATIONS[rotation % 360]
    to_shown, to_file = PdfMatrix(cosine, -sine, sine, cosine), PdfMatrix(cosine, sine, -sine, cosine)
    # 1. Merge the boxes of words into boxes of lines, in the coordinates of the page as shown.
    lines: list[tuple[float, float, float, float]] = []
    for word in words:
        left, low, right, high = to_shown.on_rect(*word["box"])
        x0, y0, x1, y1 = lines[-1] if lines else (inf, 0.0, 0.0, 0.0)
        # A line continues with a word at its height to its right.
        if left >= x0 and min(y1, high) - max(y0, low) >= _MIN_LINE_OVERLAP * min(y1 - y0, high - low):
            lines[-1] = (x0, min(y0, low), max(x1, right), max(y1, high))
        else:
            lines.append((left, low, right, high))
    # 2. Rotate the corners of each line back to the coordinates of the file.
    quadrilaterals = []
    for left, low, right, high in lines:
        # Viewers expect this order of corners, although the standard gives another one.
        corners = ((left, high), (right, high), (left, low), (right, low))
        quadrilaterals.append([at for corner in corners for at in to_file.on_point(*corner)])
    return quadrilaterals
