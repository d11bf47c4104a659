"""The run as one page: the paper with the quoted words marked, the comments beside them, and what else was found.

A comment stands in the margin as a float at its quote, so that style sheets alone keep it in place and off the others;
on a narrow screen and on paper it stands below the paragraph. The page holds it twice and shows it once.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from draftroom.rendering.feedback.terminal import (
    COLOURS,
    UNIT,
    RankedComment,
    computed_findings,
    computed_lines,
    computed_title,
    earlier_comments,
    earlier_in_short,
    left_out_comments,
    place,
    place_of_finding,
    ranked_comments,
    seen,
    silent_reviews,
    slug,
    source,
    summary,
    why_silent,
)
from draftroom.rendering.html import page
from draftroom.systems.feedback import notices
from runs.record import RunRecord
from state.documents import Document, DocumentRef
from state.errors import StateError
from state.feedback import Comment, RaisedFinding
from state.records import Values
from tools.documents.reading import load_document


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
        types=list(COLOURS),
        computed_title=computed_title,
        computed_lines=computed_lines,
        earlier=[earlier_in_short(item) for item in earlier_comments(values)],
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


class QuotedText(NamedTuple):
    """Words of a paragraph, and the comment that quotes them; no words if the paragraph has lost them."""

    text: str
    comment: RankedComment | None


class ShownParagraph(NamedTuple):
    """A paragraph with its comments."""

    id: str
    section: str
    page: int
    pieces: list[QuotedText]
    computed: list[RaisedFinding]


class ShownPaper(NamedTuple):
    """All that can be shown of a paper."""

    paragraphs: list[ShownParagraph]
    computed: list[RaisedFinding]
    """What was computed about no paragraph, but the list of references."""
    problem: str
    """Why its text is not whole; empty if it is."""


class _Text(NamedTuple):
    section: str
    page: int
    text: str


def shown_paper(values: Values) -> ShownPaper:
    """The paper with its comments; what was reviewed is shown even if the stored text is gone."""
    document, problem = _document(values)
    texts = _texts(values, document)
    comments: dict[str, list[RankedComment]] = {id_: [] for id_ in texts}
    for ranked in ranked_comments(values):
        comments[ranked.comment["paragraph"]].append(ranked)
    computed: dict[str, list[RaisedFinding]] = {id_: [] for id_ in texts}
    for found in computed_findings(values):
        computed.setdefault(found["paragraph"] if found["paragraph"] in texts else "", []).append(found)
    paragraphs = [
        ShownParagraph(id_, text.section, text.page, list(_pieces(text.text, comments[id_])), computed[id_])
        for id_, text in texts.items()
    ]
    return ShownPaper(paragraphs, computed.get("", []), problem)


def _document(values: Values) -> tuple[Document | None, str]:
    reference: DocumentRef | None = values.get("document")
    if not reference:
        return None, "The paper has not been read yet."
    try:
        return load_document(reference), ""
    except StateError as error:
        return None, f"Only what was reviewed is shown. {error}"


def _texts(values: Values, document: Document | None) -> Mapping[str, _Text]:
    """By id: the paper's paragraphs, then text that was reviewed besides, then quotes whose paragraph is gone."""
    texts: dict[str, _Text] = {}
    for paragraph in document["paragraphs"] if document else []:
        texts[paragraph["id"]] = _Text(paragraph["section"], paragraph["page"], paragraph["text"])
    for target in values.get("targets", []):
        texts.setdefault(target["id"], _Text(target["section"], target["page"], target["text"]))
    for _, comment in ranked_comments(values):
        texts.setdefault(comment["paragraph"], _Text(comment["section"], comment["page"], comment["quote"]))
    return texts


def _pieces(text: str, comments: list[RankedComment]) -> Iterator[QuotedText]:
    """The text in order, cut at the quotes; where quotes overlap, the words belong to the first of them."""
    done = 0
    for start, end, ranked in sorted((*_span(text, ranked.comment), ranked) for ranked in comments):
        if start > done:
            yield QuotedText(text[done:start], None)
        yield QuotedText(text[max(start, done) : end], ranked)
        done = max(done, end)
    if done < len(text):
        yield QuotedText(text[done:], None)


def _span(text: str, comment: Comment) -> tuple[int, int]:
    """Offsets of the quote; the beginning of the text if it is not there."""
    start = comment["start"] if text.startswith(comment["quote"], comment["start"]) else text.find(comment["quote"])
    return (start, start + len(comment["quote"])) if start >= 0 else (0, 0)
