"""Papers with their reviews: one JSON object a line, or a release whose reviews people have linked to paragraphs.

F1000RD (Kuznetsov and others 2022) has links of sentences; `evals.datasets.feedback` says which count. ARIES (D'Arcy
and others 2023; allenai/aries) says which edits of a paper answer a comment (`edit_labels_*.jsonl`: `doc_id`,
`comment_id`, `positive_edits`), and which paragraphs an edit has changed (`paper_edits.jsonl`: `source_pdf_id`, and
`edits` with `edit_id` and `source_idxs`, which count the `body_text` and then the `back_matter` of `s2orc/PDF.json`). A
comment is linked to these paragraphs; one that only led to new paragraphs is linked to none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BaseModel, ConfigDict, StringConstraints

from evals.datasets.feedback import build_corpus_paper, find_graph_folder, iterate_linked_sentences, read_graph
from evals.datasets.samples import read_entries, validate_record
from state.errors import InputError
from state.files import parse_json_record, read_text, read_validated_records

Split = Literal["train", "dev", "test"]

_Id = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class _CorpusRecord(BaseModel):
    """Corpora have fields of their own, which are passed over."""

    model_config = ConfigDict(frozen=True)


class PaperParagraph(_CorpusRecord):
    """A paragraph of a paper."""

    id: _Id
    """Unique in its paper."""
    text: str


class Section(_CorpusRecord):
    """A section of a paper."""

    heading: str = ""
    paragraphs: list[PaperParagraph]


class AnnotatedLink(_CorpusRecord):
    """Sentences of a review that people have linked to a paragraph."""

    paragraph_id: _Id
    sentences: list[str]


class PaperReview(_CorpusRecord):
    """A whole review, or what of it was linked."""

    review_id: _Id
    """Unique in its paper."""
    paragraphs: list[str] = []
    links: list[AnnotatedLink] | None = None
    """None if nobody has linked it, so that what it quotes counts."""
    license: str | None = None


class Paper(_CorpusRecord):
    """A line of the corpus."""

    paper_id: _Id
    sections: list[Section]
    reviews: list[PaperReview]
    license: str | None = None
    split: Split | None = None
    """That its corpus was published with."""


def read_reviewed_papers(path: Path) -> list[Paper]:
    """Read a corpus: a file of papers, or the folder of a release with annotated links.

    Raises:
        BadInput: The file cannot be read or has no paper, a line is no paper with its reviews, or a paper occurs twice.
    """
    if path.is_dir():
        try:
            records = list(_read_f1000rd(path) if find_graph_folder(path) else _read_aries(path))
        except KeyError as error:
            raise InputError(f"{path} is not as F1000RD or ARIES was published: it lacks {error}.") from error
        return [validate_record(Paper, f"the paper {record['paper_id']} of {path}", record) for record in records]
    papers: dict[str, Paper] = {}
    for number, paper in read_validated_records(path, Paper, "paper with its reviews"):
        if paper.paper_id in papers:
            raise InputError(f"Line {number} of {path} has the paper {paper.paper_id!r} a second time; keep one.")
        papers[paper.paper_id] = paper
    return list(papers.values())


def _read_f1000rd(path: Path) -> Iterator[dict[str, Any]]:
    graphs = find_graph_folder(path) or path
    table = graphs.parent / "simple" / "splits.csv"
    splits = {record["paper_id"]: record["split"] for _, record in read_entries(table)} if table.is_file() else {}
    for folder in sorted(file.parent for file in graphs.glob("*/v1.json")):
        paper = build_corpus_paper(read_graph(folder / "v1.json"), folder.name).model_dump()
        reviews = []
        for file in sorted((folder / "reviews").glob("*.json")):
            links = defaultdict[str, list[str]](list)
            for node_id, sentence, _ in iterate_linked_sentences(file):
                links[node_id].append(sentence)
            reviews.append({"review_id": file.stem, "links": _build_links(links)})
        yield {**paper, "reviews": reviews, "split": splits.get(folder.name)}


def _read_aries(path: Path) -> Iterator[dict[str, Any]]:
    comments = {
        (each["doc_id"], each["comment_id"]): each["comment"] for each in _read_aries_entries(path, "review_comments")
    }
    papers = {each["doc_id"]: each for each in _read_aries_entries(path, "paper_edits")}
    for split in (name for name in get_args(Split) if (path / f"edit_labels_{name}.jsonl").is_file()):
        labels = defaultdict[str, list[dict[str, Any]]](list)
        for label in _read_aries_entries(path, f"edit_labels_{split}"):
            labels[label["doc_id"]].append(label)
        for name, labelled in labels.items():
            paper = papers[name]
            text = parse_json_record(
                _S2orc, read_text(path / "s2orc" / f"{paper['source_pdf_id']}.json", "paper"), name
            )
            body = [*text.pdf_parse["body_text"], *text.pdf_parse["back_matter"]]
            changed = {edit["edit_id"]: [*map(str, edit["source_idxs"])] for edit in paper["edits"]}
            reviews = []
            for label in labelled:
                paragraphs = dict.fromkeys(index for edit in label["positive_edits"] for index in changed[edit])
                links = {index: [comments[name, label["comment_id"]]] for index in paragraphs}
                reviews.append({"review_id": str(label["comment_id"]), "links": _build_links(links)})
            sections = [
                {"heading": part["section"], "paragraphs": [{"id": str(index), "text": part["text"]}]}
                for index, part in enumerate(body)
            ]
            yield {"paper_id": name, "sections": sections, "reviews": reviews, "split": split}


class _S2orc(_CorpusRecord):
    """A paper of ARIES."""

    pdf_parse: dict[str, Any]


def _read_aries_entries(folder: Path, name: str) -> list[dict[str, Any]]:
    return [record for _, record in read_entries(folder / f"{name}.jsonl")]


def _build_links(sentences: dict[str, list[str]]) -> list[dict[str, Any]]:
    return [{"paragraph_id": paragraph, "sentences": said} for paragraph, said in sentences.items()]
