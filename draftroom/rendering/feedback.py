"""Render the results of focused feedback: comments beside the quoted words, and how each was reached."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from dataclasses import replace

from draftroom.rendering import blocks as b
from draftroom.rendering.manuscripts import render_annotated_pdf, render_latex, render_word
from draftroom.rendering.notes import WEAKNESS_COLOURS, describe_evidence, list_computed_notes, list_ranked_notes
from draftroom.rendering.provenance import build_reader_notices, format_count, format_identifier
from draftroom.rendering.rendering import Dialogue, Rendering
from draftroom.systems.feedback import list_comments, list_notices, list_ranked_comments
from nodes.feedback.agent import make_evidence_id
from runs.record import RunRecord
from state.documents import DocumentRef
from state.errors import StateError
from state.feedback import Comment, EarlierComment, FeedbackOutput, ParagraphReview, Step, Target
from state.records import Values
from tools.documents.reading import load_document

UNIT = "paragraph"
EARLIER_COMMENT_LABELS = {
    "open": "Still open",
    "addressed": "Addressed, as far as the new review can tell",
    "gone": "Gone with its paragraph",
}
# Only the beginning of a paragraph without a review, and of a quote in a progress line, is shown.
_MAX_UNREVIEWED_CHARS = 80
_MAX_QUOTE_CHARS = 60


def build_review_document(record: RunRecord, values: Values) -> b.ResultDocument:
    """Build the result document of a finished or unfinished review."""
    comments, computed = list_ranked_notes(values), list_computed_notes(values)
    document: DocumentRef | None = values.get("document")
    title = (document["title"] if document else "") or record["input"]["name"]
    counts = f"{format_count(len(comments), 'comment')} on {format_count(len(values.get('reviews', [])), 'paragraph')}"
    counts += f", {format_count(len(computed), 'computed finding')}" if computed else ""
    state = "" if values.get("finished") else f" so far ({record['status']})"
    summary = f"{counts}{state}" if comments or computed else f"{counts}{state}: nothing worth raising was found"
    severities = {comment["id"]: comment.get("severity") for comment in list_ranked_comments(values)}
    first = "the gravest and best supported" if any(severities.values()) else "the best supported"
    ranked = f"; the numbers rank them, {first} first" if comments else ""
    # Details do not stand between graver comments; alone they are what there is to read.
    details = [note for note in comments if severities[note.id] == "low"]
    graver = [note for note in comments if note not in details] or comments
    paragraphs, missing = _list_paper_paragraphs(values)
    # Comments on the previous version, open ones first.
    earlier: list[EarlierComment] = values.get("earlier") or []
    order = list(EARLIER_COMMENT_LABELS)
    lines = [
        b.TextLine(_summarize_comment(item["comment"], item["paragraph"]), label=EARLIER_COMMENT_LABELS[item["status"]])
        for item in sorted(earlier, key=lambda item: order.index(item["status"]))
    ]
    heading = f"Comments on the version before ({len(lines)})"
    previous = [b.FoldedBlocks(heading, [b.Items(lines)], unfolded=True)] if lines else []
    return b.ResultDocument(
        title=title,
        result=[
            b.Heading(f"Feedback on: {title}", 1),
            b.TextLine(f"{summary}{ranked}.", tone="soft"),
            *_build_hidden_text_callout(values),
            *([b.TextLine(missing, tone="soft")] if missing else []),
            b.NotedPaper([*computed, *graver], paragraphs, list(WEAKNESS_COLOURS)),
            *(_fold_details(details) if graver != comments else ()),
            *previous,
        ],
        remarks=list(_list_remarks(values, {note.id for note in comments})),
        conclusion=f"{summary}. Run {record['id']}",
        story=list(_build_paragraph_history(values)),
    )


def _build_hidden_text_callout(values: Values) -> Iterator[b.Block]:
    """Yield a callout about hidden text and instructions in the paper, or nothing if there are none."""
    lines = [
        b.TextLine(
            f"{finding['kind']}, {'' if finding['visible'] else 'in'}visible to a reader: {finding['explanation']}",
            label=b.format_place(finding["place"], finding["page"]),
            quote=finding["quote"],
            tone="alarm" if finding["kind"] == "instruction" else "warning",
        )
        for finding in values.get("findings", [])
    ]
    if lines:
        yield b.Callout("This paper holds text for language models, or text that a reader cannot see", lines)


def _fold_details(notes: list[b.Note]) -> Iterator[b.Block]:
    """Yield a folded block with the comments of low severity, a line each."""
    lines = [
        b.TextLine(" ".join(line.to_text() for line in note.lines), note.heading, note.quote, tone="soft")
        for note in notes
    ]
    yield b.FoldedBlocks(f"Details ({len(lines)}): comments of low severity", [b.Items(lines)])


def _list_paper_paragraphs(values: Values) -> tuple[list[b.NotedParagraph], str]:
    """Return all known paragraphs of the paper, and why its text is incomplete (empty if it is complete)."""
    reference: DocumentRef | None = values.get("document")
    read, missing = [], ""
    if reference:
        try:
            read = load_document(reference)["paragraphs"]
        except StateError as error:
            is_elsewhere = error.kind == "missing_file"  # as that of a run of another machine
            missing = f"Only what was reviewed is shown. {'The paper is not stored here.' if is_elsewhere else error}"
    else:
        missing = "The paper has not been read yet."
    # The order matters: the first text of an id wins, and the paper's own is the most complete.
    texts: dict[str, b.NotedParagraph] = {}
    for paragraph in (*read, *values.get("targets", [])):
        known = b.NotedParagraph(paragraph["id"], paragraph["section"], paragraph["page"], paragraph["text"])
        texts.setdefault(paragraph["id"], known)
    for note in list_ranked_notes(values):  # at least the quote, if its paragraph is lost
        texts.setdefault(note.paragraph, b.NotedParagraph(note.paragraph, note.section, note.page, note.quote))
    return list(texts.values()), missing


def _summarize_comment(comment: Comment, paragraph: str = "") -> str:
    """Format a comment as one line: its place (or `paragraph` if given), type, quote and text."""
    where = paragraph or b.format_place(comment["section"], comment["page"], comment["paragraph"])
    return f"{where}: {comment['label']}, {b.format_subject(comment['quote'])}: {comment['review']}"


def _list_remarks(values: Values, shown: set[str]) -> Iterator[b.Block]:
    """Yield blocks with omitted comments (ids not in `shown`) and suspicions, silent paragraphs, and notices."""
    omitted = []
    for comment in list_comments(values):
        if comment["id"] not in shown:
            reasons = " ".join(comment["verification"]["notes"])
            omitted.append(b.TextLine(f"{_summarize_comment(comment)} {reasons}".strip(), tone="soft"))
    if omitted:
        why = "they resemble a better one, are more than was asked for, or were dismissed"
        yield b.FoldedBlocks(f"Comments that were left out ({len(omitted)}): {why}", [b.Items(omitted)])
    screened = [
        b.TextLine(
            f"{item['problem']} {item['settled_by']}",
            label=b.format_place(item["section"], item["page"], item["paragraph"], item["severity"], item["label"]),
            quote=item["quote"],
        )
        for item in values.get("suspicions") or ()
        if not item["pursued"]
    ]
    if screened:
        yield b.FoldedBlocks(f"Suspicions that were not pursued ({len(screened)})", [b.Items(screened)])
    yield from _list_silent_paragraphs(values, has_comments=bool(shown))
    yield from build_reader_notices(values, UNIT, list_notices(values))


def _list_silent_paragraphs(values: Values, *, has_comments: bool) -> Iterator[b.Block]:
    """Yield blocks with the paragraphs that could not be reviewed, and with those that got no comment."""
    failed, silent = list[b.TextLine](), list[b.TextLine]()
    for review in values.get("reviews", []):
        problem = f": {review['problem']}" if review["problem"] else ""
        place = b.format_place(review["section"], review["page"], review["paragraph"])
        outcome = f"{place}: {review['outcome']}{problem}"
        if review["outcome"] == "failed":
            failed.append(b.TextLine(outcome, label="Not reviewed", tone="alarm"))
        elif review["outcome"] != "comment":
            silent.append(b.TextLine(outcome))
            # Without any comment, what was asked and found is all that there is to read.
            silent += [] if has_comments else map(describe_evidence, review["evidence"])
    if failed:
        yield b.Items(failed)
    if silent and not has_comments:
        yield b.Items(silent)
    elif silent:
        yield b.FoldedBlocks(f"Paragraphs without a comment ({len(silent)})", [b.Items(silent)])


def _build_paragraph_history(values: Values) -> Iterator[b.FoldedBlocks]:
    """Yield a folded block on how each target paragraph was reviewed, or that it is not yet, in the paper's order."""
    reviews: dict[str, ParagraphReview] = {review["paragraph"]: review for review in values.get("reviews", [])}
    targets: list[Target] = values.get("targets", [])
    for target in targets:
        review = reviews.get(target["id"])
        outcome = review["outcome"] if review else "not reviewed yet"
        place = b.format_place(target["section"], target["page"], target["id"])
        reviewed = review is not None and review["outcome"] != "failed"
        text = target["text"] if reviewed else textwrap.shorten(target["text"], _MAX_UNREVIEWED_CHARS)
        suspected = [
            b.TextLine(f"{item['problem']} {item['settled_by']}", f"suspected, {item['severity']}", item["quote"])
            for item in values.get("suspicions") or ()
            if item["paragraph"] == target["id"]
        ]
        lines = [b.TextLine(text, tone="soft"), *suspected, *(_list_review_lines(review) if review else ())]
        yield b.FoldedBlocks(f"Paragraph {target['number']} ({place}): {outcome}", [b.Items(lines)], target["number"])


