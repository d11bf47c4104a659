"""Results of focused feedback: the comments at the words that they are about, and how each came about."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace

from draftroom.rendering.annotations import render_annotated_pdf
from draftroom.rendering.blocks import (
    Block,
    Callout,
    FoldedBlocks,
    Heading,
    Items,
    NotedPaper,
    NotedParagraph,
    ResultDocument,
    TextLine,
    format_place,
)
from draftroom.rendering.manuscripts import render_latex, render_word
from draftroom.rendering.notes import WEAKNESS_COLOURS, describe_evidence, list_computed_notes, list_ranked_notes
from draftroom.rendering.provenance import (
    build_reader_notices,
    describe_costs,
    describe_provenance,
    format_count,
    format_identifier,
)
from draftroom.rendering.rendering import Dialogue, Rendering, build_formats
from draftroom.systems.feedback import list_comments, list_notices
from nodes.feedback.agent import make_evidence_id
from runs.record import RunRecord
from state.documents import DocumentRef
from state.errors import StateError
from state.feedback import Comment, EarlierComment, FeedbackOutput, ParagraphReview, Plan, Step, Target
from state.records import Values
from tools.documents.reading import load_document

UNIT = "paragraph"
EARLIER_COMMENT_LABELS = {
    "open": "Still open",
    "addressed": "Addressed, as far as the new review can tell",
    "gone": "Gone with its paragraph",
}
_MAX_UNREVIEWED_CHARS = 80  # characters of a paragraph that was not reviewed
_MAX_QUOTE_CHARS = 60  # characters of a quote in a line of progress


def build_review_document(record: RunRecord, values: Values) -> ResultDocument:
    """Build the document of a review, also of one that is under way."""
    comments, computed = list_ranked_notes(values), list_computed_notes(values)
    document: DocumentRef | None = values.get("document")
    title = (document["title"] if document else "") or record["input"]["name"]
    reviews: list[ParagraphReview] = values.get("reviews", [])
    told = f"{format_count(len(comments), 'comment')} on {format_count(len(reviews), 'paragraph')}"
    told += f", {format_count(len(computed), 'computed finding')}" if computed else ""
    state = "" if values.get("finished") else f" so far ({record['status']})"
    summary = f"{told}{state}" if comments or computed else f"{told}{state}: nothing worth raising was found"
    ranked = "; the numbers rank them, the best supported first" if comments else ""
    notes = NotedPaper([*computed, *comments], _list_noted_paragraphs(values), list(WEAKNESS_COLOURS))
    return ResultDocument(
        title=title,
        result=[
            Heading(f"Feedback on: {title}", 1),
            TextLine(f"{summary}{ranked}.", tone="soft"),
            *_warn_of_hidden_text(values),
            *_report_missing_text(values),
            notes,
            *_list_earlier_comments(values),
        ],
        remarks=list(_list_remarks(values, {note.id for note in comments})),
        conclusion=f"{summary}. Run {record['id']}",
        story=list(_build_paragraph_history(values)),
        provenance=describe_provenance(record, values),
        costs=list(describe_costs(record, UNIT)),
    )


def _warn_of_hidden_text(values: Values) -> Iterator[Block]:
    lines = [
        TextLine(
            f"{finding['kind']}, {'' if finding['visible'] else 'in'}visible to a reader: {finding['explanation']}",
            label=format_place(finding["place"], finding["page"]),
            quote=finding["quote"],
            tone="alarm" if finding["kind"] == "instruction" else "warning",
        )
        for finding in values.get("findings", [])
    ]
    if lines:
        yield Callout("This paper holds text for language models, or text that a reader cannot see", lines)


def _list_noted_paragraphs(values: Values) -> list[NotedParagraph]:
    """Return the paper's paragraphs, then text that was reviewed besides, then quotes whose paragraph is gone."""
    texts: dict[str, NotedParagraph] = {}
    reference: DocumentRef | None = values.get("document")
    try:
        read = load_document(reference)["paragraphs"] if reference else []
    except StateError:
        read = []
    for paragraph in (*read, *values.get("targets", [])):
        known = NotedParagraph(paragraph["id"], paragraph["section"], paragraph["page"], paragraph["text"])
        texts.setdefault(paragraph["id"], known)
    for note in list_ranked_notes(values):
        texts.setdefault(note.paragraph, NotedParagraph(note.paragraph, note.section, note.page, note.quote))
    return list(texts.values())


