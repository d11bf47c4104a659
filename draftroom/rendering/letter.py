"""A letter that answers the comments point by point, with the author's replies and a slot where there is none yet."""

from __future__ import annotations

from collections.abc import Iterator

from draftroom.rendering.blocks import Block, Heading, Note, Quotation, TextLine
from draftroom.rendering.markdown import write_blocks
from draftroom.rendering.notes import computed_notes, decisions_of, ranked_notes
from runs.record import RunRecord
from state.feedback import AuthorDecision, EarlierComment
from state.records import Values

SLOT = "[Your answer, and what was changed where.]"


def to_letter(record: RunRecord, values: Values) -> str:
    """Write the letter in Markdown; each comment that was not dismissed has an answer or a slot for it."""
    return write_blocks(_write_letter(record, values))


def _write_letter(record: RunRecord, values: Values) -> Iterator[Block]:
    document, decisions = values.get("document"), decisions_of(values)
    yield Heading(
        f"Response to the comments on: {(document['title'] if document else '') or record['input']['name']}", 1
    )
    yield TextLine("Thank you for the comments. Each one is answered below.")
    for note in (*computed_notes(values), *ranked_notes(values)):
        yield from _answer_note(note, decisions.get(note.id))
    earlier: list[EarlierComment] = values.get("earlier") or []
    for item in earlier:
        answers = {
            "open": SLOT,
            "addressed": f"We have changed the paragraph. {SLOT}",
            "gone": "The paragraph is gone.",
        }
        comment = item["comment"]
        yield Heading(f"Comment on the version before: {comment['label']}")
        yield TextLine("", label=item["paragraph"] or comment["paragraph"], quote=comment["quote"])
        yield Quotation(comment["review"])
        yield TextLine(answers[item["status"]], label="Answer")


def _answer_note(note: Note, decision: AuthorDecision | None) -> Iterator[Block]:
    yield Heading(f"Comment {note.rank}: {note.title}" if note.rank else note.title)
    yield TextLine("", label=note.place or "List of references", quote=note.quote)
    for line in note.lines:
        yield Quotation(line.flatten())
    accepted = decision is not None and decision["decision"] == "accepted"
    reply = decision.get("reply", "") if decision else ""
    yield TextLine(reply or (f"We agree. {SLOT}" if accepted else SLOT), label="Answer")