def _list_review_lines(review: ParagraphReview) -> Iterator[b.TextLine]:
    """Yield lines on a review: its plans, the controller's decisions with evidence, and the outcome."""
    # 1. The plans; the first one was followed.
    for position, plan in enumerate(review["plans"]):
        is_followed = position == 0
        score = "" if plan["score"] is None else f", score {plan['score']:.3f}"
        steps = "; ".join(_describe_step(step) for step in plan["steps"])
        label = f"plan {plan['number']}{score}{', followed' if is_followed else ''}"
        yield b.TextLine(steps, label=label, tone="question" if is_followed else "soft")
        for repair in plan["repairs"]:
            yield b.TextLine(repair, label="repaired", tone="warning")
    # 2. The controller's decision on each step, and the evidence that the step gave.
    found = {item["id"]: item for item in review["evidence"]}
    for record in review["log"]:
        yield b.TextLine(_describe_step(record["step"]), label=record["decision"], tone="thought")
        if record["because"]:
            yield b.TextLine(record["because"], label="because", tone="soft")
        evidence = found.get(make_evidence_id(record["step"]["id"]))
        if evidence:
            yield replace(describe_evidence(evidence, question=False), tone="good")
        if not evidence or record["note"]:
            yield b.TextLine(f"{record['outcome']}{': ' if record['note'] else ''}{record['note']}", tone="soft")
    # 3. What the reviewer made of it.
    yield from _list_outcome_lines(review)


