"""A letter that answers the comments point by point, with the author's replies and a slot where there is none yet."""

from __future__ import annotations

from draftroom.rendering.feedback.terminal import (
    RankedComment,
    about,
    computed_findings,
    computed_lines,
    computed_title,
    decisions_of,
    earlier_comments,
    place,
    ranked_comments,
)
from draftroom.rendering.markdown import on_one_line
from runs.record import RunRecord
from state.feedback import AuthorDecision, EarlierComment, RaisedFinding
from state.records import Values

SLOT = "[Your answer, and what was changed where.]"


def to_letter(record: RunRecord, values: Values) -> str:
    """The letter in Markdown: dismissed comments are not in it, each other one has an answer or a slot for it."""
    document = values.get("document")
    title = on_one_line((document["title"] if document else "") or record["input"]["name"])
    decisions = decisions_of(values)
    points = [_computed(found, decisions.get(found["id"])) for found in computed_findings(values)]
    points += [_point(ranked, decisions.get(ranked.comment["id"])) for ranked in ranked_comments(values)]
    points += [_earlier(item) for item in earlier_comments(values)]
    opening = "Thank you for the comments. Each one is answered below."
    return "\n\n".join([f"# Response to the comments on: {title}", opening, *points]) + "\n"


def _point(ranked: RankedComment, decision: AuthorDecision | None) -> str:
    comment = ranked.comment
    quote = f" on “{on_one_line(comment['quote'])}”" if comment["quote"] else ""
    said = " ".join(filter(None, (comment["review"], comment["suggestion"])))
    return "\n\n".join(
        [
            f"## Comment {ranked.rank}: {comment['label']}",
            f"**{on_one_line(place(comment))}**{quote}",
            f"> {on_one_line(said)}",
            f"**Answer.** {_answer(decision)}",
        ]
    )


def _earlier(item: EarlierComment) -> str:
    comment = item["comment"]
    answers = {"open": SLOT, "addressed": f"We have changed the paragraph. {SLOT}", "gone": "The paragraph is gone."}
    return "\n\n".join(
        [
            f"## Comment on the version before: {comment['label']}",
            f"**{on_one_line(item['paragraph'] or comment['paragraph'])}** on {on_one_line(about(comment))}",
            f"> {on_one_line(comment['review'])}",
            f"**Answer.** {answers[item['status']]}",
        ]
    )


def _answer(decision: AuthorDecision | None) -> str:
    reply = on_one_line(decision.get("reply", "")) if decision else ""
    if reply:
        return reply
    accepted = decision is not None and decision["decision"] == "accepted"
    return f"We agree. {SLOT}" if accepted else SLOT


def _computed(found: RaisedFinding, decision: AuthorDecision | None) -> str:
    lines = [f"> {on_one_line(line)}" for line in (f"“{found['quote']}”", *computed_lines(found))]
    return "\n\n".join(
        [f"## {on_one_line(computed_title(found))}", "\n>\n".join(lines), f"**Answer.** {_answer(decision)}"]
    )