def _report_missing_text(values: Values) -> Iterator[Block]:
    """Say why the text of the paper is not whole, if it is not."""
    reference: DocumentRef | None = values.get("document")
    if not reference:
        yield TextLine("The paper has not been read yet.", tone="soft")
        return
    try:
        load_document(reference)
    except StateError as error:
        yield TextLine(f"Only what was reviewed is shown. {error}", tone="soft")


def _list_earlier_comments(values: Values) -> Iterator[Block]:
    """List the comments on the version before, those that are open first."""
    earlier: list[EarlierComment] = values.get("earlier") or []
    if earlier:
        ordered = sorted(earlier, key=lambda item: list(EARLIER_COMMENT_LABELS).index(item["status"]))
        lines = [
            TextLine(
                f"{_summarize_comment(item['comment'], item['paragraph'])}",
                label=EARLIER_COMMENT_LABELS[item["status"]],
            )
            for item in ordered
        ]
        yield FoldedBlocks(f"Comments on the version before ({len(lines)})", [Items(lines)], unfolded=True)


def _summarize_comment(comment: Comment, paragraph: str = "") -> str:
    """Say in one line where a comment is, what it is about, and what it says."""
    where = paragraph or format_place(comment["section"], comment["page"], comment["paragraph"])
    return f"{where}: {comment['label']}, {describe_comment_subject(comment)}: {comment['review']}"


def describe_comment_subject(comment: Comment) -> str:
    """Say what a comment is about: words of the paragraph, or all of it."""
    return f'"{comment["quote"]}"' if comment["quote"] else "the paragraph as a whole"


def _list_remarks(values: Values, shown: set[str]) -> Iterator[Block]:
    """List what was left out, what was not commented on and why, and what else a reader should know."""
    reviews: list[ParagraphReview] = values.get("reviews", [])
    left_out = [comment for comment in list_comments(values) if comment["id"] not in shown]
    reasons = {comment["id"]: " ".join(comment["verification"]["notes"]) for comment in left_out}
    if left_out:
        why = "they resemble a better one, are more than was asked for, or were dismissed"
        yield FoldedBlocks(
            f"Comments that were left out ({len(left_out)}): {why}",
            [
                Items(
                    [
                        TextLine(f"{_summarize_comment(each)} {reasons[each['id']]}".strip(), tone="soft")
                        for each in left_out
                    ]
                )
            ],
        )
    failed = [_describe_outcome(review) for review in reviews if review["outcome"] == "failed"]
    if failed:
        yield Items([TextLine(why, label="Not reviewed", tone="alarm") for why in failed])
    silent = [_describe_outcome(review) for review in reviews if review["outcome"] not in ("comment", "failed")]
    if silent:
        yield FoldedBlocks(f"Paragraphs without a comment ({len(silent)})", [Items([TextLine(why) for why in silent])])
    yield from build_reader_notices(values, UNIT, list_notices(values))


def _describe_outcome(review: ParagraphReview) -> str:
    problem = f": {review['problem']}" if review["problem"] else ""
    return f"{format_place(review['section'], review['page'], review['paragraph'])}: {review['outcome']}{problem}"


def _build_paragraph_history(values: Values) -> Iterator[FoldedBlocks]:
    """Tell of each paragraph all that was done for it, in its order."""
    reviews: dict[str, ParagraphReview] = {review["paragraph"]: review for review in values.get("reviews", [])}
    targets: list[Target] = values.get("targets", [])
    for target in targets:
        review = reviews.get(target["id"])
        outcome = review["outcome"] if review else "not reviewed yet"
        place = format_place(target["section"], target["page"], target["id"])
        reviewed = review is not None and review["outcome"] != "failed"
        text = target["text"] if reviewed else textwrap.shorten(target["text"], _MAX_UNREVIEWED_CHARS)
        lines = [TextLine(text, tone="soft"), *(_list_review_lines(review) if review else ())]
        yield FoldedBlocks(f"Paragraph {target['number']} ({place}): {outcome}", [Items(lines)], target["number"])


