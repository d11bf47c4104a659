"""The story of a review, read from the state of its graph: comments, places, outcomes, and the colour of each type."""

from __future__ import annotations

from typing import NamedTuple

from draftroom.rendering.findings import place as place_of_computed
from runs.runnable.feedback import all_comments, best_comments
from state.feedback import (
    AuthorDecision,
    Comment,
    EarlierComment,
    Evidence,
    ParagraphReview,
    RaisedFinding,
    Target,
    Weakness,
)
from state.records import Finding, Values

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
    """What was computed and no person has dismissed, whatever became of the comments; earlier runs lack it."""
    decisions = decisions_of(values)
    computed: list[RaisedFinding] = values.get("computed", [])
    return [found for found in computed if decisions.get(found["id"], OPEN)["decision"] != "dismissed"]


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
