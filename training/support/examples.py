"""Sentences of plain summaries beside their own source, beside a like one, and with one thing changed."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tools.checks.support import EmbeddedSource, features
from tools.text import sentences
from training.support.changes import CHANGES, changed, names_of

Embed = Callable[[Sequence[str]], NDArray[np.float32]]
Kind = Literal["own", "foreign", "negated", "number", "direction", "name", "exaggerated"]
SENTENCES = 10
"""Of a summary, drawn at random: long ones would outweigh the others."""
CHANGED = 4
"""Sentences of a summary that are changed, each once."""


@dataclass(frozen=True)
class SummarisedPaper:
    """A source and its plain summary."""

    corpus: str
    source: str
    summary: str


@dataclass(frozen=True)
class Example:
    """One sentence compared with one source."""

    paper: int
    """Whose summary it is from; papers are split by it."""
    corpus: str
    kind: Kind
    sentence: str
    original: str
    """The sentence before the change."""
    features: NDArray[np.float64]


def read_papers(path: Path, at_most: int) -> list[SummarisedPaper]:
    """The first papers of a JSON Lines file of `source` and `target`, or `abstract` and `summary`."""
    records = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[:at_most]]
    return [
        SummarisedPaper(path.stem, one.get("source") or one["abstract"], one.get("target") or one["summary"])
        for one in records
    ]


def examples(papers: Sequence[SummarisedPaper], embed: Embed, seed: int) -> list[Example]:
    """All examples of some papers; a paper's like source is the nearest other one of its corpus."""
    draw = random.Random(seed)  # noqa: S311 - a sample
    sources = [_read(paper.source, embed) for paper in papers]
    centres = np.stack([source.vectors.mean(axis=0) for source in sources])
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    found: list[Example] = []
    for number, paper in enumerate(papers):
        own = _sample(paper, draw)
        if not own:
            continue
        vectors = embed([sentence for _, sentence, _ in own])
        like = _like(number, papers, centres)
        for (kind, sentence, original), row in zip(
            own, features([each[1] for each in own], vectors, sources[number]), strict=True
        ):
            found.append(Example(number, paper.corpus, kind, sentence, original, row))
        plain = [place for place, (kind, _, _) in enumerate(own) if kind == "own"]
        said = [own[place][1] for place in plain]
        for sentence, row in zip(said, features(said, vectors[plain], sources[like]), strict=True):
            found.append(Example(number, paper.corpus, "foreign", sentence, sentence, row))
    return found


def _read(text: str, embed: Embed) -> EmbeddedSource:
    found = [sentence.text for sentence in sentences(text)]
    return EmbeddedSource(text, found, embed(found))


def _sample(paper: SummarisedPaper, draw: random.Random) -> list[tuple[Kind, str, str]]:
    said = [sentence.text for sentence in sentences(paper.summary) if not sentence.heading and len(sentence.text) > 30]
    said = draw.sample(said, min(SENTENCES, len(said)))
    names, found = names_of(paper.source), list[tuple[Kind, str, str]]()
    for sentence in said:
        kinds = draw.sample(CHANGES, len(CHANGES))
        made = ((kind, changed(sentence, kind, names, draw)) for kind in kinds)
        if len(found) < CHANGED:
            found += [(kind, other, sentence) for kind, other in made if other and other != sentence][:1]
    return [*(("own", sentence, sentence) for sentence in said), *found]


def _like(number: int, papers: Sequence[SummarisedPaper], centres: NDArray[np.float32]) -> int:
    nearness = centres @ centres[number]
    others = [place for place, paper in enumerate(papers) if paper.corpus == papers[number].corpus and place != number]
    return max(others, key=lambda place: float(nearness[place]))
