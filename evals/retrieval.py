"""Whether the passage that a human comment needs is among those that the investigator is shown.

`datasets/retrieval_labels.jsonl` has fifty comments (F1000RD) that are about something which another passage of the
same paper gives (`given`), or where it would be checked (`checked`): the pair, the paragraph that was commented on, the
passages by their paragraphs, the place in each by its characters, and a question that a planner could ask. Nothing of
the papers is in it. A comment counts as found if one of its places is wholly in a segment that is shown.

Every search is the investigator's own (`search_passages`, without the paragraph under review). Intervals of 95 % are
Wilson's.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean
from typing import Final, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict

from evals.datasets.feedback import CorpusPaper
from evals.datasets.samples import read_entries, validate_record
from evals.reports.document import ReportDocument, ReportSection, build_table, render_report_markdown
from evals.statistics import estimate_share
from nodes.feedback.agent import search_passages
from state.documents import Document, Paragraph
from state.errors import InputError
from state.settings import FeedbackSettings, RetrievalMode
from tools.retrieval.search import Segment, split_document

LABELS_FILE: Final = Path(__file__).parent / "datasets" / "retrieval_labels.jsonl"
RANK_CUTOFFS: Final = (1, 3, 5, 10)
_SEARCH_LIMIT: Final = 1000
"""More segments than a paper has."""
_LONG_PAPER_SEGMENTS: Final = 8
"""Segments of a paper; a longer one counts as long."""


class RetrievalLabel(BaseModel):
    """A comment, and where in its paper the passages are that it needs."""

    model_config = ConfigDict(frozen=True)

    pair: str
    paper: str
    paragraph: str
    passages: list[str]
    places: list[tuple[int, int]]
    question: str


class LabelledComment(NamedTuple):
    """A label with its texts."""

    label: RetrievalLabel
    paper: Document
    comment: str


def load_labelled_comments(folder: Path) -> list[LabelledComment]:
    """The fifty comments with their papers.

    Args:
        folder: With `papers.jsonl` and `paragraph_reviews.jsonl`, of F1000RD.

    Raises:
        BadInput: A file cannot be read, or lacks a paper or a pair.
    """
    papers = {
        paper.paper_id: paper
        for where, record in read_entries(folder / "papers.jsonl")
        for paper in [validate_record(CorpusPaper, where, record)]
    }
    comments = {str(record.get("id")): record for _, record in read_entries(folder / "paragraph_reviews.jsonl")}
    labels = [validate_record(RetrievalLabel, where, record) for where, record in read_entries(LABELS_FILE)]
    for label in labels:
        if label.paper not in papers or not comments.get(label.pair, {}).get("feedback"):
            raise InputError(
                f"{folder} lacks the paper {label.paper} or the comment {label.pair}: give all of F1000RD."
            )
    return [
        LabelledComment(each, build_corpus_document(papers[each.paper]), comments[each.pair]["feedback"])
        for each in labels
    ]


def build_corpus_document(paper: CorpusPaper) -> Document:
    """A paper of the corpus as the reader leaves it."""
    paragraphs = [
        Paragraph(id=part.id, section=section.heading, text=part.text, page=0, words=[])
        for section in paper.sections
        for part in section.paragraphs
    ]
    text = "\n\n".join(paragraph["text"] for paragraph in paragraphs)
    return Document(
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        format="text",
        title=paper.title,
        abstract="",
        text=text,
        paragraphs=paragraphs,
        references=[],
        hidden=[],
        pages=0,
        warnings=[],
    )


def evaluate_retrieval(comments: Sequence[LabelledComment], chosen: FeedbackSettings) -> str:
    """How often each way of searching finds what a comment needs, in Markdown.

    Args:
        comments: With their papers.
        chosen: Embedding and segments of the investigator; the way of searching is the table's.
    """
    segments = {each.label.pair: _list_searched_segments(each, chosen) for each in comments}
    long = [len(segments[each.label.pair]) > _LONG_PAPER_SEGMENTS for each in comments]
    rows = [["chance", *(f"{100 * _compute_chance_recall(comments, segments, k):.0f} %" for k in RANK_CUTOFFS), "-"]]
    for searched in ("question", "comment"):
        for mode in get_args(RetrievalMode):
            way = chosen.model_copy(update={"retrieval": mode})
            ranks = [_compute_first_rank(each, segments[each.label.pair], searched, way) for each in comments]
            found = [_format_found_share([rank <= k for rank in ranks]) for k in RANK_CUTOFFS]
            in_long = [rank <= 5 for rank, is_long in zip(ranks, long, strict=True) if is_long]
            rows.append([f"the {searched}, {mode}", *found, _format_found_share(in_long)])
    header = ["searched for", *(f"first {k}" for k in RANK_CUTOFFS), "longer papers, first 5"]
    report = ReportDocument(
        title="Retrieval",
        facts=[
            f"{len(comments)} comments, {sum(long)} of them on papers of more than {_LONG_PAPER_SEGMENTS} segments",
            f"Segments of {chosen.segment_characters} characters that share {chosen.segment_overlap}",
        ],
        summary=["Found: wholly inside a segment that is shown. In brackets: 95% intervals (Wilson)."],
        sections=[ReportSection("Passages found", table=build_table(header, rows))],
    )
    return render_report_markdown(report)


def _list_searched_segments(comment: LabelledComment, chosen: FeedbackSettings) -> list[Segment]:
    """The segments of a paper, without those of the paragraph alone."""
    every = split_document(comment.paper, chosen.segment_characters, chosen.segment_overlap)
    return [each for each in every if set(each.paragraphs) != {comment.label.paragraph}]


def _compute_first_rank(
    comment: LabelledComment, segments: Sequence[Segment], searched: str, chosen: FeedbackSettings
) -> int:
    """Where the first segment stands that holds a place of the label."""
    query = comment.label.question if searched == "question" else comment.comment
    right = _select_relevant_segments(comment, segments)
    shown = search_passages([comment.paper], query, chosen, _SEARCH_LIMIT, (comment.label.paragraph,))
    return next((rank for rank, passage in enumerate(shown, start=1) if passage["id"] in right), _SEARCH_LIMIT)


def _select_relevant_segments(comment: LabelledComment, segments: Sequence[Segment]) -> set[str]:
    """The segments that hold one of the label's places."""
    places = list(_iterate_passage_offsets(comment))
    return {
        each.id
        for each in segments
        if any(each.start <= start and end <= each.start + len(each.text) for start, end in places)
    }


def _iterate_passage_offsets(comment: LabelledComment) -> Iterator[tuple[int, int]]:
    """Offsets in the paper's text."""
    begin = 0
    for paragraph in comment.paper["paragraphs"]:
        for name, (start, end) in zip(comment.label.passages, comment.label.places, strict=True):
            if paragraph["id"] == name:
                yield begin + start, begin + end
        begin += len(paragraph["text"]) + len("\n\n")


def _compute_chance_recall(comments: Sequence[LabelledComment], segments: dict[str, list[Segment]], k: int) -> float:
    """What segments in any order would find among the first."""
    found = []
    for comment in comments:
        every = segments[comment.label.pair]
        number, right = len(every), len(_select_relevant_segments(comment, every))
        found.append(1 - math.comb(number - right, min(k, number)) / math.comb(number, min(k, number)))
    return fmean(found)


def _format_found_share(found: Sequence[bool]) -> str:
    if not found:
        return "-"
    value, low, high = estimate_share([100.0 * each for each in found])
    return f"{value:.0f} % [{low:.0f}, {high:.0f}]"
