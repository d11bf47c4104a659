"""Whole papers as Markdown, for samples that only name the paper that their paragraph is from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from evals.datasets.files import LocatedRecord, checked, read_entries
from state.errors import BadInput

PAPERS = "papers.jsonl"
"""The file beside a corpus that has its papers."""


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class CorpusParagraph(_Record):
    """A paragraph of a section."""

    text: str


class CorpusSection(_Record):
    """A section of a paper."""

    heading: str = ""
    paragraphs: list[CorpusParagraph]


class CorpusPaper(_Record):
    """A paper in sections."""

    paper_id: str
    title: str = ""
    abstract: str | None = None
    sections: list[CorpusSection]


def paper_markdown(paper: CorpusPaper) -> str:
    """A paper as Markdown; its abstract comes first, whether it is one of the sections or not."""
    return "\n\n".join(block for block in (" ".join(each.split()) for each in _blocks(paper)) if block.strip("# "))


def with_papers(entries: Sequence[LocatedRecord], path: Path) -> list[LocatedRecord]:
    """Give each record that names a paper (`paper_id`) its `paper` as Markdown, unless it has it already.

    Args:
        entries: Of a file.
        path: The file; `papers.jsonl` in its folder has the papers.

    Raises:
        BadInput: There is no such file, a line of it is no paper, or it lacks a paper.
    """
    if all(entry.record.get("paper") for entry in entries):
        return list(entries)
    beside = path.with_name(PAPERS)
    if not beside.is_file():
        raise BadInput(
            f"{path} only names its papers; put {PAPERS} (paper_id, title, abstract, sections) beside it, or give "
            "each record its `paper` as Markdown.",
            kind="missing_file",
        )
    papers = _read_papers(beside)
    return [_with_paper(entry, papers, beside) for entry in entries]


def _blocks(paper: CorpusPaper) -> Iterator[str]:
    yield f"# {paper.title}"
    if paper.abstract and not any(section.heading.strip().lower() == "abstract" for section in paper.sections):
        yield from ("## Abstract", paper.abstract)
    for section in paper.sections:
        yield f"## {section.heading}"
        yield from (paragraph.text for paragraph in section.paragraphs)


def _read_papers(path: Path) -> dict[str, str]:
    papers = (checked(CorpusPaper, where, record) for where, record in read_entries(path))
    return {paper.paper_id: paper_markdown(paper) for paper in papers}


def _with_paper(entry: LocatedRecord, papers: Mapping[str, str], beside: Path) -> LocatedRecord:
    record = entry.record
    paper = record.get("paper") or papers.get(str(record.get("paper_id")))
    if not paper:
        raise BadInput(f"{entry.where} is about the paper {record.get('paper_id')!r}, which {beside} lacks; add it.")
    return entry._replace(record={**record, "paper": paper})