def _list_review_lines(review: ParagraphReview) -> Iterator[TextLine]:
    for position, plan in enumerate(review["plans"]):
        yield from _list_plan_lines(plan, followed=position == 0)
    found = {item["id"]: item for item in review["evidence"]}
    for record in review["log"]:
        yield TextLine(_describe_step(record["step"]), label=record["decision"], tone="thought")
        if record["because"]:
            yield TextLine(record["because"], label="because", tone="soft")
        evidence = found.get(make_evidence_id(record["step"]["id"]))
        if evidence:
            yield replace(describe_evidence(evidence, question=False), tone="good")
        if not evidence or record["note"]:
            yield TextLine(f"{record['outcome']}{': ' if record['note'] else ''}{record['note']}", tone="soft")
    for candidate in review["candidates"]:
        label = f"possible weakness ({candidate['label']})"
        yield TextLine(f'"{candidate["quote"]}": {candidate["problem"]}', label=label, tone="answer")
    if review["comment"]:
        yield from _list_comment_lines(review["comment"])
    if review["problem"]:
        yield TextLine(review["problem"], label=review["outcome"], tone="warning")
    for note in review["notes"]:
        yield TextLine(note, label="please note", tone="warning")


def _list_comment_lines(comment: Comment) -> Iterator[TextLine]:
    yield TextLine(
        f"{describe_comment_subject(comment)}: {comment['review']}", label=f"comment, {comment['label']}", tone="strong"
    )
    if comment["reasoning"]:
        yield TextLine(comment["reasoning"], label="reasoning", tone="soft")
    for note in [comment["verification"]["verdict"], *comment["verification"]["notes"]]:
        yield TextLine(note, label="check", tone="soft")


def _list_plan_lines(plan: Plan, *, followed: bool) -> Iterator[TextLine]:
    score = "" if plan["score"] is None else f", score {plan['score']:.3f}"
    steps = "; ".join(_describe_step(step) for step in plan["steps"])
    label = f"plan {plan['number']}{score}{', followed' if followed else ''}"
    yield TextLine(steps, label=label, tone="question" if followed else "soft")
    for repair in plan["repairs"]:
        yield TextLine(repair, label="repaired", tone="warning")


def _describe_step(step: Step) -> str:
    written = "" if step["origin"] == "planner" else f" (by the {step['origin']})"
    return (
        f"{step['id']} {format_identifier(step['action'])}{': ' if step['question'] else ''}{step['question']}{written}"
    )


def describe_review_progress(node: str, update: Values, values: Values) -> str:
    """Return a line after each paragraph."""
    if node != "conclude":
        return ""
    review: ParagraphReview = update["reviews"][-1]
    comment = review["comment"]
    if comment and review["outcome"] == "comment":
        short: Comment = {**comment, "quote": textwrap.shorten(comment["quote"], _MAX_QUOTE_CHARS)}
        outcome = f"comment on {describe_comment_subject(short)}, {comment['label']}"
    else:
        outcome = f"{review['outcome']}{': ' if review['problem'] else ''}{review['problem']}"
    section = f" ({review['section']})" if review["section"] else ""
    done = f"{len(values['reviews'])} of {len(values['targets'])} done"
    return f"Paragraph {review['paragraph']}{section}: {outcome}; {done}"


def format_questions(question: Values) -> str:
    """Number the questions of a paused run under the paragraph that they are about."""
    questions = "\n".join(f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
    return f"The paragraph:\n{textwrap.indent(question['paragraph'], '  ')}\nThe questions about it:\n{questions}"


RENDERING = Rendering(
    unit=UNIT,
    milestone=describe_review_progress,
    document=build_review_document,
    formats={
        **build_formats(build_review_document, FeedbackOutput),
        ".pdf": render_annotated_pdf,
        ".docx": render_word,
        ".tex": render_latex,
    },
    of_the_paper={".pdf": "pdf", ".tex": "latex"},
    dialogue=Dialogue(format_questions, these="these questions", line="question"),
)
BASELINE_RENDERING = replace(RENDERING, dialogue=None)
"""A baseline asks nobody."""
