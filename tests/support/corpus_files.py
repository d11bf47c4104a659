"""Small corpora in the layouts of the published ones, written into a test's folder."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any


def write_lines(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(record, ensure_ascii=False)}\n" for record in records), encoding="utf-8")
    return path


def write_list(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(records, indent=1), encoding="utf-8")
    return path


def write_table(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, list(records[0]))
        table.writeheader()
        table.writerows(records)
    return path


def write_cochrane(folder: Path, part: str, samples: Sequence[tuple[str, str, str]], *, doi: bool = True) -> Path:
    """A part of the Cochrane release; samples are id, abstract and summary."""
    folder.mkdir(exist_ok=True)
    suffixes = {".doi": 0, ".source": 1, ".target": 2}
    for suffix, column in suffixes.items():
        if doi or suffix != ".doi":
            text = "".join(f"{sample[column]}\n" for sample in samples)
            (folder / f"{part}{suffix}").write_text(text, encoding="utf-8")
    return folder


PAPER: dict[str, Any] = {
    "paper_id": "7-1",
    "title": "Cold tea",
    "abstract": "It grows.",
    "sections": [
        {"heading": "Methods", "paragraphs": [{"id": "1", "text": "We poured\ntea."}, {"id": "2", "text": "Daily."}]}
    ],
}

PAPER_TEXT = "# Cold tea\n\n## Abstract\n\nIt grows.\n\n## Methods\n\nWe poured tea.\n\nDaily."


def node(identity: str, kind: str, content: str) -> dict[str, Any]:
    return {"ix": identity, "ntype": kind, "content": content, "meta": {"created_by": "test"}}


def sentence(identity: str, content: str, purpose: str | None = None) -> dict[str, Any]:
    label = {"PRAG": purpose} if purpose else {}
    return {"ix": identity, "content": content, "ntype": "s", "label": label}


def link(review: str, paper: str, *, exp: str = "", imp: tuple[str, str] = ("", "")) -> dict[str, str]:
    names = {"review_sentence_id": review, "paper_sentence_id": paper}
    return {"": "0", **names, "exp": exp, "imp_a": imp[0], "imp_b": imp[1], "imp_a_re": ""}


PAPER_NODES = [
    node("7-1_v1_0", "article-title", "Cold tea"),
    node("7-1_v1_1", "abstract", "Abstract"),
    node("7-1_v1_2", "p", "It grows."),
    node("7-1_v1_3", "title", "Methods"),
    node("7-1_v1_4", "p", "We poured tea. We did so daily."),
    node("7-1_v1_5", "fig", "<fig/>"),
    node("7-1_v1_6", "p", "Then we measured."),
    node("7-1_v1_7", "ref", "Leaf: On tea."),
]

REVIEW = [
    sentence("r1_0@0", "A nice paper. ", "Strength"),
    sentence("r1_1@0", "How much tea? ", "Todo"),
    sentence("r1_1@1", "Daily is too often. ", "Weakness"),
    sentence("r1_2@0", "They poured tea.", "Recap"),
    sentence("r1_3@0", "Figure 1 is blurred.", "Weakness"),
]

LINKS = [
    link("r1_0@0", "7-1_v1_4@0", exp="quote"),
    link("r1_1@1", "7-1_v1_4@1", imp=("1.0", "1.0")),
    link("r1_1@0", "7-1_v1_4@0", exp="quote"),
    link("r1_1@0", "7-1_v1_4@1", imp=("1.0", "1.0")),
    link("r1_1@0", "7-1_v1_6@0", imp=("1.0", "0.0")),
    link("r1_2@0", "7-1_v1_6@0", imp=("1.0", "1.0")),
    link("r1_1@1", "7-1_v1_3", exp="sec-name"),
    link("r1_3@0", "7-1_v1_5", exp="quote"),
]


def write_f1000rd(root: Path, *, splits: Mapping[str, str] | None = None) -> Path:
    """The release with one paper and one review, as `data/itg` and `data/simple`."""
    folder = root / "data" / "itg" / "7-1"
    (folder / "reviews").mkdir(parents=True)
    graph = {"nodes": PAPER_NODES, "edges": [], "prefix": "7-1_v1"}
    meta = {"title": "Cold tea", "abstract": "It grows.", "doi": "10.1/tea"}
    (folder / "v1.json").write_text(json.dumps({**graph, "span_nodes": [], "meta": meta}), encoding="utf-8")
    review = {"nodes": [], "span_nodes": REVIEW, "edges": [], "prefix": "r1", "meta": {"doi": "10.1/r1"}}
    (folder / "reviews" / "r1.json").write_text(json.dumps(review), encoding="utf-8")
    write_table(folder / "linking" / "r1.csv", LINKS)
    if splits is not None:
        rows = [{"paper_id": name, "split": split} for name, split in splits.items()]
        write_table(root / "data" / "simple" / "splits.csv", rows)
    return root
