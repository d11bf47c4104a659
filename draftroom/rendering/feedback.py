"""Results of focused feedback: the comments at the words that they are about, and how each came about."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace

from draftroom.rendering.account import count, describe_costs, describe_run, please_note, spoken
from draftroom.rendering.annotations import to_annotated_pdf
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
    join_place,
)
from draftroom.rendering.manuscripts import to_latex, to_word
from draftroom.rendering.notes import KINDS, computed_notes, describe_evidence, ranked_notes
from draftroom.rendering.rendering import Dialogue, Rendering, document_formats
from draftroom.systems.feedback import all_comments, notices
from nodes.feedback.agent import evidence_id
from runs.record import RunRecord
from state.documents import DocumentRef
from state.errors import StateError
from state.feedback import Comment, EarlierComment, FeedbackOutput, ParagraphReview, Plan, Step, Target
from state.records import Values
from tools.documents.reading import load_document

UNIT = "paragraph"
STATUSES = {
    "open": "Still open",
    "addressed": "Addressed, as far as the new review can tell",
    "gone": "Gone with its paragraph",
}
_BEGINNING = 80  # characters of a paragraph that was not reviewed
_LONGEST_QUOTE = 60  # characters of a quote in a line of progress


def build_document(record: RunRecord, values: Values) -> ResultDocument:
    """Build the document of a review, also of one that is under way."""
    comments, computed = ranked_notes(values), computed_notes(values)
    document: DocumentRef | None = values.get("document")
    title = (document["title"] if document else "") or record["input"]["name"]
    reviews: list[ParagraphReview] = values.get("reviews", [])
    told = f"{count(len(comments), 'comment')} on {count(len(reviews), 'paragraph')}"
    told += f", {count(len(computed), 'computed finding')}" if computed else ""
    state = "" if values.get("finished") else f" so far ({record['status']})"
    summary = f"{told}{state}" if comments or computed else f"{told}{state}: nothing worth raising was found"
    ranked = "; the numbers rank them, the best supported first" if comments else ""
    notes = NotedPaper([*computed, *comments], _read_paper(values), list(KINDS))
    return ResultDocument(
        title=title,
        result=[
            Heading(f"Feedback on: {title}", 1),
            TextLine(f"{summary}{ranked}.", tone="soft"),
            *_warn_of_hidden_text(values),
            *_say_what_is_missing(values),
            notes,
            *_follow_up(values),
        ],
        remarks=list(_list_remarks(values, {note.id for note in comments})),
        conclusion=f"{summary}. Run {record['id']}",
        story=list(_tell_paragraphs(values)),
        provenance=describe_run(record, values),
        costs=list(describe_costs(record, UNIT)),
    )


def _warn_of_hidden_text(values: Values) -> Iterator[Block]:
    lines = [
        TextLine(
            f"{finding['kind']}, {'' if finding['visible'] else 'in'}visible to a reader: {finding['explanation']}",
            label=join_place(finding["place"], finding["page"]),
            quote=finding["quote"],
            tone="alarm" if finding["kind"] == "instruction" else "warning",
        )
        for finding in values.get("findings", [])
    ]
    if lines:
        yield Callout("This paper holds text for language models, or text that a reader cannot see", lines)


def _read_paper(values: Values) -> list[NotedParagraph]:
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
    for note in ranked_notes(values):
        texts.setdefault(note.paragraph, NotedParagraph(note.paragraph, note.section, note.page, note.quote))
    return list(texts.values())


def _say_what_is_missing(values: Values) -> Iterator[Block]:
    """Say why the text of the paper is not whole, if it is not."""
    reference: DocumentRef | None = values.get("document")
    if not reference:
        yield TextLine("The paper has not been read yet.", tone="soft")
        return
    try:
        load_document(reference)
    except StateError as error:
        yield TextLine(f"Only what was reviewed is shown. {error}", tone="soft")


def _follow_up(values: Values) -> Iterator[Block]:
    """List the comments on the version before, those that are open first."""
    earlier: list[EarlierComment] = values.get("earlier") or []
    if earlier:
        ordered = sorted(earlier, key=lambda item: list(STATUSES).index(item["status"]))
        lines = [
            TextLine(f"{_in_short(item['comment'], item['paragraph'])}", label=STATUSES[item["status"]])
            for item in ordered
        ]
        yield FoldedBlocks(f"Comments on the version before ({len(lines)})", [Items(lines)], unfolded=True)


def _in_short(comment: Comment, paragraph: str = "") -> str:
    """Say in one line where a comment is, what it is about, and what it says."""
    where = paragraph or join_place(comment["section"], comment["page"], comment["paragraph"])
    return f"{where}: {comment['label']}, {about(comment)}: {comment['review']}"


def about(comment: Comment) -> str:
    """Say what a comment is about: words of the paragraph, or all of it."""
    return f'"{comment["quote"]}"' if comment["quote"] else "the paragraph as a whole"


def _list_remarks(values: Values, shown: set[str]) -> Iterator[Block]:
    """List what was left out, what was not commented on and why, and what else a reader should know."""
    reviews: list[ParagraphReview] = values.get("reviews", [])
    left_out = [comment for comment in all_comments(values) if comment["id"] not in shown]
    reasons = {comment["id"]: " ".join(comment["verification"]["notes"]) for comment in left_out}
    if left_out:
        why = "they resemble a better one, are more than was asked for, or were dismissed"
        yield FoldedBlocks(
            f"Comments that were left out ({len(left_out)}): {why}",
            [Items([TextLine(f"{_in_short(each)} {reasons[each['id']]}".strip(), tone="soft") for each in left_out])],
        )
    failed = [_why_silent(review) for review in reviews if review["outcome"] == "failed"]
    if failed:
        yield Items([TextLine(why, label="Not reviewed", tone="alarm") for why in failed])
    silent = [_why_silent(review) for review in reviews if review["outcome"] not in ("comment", "failed")]
    if silent:
        yield FoldedBlocks(f"Paragraphs without a comment ({len(silent)})", [Items([TextLine(why) for why in silent])])
    yield from please_note(values, UNIT, notices(values))


def _why_silent(review: ParagraphReview) -> str:
    problem = f": {review['problem']}" if review["problem"] else ""
    return f"{join_place(review['section'], review['page'], review['paragraph'])}: {review['outcome']}{problem}"


def _tell_paragraphs(values: Values) -> Iterator[FoldedBlocks]:
    """Tell of each paragraph all that was done for it, in its order."""
    reviews: dict[str, ParagraphReview] = {review["paragraph"]: review for review in values.get("reviews", [])}
    targets: list[Target] = values.get("targets", [])
    for target in targets:
        review = reviews.get(target["id"])
        outcome = review["outcome"] if review else "not reviewed yet"
        place = join_place(target["section"], target["page"], target["id"])
        reviewed = review is not None and review["outcome"] != "failed"
        text = target["text"] if reviewed else textwrap.shorten(target["text"], _BEGINNING)
        lines = [TextLine(text, tone="soft"), *(_tell_review(review) if review else ())]
        yield FoldedBlocks(f"Paragraph {target['number']} ({place}): {outcome}", [Items(lines)], target["number"])


def _tell_review(review: ParagraphReview) -> Iterator[TextLine]:
    for position, plan in enumerate(review["plans"]):
        yield from _tell_plan(plan, followed=position == 0)
    found = {item["id"]: item for item in review["evidence"]}
    for record in review["log"]:
        yield TextLine(_describe_step(record["step"]), label=record["decision"], tone="thought")
        if record["because"]:
            yield TextLine(record["because"], label="because", tone="soft")
        evidence = found.get(evidence_id(record["step"]["id"]))
        if evidence:
            yield replace(describe_evidence(evidence, question=False), tone="good")
        if not evidence or record["note"]:
            yield TextLine(f"{record['outcome']}{': ' if record['note'] else ''}{record['note']}", tone="soft")
    for candidate in review["candidates"]:
        label = f"possible weakness ({candidate['label']})"
        yield TextLine(f'"{candidate["quote"]}": {candidate["problem"]}', label=label, tone="answer")
    if review["comment"]:
        yield from _tell_comment(review["comment"])
    if review["problem"]:
        yield TextLine(review["problem"], label=review["outcome"], tone="warning")
    for note in review["notes"]:
        yield TextLine(note, label="please note", tone="warning")


def _tell_comment(comment: Comment) -> Iterator[TextLine]:
    yield TextLine(f"{about(comment)}: {comment['review']}", label=f"comment, {comment['label']}", tone="strong")
    if comment["reasoning"]:
        yield TextLine(comment["reasoning"], label="reasoning", tone="soft")
    for note in [comment["verification"]["verdict"], *comment["verification"]["notes"]]:
        yield TextLine(note, label="check", tone="soft")


def _tell_plan(plan: Plan, *, followed: bool) -> Iterator[TextLine]:
    score = "" if plan["score"] is None else f", score {plan['score']:.3f}"
    steps = "; ".join(_describe_step(step) for step in plan["steps"])
    label = f"plan {plan['number']}{score}{', followed' if followed else ''}"
    yield TextLine(steps, label=label, tone="question" if followed else "soft")
    for repair in plan["repairs"]:
        yield TextLine(repair, label="repaired", tone="warning")


def _describe_step(step: Step) -> str:
    written = "" if step["origin"] == "planner" else f" (by the {step['origin']})"
    return f"{step['id']} {spoken(step['action'])}{': ' if step['question'] else ''}{step['question']}{written}"


def milestone(node: str, update: Values, values: Values) -> str:
    """Return a line after each paragraph."""
    if node != "conclude":
        return ""
    review: ParagraphReview = update["reviews"][-1]
    comment = review["comment"]
    if comment and review["outcome"] == "comment":
        short: Comment = {**comment, "quote": textwrap.shorten(comment["quote"], _LONGEST_QUOTE)}
        outcome = f"comment on {about(short)}, {comment['label']}"
    else:
        outcome = f"{review['outcome']}{': ' if review['problem'] else ''}{review['problem']}"
    section = f" ({review['section']})" if review["section"] else ""
    done = f"{len(values['reviews'])} of {len(values['targets'])} done"
    return f"Paragraph {review['paragraph']}{section}: {outcome}; {done}"


def describe_question(question: Values) -> str:
    """Number the questions of a paused run under the paragraph that they are about."""
    questions = "\n".join(f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
    return f"The paragraph:\n{textwrap.indent(question['paragraph'], '  ')}\nThe questions about it:\n{questions}"


RENDERING = Rendering(
    unit=UNIT,
    milestone=milestone,
    document=build_document,
    formats={
        **document_formats(build_document, FeedbackOutput),
        ".pdf": to_annotated_pdf,
        ".docx": to_word,
        ".tex": to_latex,
    },
    of_the_paper={".pdf": "pdf", ".tex": "latex"},
    dialogue=Dialogue(describe_question, these="these questions", line="question"),
)
BASELINE_RENDERING = replace(RENDERING, dialogue=None)
"""A baseline asks nobody."""
