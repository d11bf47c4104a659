"""A review on a terminal: the comments, what a reader should know of them, and the story of the run.

The story is read from the state of the graph: comments, places, outcomes, and the colour of each type.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from typing import NamedTuple

import typer
from rich.panel import Panel
from rich.text import Text

from draftroom.rendering.findings import place as place_of_computed
from draftroom.rendering.rendering import OUT, print_account, print_line, spoken, tell, warnings
from draftroom.systems.feedback import all_comments, best_comments, notices
from nodes.feedback.agent import evidence_id
from runs.record import RunRecord
from state.computed_findings import gravest_first
from state.feedback import (
    AuthorDecision,
    Comment,
    EarlierComment,
    Evidence,
    ParagraphReview,
    Plan,
    RaisedFinding,
    Step,
    StepRecord,
    Target,
    Weakness,
)
from state.records import Finding, Values
from tools.text import plain

UNIT = "paragraph"
OPEN = AuthorDecision(decision="open")


class RankedComment(NamedTuple):
    """A comment and its rank, from 1: the best supported first."""

    rank: int
    comment: Comment


def ranked_comments(values: Values) -> list[RankedComment]:
    """The comments of the run; of a run that has not ranked them yet, those that there are.

    A comment that a person has dismissed is left out, and one that they have edited is in their words.
    """
    decisions = decisions_of(values)
    return [
        RankedComment(rank, as_edited(comment, decisions.get(comment["id"])))
        for rank, comment in enumerate(best_comments(values), start=1)
        if decisions.get(comment["id"], OPEN)["decision"] != "dismissed"
    ]


def decisions_of(values: Values) -> dict[str, AuthorDecision]:
    """What a person has made of the comments, by their ids; earlier runs and those under way have none."""
    return values.get("decisions") or {}


def as_edited(comment: Comment, decision: AuthorDecision | None) -> Comment:
    """The comment in the words of the person who has edited it."""
    edited = {key: decision[key] for key in ("review", "suggestion") if key in decision} if decision else {}
    return {**comment, **edited}  # type: ignore[typeddict-item]


def left_out_comments(values: Values) -> list[Comment]:
    """Comments that much resemble a better one, are more than was asked for, or were dismissed by a person."""
    shown = {ranked.comment["id"] for ranked in ranked_comments(values)}
    return [comment for comment in all_comments(values) if comment["id"] not in shown]


def computed_findings(values: Values) -> list[RaisedFinding]:
    """Return what was computed about the reviewed text and no person has dismissed, the gravest first."""
    decisions = decisions_of(values)
    computed: list[RaisedFinding] = values.get("computed", [])
    shown = [found for found in computed if found["shown"]]
    kept = [found for found in shown if decisions.get(found["id"], OPEN)["decision"] != "dismissed"]
    return sorted(kept, key=gravest_first)


def computed_title(found: RaisedFinding) -> str:
    """A finding in one line: that it was computed, its kind and severity, and where it is."""
    return f"Computed: {found['kind']}, {found['severity']} ({place_of_computed(found) or 'the list of references'})"


def computed_lines(found: RaisedFinding) -> list[str]:
    """The computation, what would be consistent, and the words of the reviewer if there are any."""
    wording = [f"The reviewer: {found['wording']}"] if found["wording"] else []
    return [f"{found['computation']}.", f"Consistent would be: {found['consistent']}.", *wording]


STATUSES = {
    "open": "still open",
    "addressed": "addressed, as far as the new review can tell",
    "gone": "gone with its paragraph",
}


def earlier_comments(values: Values) -> list[EarlierComment]:
    """Comments on the version before, those that are open first; runs without one have none."""
    found: list[EarlierComment] = values.get("earlier") or []
    return sorted(found, key=lambda item: list(STATUSES).index(item["status"]))


def earlier_in_short(item: EarlierComment) -> str:
    """What became of a comment, and what it said, in one line."""
    comment = item["comment"]
    where = item["paragraph"] or comment["paragraph"]
    return (
        f"{STATUSES[item['status']].capitalize()}: {comment['label']}, {where}, {about(comment)}: {comment['review']}"
    )


def silent_reviews(values: Values) -> list[ParagraphReview]:
    """Reviews that made no comment at all."""
    return [review for review in values.get("reviews", []) if review["outcome"] != "comment"]


def why_silent(review: ParagraphReview) -> str:
    """The place of a paragraph and why there is no comment on it."""
    problem = f": {review['problem']}" if review["problem"] else ""
    return f"{place(review)}: {review['outcome']}{problem}"


def place(item: Comment | ParagraphReview) -> str:
    """Where a paragraph is, for a person."""
    return _listed(item["section"], _page(item["page"]), item["paragraph"])


def place_of_target(target: Target) -> str:
    """Where a paragraph is that may not have been reviewed yet."""
    return _listed(target["section"], _page(target["page"]), target["id"])


def place_of_finding(finding: Finding) -> str:
    """Where a finding is, for a person."""
    return _listed(finding["place"], _page(finding["page"]))


def seen(finding: Finding) -> str:
    """What was found, and whether a reader sees it."""
    return f"{finding['kind']}, {'visible' if finding['visible'] else 'invisible to a reader'}"


def about(comment: Comment) -> str:
    """What a comment is about, for a person: words of the paragraph, or all of it."""
    return f'"{comment["quote"]}"' if comment["quote"] else "the paragraph as a whole"


def source(evidence: Evidence) -> str:
    """Where an answer comes from, for a person."""
    if evidence["source"] == "model":
        return "the model's own knowledge, not looked up"
    if evidence["source"] == "computed":
        return _listed("computed", evidence["section"], _page(evidence["page"]))
    title = "this paper" if evidence["source"] == "paper" else evidence["title"]
    unquoted = "" if evidence["quote"] else "without a quote"
    return _listed(title, evidence["section"], _page(evidence["page"]), evidence["address"], unquoted)


def summary(values: Values) -> str:
    """How many comments on how many paragraphs."""
    comments, reviews = len(ranked_comments(values)), len(values.get("reviews", []))
    told = f"{comments} comment{'' if comments == 1 else 's'} on {reviews} paragraph{'' if reviews == 1 else 's'}"
    computed = len(computed_findings(values))
    return f"{told}, {computed} computed finding{'' if computed == 1 else 's'}" if computed else told


def _listed(*parts: str) -> str:
    return ", ".join(filter(None, parts))


def _page(page: int) -> str:
    return f"page {page}" if page else ""


COLOURS: dict[Weakness, str] = {
    "Replicability": "9fd0ff",
    "Originality": "d9bbff",
    "Empirical and Theoretical Soundness": "ffb5a8",
    "Meaningful Comparison": "a5e3b4",
    "Substance": "ffe07d",
}
"""Red, green and blue in hexadecimal digits; also the order in which weakness types are listed."""


def slug(label: Weakness) -> str:
    """The label as a name in a style sheet."""
    return label.lower().replace(" ", "-")


Line = tuple[str, str]
"""A line and its style."""
_BEGINNING = 80
"""Characters of a paragraph that was not reviewed."""


def print_comments(_: RunRecord, values: Values) -> None:
    """Print what was computed, which is certain, and then the comments, the best supported first."""
    comments, computed = ranked_comments(values), computed_findings(values)
    if not comments and not computed:
        print_line(f"{summary(values)}: nothing worth raising was found.", "")
    for found in computed:
        for line, style in _computed(found):
            print_line(line, style)
    for ranked in comments:
        if OUT.is_terminal:
            OUT.print(_panel(ranked))
        else:
            typer.echo("\n".join([_title(ranked), *(f"  {plain(line)}" for line, _ in _said(ranked.comment)), ""]))
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
