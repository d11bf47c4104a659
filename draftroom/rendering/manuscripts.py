"""Write review comments into the author's own file: as Word comments, or as `todonotes` in a LaTeX source.

A paper in another format is exported as a new Word file with its text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from copy import deepcopy
from io import BytesIO

import docx
from docx.document import Document as WordDocument
from docx.text.paragraph import Paragraph as WordParagraph
from docx.text.run import Run

from draftroom.rendering.notes import NOTE_AUTHOR, PlacedNote, load_paper_document, locate_notes, read_original_file
from runs.record import RunRecord
from state.documents import Document
from state.records import Values
from tools.checks.quotes import TextSpan, find_quote

AUTHOR_INITIALS = "DR"
MAX_HEADING_CHARS = 200

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


def render_word(record: RunRecord, values: Values) -> bytes:
    """Return the author's Word file, or a new one with the paper's text, with notes as Word comments."""
    reference, document = load_paper_document(values)
    texts = {paragraph["id"]: paragraph["text"] for paragraph in document["paragraphs"]}
    if reference["format"] == "docx":
        word = docx.Document(BytesIO(read_original_file(reference, "docx")))
        cells = (cell for table in word.tables for row in table.rows for cell in row.cells)
        in_tables = (paragraph for cell in cells for paragraph in cell.paragraphs)
        places = _locate_paragraphs([*word.paragraphs, *in_tables], texts)
    else:
        word, places = _build_word_document(document)
    unplaced = []
    for placed in locate_notes(document, record, values):
        paragraph = placed.note.paragraph
        if paragraph in places:
            _add_word_comment(word, places[paragraph], placed, texts[paragraph][placed.start : placed.end])
        else:
            unplaced.append(placed)
    # Last, because a paragraph is added at the end of the file for each.
    for placed in unplaced:
        _add_word_comment(word, word.add_paragraph(placed.note.kind), placed, "")
    buffer = BytesIO()
    word.save(buffer)
    return buffer.getvalue()


def _build_word_document(document: Document) -> tuple[WordDocument, dict[str, WordParagraph]]:
    """Return a new Word file with the paper's headings and paragraphs, and its paragraphs by their ids."""
    word = docx.Document()
    word.add_heading(document["title"], 0)
    places, section = {}, ""
    for paragraph in document["paragraphs"]:
        if paragraph["section"] != section:
            section = paragraph["section"]
            word.add_heading(section[:MAX_HEADING_CHARS], 1)
        places[paragraph["id"]] = word.add_paragraph(paragraph["text"])
    return word, places


def _locate_paragraphs(paragraphs: Sequence[WordParagraph], texts: Mapping[str, str]) -> dict[str, WordParagraph]:
    """Return the Word paragraph of each text by paragraph id; texts that are not found are left out."""
    places: dict[str, WordParagraph] = {}
    rest = list(paragraphs)
    for name, text in texts.items():
        for at, paragraph in enumerate(rest):
            if paragraph.text.strip() and find_quote(paragraph.text, text, fewest=1):
                # Both are in the order of the paper, so the search goes on behind this paragraph.
                places[name], rest = paragraph, rest[at + 1 :]
                break
    return places


def _add_word_comment(word: WordDocument, paragraph: WordParagraph, placed: PlacedNote, quote: str) -> None:
    """Attach a comment to the quoted words of a paragraph, or to all of it if they are not found."""
    text = "".join(run.text for run in paragraph.runs)
    exact = text.find(quote)
    place = TextSpan(exact, exact + len(quote)) if exact >= 0 else find_quote(quote, text, fewest=1)
    runs = paragraph.runs
    if quote and place:
        # Runs that cross the beginning or the end of the quote are split there.
        _split_run(paragraph, place.start)
        _split_run(paragraph, place.end)
        position, runs = 0, []
        for run in paragraph.runs:
            if place.start <= position < place.end and run.text:
                runs.append(run)
            position += len(run.text)
    if not runs:  # an empty paragraph, or one whose words are all links
        runs = [paragraph.add_run("\u200b")]
    comment = word.add_comment((runs[0], runs[-1]), author=NOTE_AUTHOR, initials=AUTHOR_INITIALS)
    first, *others = placed.text.split("\n\n")
    comment.paragraphs[0].add_run(first)
    for other in others:
        comment.add_paragraph(other)


def _split_run(paragraph: WordParagraph, at: int) -> None:
    """Split the run around a character offset of a paragraph, in place; both parts keep its formatting."""
    position = 0
    for run in paragraph.runs:
        text = run.text
        if position < at < position + len(text):
            second = deepcopy(run._r)
            run._r.addnext(second)
            run.text = text[: at - position]
            Run(second, paragraph).text = text[at - position :]
            return
        position += len(text)


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