def _list_outcome_lines(review: ParagraphReview) -> Iterator[b.TextLine]:
    """Yield lines on the outcome of a review: candidates, the comment with its checks, problems, and notes."""
    for candidate in review["candidates"]:
        label = f"possible weakness ({candidate['label']})"
        yield b.TextLine(f'"{candidate["quote"]}": {candidate["problem"]}', label=label, tone="answer")
    if comment := review["comment"]:
        text = f"{b.format_subject(comment['quote'])}: {comment['review']}"
        yield b.TextLine(text, label=f"comment, {comment['label']}", tone="strong")
        if comment["reasoning"]:
            yield b.TextLine(comment["reasoning"], label="reasoning", tone="soft")
        for note in [comment["verification"]["verdict"], *comment["verification"]["notes"]]:
            yield b.TextLine(note, label="check", tone="soft")
    if review["problem"]:
        yield b.TextLine(review["problem"], label=review["outcome"], tone="warning")
    for note in review["notes"]:
        yield b.TextLine(note, label="please note", tone="warning")


def _describe_step(step: Step) -> str:
    """Format a step of a plan as its id, action, question, and author if that is not the planner."""
    question = f": {step['question']}" if step["question"] else ""
    author = "" if step["origin"] == "planner" else f" (by the {step['origin']})"
    return f"{step['id']} {format_identifier(step['action'])}{question}{author}"


def describe_review_progress(node: str, update: Values, values: Values) -> str:
    """Return a progress line when the paper is screened or a paragraph done, and an empty string for other nodes."""
    if node == "choose_suspicions":
        suspected = format_count(len(update["suspicions"]), "suspicion")
        return f"Screened the paper: {suspected}; {format_count(len(update['targets']), 'paragraph')} to be reviewed"
    if node != "conclude":
        return ""
    review: ParagraphReview = update["reviews"][-1]
    comment = review["comment"]
    if comment and review["outcome"] == "comment":
        short = textwrap.shorten(comment["quote"], _MAX_QUOTE_CHARS)
        outcome = f"comment on {b.format_subject(short)}, {comment['label']}"
    else:
        outcome = f"{review['outcome']}{': ' if review['problem'] else ''}{review['problem']}"
    section = f" ({review['section']})" if review["section"] else ""
    done = f"{len(values['reviews'])} of {len(values['targets'])} done"
    return f"Paragraph {review['paragraph']}{section}: {outcome}; {done}"


def introduce_questions(question: Values) -> str:
    """Format the paragraph that the questions at which a run is paused are about."""
    return f"The paragraph:\n{textwrap.indent(question['paragraph'], '  ')}\nThe questions about it:"


RENDERING = Rendering(
    unit=UNIT,
    milestone=describe_review_progress,
    build_result=build_review_document,
    output=FeedbackOutput,
    own_formats={".pdf": render_annotated_pdf, ".docx": render_word, ".tex": render_latex},
    of_the_paper={".pdf": "pdf", ".tex": "latex"},
    dialogue=Dialogue(introduce_questions, these="these questions", line="question"),
)
BASELINE_RENDERING = replace(RENDERING, dialogue=None)  # baselines never pause for a person
