"""Papers with their reviews, as a corpus has them: one JSON object a line, checked before any work."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, StringConstraints

from state.errors import BadInput
from state.files import read_lines

Split = Literal["train", "dev", "test"]

_Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _Record(BaseModel):
    """Corpora have fields of their own, which are passed over."""

    model_config = ConfigDict(frozen=True)


class PaperParagraph(_Record):
    """A paragraph of a paper."""

    id: _Id
    """Unique in its paper."""
    text: str


class Section(_Record):
    """A section of a paper."""

    heading: str = ""
    paragraphs: list[PaperParagraph]


class PaperReview(_Record):
    """A whole review."""

    review_id: _Id
    """Unique in its paper."""
    paragraphs: list[str]
    license: str | None = None


class Paper(_Record):
    """A line of the corpus."""

    paper_id: _Id
    title: str = ""
    sections: list[Section]
    reviews: list[PaperReview]
    source_dataset: str | None = None
    domain: str | None = None
    license: str | None = None
    split: Split | None = None
    """That its corpus was published with."""


def read_papers(path: Path) -> list[Paper]:
    """Read a corpus.

    Raises:
        BadInput: The file cannot be read or has no paper, a line is no paper with its reviews, or an id occurs twice.
    """
    papers: list[Paper] = []
    lines: dict[str, int] = {}
    for number, paper in read_lines(path, Paper, "paper with its reviews"):
        if (before := lines.setdefault(paper.paper_id, number)) != number:
            raise BadInput(f"Lines {before} and {number} of {path} are both the paper {paper.paper_id!r}; keep one.")
        _check_ids(paper, f"Line {number} of {path}")
        papers.append(paper)
    return papers


def _check_ids(paper: Paper, where: str) -> None:
    paragraphs = (paragraph.id for section in paper.sections for paragraph in section.paragraphs)
    for what, ids in (("paragraphs", paragraphs), ("reviews", (review.review_id for review in paper.reviews))):
        if twice := _repeated(ids):
            raise BadInput(f"{where} has two {what} with the id {twice!r}; give each its own.")


def _repeated(ids: Iterable[str]) -> str:
    """The first id that occurs a second time; empty if there is none."""
    seen = set[str]()
    for each in ids:
        if each in seen:
            return each
        seen.add(each)
    return ""
