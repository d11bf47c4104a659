"""What is written beside words of the paper: each comment and each computed finding as a note with its place.

The annotated PDF, the Word file and the LaTeX source show the same notes, each in its own way.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import NamedTuple

from draftroom.rendering.feedback.terminal import (
    COLOURS,
    RankedComment,
    computed_findings,
    computed_lines,
    computed_title,
    ranked_comments,
    source,
)
from draftroom.rendering.rendering import extensions_line
from runs.record import RunRecord
from state.documents import FORMAT_NAMES, Document, DocumentFormat, DocumentRef, Paragraph
from state.errors import BadInput
from state.feedback import RaisedFinding
from state.records import Values
from tools.checks.quotes import locate
from tools.documents.reading import load_document
from tools.text import plain

AUTHOR = "Draftroom"
COMPUTED = "c3cad1"
"""Colour of what was computed."""
INSTEAD = "write the comments to a file that ends in .html or .md instead"


class Note(NamedTuple):
    """What is written beside words of the paper."""

    id: str
    subject: str
    colour: str
    text: str
    paragraph: str
    page: int
    """0 if it is not known."""
    start: int
    """Offset of the words in the paragraph's text."""
    end: int
    """The same as `start` if it is about the whole paragraph."""


def read_paper(values: Values) -> tuple[DocumentRef, Document]:
    """The paper of a run, as it was read.

    Raises:
        BadInput: It has not been read yet.
        StateError: It is gone.
    """
    reference: DocumentRef | None = values.get("document")
    if not reference:
        raise BadInput(f"The paper has not been read yet; resume the run, or {INSTEAD}.")
    return reference, load_document(reference)


def notes_on(document: Document, record: RunRecord, values: Values) -> list[Note]:
    """All notes that nobody has dismissed: what was computed, and then the comments, the best supported first."""
    paragraphs = {paragraph["id"]: paragraph for paragraph in document["paragraphs"]}
    extensions = extensions_line(record.get("extensions"))
    comments = [_of_comment(ranked, extensions) for ranked in ranked_comments(values)]
    return [_of_finding(found, paragraphs.get(found["paragraph"])) for found in computed_findings(values)] + comments


def note(ranked: RankedComment, extensions: str) -> str:
    """A comment as the text of a note, which also says what helped the agents."""
    comment = ranked.comment
    parts = [
        f"{ranked.rank}. {comment['label']}",
        comment["review"],
        f"Suggestion: {comment['suggestion']}" if comment["suggestion"] else "",
        *(f"Evidence: {item['question']} {item['answer']} ({source(item)})" for item in comment["evidence"]),
        *(f"Check: {text}" for text in comment["verification"]["notes"]),
        extensions,
    ]
    return "\n\n".join(plain(part) for part in parts if part)


def _of_comment(ranked: RankedComment, extensions: str) -> Note:
    comment = ranked.comment
    start = comment["start"]
    return Note(
        comment["id"],
        comment["label"],
        COLOURS[comment["label"]],
        note(ranked, extensions),
        comment["paragraph"],
        comment["page"],
        start,
        start + len(comment["quote"]),
    )


def _of_finding(found: RaisedFinding, paragraph: Paragraph | None) -> Note:
    """A row of a table stands in the text as its cells, so that it may not be found there."""
    place = locate(found["quote"], paragraph["text"], fewest=1) if paragraph else None
    start, end = (place.start, place.end) if place else (0, 0)
    text = "\n\n".join(plain(line) for line in (computed_title(found), *computed_lines(found)))
    return Note(found["id"], "Computed", COMPUTED, text, found["paragraph"], found["page"], start, end)


def original(reference: DocumentRef, wanted: DocumentFormat) -> bytes:
    """The file that was read, if it still is what it was.

    Raises:
        BadInput: It was read from another format, is gone, or was changed.
    """
    path = reference["source"]
    if reference["format"] != wanted or not path:
        raise BadInput(f"Only a paper that was read from {FORMAT_NAMES[wanted]} can be annotated so; {INSTEAD}.")
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadInput(
            f"{path} cannot be read ({error.strerror}), so it cannot be annotated; put it back, or {INSTEAD}.",
            kind="missing_file",
        ) from error
    if hashlib.sha256(data).hexdigest() != reference["sha256"]:
        raise BadInput(
            f"{path} was changed since it was reviewed, so comments would point at other words; review it again, "
            f"or {INSTEAD}."
        )
    return data
