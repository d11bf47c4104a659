"""Readers of corpora for focused feedback: paragraphs of papers with the criticism of human reviewers.

In Draftroom's own format, a record may name its paper only; the papers are then in `papers.jsonl` in the same folder.
Paragraphs without feedback are left out, because the reviewer's opinion of them is not known.

F1000RD (Kuznetsov, Buchmann, Eichler and Gurevych, Computational Linguistics 2022; UKPLab/f1000rd) has in data/itg a
folder for each paper: `v1.json` is its first version and `reviews/*.json` are its reviews, both as intertextual graphs,
and `linking/*.csv` links sentences of a review to sentences of the paper. data/simple/splits.csv divides the papers
into parts. A sample is a paragraph with the criticism of one review: its sentences labelled Weakness or Todo that quote
the paragraph, name it, or are about it in the view of both annotators (the release's reading of its implicit links).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field

from evals.datasets.samples import (
    FeedbackSample,
    FolderFormat,
    LocatedRecord,
    RecordFormat,
    Sample,
    Split,
    convert_blank_to_none,
    convert_own_records,
    list_part_names,
    read_entries,
    validate_record,
)
from state.errors import InputError
from state.files import parse_json_record, read_text

_PAPERS_FILE = "papers.jsonl"  # in the folder of the corpus


class _CorpusRecord(BaseModel):
    """Base of the frozen records here: unknown fields are ignored, and numbers become text."""

    model_config = ConfigDict(frozen=True, extra="ignore", coerce_numbers_to_str=True)


class CorpusParagraph(_CorpusRecord):
    """A paragraph of a corpus paper, with its id."""

    id: str = ""
    text: str


class CorpusSection(_CorpusRecord):
    """A section of a corpus paper, with its paragraphs."""

    heading: str = ""
    paragraphs: list[CorpusParagraph]


class CorpusPaper(_CorpusRecord):
    """A paper of a corpus in sections and paragraphs, a line of `papers.jsonl`."""

    paper_id: str
    title: str = ""
    abstract: str | None = None
    sections: list[CorpusSection]


def render_paper_markdown(paper: CorpusPaper) -> str:
    """Render a paper as Markdown, with the abstract once and without empty headings and paragraphs."""
    blocks = [f"# {paper.title}"]
    # Some corpora have the abstract as a section, too.
    if paper.abstract and not any(section.heading.strip().lower() == "abstract" for section in paper.sections):
        blocks += ["## Abstract", paper.abstract]
    for section in paper.sections:
        blocks += [f"## {section.heading}", *(paragraph.text for paragraph in section.paragraphs)]
    lines = (" ".join(block.split()) for block in blocks)
    return "\n\n".join(line for line in lines if line.strip("# "))


def _convert_own_pairs(entries: Sequence[LocatedRecord], path: Path) -> list[Sample]:
    """Convert the records that have feedback into samples, with papers that they only name from `papers.jsonl`.

    Raises:
        InputError: `papers.jsonl` in the folder of the corpus is missing, damaged, or lacks a paper.
    """
    criticised = [entry for entry in entries if entry.record.get("feedback")]
    # 1. Read the papers, unless all records have theirs.
    papers_file = path.with_name(_PAPERS_FILE)
    papers: dict[str, str] = {}
    if not all(entry.record.get("paper") for entry in criticised):
        if not papers_file.is_file():
            raise InputError(
                f"{path} only names its papers; put {_PAPERS_FILE} (paper_id, title, abstract, sections) beside it, or "
                "give each record its `paper` as Markdown.",
                kind="missing_file",
            )
        read = (validate_record(CorpusPaper, where, record) for where, record in read_entries(papers_file))
        papers = {paper.paper_id: render_paper_markdown(paper) for paper in read}
    # 2. Convert the records. One compiled from several corpora names its corpus in `source_dataset`.
    found = []
    for where, record in criticised:
        paper = record.get("paper") or papers.get(str(record.get("paper_id")))
        if not paper:
            raise InputError(
                f"{where} is about the paper {record.get('paper_id')!r}, which {papers_file} lacks; add it."
            )
        dataset = record.get("source_dataset")
        default = {"corpus": dataset} if dataset else {}
        found.append(LocatedRecord(where, {**default, **record, "paper": paper}))
    return convert_own_records(FeedbackSample, found, path)


OWN_FEEDBACK = RecordFormat(
    "JSON Lines with `id`, `paper_id`, `paragraph`, `feedback`, and `paper` or a papers.jsonl beside them",
    lambda record: {"id", "paper_id", "paragraph", "feedback"} <= record.keys(),
    _convert_own_pairs,
)


_EXPLICIT_LINK_TYPES: Final = {"quote", "paragraph"}  # other explicit links are to sections, figures or tables
_CRITICAL_PURPOSES: Final = {"Weakness", "Todo"}


class _GraphNode(_CorpusRecord):
    """A node of a graph: its id `ix`, its text, and its type (`p`, `title`, `abstract` or another)."""

    ix: str
    content: str
    ntype: str


class _ReviewSentence(_CorpusRecord):
    """A sentence of a review: its id `ix`, its text and its communicative purpose, if it is labelled."""

    ix: str
    content: str
    purpose: str | None = Field(None, validation_alias=AliasPath("label", "PRAG"))


class _IntertextualGraph(_CorpusRecord):
    """A paper or a review of F1000RD: its nodes, its sentences (`span_nodes`), its title and its abstract."""

    nodes: list[_GraphNode]
    span_nodes: list[_ReviewSentence]
    title: str = Field("", validation_alias=AliasPath("meta", "title"))
    abstract: str = Field("", validation_alias=AliasPath("meta", "abstract"))


_Vote = Annotated[float | None, BeforeValidator(convert_blank_to_none)]


class _SentenceLink(_CorpusRecord):
    """A line of linking/*.csv: two sentences, the type of an explicit link, annotators' votes on an implicit one."""

    review_sentence_id: str
    paper_sentence_id: str
    exp: str
    imp_a: _Vote
    imp_b: _Vote

    @property
    def is_confirmed(self) -> bool:
        """Whether the link is explicit and to a paragraph, or both annotators voted 1 for it."""
        return self.exp in _EXPLICIT_LINK_TYPES or self.imp_a == self.imp_b == 1

    @property
    def node(self) -> str:
        """Id of the paper's node, mostly a paragraph: what stands before the `@` in the id of the sentence."""
        return self.paper_sentence_id.partition("@")[0]


def find_graph_folder(path: Path) -> Path | None:
    """Return F1000RD's folder of papers: `path`, its itg, or its data/itg; None if none of them holds papers."""
    folders = (path, path / "itg", path / "data" / "itg")
    return next((folder for folder in folders if any(folder.glob("*/v1.json"))), None)


