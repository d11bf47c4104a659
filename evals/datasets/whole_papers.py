"""Readers of corpora for whole papers: a paper with the comments that people, or another reviewer, made on it.

Papers are read from corpora of focused feedback, whose comments are joined by paper, or from files of reviewed papers:
OpenAIReview's benchmark (arXiv 2606.19749; benchmarks/data/benchmark.jsonl), or own ones with the same fields. Places
are counted as that benchmark counts them: a paragraph is a block of the Markdown, and a block of less than 100
characters, such as a heading or a formula, belongs to the next one.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Final

from pydantic import AliasChoices, BaseModel, ConfigDict, Field

from evals.datasets.feedback import F1000RD, OWN_FEEDBACK
from evals.datasets.samples import (
    ExpectedComment,
    FeedbackSample,
    LocatedRecord,
    NonEmptyText,
    RecordFormat,
    Sample,
    WholePaperSample,
    derive_corpus_name,
    validate_record,
)
from nodes.feedback.initialise import choose_targets
from state.errors import InputError
from state.settings import FeedbackSettings
from tools.documents.reading import load_document, read_document

_FEWEST_CHARACTERS: Final = 100  # of a paragraph, as in OpenAIReview's benchmark
_KEY_LETTERS: Final = 60  # of a paragraph's beginning, by which it is found again
_NO_LETTER: Final = re.compile(r"[\W_]+")


class _PaperComment(BaseModel):
    """A comment in a file of reviewed papers."""

    quote: NonEmptyText
    comment: NonEmptyText = Field(validation_alias=AliasChoices("comment", "message"))
    title: str = ""
    paragraph_index: int | None = None


class _ReviewedPaper(BaseModel):
    """A line of a file of reviewed papers, with the fields of Draftroom or of OpenAIReview's benchmark."""

    model_config = ConfigDict(coerce_numbers_to_str=True)

    id: NonEmptyText = Field(validation_alias=AliasChoices("id", "slug"))
    paper: NonEmptyText = Field(validation_alias=AliasChoices("paper", "document_content"))
    title: str = ""
    corpus: NonEmptyText
    comments: list[_PaperComment]


def _convert_reviewed_papers(entries: Sequence[LocatedRecord], path: Path) -> list[Sample]:
    """Convert papers with their comments into samples."""
    own = derive_corpus_name(path)
    papers = (
        validate_record(_ReviewedPaper, where, {"corpus": "OpenAIReview" if "slug" in record else own, **record})
        for where, record in entries
    )
    return [_build_sample(paper) for paper in papers]


def _join_by_paper(samples: Iterable[Sample]) -> list[Sample]:
    """Join the samples of focused feedback on a paper to one sample of the paper."""
    papers: dict[str, _ReviewedPaper] = {}
    for each in samples:
        if isinstance(each, FeedbackSample):
            new = _ReviewedPaper(id=each.paper_id, paper=each.paper, corpus=each.corpus, comments=[])
            comment = _PaperComment(quote=each.paragraph, comment=each.feedback)
            papers.setdefault(each.paper_id, new).comments.append(comment)
    return [_build_sample(papers[name]) for name in sorted(papers)]


def _build_sample(source: _ReviewedPaper) -> WholePaperSample:
    """Build the sample of a paper, with the places of its comments and of the paragraphs that Draftroom reads.

    Raises:
        InputError: A comment quotes words that the paper does not have, or no paragraph is long enough for a review.
    """
    paragraphs = _split_paragraphs(source.paper)
    expected = []
    for comment in source.comments:
        place = comment.paragraph_index
        [place] = _locate_texts([comment.quote], paragraphs) if place is None else [place]
        if place is None:
            raise InputError(
                f"A comment on {source.id} quotes words that it lacks: {comment.quote[:80]!r}; correct the quote."
            )
        said = f"{comment.title}\n{comment.comment}".strip()
        expected.append(ExpectedComment(place=place, quote=comment.quote, comment=said))
    document = load_document(read_document(f"{source.paper}\n\n"))  # with an empty line it is no path
    places, last = dict[str, int](), 0
    located = _locate_texts([item["text"] for item in document["paragraphs"]], paragraphs)
    for item, place in zip(document["paragraphs"], located, strict=True):
        # What is not found again, such as a formula without letters, belongs to the paragraph before it.
        last = last if place is None else place
        places[item["id"]] = last
    worth_it = choose_targets(document, {"paper": source.paper}, FeedbackSettings())
    candidates = [(target["id"], len(target["text"].split())) for target in worth_it]
    return WholePaperSample(
        id=source.id,
        corpus=source.corpus,
        paper_id=source.id,
        title=source.title or document["title"],
        paper=source.paper,
        places=places,
        candidates=candidates,
        expected=expected,
        reviews="\n\n".join(each.comment for each in expected),
    )


def _split_paragraphs(paper: str) -> list[str]:
    """Split a paper at empty lines, and join blocks that are too short to the next one."""
    paragraphs, carried = list[str](), ""
    for block in filter(None, map(str.strip, paper.split("\n\n"))):
        carried = f"{carried}\n\n{block}".strip()
        if len(carried) >= _FEWEST_CHARACTERS:
            paragraphs, carried = [*paragraphs, carried], ""
    # What is left at the end belongs to the last paragraph.
    return [*paragraphs[:-1], "\n\n".join([*paragraphs[-1:], carried])] if carried else paragraphs


def _locate_texts(texts: Sequence[str], paragraphs: Sequence[str]) -> list[int | None]:
    """Return the number of the paragraph in which each of some texts begins, which are in the order of the paper.

    Only letters and digits are compared, because a reader of Markdown changes marks and spaces.
    """
    letters = [_NO_LETTER.sub("", each).casefold() for each in paragraphs]
    starts, whole = [0, *accumulate(map(len, letters))], "".join(letters)
    found, at = list[int | None](), 0
    for text in texts:
        key = _NO_LETTER.sub("", text).casefold()[:_KEY_LETTERS]
        offset = whole.find(key, at) if key else -1
        found.append(bisect_right(starts, offset) - 1 if offset >= 0 else None)
        at = offset + len(key) if offset >= 0 else at
    return found


REVIEWED_PAPERS = RecordFormat(
    "papers with `id`, `paper` in Markdown and `comments` (`quote`, `comment`), or OpenAIReview's benchmark.jsonl",
    lambda record: "comments" in record and not {"paper", "document_content"}.isdisjoint(record),
    _convert_reviewed_papers,
)
PAIRS_BY_PAPER = OWN_FEEDBACK._replace(
    samples=lambda entries, path: _join_by_paper(OWN_FEEDBACK.samples(entries, path))
)
F1000RD_BY_PAPER = F1000RD._replace(samples=lambda path, split: _join_by_paper(F1000RD.samples(path, split)))
