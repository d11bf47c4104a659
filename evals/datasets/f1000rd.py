"""The release of F1000RD (Kuznetsov, Buchmann, Eichler and Gurevych, Computational Linguistics 2022; UKPLab/f1000rd).

data/itg has a folder for each paper: `v1.json` is its first version and `reviews/*.json` are its reviews, both as
intertextual graphs, and `linking/*.csv` says which sentences of a review belong to which sentences of the paper.
data/simple/splits.csv divides the papers.

A sample is a paragraph and what one review criticises in it: the sentences labelled Weakness or Todo that are linked to
it because they quote it, name it, or because both annotators saw that they are about it (the release's own reading of
its implicit links).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from evals.datasets.files import FolderFormat, Split, checked, names_of, read_entries
from evals.datasets.papers import CorpusPaper, paper_markdown
from evals.datasets.schema import FeedbackSample, none_if_blank
from state.errors import BadInput
from tools.input_files import from_json, read_text

_EXPLICIT: Final = {"quote", "paragraph"}
"""Explicit links that are to a paragraph and not to a whole section, a figure or a table."""
_CRITICISM: Final = {"Weakness", "Todo"}


class _Record(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class _Node(_Record):
    ix: str
    content: str
    ntype: str


class _Label(_Record):
    purpose: str | None = Field(None, alias="PRAG")


class _Sentence(_Record):
    ix: str
    content: str
    label: _Label


class _Meta(_Record):
    title: str = ""
    abstract: str = ""


class _Graph(_Record):
    nodes: list[_Node]
    span_nodes: list[_Sentence]
    meta: _Meta


_Vote = Annotated[float | None, BeforeValidator(none_if_blank)]


class _Link(_Record):
    review_sentence_id: str
    paper_sentence_id: str
    exp: str
    imp_a: _Vote
    imp_b: _Vote

    @property
    def holds(self) -> bool:
        return self.exp in _EXPLICIT or self.imp_a == self.imp_b == 1

    @property
    def node(self) -> str:
        """Of the paper: the paragraph that its sentence stands in."""
        return self.paper_sentence_id.partition("@")[0]


def _fits(path: Path) -> bool:
    return _graphs(path) is not None


def _graphs(path: Path) -> Path | None:
    """The folder with a folder for each paper: the one that was named, or one in the release."""
    folders = (path, path / "itg", path / "data" / "itg")
    return next((folder for folder in folders if any(folder.glob("*/v1.json"))), None)


def _samples(path: Path, split: Split) -> list[FeedbackSample]:
    folder = _graphs(path) or path
    papers = sorted(file.parent for file in folder.glob("*/v1.json"))
    if split != "all":
        wanted = _papers_of(split, folder.parent / "simple" / "splits.csv")
        papers = [paper for paper in papers if paper.name in wanted]
    return [sample for paper in papers for sample in _of_paper(paper)]


def _papers_of(split: Split, splits: Path) -> set[str]:
    if not splits.is_file():
        raise BadInput(
            f"Which papers belong to the split {split!r} stands in {splits}, which is missing; copy data/simple of the "
            "release there, or choose the split 'all'.",
            kind="missing_file",
        )
    rows = (record for _, record in read_entries(splits))
    return {str(row.get("paper_id")) for row in rows if row.get("split") in names_of(split)}


def _of_paper(folder: Path) -> Iterator[FeedbackSample]:
    graph = _read_graph(folder / "v1.json")
    whole = paper_markdown(_paper(graph, folder.name))
    paragraphs = {node.ix: node.content for node in graph.nodes if node.ntype == "p"}
    for review in sorted((folder / "reviews").glob("*.json")):
        for paragraph, feedback in _criticised(review).items():
            if paragraph in paragraphs:
                values = {
                    "id": f"{paragraph}/{review.stem}",
                    "corpus": "F1000RD",
                    "paper_id": folder.name,
                    "paper": whole,
                    "paragraph": paragraphs[paragraph],
                    "feedback": feedback,
                }
                yield checked(FeedbackSample, f"{paragraph} of {folder}", values)


def _criticised(review: Path) -> dict[str, str]:
    """What a review criticises, by the node of the paper, in the order of the review."""
    links = review.parent.parent / "linking" / f"{review.stem}.csv"
    nodes = defaultdict[str, list[str]](list)
    for link in (checked(_Link, where, record) for where, record in read_entries(links)):
        if link.holds:
            nodes[link.review_sentence_id].append(link.node)
    found = defaultdict[str, list[str]](list)
    for sentence in _read_graph(review).span_nodes:
        if sentence.label.purpose in _CRITICISM:
            for node in dict.fromkeys(nodes[sentence.ix]):
                found[node].append(sentence.content.strip())
    return {node: " ".join(sentences) for node, sentences in found.items()}


def _paper(graph: _Graph, identity: str) -> CorpusPaper:
    sections: list[dict[str, Any]] = []
    for node in graph.nodes:
        if node.ntype in {"abstract", "title"}:
            sections.append({"heading": node.content, "paragraphs": []})
        elif node.ntype == "p" and sections:
            sections[-1]["paragraphs"].append({"text": node.content})
    return CorpusPaper.model_validate({"paper_id": identity, **graph.meta.model_dump(), "sections": sections})


def _read_graph(path: Path) -> _Graph:
    return from_json(_Graph, read_text(path, "file of the corpus"), f"{path} is no intertextual graph of F1000RD")


F1000RD = FolderFormat(
    "the folder data/itg of the F1000RD release (*/v1.json with reviews and linking)", _fits, _samples
)
