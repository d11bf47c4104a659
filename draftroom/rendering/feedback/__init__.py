"""Results of focused feedback: the comments, the words that they are about, and how each came about."""

from __future__ import annotations

import textwrap
from dataclasses import replace

from draftroom.rendering.feedback.annotations import to_annotated_pdf
from draftroom.rendering.feedback.html import to_html
from draftroom.rendering.feedback.latex import to_latex
from draftroom.rendering.feedback.letter import to_letter
from draftroom.rendering.feedback.markdown import to_markdown
from draftroom.rendering.feedback.terminal import UNIT, about, print_comments, print_findings, print_review_story
from draftroom.rendering.feedback.word import to_word
from draftroom.rendering.rendering import Dialogue, Rendering, json_of
from state.feedback import Comment, FeedbackOutput, ParagraphReview
from state.records import Values

LONGEST_QUOTE = 60
"""Characters of a quote in a line of progress."""


def milestone(node: str, update: Values, values: Values) -> str:
    """A line after each paragraph."""
    if node != "conclude":
        return ""
    review: ParagraphReview = update["reviews"][-1]
    section = f" ({review['section']})" if review["section"] else ""
    count = f"{len(values['reviews'])} of {len(values['targets'])}"
    return f"Paragraph {review['paragraph']}{section}: {_outcome(review)}; {count} done"


def _outcome(review: ParagraphReview) -> str:
    comment = review["comment"]
    if comment and review["outcome"] == "comment":
        short: Comment = {**comment, "quote": textwrap.shorten(comment["quote"], LONGEST_QUOTE)}
        return f"comment on {about(short)}, {comment['label']}"
    return f"{review['outcome']}{': ' if review['problem'] else ''}{review['problem']}"


def describe_question(question: Values) -> str:
    """The questions of a paused run, numbered, under the paragraph that they are about."""
    questions = "\n".join(f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
    return f"The paragraph:\n{textwrap.indent(question['paragraph'], '  ')}\nThe questions about it:\n{questions}"


RENDERING = Rendering(
    unit=UNIT,
    milestone=milestone,
    print_result=print_comments,
    print_warnings=print_findings,
    print_details=print_review_story,
    formats={
        ".md": to_markdown,
        ".markdown": to_markdown,
        ".html": to_html,
        ".json": json_of(FeedbackOutput),
        ".pdf": to_annotated_pdf,
        ".docx": to_word,
        ".tex": to_latex,
        ".letter.md": to_letter,
    },
    of_the_paper={".pdf": "pdf", ".tex": "latex"},
    dialogue=Dialogue(describe_question, these="these questions", line="question"),
)
BASELINE_RENDERING = replace(RENDERING, dialogue=None)
"""A baseline asks nobody."""
