"""What the two classifiers tell apart (SWIF2T, Section 4), and the labelled review sentences that they learn from.

F1000RD has the purposes and Peer-Review-Analyze the aspects, both split by paper.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, StringConstraints

from state.errors import InputError
from state.feedback import Weakness
from state.files import read_validated_records

Task = Literal["purpose", "aspect"]

PURPOSES: Final = ("Recap", "Strength", "Weakness", "Todo", "Structure", "Other")
"""Communicative purposes of F1000RD (Kuznetsov et al. 2022)."""
ASPECTS: Final[tuple[str, ...]] = (*get_args(Weakness), "Summary", "Clarity", "Motivation")
"""Aspects of ASAP-Review; the five types of weakness come first."""

LABELS: Final[dict[Task, tuple[str, ...]]] = {"purpose": PURPOSES, "aspect": ASPECTS}

_PEER_REVIEW_ASPECTS: Final = {
    "Empirical/Theoretical Soundness": "Empirical and Theoretical Soundness",
    "Meaningful Comparison": "Meaningful Comparison",
    "Substance": "Substance",
    "Originality/Novelty": "Originality",
    "Clarity (Writing & Composition)": "Clarity",
    "Presentation & Formatting": "Clarity",
    "Significance/Impact": "Motivation",  # ASAP-Review's is "Motivation/Impact"
}
_SUMMARY_SECTIONS: Final = {"Introduction", "Problem Definition/Idea", "Abstract"}
_DETAILS: Final = r"(?:implementation|experiment(?:al)?|training|architectur(?:e|al)|optimi[sz]ation)"
_REPLICABILITY: Final = re.compile(
    rf"""
      \b(?:reproducib|replicab|duplicab)
    | \b(?:be|easy|easily|hard|hardly|difficult|impossible|able|enough)\ (?:to\ )?(?:reproduced?|replicated?)\b
    | \b(?:releas|shar|publish|open-?sourc)\w*\ (?:\w+\ ){{0,3}}(?:code|implementation)\b
    | \bcode\ (?:\w+\ ){{0,3}}(?:available|released|public|online)\b
    | \b{_DETAILS}\ details?\b
    | \bdetails?\ (?:of|about|on|regarding)\ (?:the\ )?{_DETAILS}
    | \b(?:what|which|how)\b(?!.*sensi).{{0,60}}\b(?:learning\ rate|batch\ size|hyper-?\s?param\w*|initiali[sz]ed)\b.*\?
    """,
    re.IGNORECASE | re.VERBOSE,
)
"""Peer-Review-Analyze has no label for it: a rule of ours, written from its training papers, stands in for one."""


def map_peer_review_aspect(text: str, aspects: Collection[str], sections: Collection[tuple[str, str]]) -> str | None:
    """The aspect of a sentence of Peer-Review-Analyze; None if it has none of the eight, or more than one.

    Args:
        text: The sentence.
        aspects: Its aspect labels.
        sections: Its section labels, each with a polarity.
    """
    if _REPLICABILITY.search(text):
        return "Replicability"
    if not aspects:
        # It may say neutrally what the paper is about.
        is_neutral = all(polarity == "NEU" for _, polarity in sections) and not text.rstrip().endswith("?")
        return "Summary" if is_neutral and any(name in _SUMMARY_SECTIONS for name, _ in sections) else None
    mapped = {_PEER_REVIEW_ASPECTS.get(aspect) for aspect in aspects}
    return mapped.pop() if len(mapped) == 1 else None


_PAPERS_PER_DEV_PAPER: Final = 6
"""Peer-Review-Analyze has no split of its own: of every six papers one is for dev, by its hash."""

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


class _LabelledLine(BaseModel):
    model_config = ConfigDict(frozen=True)

    paper_id: _Text
    text: _Text


class _F1000rd(_LabelledLine):
    label: Literal["Recap", "Strength", "Weakness", "Todo", "Structure", "Other"]
    split: Literal["train", "dev", "test"]


class _PeerReviewAnalyze(_LabelledLine):
    aspect_labels: list[tuple[str, str]]
    section_labels: list[tuple[str, str]]


def read_sentence_split(task: Task, path: Path) -> SentenceSplit:
    """The training data of a classifier.

    Raises:
        BadInput: The file cannot be read, a line is not what it should be, a paper is in both parts, or a part has no
            sentences.
    """
    split = SentenceSplit([], [])
    for part, sentence in _read_purposes(path) if task == "purpose" else _read_aspects(path):
        if part != "test":
            getattr(split, part).append(sentence)
    shared = {each.paper_id for each in split.train} & {each.paper_id for each in split.dev}
    if shared:
        raise InputError(
            f"{path} has the paper {min(shared)!r} in both train and dev; put each paper into one of them."
        )
    if not split.train or not split.dev:
        raise InputError(
            f"{path} has no labelled sentences for {'dev' if split.train else 'train'}; name the whole corpus."
        )
    return split


def _read_purposes(path: Path) -> Iterator[tuple[str, LabelledSentence]]:
    for _, line in read_validated_records(path, _F1000rd, "labelled sentence of F1000RD"):
        yield line.split, LabelledSentence(line.text, line.label, line.paper_id)


def _read_aspects(path: Path) -> Iterator[tuple[str, LabelledSentence]]:
    for _, line in read_validated_records(path, _PeerReviewAnalyze, "labelled sentence of Peer-Review-Analyze"):
        aspects = [aspect for aspect, _ in line.aspect_labels]
        label = map_peer_review_aspect(line.text, aspects, line.section_labels)
        if label:
            is_dev = hashlib.sha256(line.paper_id.encode()).digest()[0] % _PAPERS_PER_DEV_PAPER == 0
            yield "dev" if is_dev else "train", LabelledSentence(line.text, label, line.paper_id)
