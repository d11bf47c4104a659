"""Readers of papers with their reviews: JSON Lines, or a release with annotated links, F1000RD or ARIES.

F1000RD (Kuznetsov et al. 2022) links sentences; `evals.datasets.feedback` chooses the links that count. ARIES (D'Arcy
et al. 2023; allenai/aries) labels the edits of a paper that answer a comment (`edit_labels_*.jsonl`: `doc_id`,
`comment_id`, `positive_edits`), and lists the paragraphs that an edit changed (`paper_edits.jsonl`: `source_pdf_id`,
and `edits` with `edit_id` and `source_idxs`). A comment is linked to these paragraphs. A comment that led only to new
paragraphs is linked to none.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

from pydantic import BaseModel

from evals.datasets.feedback import (
    CorpusPaper,
    build_corpus_paper,
    find_graph_folder,
    iterate_linked_sentences,
    read_graph,
)
from evals.datasets.samples import NonEmptyText, Part, read_entries, validate_record
from runs.jobs import parse_json_line
from state.errors import InputError
from state.files import read_file


class PaperReview(BaseModel):
    """A review of a paper: its paragraphs, or only the sentences that people have linked."""

    review_id: NonEmptyText
    """Unique in its paper."""
    paragraphs: list[str] = []
    links: dict[str, list[str]] | None = None
    """Sentences that people have linked, by the id of a paragraph; None without annotation: quotations count then."""
    license: str | None = None


class Paper(CorpusPaper):
    """A paper with its reviews, a line of the corpus."""

    reviews: list[PaperReview]
    license: str | None = None
    split: Part | None = None
    """Split with which the corpus was published."""


def read_reviewed_papers(path: Path) -> list[Paper]:
    """Read the papers with their reviews from a JSON Lines file, or from the folder of F1000RD or ARIES.

    Raises:
        InputError: The file cannot be read, has no paper or an invalid line, or a paper occurs twice.
    """
    if path.is_dir():
        try:
            records = list(_read_f1000rd(path) if find_graph_folder(path) else _read_aries(path))
        except KeyError as error:
            raise InputError(f"{path} is not a folder of F1000RD or ARIES: it lacks {error}.") from error
        return [validate_record(Paper, f"the paper {record['paper_id']} of {path}", record) for record in records]
    papers: dict[str, Paper] = {}
    for where, record in read_entries(path):
        paper = validate_record(Paper, where, record)
        if paper.paper_id in papers:
            raise InputError(f"{where} has the paper {paper.paper_id!r} a second time; keep one.")
        papers[paper.paper_id] = paper
    return list(papers.values())


def _read_f1000rd(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the fields of each `Paper` in a folder of F1000RD, with its reviews' linked sentences."""
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
            reviews.append({"review_id": file.stem, "links": links})
        yield {**paper, "reviews": reviews, "split": splits.get(folder.name)}


def _read_aries(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the fields of each `Paper` in a folder of ARIES, with its review comments linked to changed paragraphs."""
    comments = {
        (each["doc_id"], each["comment_id"]): each["comment"] for each in _read_aries_entries(path, "review_comments")
    }
    papers = {each["doc_id"]: each for each in _read_aries_entries(path, "paper_edits")}
    for split in get_args(Part):
        if not (path / f"edit_labels_{split}.jsonl").is_file():
            continue
        labels = defaultdict[str, list[dict[str, Any]]](list)
        for label in _read_aries_entries(path, f"edit_labels_{split}"):
            labels[label["doc_id"]].append(label)
        for name, labelled in labels.items():
            # The paper as S2ORC parsed it.
            file = path / "s2orc" / f"{papers[name]['source_pdf_id']}.json"
            parsed = parse_json_line(read_file(file, "paper"), str(file))["pdf_parse"]
            body = [*parsed["body_text"], *parsed["back_matter"]]  # `source_idxs` count through both
            changed = {edit["edit_id"]: [*map(str, edit["source_idxs"])] for edit in papers[name]["edits"]}
            reviews = []
            for label in labelled:
                comment = comments[name, label["comment_id"]]
                links = {index: [comment] for edit in label["positive_edits"] for index in changed[edit]}
                reviews.append({"review_id": str(label["comment_id"]), "links": links})
            sections = [
                {"heading": part["section"], "paragraphs": [{"id": str(index), "text": part["text"]}]}
                for index, part in enumerate(body)
            ]
            yield {"paper_id": name, "sections": sections, "reviews": reviews, "split": split}


def _read_aries_entries(folder: Path, name: str) -> list[dict[str, Any]]:
    return [record for _, record in read_entries(folder / f"{name}.jsonl")]
