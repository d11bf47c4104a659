"""The author's own file with the comments at their words: in Word, or notes of `todonotes` in a LaTeX source.

Of a paper in another format the Word file is a new one, of its text.
"""

from __future__ import annotations

import re
from collections import defaultdict
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


def render_word(record: RunRecord, values: Values) -> bytes:
    """The comments and what was computed as comments of Word.

    Raises:
        BadInput: The paper has not been read yet; or it was a Word file, and that is gone or was changed.
        StateError: The paper as it was read is gone.
    """
    reference, document = load_paper_document(values)
    notes = locate_notes(document, record, values)
    if reference["format"] == "docx":
        word = docx.Document(BytesIO(read_original_file(reference, "docx")))
        written = {item["id"]: item["text"] for item in document["paragraphs"]}
        cells = (cell for table in word.tables for row in table.rows for cell in row.cells)
        of_tables = (paragraph for cell in cells for paragraph in cell.paragraphs)
        places = _locate_paragraphs([*word.paragraphs, *of_tables], written)
    else:
        word, places = _build_word_document(document)
    by_paragraph: dict[str, list[PlacedNote]] = defaultdict(list)
    for placed in notes:
        by_paragraph[placed.note.paragraph if placed.note.paragraph in places else ""].append(placed)
    for paragraph, its_notes in by_paragraph.items():
        if not paragraph:
            continue
        text = next(item["text"] for item in document["paragraphs"] if item["id"] == paragraph)
        for placed in its_notes:
            _add_word_comment(word, places[paragraph], placed, text[placed.start : placed.end])
    for placed in by_paragraph[""]:  # it has no place in the file
        _add_word_comment(word, word.add_paragraph(placed.note.kind), placed, "")
    buffer = BytesIO()
    word.save(buffer)
    return buffer.getvalue()


def _build_word_document(document: Document) -> tuple[WordDocument, dict[str, WordParagraph]]:
    """A new file with the paper's headings and paragraphs, and where each of these is."""
    word = docx.Document()
    word.add_heading(document["title"], 0)
    places, section = {}, ""
    for paragraph in document["paragraphs"]:
        if paragraph["section"] != section:
            section = paragraph["section"]
            word.add_heading(section[:MAX_HEADING_CHARS], 1)
        places[paragraph["id"]] = word.add_paragraph(paragraph["text"])
    return word, places


def _locate_paragraphs(paragraphs: Sequence[WordParagraph], written: Mapping[str, str]) -> dict[str, WordParagraph]:
    """Where each paragraph of the paper, as it was read, stands in its file, in order."""
    places: dict[str, WordParagraph] = {}
    rest = list(paragraphs)
    for name, text in written.items():
        for at, paragraph in enumerate(rest):
            if paragraph.text.strip() and find_quote(paragraph.text, text, fewest=1):
                places[name], rest = paragraph, rest[at + 1 :]
                break
    return places


def _add_word_comment(word: WordDocument, paragraph: WordParagraph, placed: PlacedNote, quote: str) -> None:
    """Attach a note to the quoted words of a paragraph, or to all of it."""
    text = "".join(run.text for run in paragraph.runs)
    exact = text.find(quote)
    place = TextSpan(exact, exact + len(quote)) if exact >= 0 else find_quote(quote, text, fewest=1)
    runs = _isolate_runs(paragraph, place.start, place.end) if quote and place else paragraph.runs
    if not runs:  # an empty paragraph, or one whose words are all links
        runs = [paragraph.add_run("\u200b")]
    comment = word.add_comment((runs[0], runs[-1]), author=NOTE_AUTHOR, initials=AUTHOR_INITIALS)
    first, *others = placed.text.split("\n\n")
    comment.paragraphs[0].add_run(first)
    for other in others:
        comment.add_paragraph(other)


def _isolate_runs(paragraph: WordParagraph, start: int, end: int) -> list[Run]:
    """The runs of exactly these characters; those that reach over an end are divided there."""
    for at in (start, end):
        _split_run(paragraph, at)
    position, found = 0, []
    for run in paragraph.runs:
        if start <= position < end and run.text:
            found.append(run)
        position += len(run.text)
    return found


