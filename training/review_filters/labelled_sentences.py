"""Labels of the two review filters (SWIF2T, Section 4), and readers of the labelled sentences to train them on.

F1000RD labels purposes, Peer-Review-Analyze aspects. Both are split by paper.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Final, Literal, NamedTuple, get_args

from pydantic import BaseModel

from evals.datasets.samples import NonEmptyText, Part, TrainDevSplit, read_entries, validate_record
from state.errors import InputError
from state.feedback import Weakness

Task = Literal["purpose", "aspect"]

# Communicative purposes of F1000RD (Kuznetsov et al. 2022).
Purpose = Literal["Recap", "Strength", "Weakness", "Todo", "Structure", "Other"]
# Aspects of ASAP-Review; the five types of weakness come first.
ASPECTS: Final[tuple[str, ...]] = (*get_args(Weakness), "Summary", "Clarity", "Motivation")
LABELS: Final[dict[Task, tuple[str, ...]]] = {"purpose": get_args(Purpose), "aspect": ASPECTS}

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
# Peer-Review-Analyze has no label "Replicability". This rule stands in for it; it was written from the training papers.
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
# Peer-Review-Analyze has no split of its own: one of six papers is for dev, by a hash of its id.
_PAPERS_PER_DEV_PAPER: Final = 6


def map_peer_review_aspect(text: str, aspects: Collection[str], sections: Collection[tuple[str, str]]) -> str | None:
    """Return the one of eight aspects that a sentence of Peer-Review-Analyze has, or None for none or several.

    Its labels are names of aspects, and pairs of a section and a polarity.
    """
    if _REPLICABILITY.search(text):
        return "Replicability"
    if not aspects:
        # A neutral sentence on what the paper is about has no aspect label, only sections.
        is_neutral = all(polarity == "NEU" for _, polarity in sections) and not text.rstrip().endswith("?")
        return "Summary" if is_neutral and any(name in _SUMMARY_SECTIONS for name, _ in sections) else None
    mapped = {_PEER_REVIEW_ASPECTS.get(aspect) for aspect in aspects}
    return mapped.pop() if len(mapped) == 1 else None


class LabelledSentence(NamedTuple):
    """A sentence of a review, with its label and the id of the reviewed paper."""

    text: str
    label: str
    paper_id: str


class _LabelledLine(BaseModel):
    """Base of the lines of both corpora."""

    paper_id: NonEmptyText
    text: NonEmptyText


class _F1000rdLine(_LabelledLine):
    """Line of F1000RD: a sentence of a review with its purpose and its split."""

    label: Purpose
    split: Part


class _PeerReviewAnalyzeLine(_LabelledLine):
    """Line of Peer Review Analyze: a sentence of a review with the aspects and sections that it is about."""

    aspect_labels: list[tuple[str, str]]
    section_labels: list[tuple[str, str]]


def read_sentence_split(task: Task, path: Path) -> TrainDevSplit[LabelledSentence]:
    """Read a task's labelled sentences as train and dev parts, neither empty, without F1000RD's test part."""
    split = TrainDevSplit[LabelledSentence]([], [])
    for part, sentence in _iterate_labelled_sentences(task, path):
        if part != "test":
            getattr(split, part).append(sentence)
    shared = {each.paper_id for each in split.train} & {each.paper_id for each in split.dev}
    if shared:
        raise InputError(f"{path} has the paper {min(shared)!r} in both train and dev; keep it in one of them.")
    if not split.train or not split.dev:
        raise InputError(
            f"{path} has no labelled sentences for {'dev' if split.train else 'train'}; name the whole corpus."
        )
    return split


def _iterate_labelled_sentences(task: Task, path: Path) -> Iterator[tuple[str, LabelledSentence]]:
    """Yield (train, dev or test; sentence) for the sentences of a corpus that get a label of the task."""
    if task == "purpose":
        for where, values in read_entries(path):
            line = validate_record(_F1000rdLine, where, values)
            yield line.split, LabelledSentence(line.text, line.label, line.paper_id)
        return
    for where, values in read_entries(path):
        record = validate_record(_PeerReviewAnalyzeLine, where, values)
        aspects = [aspect for aspect, _ in record.aspect_labels]
        label = map_peer_review_aspect(record.text, aspects, record.section_labels)
        if label:
            is_dev = hashlib.sha256(record.paper_id.encode()).digest()[0] % _PAPERS_PER_DEV_PAPER == 0
            yield "dev" if is_dev else "train", LabelledSentence(record.text, label, record.paper_id)
