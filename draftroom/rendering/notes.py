"""What is said about words of a paper: each comment and each computed finding as a note.

A result in Markdown or HTML shows them as the annotated PDF, the Word file and the LaTeX source do.
"""

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
WEAKNESS_COLOURS: dict[Weakness, str] = {
    "Replicability": "9fd0ff",
    "Originality": "d9bbff",
    "Empirical and Theoretical Soundness": "ffb5a8",
    "Meaningful Comparison": "a5e3b4",
    "Substance": "ffe07d",
}
"""Colour of each type of comment; also the order in which they are listed."""
OTHER_FORMAT_HINT = "write the comments to a file that ends in .html or .md instead"
OPEN_DECISION = AuthorDecision(decision="open")


def list_decisions(values: Values) -> dict[str, AuthorDecision]:
    """Return what a person has made of the comments, by their ids."""
    return values.get("decisions") or {}


def list_ranked_notes(values: Values) -> list[Note]:
    """Return the comments of the run; of a run that has not ranked them yet, those that there are.

    A comment that a person has dismissed is left out, and one that they have edited is in their words.
    """
    decisions = list_decisions(values)
    return [
        _build_comment_note(rank, comment, decisions.get(comment["id"], OPEN_DECISION))
        for rank, comment in enumerate(list_ranked_comments(values), start=1)
        if decisions.get(comment["id"], OPEN_DECISION)["decision"] != "dismissed"
    ]


def list_computed_notes(values: Values) -> list[Note]:
    """Return what was computed about the reviewed text and no person has dismissed, the gravest first."""
    decisions = list_decisions(values)
    computed: list[ReviewFinding] = values.get("computed", [])
    shown = [found for found in computed if found["shown"]]
    kept = [found for found in shown if decisions.get(found["id"], OPEN_DECISION)["decision"] != "dismissed"]
    return [build_computed_note(found, found["id"], found["wording"]) for found in sorted(kept, key=rank_severity)]


def _build_comment_note(rank: int, comment: Comment, decision: AuthorDecision) -> Note:
    review, suggestion = decision.get("review", comment["review"]), decision.get("suggestion", comment["suggestion"])
    verdict, notes = comment["verification"]["verdict"], comment["verification"]["notes"]
    said = {"Suggestion": suggestion, "The author": decision.get("reply", "")}
    return Note(
        id=comment["id"],
        rank=rank,
        kind=comment["label"],
        title=comment["label"],
        colour=WEAKNESS_COLOURS[comment["label"]],
        paragraph=comment["paragraph"],
        section=comment["section"],
        page=comment["page"],
        quote=comment["quote"],
        start=comment["start"],
        lines=[TextLine(review), *(TextLine(text, label=label, tone="good") for label, text in said.items() if text)],
        evidence=[describe_evidence(item) for item in comment["evidence"]],
        checks=[TextLine(note, label=f"Check ({verdict})", tone="soft") for note in notes],
    )


def describe_evidence(item: Evidence, *, question: bool = True) -> TextLine:
    """Tell an answer, with or without its question, its quote, and where it comes from."""
    said = f"{item['question']} {item['answer']}" if question else item["answer"]
    return TextLine(said, f"Evidence {item['id']}", item["quote"], format_evidence_source(item), tone="question")


def format_evidence_source(evidence: Evidence) -> str:
    """Name where an answer comes from."""
    if evidence["source"] == "model":
        return "the model's own knowledge, not looked up"
    if evidence["source"] == "computed":
        return format_place("computed", 0, format_place(evidence["section"], evidence["page"]))
    title = "this paper" if evidence["source"] == "paper" else evidence["title"]
    unquoted = "" if evidence["quote"] else "without a quote"
    return format_place(title, 0, format_place(evidence["section"], evidence["page"]), evidence["address"], unquoted)


class PlacedNote(NamedTuple):
    """A note as it is written into the author's own file."""

    note: Note
    text: str
    start: int
    """Offset of the words in the paragraph's text."""
    end: int
    """The same as `start` if it is about the whole paragraph."""


def locate_notes(document: Document, record: RunRecord, values: Values) -> list[PlacedNote]:
    """Return all notes that nobody has dismissed, with their places in the paper as it was read.

    A comment also says what helped the agents. A row of a table stands in the text as its cells, so that a finding
    about it may not be found there.
    """
    texts = {paragraph["id"]: paragraph["text"] for paragraph in document["paragraphs"]}
    extensions = TextLine(format_extensions(record["extensions"]))
    placed = []
    for note in list_computed_notes(values):
        place = find_quote(note.quote, texts[note.paragraph], fewest=1) if note.paragraph in texts else None
        placed.append(PlacedNote(note, format_note(note, note.lines), *((place.start, place.end) if place else (0, 0))))
    for note in list_ranked_notes(values):
        said = [*note.lines, *note.evidence, *note.checks, extensions]
        placed.append(PlacedNote(note, format_note(note, said), note.start, note.start + len(note.quote)))
    return placed


def format_note(note: Note, lines: Sequence[TextLine]) -> str:
    """Write a note as one text."""
    title = f"{note.rank}. {note.title}" if note.rank else note.title
    return "\n\n".join(strip_control_characters(part) for part in (title, *(line.to_text() for line in lines)))


def load_paper_document(values: Values) -> tuple[DocumentRef, Document]:
    """Return the paper of a run, as it was read.

    Raises:
        BadInput: It has not been read yet.
        StateError: It is gone.
    """
    reference: DocumentRef | None = values.get("document")
    if not reference:
        raise InputError(f"The paper has not been read yet; resume the run, or {OTHER_FORMAT_HINT}.")
    return reference, load_document(reference)


def read_original_file(reference: DocumentRef, wanted: DocumentFormat) -> bytes:
    """Return the file that was read, if it still is what it was.

    Raises:
        BadInput: It was read from another format, is gone, or was changed.
    """
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