def _split_run(paragraph: WordParagraph, at: int) -> None:
    """Make a run end before a character, with the same formatting on both sides."""
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


BEGIN_DOCUMENT = r"\begin{document}"
TODONOTES_PACKAGE = "\\usepackage{todonotes} % for the comments of Draftroom\n"
_COMMAND_OR_COMMENT = re.compile(r"\\[a-zA-Z]+\*?|(?<!\\)%[^\n]*|\\.")
_LATEX_ESCAPES = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}
_PARAGRAPH_BREAK = re.compile(r"\n\s*\n")  # between paragraphs
_FIRST_WORD_COUNT = 8  # so many words of a paragraph tell where it begins


def render_latex(record: RunRecord, values: Values) -> str:
    """The source with its notes; apart from them, and the package that shows them, it is the file that was read.

    Raises:
        BadInput: The paper was no LaTeX source, is gone, or was changed.
        StateError: The paper as it was read is gone.
    """
    reference, document = load_paper_document(values)
    source = read_original_file(reference, "latex").decode("utf-8", errors="replace")
    words = _COMMAND_OR_COMMENT.sub(lambda match: " " * len(match[0]), source)
    placed = [(_find_note_offset(note, document, words), note) for note in locate_notes(document, record, values)]
    body = source.find(BEGIN_DOCUMENT)
    beginning = body + len(BEGIN_DOCUMENT) if body >= 0 else 0
    # Not within a formula, nor within the arguments of commands.
    marks = [
        (_move_after_arguments(words, _move_after_formula(source, at)) if at else beginning, note)
        for at, note in placed
    ]
    for at, note in sorted(marks, key=lambda mark: mark[0], reverse=True):
        escaped = "".join(_LATEX_ESCAPES.get(character, character) for character in note.text)
        text = re.sub(r"\s*\n\s*", r"\\par ", escaped.strip())
        source = f"{source[:at]}\\todo[inline]{{{text}}}{source[at:]}"
    if body < 0 or re.search(r"\\usepackage(\[[^]]*\])?\{[^}]*todonotes", source[:body]):
        return source
    return source[:body] + TODONOTES_PACKAGE + source[body:]


def _find_note_offset(placed: PlacedNote, document: Document, words: str) -> int:
    """Offset behind the words that a note is about, or where their paragraph begins; 0 if neither is found.

    Args:
        placed: One of the notes.
        document: The paper as it was read.
        words: The source without its commands, which have white space in their place.
    """
    text = next((item["text"] for item in document["paragraphs"] if item["id"] == placed.note.paragraph), "")
    beginning = find_quote(" ".join(text.split()[:_FIRST_WORD_COUNT]), words) if text else None
    after = beginning.start if beginning else 0
    quoted = find_quote(text[placed.start : placed.end], words[after:], fewest=1) if placed.end > placed.start else None
    if quoted:
        return after + quoted.end
    return beginning.end if beginning else 0


def _move_after_formula(source: str, at: int) -> int:
    """The same place, or the end of the formula that it lies in."""
    dollars = [match.start() for match in re.finditer(r"(?<!\\)\$+", source)]
    before = sum(dollar < at for dollar in dollars)
    if before % 2 == 0 or before == len(dollars):
        return at
    closing = re.compile(r"\$+").match(source, dollars[before])
    return closing.end() if closing else at


def _move_after_arguments(words: str, at: int) -> int:
    """The same place, or the end of the groups that are opened and closed in its paragraph, and of those behind them.

    Most commands take no paragraphs in an argument, and a note has some.
    """
    begin = max((gap.end() for gap in _PARAGRAPH_BREAK.finditer(words, 0, at)), default=0)
    gap = _PARAGRAPH_BREAK.search(words, at)
    inside = 0
    for character in words[begin:at]:
        inside = inside + 1 if character == "{" else max(0, inside - 1) if character == "}" else inside
    depth, place = inside, at
    for position in range(at, gap.start() if gap else len(words)):
        if inside == 0:
            break
        depth += {"{": 1, "}": -1}.get(words[position], 0)
        if depth < inside and not words.startswith("{", position + 1):
            inside, place = depth, position + 1
    return place
