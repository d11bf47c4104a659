"""Results of science journalism: the article, its readability, and the rounds that led to it."""

from __future__ import annotations

from draftroom.rendering.journalism.html import to_html
from draftroom.rendering.journalism.markdown import to_markdown
from draftroom.rendering.journalism.story import UNIT
from draftroom.rendering.journalism.terminal import print_article, print_findings, print_story
from draftroom.rendering.rendering import Dialogue, Rendering, json_of
from state.journalism import Assessment, JournalismOutput
from state.records import Values


def milestone(node: str, update: Values, _: Values) -> str:
    """A line after each assessment."""
    if node != "assess_draft":
        return ""
    item: Assessment = update["assessments"][-1]
    scores = item["readability"]
    grades = f"CLI {scores['cli']:.1f}, FKGL {scores['fkgl']:.1f}, DCRS {scores['dcrs']:.1f}, ARI {scores['ari']:.1f}"
    return (
        f"Draft {item['round']}: grade {item['mean_grade']:.1f} ({grades}), {scores['words']} words, "
        f"{len(item['unsupported'])} unsupported facts"
    )


def describe_question(question: Values) -> str:
    """The advice of a paused run, numbered."""
    advice = "\n".join(f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
    return f"The advice for round {question['round']}:\n{advice}"


RENDERING = Rendering(
    unit=UNIT,
    milestone=milestone,
    print_result=print_article,
    print_warnings=print_findings,
    print_details=print_story,
    formats={".md": to_markdown, ".markdown": to_markdown, ".html": to_html, ".json": json_of(JournalismOutput)},
    dialogue=Dialogue(describe_question, these="this advice", line="piece of advice"),
)
