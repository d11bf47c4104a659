"""Known flaws as samples: each planted paragraph in its paper, and its clean twin.

They are made from the papers (`papers.jsonl` with paper_id, title, abstract and sections of paragraphs with ids) and
from what is on record of the plants (`evals.flaws`). The part `dev` holds the 60 plants of the benchmark with their
twins, drawn before any system was run. `train` holds the plants of papers that none of the 60 is in, for those who work
on the systems. `all` is every plant of every paper.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Final

from evals.datasets.samples import FlawSample, FolderFormat, RecordFormat, Split, has_fields, own_samples
from evals.flaws.plant import COMPUTABLE, LABELS, OpenPaper, Plant, sentence_span
from evals.flaws.planter import all_plants, drawn_plants, drawn_records, read_papers

COMPUTABLE_FLAWS: Final = "Computable flaws"
TEXTUAL_FLAWS: Final = "Textual flaws"
"""The two corpora, so that their figures are never added up."""
_PAPERS: Final = "papers.jsonl"


def _has_papers(path: Path) -> bool:
    return (path / _PAPERS).is_file()


def _samples(path: Path, split: Split) -> list[FlawSample]:
    papers = read_papers(path / _PAPERS)
    drawn = drawn_records()
    plants = drawn_plants(papers) if split in {"dev", "all"} else []
    if split == "train":
        taken = {record["paper"] for record in drawn}
        plants = all_plants(paper for paper in papers if paper.id not in taken)
    elif split == "all":
        known = {record["id"] for record in drawn}
        plants += [plant for plant in all_plants(papers) if plant.id not in known]
    of_id = {paper.id: paper for paper in papers}
    return [sample for plant in plants for sample in pair(plant, of_id[plant.paper])]


def pair(plant: Plant, paper: OpenPaper) -> Iterator[FlawSample]:
    """A planted flaw, and the same paragraph as its authors wrote it.

    Args:
        plant: The flaw.
        paper: That it is planted in.
    """
    clean, flawed, edit = plant.paragraph.text, plant.flawed, plant.edit
    for name, text, length in (("flaw", flawed, len(edit.words)), ("twin", clean, edit.end - edit.start)):
        start, end = sentence_span(text, max(edit.start - 1, 0) if not edit.words else edit.start)
        sentence = text[start:end].strip()
        place = max(edit.start - start, 0)
        yield FlawSample(
            id=f"{plant.id}-{name}",
            corpus=COMPUTABLE_FLAWS if plant.kind in COMPUTABLE else TEXTUAL_FLAWS,
            paper_id=plant.paper,
            paper=paper.markdown(plant.paragraph, text),
            paragraph=text,
            flaw=plant.kind,
            planted=name == "flaw",
            sentence=sentence,
            start=min(place, len(sentence)),
            end=min(place + length, len(sentence)),
            gap=not edit.words,
            labels=list(LABELS[plant.kind]),
            feedback=_told(plant) if name == "flaw" else "",
        )


def _told(plant: Plant) -> str:
    """What is wrong, for a person who reads the sample's page."""
    before = plant.paragraph.text[plant.edit.start : plant.edit.end].strip()
    flawed, _ = plant.sentences
    after = f"“{before}” became “{plant.edit.words.strip()}”" if plant.edit.words else f"“{before}” was taken out"
    return f"{plant.kind.capitalize()}: {after} in “{flawed}”"


PLANTED = FolderFormat(
    "a folder with papers.jsonl (paper_id, title, abstract, sections of paragraphs with ids), the papers that the "
    "benchmark of known flaws was drawn from",
    _has_papers,
    _samples,
)
OWN = RecordFormat(
    "JSON Lines with `id`, `paper`, `paragraph`, `flaw`, `planted`, `sentence`, `start`, `end`, `gap`, `labels`, ...",
    partial(has_fields, {"id", "paper", "paragraph", "flaw", "planted", "sentence", "start", "end", "gap", "labels"}),
    partial(own_samples, FlawSample),
)
