"""The run as one page: the paper with the quoted words marked, the comments beside them, and what else was found.

A comment stands in the margin as a float at its quote, so that style sheets alone keep it in place and off the others;
on a narrow screen and on paper it stands below the paragraph. The page holds it twice and shows it once.
"""

from __future__ import annotations

from draftroom.rendering.feedback.labels import COLOURS, slug
from draftroom.rendering.feedback.paper import shown_paper
from draftroom.rendering.feedback.story import (
    UNIT,
    left_out_comments,
    place,
    place_of_finding,
    ranked_comments,
    seen,
    silent_reviews,
    source,
    summary,
    why_silent,
)
from draftroom.rendering.html import page
from runs.record import RunRecord
from runs.runnable.feedback import notices
from state.records import Values


def to_html(record: RunRecord, values: Values) -> str:
    """The page."""
    document = values.get("document")
    comments = ranked_comments(values)
    labels = [ranked.comment["label"] for ranked in comments]
    return page(
        "feedback.html",
        record,
        values,
        UNIT,
        title=(document["title"] if document else "") or record["input"]["name"],
        summary=summary(values),
        shown=shown_paper(values),
        comments=comments,
        labels={label: labels.count(label) for label in COLOURS if label in labels},
        colours=COLOURS,
        left_out=left_out_comments(values),
        silent=[why_silent(review) for review in silent_reviews(values)],
        findings=values.get("findings", []),
        finished=bool(values.get("finished")),
        notices=notices(values),
        place=place,
        place_of_finding=place_of_finding,
        seen=seen,
        slug=slug,
        source=source,
    )
