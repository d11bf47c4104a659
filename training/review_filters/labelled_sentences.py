"""What the two classifiers tell apart (SWIF2T, Section 4), and the labelled review sentences that they learn from.

F1000RD has the purposes and Peer-Review-Analyze the aspects, both split by paper. DISAPERE (CC BY-NC 4.0) is read by a
function of its own, only to measure on it: nothing that ships may be trained on it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Annotated, Final, Literal, NamedTuple, get_args

from pydantic import BaseModel, ConfigDict, StringConstraints

from state.errors import BadInput
from state.feedback import Weakness
from state.files import read_lines

Task = Literal["purpose", "aspect"]

PURPOSES: Final = ("Recap", "Strength", "Weakness", "Todo", "Structure", "Other")
"""Communicative purposes of F1000RD (Kuznetsov et al. 2022)."""
ASPECTS: Final[tuple[str, ...]] = (*get_args(Weakness), "Summary", "Clarity", "Motivation")
"""Aspects of ASAP-Review; the five types of weakness come first."""

LABELS: Final[dict[Task, tuple[str, ...]]] = {"purpose": PURPOSES, "aspect": ASPECTS}

_OF_PEER_REVIEW_ANALYZE: Final = {
    "Empirical/Theoretical Soundness": "Empirical and Theoretical Soundness",
    "Meaningful Comparison": "Meaningful Comparison",
    "Substance": "Substance",
    "Originality/Novelty": "Originality",
    "Clarity (Writing & Composition)": "Clarity",
    "Presentation & Formatting": "Clarity",
    "Significance/Impact": "Motivation",  # ASAP-Review's is "Motivation/Impact"
}
_ABOUT_THE_PAPER: Final = {"Introduction", "Problem Definition/Idea", "Abstract"}
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

_OF_DISAPERE: Final = {
    "asp_substance": "Substance",
    "asp_clarity": "Clarity",
    "asp_soundness-correctness": "Empirical and Theoretical Soundness",
    "asp_originality": "Originality",
    "asp_motivation-impact": "Motivation",
    "asp_meaningful-comparison": "Meaningful Comparison",
    "asp_replicability": "Replicability",
}
_ACTIONS_OF_DISAPERE: Final = {
    "arg_request": "Todo",
    "arg_fact": "Other",
    "arg_social": "Other",
    "arg_other": "Other",
}


def aspect_of_peer_review_analyze(
    text: str, aspects: Collection[str], sections: Collection[tuple[str, str]]
) -> str | None:
    """The aspect of a sentence of Peer-Review-Analyze; None if it has none of the eight, or more than one.

    Args:
        text: The sentence.
        aspects: Its aspect labels.
        sections: Its section labels, each with a polarity.
    """
    if _REPLICABILITY.search(text):
        return "Replicability"
    if not aspects:
        return "Summary" if _retells(text, sections) else None
    mapped = {_OF_PEER_REVIEW_ANALYZE.get(aspect) for aspect in aspects}
    return mapped.pop() if len(mapped) == 1 else None


def aspect_of_disapere(aspect: str, fine_action: str) -> str | None:
    """The aspect of a sentence of DISAPERE; None if it has none of the eight."""
    if fine_action == "arg-structuring_summary":
        return "Summary"
    return _OF_DISAPERE.get(aspect)


def purpose_of_disapere(action: str, fine_action: str, polarity: str) -> str | None:
    """The purpose of a sentence of DISAPERE; None where its scheme leaves it open."""
    if action == "arg_structuring":
        return "Recap" if fine_action == "arg-structuring_summary" else "Structure"
    if action == "arg_evaluative":
        return {"pol_positive": "Strength", "pol_negative": "Weakness"}.get(polarity)
    return _ACTIONS_OF_DISAPERE.get(action)


def _retells(text: str, sections: Collection[tuple[str, str]]) -> bool:
    """Whether a sentence without an aspect says neutrally what the paper is about."""
    neutral = all(polarity == "NEU" for _, polarity in sections)
    return neutral and not text.rstrip().endswith("?") and any(name in _ABOUT_THE_PAPER for name, _ in sections)


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
