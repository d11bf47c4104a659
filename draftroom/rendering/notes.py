"""Turn comments and computed findings into notes at places of the paper, for every export format."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from draftroom.rendering.blocks import Note, TextLine, format_place
from draftroom.rendering.findings import build_computed_note
from draftroom.rendering.provenance import format_extensions
from draftroom.systems.feedback import list_ranked_comments
from runs.record import RunRecord
from state.computed_findings import rank_severity
from state.documents import FORMAT_NAMES, Document, DocumentFormat, DocumentRef
from state.errors import InputError
from state.feedback import AuthorDecision, Comment, Evidence, ReviewFinding, Weakness
from state.records import Values
from tools.checks.quotes import find_quote
from tools.documents.reading import load_document
from tools.text import strip_control_characters

NOTE_AUTHOR = "Draftroom"
# Colour of each type of comment; also the order in which the types are listed.
WEAKNESS_COLOURS: dict[Weakness, str] = {
    "Replicability": "9fd0ff",
    "Originality": "d9bbff",
    "Empirical and Theoretical Soundness": "ffb5a8",
    "Meaningful Comparison": "a5e3b4",
    "Substance": "ffe07d",
}
OTHER_FORMAT_HINT = "write the comments to a file that ends in .html or .md instead"
OPEN_DECISION = AuthorDecision(decision="open")


def list_ranked_notes(values: Values) -> list[Note]:
    """List the notes of all comments that were not dismissed, by rank, with the author's changes."""
    decisions: dict[str, AuthorDecision] = values.get("decisions") or {}
    return [
        _build_comment_note(rank, comment, decisions.get(comment["id"], OPEN_DECISION))
        for rank, comment in enumerate(list_ranked_comments(values), start=1)
        if decisions.get(comment["id"], OPEN_DECISION)["decision"] != "dismissed"
    ]


def list_computed_notes(values: Values) -> list[Note]:
    """List the notes of computed findings that are marked as shown and not dismissed, highest severity first."""
    decisions: dict[str, AuthorDecision] = values.get("decisions") or {}
    computed: list[ReviewFinding] = values.get("computed", [])
    return [
        build_computed_note(found, found["id"], found["wording"])
        for found in sorted(computed, key=rank_severity)
        if found["shown"] and decisions.get(found["id"], OPEN_DECISION)["decision"] != "dismissed"
    ]


def _build_comment_note(rank: int, comment: Comment, decision: AuthorDecision) -> Note:
    """Build the note of a comment: its text as the author has changed it, and the author's reply."""
    review, suggestion = decision.get("review", comment["review"]), decision.get("suggestion", comment["suggestion"])
    verdict, notes = comment["verification"]["verdict"], comment["verification"]["notes"]
    lines = [TextLine(review)]
    for label, text in (("Suggestion", suggestion), ("The author", decision.get("reply", ""))):
        if text:
            lines.append(TextLine(text, label=label, tone="good"))
    return Note(
        id=comment["id"],
        rank=rank,
        kind=comment["label"],
        title=", ".join(filter(None, (comment["label"], comment.get("severity")))),
        colour=WEAKNESS_COLOURS[comment["label"]],
        paragraph=comment["paragraph"],
        section=comment["section"],
        page=comment["page"],
        quote=comment["quote"],
        start=comment["start"],
        lines=lines,
        evidence=[describe_evidence(item) for item in comment["evidence"]],
        checks=[TextLine(note, label=f"Check ({verdict})", tone="soft") for note in notes],
    )


def describe_evidence(item: Evidence, *, question: bool = True) -> TextLine:
    """Format evidence as a line: its question (unless switched off), answer, quote and source."""
    text = f"{item['question']} {item['answer']}" if question else item["answer"]
    place = format_place(item["section"], item["page"])
    if item["source"] == "model":
        source = "the model's own knowledge, not looked up"
    elif item["source"] == "computed":
        source = format_place("computed", 0, place)
    else:
        title = "this paper" if item["source"] == "paper" else item["title"]
        source = format_place(title, 0, place, item["address"], "" if item["quote"] else "without a quote")
    return TextLine(text, f"Evidence {item['id']}", item["quote"], source, tone="question")


class PlacedNote(NamedTuple):
    """Tuple of a note, its plain text, and the offsets of its quote, for the author's own file."""

    note: Note
    text: str
    start: int
    """Offset of the quote in the paragraph's text."""
    end: int
    """Equal to `start` for a note on the whole paragraph."""


def locate_notes(document: Document, record: RunRecord, values: Values) -> list[PlacedNote]:
    """List all notes that were not dismissed, computed ones first, with their places in the paper as read."""
    texts = {paragraph["id"]: paragraph["text"] for paragraph in document["paragraphs"]}
    extensions = TextLine(format_extensions(record["extensions"]))
    placed = []
    for note in list_computed_notes(values):
        # A table row stands in the text as its cells, so the quote of a finding about it may not be found.
        place = find_quote(note.quote, texts[note.paragraph], fewest=1) if note.paragraph in texts else None
        placed.append(PlacedNote(note, format_note(note, note.lines), *((place.start, place.end) if place else (0, 0))))
    for note in list_ranked_notes(values):
        lines = [*note.lines, *note.evidence, *note.checks, extensions]
        placed.append(PlacedNote(note, format_note(note, lines), note.start, note.start + len(note.quote)))
    return placed


def format_note(note: Note, lines: Sequence[TextLine]) -> str:
    """Format a note as plain text: its title, and the given lines as paragraphs."""
    title = f"{note.rank}. {note.title}" if note.rank else note.title
    return "\n\n".join(strip_control_characters(part) for part in (title, *(line.to_text() for line in lines)))


def load_paper_document(values: Values) -> tuple[DocumentRef, Document]:
    """Return the reference of a run's paper and its stored document, or raise InputError if it is not read yet."""
    reference: DocumentRef | None = values.get("document")
    if not reference:
        raise InputError(f"The paper has not been read yet; resume the run, or {OTHER_FORMAT_HINT}.")
    return reference, load_document(reference)


def read_original_file(reference: DocumentRef, wanted: DocumentFormat) -> bytes:
    """Return the bytes of the paper's file, or raise InputError if it is gone, was changed, or has another format."""
    path = reference["source"]
    if reference["format"] != wanted or not path:
        raise InputError(
            f"Only a paper that was read from {FORMAT_NAMES[wanted]} can be annotated so; {OTHER_FORMAT_HINT}."
        )
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(
            f"{path} cannot be read ({error.strerror}), so it cannot be annotated; "
            f"put it back, or {OTHER_FORMAT_HINT}.",
            kind="missing_file",
        ) from error
    if hashlib.sha256(data).hexdigest() != reference["sha256"]:
        raise InputError(
            f"{path} was changed since it was reviewed, so comments would point at other words; review it again, "
            f"or {OTHER_FORMAT_HINT}."
        )
    return data
