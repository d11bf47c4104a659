"""The evaluation of retrieval: is the investigator shown the passages that a human comment relies on?

`datasets/retrieval_labels.jsonl` labels fifty comments (F1000RD) that rely on another passage of their paper, which
gives the missing information (`given`) or allows checking it (`checked`). A label has the ids of the pair and of the
paragraph under review, the passages by paragraph, a span of characters in each, and a question that a planner could
ask. It has no text of the papers. A comment counts as found if a segment that is shown contains a whole span.

Every search is the investigator's (`find_passages`, without the paragraph under review). The 95 % intervals are
Wilson's.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict
from scipy.stats import hypergeom

from evals.datasets.feedback import CorpusPaper
from evals.datasets.samples import read_entries, validate_record
from evals.reports.document import ReportDocument, ReportSection, build_table, format_estimate, render_report_markdown
from evals.statistics import estimate_share
from state.documents import Document, Paragraph
from state.errors import InputError
from state.settings import FeedbackSettings, RetrievalMode
from tools.retrieval.search import Segment, find_passages, split_document

LABELS_FILE: Final = Path(__file__).parent / "datasets" / "retrieval_labels.jsonl"
RANK_CUTOFFS: Final = (1, 3, 5, 10)
_SEARCH_LIMIT: Final = 1000  # more segments than any paper has, so that every segment is ranked
_LONG_PAPER_SEGMENTS: Final = 8  # papers with more segments count as long


class RetrievalLabel(BaseModel):
    """The ids of a comment and the passages that it relies on, their spans of characters, and a planner's question."""

    model_config = ConfigDict(frozen=True)

    pair: str
    paper: str
    paragraph: str
    passages: list[str]
    places: list[tuple[int, int]]
    question: str


class LabelledComment(NamedTuple):
    """A label with the paper and the comment that it names by id."""

    label: RetrievalLabel
    paper: Document
    comment: str


def join_labelled_comments(folder: Path) -> list[LabelledComment]:
    """Join the packaged labels with a folder's papers and comments (`papers.jsonl` and `paragraph_reviews.jsonl`).

    Raises:
        InputError: A file cannot be read, or lacks a paper or a pair.
    """
    read = (validate_record(CorpusPaper, where, record) for where, record in read_entries(folder / "papers.jsonl"))
    papers = {paper.paper_id: paper for paper in read}
    comments = {str(record.get("id")): record for _, record in read_entries(folder / "paragraph_reviews.jsonl")}
    labels = [validate_record(RetrievalLabel, where, record) for where, record in read_entries(LABELS_FILE)]
    joined = []
    for label in labels:
        paper, comment = papers.get(label.paper), comments.get(label.pair, {}).get("feedback")
        if not paper or not comment:
            raise InputError(
                f"{folder} lacks the paper {label.paper} or the comment {label.pair}: give all of F1000RD."
            )
        joined.append(LabelledComment(label, build_corpus_document(paper), comment))
    return joined


def build_corpus_document(paper: CorpusPaper) -> Document:
    """Build a document for retrieval of a corpus paper's title and paragraphs; its abstract is left empty."""
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
    """Return a report in Markdown of how often each retrieval mode finds a passage that the comment relies on.

    The settings are those of segments and models; the retrieval mode is varied.
    """
    # 1. The segments that a search can return; those of the paragraph under review alone are never shown.
    counts, relevant = [], []
    for each in comments:
        every = split_document(each.paper, chosen.segment_characters, chosen.segment_overlap)
        segments = [part for part in every if set(part.paragraphs) != {each.label.paragraph}]
        counts.append(len(segments))
        relevant.append(_select_relevant_segments(each, segments))
    long = [count > _LONG_PAPER_SEGMENTS for count in counts]
    # 2. Chance, then every mode with the planner's question and with the comment as the query.
    # In a random order, the number of relevant segments among the first k is hypergeometric.
    wanted = [len(ids) for ids in relevant]
    chance = [np.mean(1 - hypergeom.pmf(0, counts, wanted, np.minimum(k, counts))) for k in RANK_CUTOFFS]
    rows = [["chance", *(f"{100 * recall:.0f}" for recall in chance), "-"]]
    for searched in ("question", "comment"):
        for mode in get_args(RetrievalMode):
            settings = chosen.model_copy(update={"retrieval": mode})
            ranks = []  # from 1, of the first segment with a labelled span
            for each, ids in zip(comments, relevant, strict=True):
                query = each.label.question if searched == "question" else each.comment
                shown = find_passages([each.paper], query, settings, _SEARCH_LIMIT, (each.label.paragraph,))
                places = (rank for rank, passage in enumerate(shown, start=1) if passage["id"] in ids)
                ranks.append(next(places, _SEARCH_LIMIT))
            hits = [[rank <= k for rank in ranks] for k in RANK_CUTOFFS]
            in_long = [rank <= 5 for rank, is_long in zip(ranks, long, strict=True) if is_long]
            shares = (estimate_share(each) if each else None for each in (*hits, in_long))
            rows.append([f"the {searched}, {mode}", *(format_estimate(share, digits=0) for share in shares)])
    # 3. The report.
    header = ["searched for", *(f"first {k}" for k in RANK_CUTOFFS), "longer papers, first 5"]
    report = ReportDocument(
        title="Retrieval",
        facts=[
            f"{len(comments)} comments, {sum(long)} of them on papers of more than {_LONG_PAPER_SEGMENTS} segments",
            f"Segments of {chosen.segment_characters} characters that share {chosen.segment_overlap}",
        ],
        summary=["Found: wholly inside a segment that is shown, in %. In brackets: 95% intervals (Wilson)."],
        sections=[ReportSection("Passages found", table=build_table(header, rows))],
    )
    return render_report_markdown(report)


def _select_relevant_segments(comment: LabelledComment, segments: Sequence[Segment]) -> set[str]:
    """Return the ids of the segments that contain a whole labelled span."""
    # Labels have offsets in their paragraph, segments in the text of the paper.
    offsets, begin = [], 0
    for paragraph in comment.paper["paragraphs"]:
        for name, (start, end) in zip(comment.label.passages, comment.label.places, strict=True):
            if paragraph["id"] == name:
                offsets.append((begin + start, begin + end))
        begin += len(paragraph["text"]) + len("\n\n")  # the separator of `build_corpus_document`
    return {
        each.id
        for each in segments
        if any(each.start <= start and end <= each.start + len(each.text) for start, end in offsets)
    }
