"""Results on a terminal: the comments, what a reader should know of them, and the story of a run."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

import typer
from rich.panel import Panel
from rich.text import Text

from draftroom.consoles import OUT, spoken, tell
from draftroom.rendering.feedback.story import (
    COLOURS,
    UNIT,
    RankedComment,
    about,
    computed_findings,
    computed_lines,
    computed_title,
    earlier_comments,
    earlier_in_short,
    left_out_comments,
    place,
    place_of_finding,
    place_of_target,
    ranked_comments,
    seen,
    silent_reviews,
    source,
    summary,
    why_silent,
)
from draftroom.rendering.rendering import warnings
from draftroom.rendering.terminal import print_account, print_line
from nodes.feedback.agent import evidence_id
from runs.record import RunRecord
from runs.runnable.feedback import notices
from state.feedback import Comment, Evidence, ParagraphReview, Plan, RaisedFinding, Step, StepRecord, Target
from state.records import Values
from tools.text.characters import plain

Line = tuple[str, str]
"""A line and its style."""
_BEGINNING = 80
"""Characters of a paragraph that was not reviewed."""


def print_comments(_: RunRecord, values: Values) -> None:
    """Print the comments to standard output, the best supported first, and then what was computed."""
    comments, computed = ranked_comments(values), computed_findings(values)
    if not comments and not computed:
        print_line(f"{summary(values)}: nothing worth raising was found.", "")
    for ranked in comments:
        if OUT.is_terminal:
            OUT.print(_panel(ranked))
        else:
            typer.echo("\n".join([_title(ranked), *(f"  {plain(line)}" for line, _ in _said(ranked.comment)), ""]))
    for found in computed:
        for line, style in _computed(found):
            print_line(line, style)
    if earlier := earlier_comments(values):
        print_line("Comments on the version before", "bold")
    for item in earlier:
        print_line(f"  {earlier_in_short(item)}", "")


def print_findings(record: RunRecord, values: Values) -> None:
    """Print to standard error what a person should know: findings, failures, warnings."""
    for line, style in (*_outcome(values), *_warnings(values)):
        tell(line, style=style)
    for warning in warnings(values, UNIT):
        tell(f"Please note: {warning}.", style="yellow")
    tell(f"{summary(values)}. Run {record['id']}", style="dim")


def print_review_story(record: RunRecord, values: Values, only: int | None) -> None:
    """Print how every paragraph was reviewed to standard output, or only paragraph `only`; then outcome and costs."""
    reviews: dict[str, ParagraphReview] = {review["paragraph"]: review for review in values.get("reviews", [])}
    for target in values.get("targets", []):
        if only in {None, target["number"]}:
            for line, style in _story(target, reviews.get(target["id"]), whole=only is not None):
                print_line(line, style)
    if only is not None:
        return
    print_line("", "")
    for found in computed_findings(values):
        for line, style in _computed(found):
            print_line(line, style)
    print_line(summary(values), "bold underline")
    for line, style in (*_outcome(values), *_warnings(values)):
        print_line(line, style)
    print_account(record, values, UNIT)


def _title(ranked: RankedComment) -> str:
    return plain(f"{ranked.rank}. {ranked.comment['label']} ({place(ranked.comment)})")


def _panel(ranked: RankedComment) -> Panel:
    text = Text("\n").join(Text(plain(line), style=style) for line, style in _said(ranked.comment))
    colour = f"#{COLOURS[ranked.comment['label']]}"
    return Panel(text, title=Text(_title(ranked), style="bold"), title_align="left", border_style=colour)


def _said(comment: Comment) -> Iterator[Line]:
    """A comment line by line."""
    yield about(comment), "italic"
    yield comment["review"], ""
    if comment["suggestion"]:
        yield f"Suggestion: {comment['suggestion']}", "green"
    for item in comment["evidence"]:
        yield f"Evidence {item['id']}: {_answer(item)}", "cyan"
    for note in comment["verification"]["notes"]:
        yield f"Check ({comment['verification']['verdict']}): {note}", "dim"


def _computed(found: RaisedFinding) -> Iterator[Line]:
    """A finding line by line."""
    yield computed_title(found), "bold"
    for line in (f'"{found["quote"]}"', *computed_lines(found)):
        yield f"  {line}", ""
    yield "", ""


def _answer(item: Evidence) -> str:
    return f"{item['question']} {item['answer']} ({source(item)})"


def _outcome(values: Values) -> Iterator[Line]:
    """What was found beside the comments that are shown, and what was not."""
    for finding in values.get("findings", []):
        words = f'{place_of_finding(finding)}: {seen(finding)}: "{finding["quote"]}". {finding["explanation"]}'
        yield f"Found in {words}", "bold red" if finding["kind"] == "instruction" else "yellow"
    for comment in left_out_comments(values):
        yield f"Left out, {place(comment)}: {comment['review']}", "dim"


def _warnings(values: Values) -> Iterator[Line]:
    for review in silent_reviews(values):
        if review["outcome"] == "failed":
            yield f"Not reviewed: {why_silent(review)}", "red"
    for notice in notices(values):
        yield f"Please note: {notice}.", "yellow"


def _story(target: Target, review: ParagraphReview | None, *, whole: bool) -> Iterator[Line]:
    """All that was done for a paragraph, in its order; the text of one that was not reviewed only if it is wanted."""
    outcome = review["outcome"] if review else "not reviewed yet"
    yield f"\nParagraph {target['number']} ({place_of_target(target)}): {outcome}", "bold underline"
    reviewed = review is not None and review["outcome"] != "failed"
    yield f"  {target['text'] if whole or reviewed else textwrap.shorten(target['text'], _BEGINNING)}", "dim"
    if review is None:
        return
    for position, plan in enumerate(review["plans"]):
        yield from _plan(plan, followed=position == 0)
    found = {item["id"]: item for item in review["evidence"]}
    for record in review["log"]:
        yield from _step(record, found.get(evidence_id(record["step"]["id"])))
    for candidate in review["candidates"]:
        yield f'  possible weakness ({candidate["label"]}): "{candidate["quote"]}": {candidate["problem"]}', "magenta"
    if review["comment"]:
        yield from _comment(review["comment"])
    if review["problem"]:
        yield f"  {review['outcome']}: {review['problem']}", "yellow"
    for note in review["notes"]:
        yield f"  please note: {note}", "yellow"


def _plan(plan: Plan, *, followed: bool) -> Iterator[Line]:
    score = "" if plan["score"] is None else f", score {plan['score']:.3f}"
    yield f"  plan {plan['number']}{score}{', followed' if followed else ''}", "cyan" if followed else "dim"
    for step in plan["steps"]:
        yield f"    {_asked(step)}", "cyan" if followed else "dim"
    for repair in plan["repairs"]:
        yield f"    repaired: {repair}", "yellow"


def _asked(step: Step) -> str:
    written = "" if step["origin"] == "planner" else f" (by the {step['origin']})"
    return f"{step['id']} {spoken(step['action'])}{': ' if step['question'] else ''}{step['question']}{written}"


def _step(record: StepRecord, evidence: Evidence | None) -> Iterator[Line]:
    """What the controller decided on a step, and what came of it."""
    yield f"  {record['decision']}: {_asked(record['step'])}", "blue"
    if record["because"]:
        yield f"    because: {record['because']}", "dim"
    if evidence:
        yield f"    {evidence['id']}: {evidence['answer']} ({source(evidence)})", "green"
    if evidence and evidence["quote"]:
        yield f'      "{evidence["quote"]}"', "dim"
    if not evidence or record["note"]:
        yield f"    {record['outcome']}{': ' if record['note'] else ''}{record['note']}", "dim"


def _comment(comment: Comment) -> Iterator[Line]:
    yield f"  comment: {comment['label']}", "bold"
    if comment["reasoning"]:
        yield f"    reasoning: {comment['reasoning']}", "dim"
    for line, style in _said(comment):
        yield f"    {line}", style
    yield f"    {comment['verification']['verdict']}", "dim"
