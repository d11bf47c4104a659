"""The LaTeX source that was reviewed, with each comment as a `todonotes` note behind its words."""

from __future__ import annotations

import re

from draftroom.rendering.notes import Placed, place_notes, read_original, read_paper
from runs.record import RunRecord
from state.documents import Document
from state.records import Values
from tools.checks.quotes import locate

BEGIN = r"\begin{document}"
PACKAGE = "\\usepackage{todonotes} % for the comments of Draftroom\n"
_COMMAND_OR_COMMENT = re.compile(r"\\[a-zA-Z]+\*?|(?<!\\)%[^\n]*|\\.")
_SPECIAL = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    **{character: f"\\{character}" for character in "{}$&#_%"},
}
_GAP = re.compile(r"\n\s*\n")
"""Between paragraphs."""
_FIRST_WORDS = 8
"""So many words of a paragraph tell where it begins."""


def to_latex(record: RunRecord, values: Values) -> str:
    """The source with its notes; apart from them, and the package that shows them, it is the file that was read.

    Raises:
        BadInput: The paper was no LaTeX source, is gone, or was changed.
        StateError: The paper as it was read is gone.
    """
    reference, document = read_paper(values)
    source = read_original(reference, "latex").decode("utf-8", errors="replace")
    words = _COMMAND_OR_COMMENT.sub(lambda match: " " * len(match[0]), source)
    placed = [(_place(note, document, words), note) for note in place_notes(document, record, values)]
    body = source.find(BEGIN)
    beginning = body + len(BEGIN) if body >= 0 else 0
    # Not within a formula, nor within the arguments of commands.
    marks = [
        (_outside_of_arguments(words, _outside_of_formula(source, at)) if at else beginning, note)
        for at, note in placed
    ]
    for at, note in sorted(marks, key=lambda mark: mark[0], reverse=True):
        escaped = "".join(_SPECIAL.get(character, character) for character in note.text)
        text = re.sub(r"\s*\n\s*", r"\\par ", escaped.strip())
        source = f"{source[:at]}\\todo[inline]{{{text}}}{source[at:]}"
    if body < 0 or re.search(r"\\usepackage(\[[^]]*\])?\{[^}]*todonotes", source[:body]):
        return source
    return source[:body] + PACKAGE + source[body:]


def _place(placed: Placed, document: Document, words: str) -> int:
    """Offset behind the words that a note is about, or where their paragraph begins; 0 if neither is found.

    Args:
        placed: One of the notes.
        document: The paper as it was read.
        words: The source without its commands, which have white space in their place.
    """
    text = next((item["text"] for item in document["paragraphs"] if item["id"] == placed.note.paragraph), "")
    beginning = locate(" ".join(text.split()[:_FIRST_WORDS]), words) if text else None
    after = beginning.start if beginning else 0
    quoted = locate(text[placed.start : placed.end], words[after:], fewest=1) if placed.end > placed.start else None
    if quoted:
        return after + quoted.end
    return beginning.end if beginning else 0


def _outside_of_formula(source: str, at: int) -> int:
    """The same place, or the end of the formula that it lies in."""
    dollars = [match.start() for match in re.finditer(r"(?<!\\)\$+", source)]
    before = sum(dollar < at for dollar in dollars)
    if before % 2 == 0 or before == len(dollars):
        return at
    closing = re.compile(r"\$+").match(source, dollars[before])
    return closing.end() if closing else at


def _outside_of_arguments(words: str, at: int) -> int:
    """The same place, or the end of the groups that are opened and closed in its paragraph, and of those behind them.

    Most commands take no paragraphs in an argument, and a note has some.
    """
    begin = max((gap.end() for gap in _GAP.finditer(words, 0, at)), default=0)
    gap = _GAP.search(words, at)
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
