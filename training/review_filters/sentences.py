"""Labelled review sentences, split by paper: F1000RD for purposes, Peer-Review-Analyze for aspects.

DISAPERE (CC BY-NC 4.0) is read by a function of its own, only to measure on it: nothing that ships may be trained on
it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Literal, NamedTuple

from pydantic import BaseModel, ConfigDict, StringConstraints

from state.errors import BadInput
from state.files import read_lines
from training.review_filters.labels import Task, aspect_of_disapere, aspect_of_peer_review_analyze, purpose_of_disapere

_DEV_PART = 6

_Text = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]


class LabelledSentence(NamedTuple):
    """A sentence of a review."""

    text: str
    label: str
    paper_id: str


class SentenceSplit(NamedTuple):
    """Sentences to learn from, and sentences about other papers to choose and measure by."""

    train: list[LabelledSentence]
    dev: list[LabelledSentence]


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True)

    paper_id: _Text
    text: _Text


class _F1000rd(_Line):
    label: Literal["Recap", "Strength", "Weakness", "Todo", "Structure", "Other"]
    split: Literal["train", "dev", "test"]


class _PeerReviewAnalyze(_Line):
    aspect_labels: list[tuple[str, str]]
    section_labels: list[tuple[str, str]]


class _Disapere(_Line):
    review_action: str
    fine_review_action: str
    aspect: str
    polarity: str


def read_split(task: Task, path: Path) -> SentenceSplit:
    """The training data of a classifier.

    Raises:
        BadInput: The file cannot be read, a line is not what it should be, or a paper is in both parts, or a part has
            no sentences.
    """
    split = _read_purposes(path) if task == "purpose" else _read_aspects(path)
    shared = {each.paper_id for each in split.train} & {each.paper_id for each in split.dev}
    if shared:
        raise BadInput(f"{path} has the paper {min(shared)!r} in both train and dev; put each paper into one of them.")
    if not split.train or not split.dev:
        raise BadInput(
            f"{path} has no labelled sentences for {'dev' if split.train else 'train'}; name the whole corpus."
        )
    return split


def read_disapere(task: Task, path: Path) -> list[LabelledSentence]:
    """Sentences of DISAPERE that have a label of the task: only to measure on.

    Raises:
        BadInput: The file cannot be read, a line is not what it should be, or no sentence has such a label.
    """
    found = []
    for _, line in read_lines(path, _Disapere, "sentence of DISAPERE"):
        if task == "aspect":
            label = aspect_of_disapere(line.aspect, line.fine_review_action)
        else:
            label = purpose_of_disapere(line.review_action, line.fine_review_action, line.polarity)
        if label:
            found.append(LabelledSentence(line.text, label, line.paper_id))
    if not found:
        raise BadInput(f"{path} has no sentence with a label that maps onto one of the {task} classifier.")
    return found


def sha256_of(sentences: Iterable[LabelledSentence]) -> str:
    """SHA-256 of texts and labels, in order."""
    return hashlib.sha256(json.dumps([(each.text, each.label) for each in sentences]).encode()).hexdigest()


def unseen(sentences: Sequence[LabelledSentence], train: Iterable[LabelledSentence]) -> list[LabelledSentence]:
    """Those whose text does not occur in the training data, as headings of review forms do."""
    texts = {each.text for each in train}
    return [each for each in sentences if each.text not in texts]


def _read_purposes(path: Path) -> SentenceSplit:
    split = SentenceSplit([], [])
    for _, line in read_lines(path, _F1000rd, "labelled sentence of F1000RD"):
        if line.split != "test":
            getattr(split, line.split).append(LabelledSentence(line.text, line.label, line.paper_id))
    return split


def _read_aspects(path: Path) -> SentenceSplit:
    split = SentenceSplit([], [])
    for _, line in read_lines(path, _PeerReviewAnalyze, "labelled sentence of Peer-Review-Analyze"):
        label = aspect_of_peer_review_analyze(
            line.text, [aspect for aspect, _ in line.aspect_labels], line.section_labels
        )
        if label:
            part = split.dev if _is_dev(line.paper_id) else split.train
            part.append(LabelledSentence(line.text, label, line.paper_id))
    return split


def _is_dev(paper_id: str) -> bool:
    """Peer-Review-Analyze has no split of its own: of every six papers one, by its hash."""
    return hashlib.sha256(paper_id.encode()).digest()[0] % _DEV_PART == 0