def _read_f1000rd_samples(path: Path, split: Split) -> list[FeedbackSample]:
    """Read the samples of a split from F1000RD's folder; InputError if its list of splits is missing."""
    folder = find_graph_folder(path) or path
    papers = sorted(file.parent for file in folder.glob("*/v1.json"))
    if split != "all":
        splits = folder.parent / "simple" / "splits.csv"
        if not splits.is_file():
            raise InputError(
                f"{splits} is missing, which lists the papers of the split {split!r}; copy data/simple of the release "
                "there, or choose the split 'all'.",
                kind="missing_file",
            )
        rows = (record for _, record in read_entries(splits))
        wanted = {str(row.get("paper_id")) for row in rows if row.get("split") in list_part_names(split)}
        papers = [paper for paper in papers if paper.name in wanted]
    return [sample for paper in papers for sample in _iterate_paper_samples(paper)]


def _iterate_paper_samples(folder: Path) -> Iterator[FeedbackSample]:
    """Yield a sample for each paragraph of a paper's folder and each review that criticises it."""
    graph = read_graph(folder / "v1.json")
    markdown = render_paper_markdown(build_corpus_paper(graph, folder.name))
    paragraphs = {node.ix: node.content for node in graph.nodes if node.ntype == "p"}
    for review in sorted((folder / "reviews").glob("*.json")):
        criticism = defaultdict[str, list[str]](list)
        for node, sentence, purpose in iterate_linked_sentences(review):
            if purpose in _CRITICAL_PURPOSES and node in paragraphs:
                criticism[node].append(sentence)
        for node, sentences in criticism.items():
            values = {
                "id": f"{node}/{review.stem}",
                "corpus": "F1000RD",
                "paper_id": folder.name,
                "paper": markdown,
                "paragraph": paragraphs[node],
                "feedback": " ".join(sentences),
            }
            yield validate_record(FeedbackSample, f"{node} of {folder}", values)


def iterate_linked_sentences(review: Path) -> Iterator[tuple[str, str, str | None]]:
    """Yield (id of a node of the paper, sentence of the review, its purpose or None) for each confirmed link."""
    links = review.parent.parent / "linking" / f"{review.stem}.csv"
    nodes = defaultdict[str, list[str]](list)
    for link in (validate_record(_SentenceLink, where, record) for where, record in read_entries(links)):
        if link.is_confirmed:
            nodes[link.review_sentence_id].append(link.node)
    for sentence in read_graph(review).span_nodes:
        # Several links of a sentence may lead to the same paragraph.
        for node in dict.fromkeys(nodes[sentence.ix]):
            yield node, sentence.content.strip(), sentence.purpose


def build_corpus_paper(graph: _IntertextualGraph, identity: str) -> CorpusPaper:
    """Build a paper from its F1000RD graph; `identity` becomes its id, and the nodes' ids those of its paragraphs."""
    # The graph is flat: a title node begins a section, which extends to the next title node.
    sections: list[dict[str, Any]] = []
    for node in graph.nodes:
        if node.ntype in {"abstract", "title"}:
            sections.append({"heading": node.content, "paragraphs": []})
        elif node.ntype == "p" and sections:
            sections[-1]["paragraphs"].append({"id": node.ix, "text": node.content})
    return CorpusPaper.model_validate(
        {"paper_id": identity, "title": graph.title, "abstract": graph.abstract, "sections": sections}
    )


def read_graph(path: Path) -> _IntertextualGraph:
    """Read the nodes, sentences, title and abstract of a paper or a review from a JSON file of F1000RD.

    Raises:
        InputError: The file cannot be read, or is no intertextual graph.
    """
    return parse_json_record(
        _IntertextualGraph, read_text(path, "file of the corpus"), f"{path} is no intertextual graph of F1000RD"
    )


F1000RD = FolderFormat(
    "the folder data/itg of the F1000RD release (*/v1.json with reviews and linking)",
    lambda path: find_graph_folder(path) is not None,
    _read_f1000rd_samples,
)
