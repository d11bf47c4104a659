"""The corpora of focused feedback: paragraphs of papers, and what reviewers criticised in them.

A record of a pair may only name its paper; a file `papers.jsonl` beside it then has the papers, a sample has them as
Markdown. Paragraphs without feedback are left out: what the reviewer thought of them is not known.

F1000RD (Kuznetsov, Buchmann, Eichler and Gurevych, Computational Linguistics 2022; UKPLab/f1000rd) has in data/itg a
folder for each paper: `v1.json` is its first version and `reviews/*.json` are its reviews, both as intertextual graphs,
and `linking/*.csv` says which sentences of a review belong to which sentences of the paper. data/simple/splits.csv
divides the papers. A sample is a paragraph and what one review criticises in it: the sentences labelled Weakness or
Todo that are linked to it because they quote it, name it, or because both annotators saw that they are about it (the
release's own reading of its implicit links).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from evals.datasets.samples import (
    FeedbackSample,
    FolderFormat,
    LocatedRecord,
    RecordFormat,
    Sample,
    Split,
    convert_blank_to_none,
    convert_own_records,
    has_fields,
    list_part_names,
    read_entries,
    validate_record,
)
from state.errors import InputError
from state.files import parse_json_record, read_text

_PAPERS_FILE = "papers.jsonl"
"""The file beside a corpus that has its papers."""


class _CorpusRecord(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class CorpusParagraph(_CorpusRecord):
    """A paragraph of a section."""

    id: str = ""
    text: str


class CorpusSection(_CorpusRecord):
    """A section of a paper."""

    heading: str = ""
    paragraphs: list[CorpusParagraph]


class CorpusPaper(_CorpusRecord):
    """A paper in sections."""

    paper_id: str
    title: str = ""
    abstract: str | None = None
    sections: list[CorpusSection]


def render_paper_markdown(paper: CorpusPaper) -> str:
    """A paper as Markdown; its abstract comes first, whether it is one of the sections or not."""
    return "\n\n".join(
        block for block in (" ".join(each.split()) for each in _iterate_markdown_blocks(paper)) if block.strip("# ")
    )


def _attach_papers(entries: Sequence[LocatedRecord], path: Path) -> list[LocatedRecord]:
    """Give each record that names a paper (`paper_id`) its `paper` as Markdown, unless it has it already.

    Args:
        entries: Of a file.
        path: The file; `papers.jsonl` in its folder has the papers.

    Raises:
        BadInput: There is no such file, a line of it is no paper, or it lacks a paper.
    """
    if all(entry.record.get("paper") for entry in entries):
        return list(entries)
    beside = path.with_name(_PAPERS_FILE)
    if not beside.is_file():
        raise InputError(
            f"{path} only names its papers; put {_PAPERS_FILE} (paper_id, title, abstract, sections) beside it, or "
            "give each record its `paper` as Markdown.",
            kind="missing_file",
        )
    read = (validate_record(CorpusPaper, where, record) for where, record in read_entries(beside))
    papers = {paper.paper_id: render_paper_markdown(paper) for paper in read}
    found = []
    for where, record in entries:
        paper = record.get("paper") or papers.get(str(record.get("paper_id")))
        if not paper:
            raise InputError(f"{where} is about the paper {record.get('paper_id')!r}, which {beside} lacks; add it.")
        found.append(LocatedRecord(where, {**record, "paper": paper}))
    return found


def _iterate_markdown_blocks(paper: CorpusPaper) -> Iterator[str]:
    yield f"# {paper.title}"
    if paper.abstract and not any(section.heading.strip().lower() == "abstract" for section in paper.sections):
        yield from ("## Abstract", paper.abstract)
    for section in paper.sections:
        yield f"## {section.heading}"
        yield from (paragraph.text for paragraph in section.paragraphs)


def _convert_own_pairs(entries: Sequence[LocatedRecord], path: Path) -> list[Sample]:
    """Pairs that were compiled from several corpora say so in `source_dataset`."""
    criticised = []
    for where, record in entries:
        if record.get("feedback"):
            dataset = record.get("source_dataset")
            criticised.append(LocatedRecord(where, {"corpus": dataset, **record} if dataset else record))
    return convert_own_records(FeedbackSample, _attach_papers(criticised, path), path)


OWN_FEEDBACK = RecordFormat(
    "JSON Lines with `id`, `paper_id`, `paragraph`, `feedback`, and `paper` or a papers.jsonl beside them",
    partial(has_fields, {"id", "paper_id", "paragraph", "feedback"}),
    _convert_own_pairs,
)


_EXPLICIT_LINK_TYPES: Final = {"quote", "paragraph"}
"""Explicit links that are to a paragraph and not to a whole section, a figure or a table."""
_CRITICAL_PURPOSES: Final = {"Weakness", "Todo"}


class _GraphNode(_CorpusRecord):
    ix: str
    content: str
    ntype: str


class _SentenceLabel(_CorpusRecord):
    purpose: str | None = Field(None, alias="PRAG")


class _ReviewSentence(_CorpusRecord):
    ix: str
    content: str
    label: _SentenceLabel


class _GraphMetadata(_CorpusRecord):
    title: str = ""
    abstract: str = ""


class _IntertextualGraph(_CorpusRecord):
    nodes: list[_GraphNode]
    span_nodes: list[_ReviewSentence]
    meta: _GraphMetadata


_Vote = Annotated[float | None, BeforeValidator(convert_blank_to_none)]


class _SentenceLink(_CorpusRecord):
    review_sentence_id: str
    paper_sentence_id: str
    exp: str
    imp_a: _Vote
    imp_b: _Vote

    @property
    def is_confirmed(self) -> bool:
        return self.exp in _EXPLICIT_LINK_TYPES or self.imp_a == self.imp_b == 1

    @property
    def node(self) -> str:
        """Of the paper: the paragraph that its sentence stands in."""
        return self.paper_sentence_id.partition("@")[0]


def find_graph_folder(path: Path) -> Path | None:
    """Find the folder of F1000RD with a folder for each paper: the one that was named, or one in the release."""
    folders = (path, path / "itg", path / "data" / "itg")
    return next((folder for folder in folders if any(folder.glob("*/v1.json"))), None)


def _read_f1000rd_samples(path: Path, split: Split) -> list[FeedbackSample]:
    folder = find_graph_folder(path) or path
    papers = sorted(file.parent for file in folder.glob("*/v1.json"))
    if split != "all":
        wanted = _read_split_papers(split, folder.parent / "simple" / "splits.csv")
        papers = [paper for paper in papers if paper.name in wanted]
    return [sample for paper in papers for sample in _iterate_paper_samples(paper)]


def _read_split_papers(split: Split, splits: Path) -> set[str]:
    if not splits.is_file():
        raise InputError(
            f"Which papers belong to the split {split!r} stands in {splits}, which is missing; copy data/simple of the "
            "release there, or choose the split 'all'.",
            kind="missing_file",
        )
    rows = (record for _, record in read_entries(splits))
    return {str(row.get("paper_id")) for row in rows if row.get("split") in list_part_names(split)}


def _iterate_paper_samples(folder: Path) -> Iterator[FeedbackSample]:
    graph = read_graph(folder / "v1.json")
    whole = render_paper_markdown(build_corpus_paper(graph, folder.name))
    paragraphs = {node.ix: node.content for node in graph.nodes if node.ntype == "p"}
    for review in sorted((folder / "reviews").glob("*.json")):
        for paragraph, feedback in _collect_criticism(review).items():
            if paragraph in paragraphs:
                values = {
                    "id": f"{paragraph}/{review.stem}",
                    "corpus": "F1000RD",
                    "paper_id": folder.name,
                    "paper": whole,
                    "paragraph": paragraphs[paragraph],
                    "feedback": feedback,
                }
                yield validate_record(FeedbackSample, f"{paragraph} of {folder}", values)


def iterate_linked_sentences(review: Path) -> Iterator[tuple[str, str, str | None]]:
    """List the sentences of a review of F1000RD with a node of the paper that each is linked to, and its purpose."""
    links = review.parent.parent / "linking" / f"{review.stem}.csv"
    nodes = defaultdict[str, list[str]](list)
    for link in (validate_record(_SentenceLink, where, record) for where, record in read_entries(links)):
        if link.is_confirmed:
            nodes[link.review_sentence_id].append(link.node)
    for sentence in read_graph(review).span_nodes:
        for node in dict.fromkeys(nodes[sentence.ix]):
            yield node, sentence.content.strip(), sentence.label.purpose


def _collect_criticism(review: Path) -> dict[str, str]:
    """What a review criticises, by the node of the paper, in the order of the review."""
    found = defaultdict[str, list[str]](list)
    for node, sentence, purpose in iterate_linked_sentences(review):
        if purpose in _CRITICAL_PURPOSES:
            found[node].append(sentence)
    return {node: " ".join(sentences) for node, sentences in found.items()}


def build_corpus_paper(graph: _IntertextualGraph, identity: str) -> CorpusPaper:
    """Return a paper of F1000RD in sections, whose paragraphs have the ids of their nodes."""
    sections: list[dict[str, Any]] = []
    for node in graph.nodes:
        if node.ntype in {"abstract", "title"}:
            sections.append({"heading": node.content, "paragraphs": []})
        elif node.ntype == "p" and sections:
            sections[-1]["paragraphs"].append({"id": node.ix, "text": node.content})
    return CorpusPaper.model_validate({"paper_id": identity, **graph.meta.model_dump(), "sections": sections})


def read_graph(path: Path) -> _IntertextualGraph:
    """Read a paper or a review of F1000RD.

    Raises:
        BadInput: It is something else.
    """
    return parse_json_record(
        _IntertextualGraph, read_text(path, "file of the corpus"), f"{path} is no intertextual graph of F1000RD"
    )


F1000RD = FolderFormat(
    "the folder data/itg of the F1000RD release (*/v1.json with reviews and linking)",
    lambda path: find_graph_folder(path) is not None,
    _read_f1000rd_samples,
)
