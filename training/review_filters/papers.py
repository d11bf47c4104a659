"""Papers with their reviews, as a corpus has them: one JSON object a line."""

from __future__ import annotations

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
    sections: list[Section]
    reviews: list[PaperReview]
    license: str | None = None
    split: Split | None = None
    """That its corpus was published with."""


def read_papers(path: Path) -> list[Paper]:
    """Read a corpus.

    Raises:
        BadInput: The file cannot be read or has no paper, a line is no paper with its reviews, or a paper occurs twice.
    """
    papers: dict[str, Paper] = {}
    for number, paper in read_lines(path, Paper, "paper with its reviews"):
        if paper.paper_id in papers:
            raise BadInput(f"Line {number} of {path} has the paper {paper.paper_id!r} a second time; keep one.")
        papers[paper.paper_id] = paper
    return list(papers.values())
