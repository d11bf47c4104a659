"""Fit the classifier of instructions, choose its thresholds, and measure it on what it has not seen."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC

from tools.checks.instruction_classifier import BUCKETS, NUMBERS, Classifier, Vector, pieces, read
from training.instructions.examples import SplitPaper, instructions_to_train, read_papers, readable, to_train
from training.instructions.measure import report

SEED: Final = 0
RANDOM: Final = 12_000
"""Sentences of papers that the letters are fitted on."""
HARD: Final = 4_000
"""Sentences of papers that look most like instructions by their letters, which the vectors are fitted on."""
EASY: Final = 1_500
"""Others that they are fitted on, too."""
MOST_ALARMS: Final = 0.005
"""Share of the calibrating papers that may raise an alarm."""
LEAST_THRESHOLD: Final = 0.3
"""The lowest of tenths that at most 1 of the 32 whole papers that calibrate passes, and none of their abstracts. So few
papers alone would choose a lower one."""
GAMMA: Final = 2.0
KNOWN_WORDS: Final = 3_000
_WORD: Final = re.compile(r"(?<![\w-])[a-z]{2,}(?![\w-])")


def train_instructions(corpora: Sequence[Path], out: Path) -> str:
    """Train on two fifths of the papers, calibrate on one, measure on two.

    Args:
        corpora: JSON Lines of open papers and abstracts.
        out: Folder for the weights, the words that papers have, and the report.

    Returns:
        The report, as Markdown.
    """
    papers = read_papers(corpora)
    of = {part: [paper for paper in papers if paper.part == part] for part in ("train", "calibrate", "measure")}
    out.mkdir(parents=True, exist_ok=True)
    classifier = calibrated(fit(of["train"]), of["calibrate"])
    save(classifier, out / "instructions.npz")
    (out / "english_words.txt").write_text("\n".join(known_words(of["train"])) + "\n", encoding="utf-8")
    counts = ", ".join(f"{len(some)} to {part}" for part, some in of.items())
    text = f"Papers and abstracts: {counts}.\n\n{report(classifier, of['measure'], SEED)}"
    (out / "instructions.md").write_text(text, encoding="utf-8")
    return text


def fit(papers: Sequence[SplitPaper]) -> Classifier:
    """Both steps, with thresholds of nought."""
    draw = random.Random(SEED)  # noqa: S311 - a sample
    science = [sentence for paper in papers for sentence in paper.sentences]
    told = [sentence for some in instructions_to_train(SEED).values() for sentence in some]
    alike = [sentence for some in to_train("look_alikes").values() for sentence in readable(some)]
    some = draw.sample(science, min(RANDOM, len(science)))
    letters = LogisticRegression(C=20, max_iter=500).fit(
        _matrix([*told, *alike, *some]),
        _labels(told, [*alike, *some]),
        sample_weight=[3.0] * len(told) + [3.0] * len(alike) + [0.3] * len(some),
    )
    scores = letters.decision_function(_matrix(science))
    hard = [science[at] for at in np.argsort(-scores)[:HARD]]
    against = [*alike, *hard, *draw.sample(science, min(EASY, len(science)))]
    machine = SVC(C=10, gamma=GAMMA, class_weight={1: 4, 0: 1}).fit(read([*told, *against]), _labels(told, against))
    return Classifier(
        letters=letters.coef_[0].astype(np.float32),
        letters_bias=float(letters.intercept_[0]),
        doubtful=0.0,
        certain=0.0,
        rows=machine.support_vectors_.astype(np.float32),
        coefficients=machine.dual_coef_[0].astype(np.float32),
        bias=float(machine.intercept_[0]),
        gamma=GAMMA,
        threshold=0.0,
    )


def calibrated(classifier: Classifier, papers: Sequence[SplitPaper]) -> Classifier:
    """The classifier with the lowest thresholds by which so few of these papers raise an alarm.

    One sentence in ten is read by the encoder, so that a paper takes little.
    """
    letters = [np.asarray([classifier.by_letters(sentence) for sentence in paper.sentences]) for paper in papers]
    doubtful = float(np.quantile(np.concatenate(letters), 0.9))
    highest, by_letters = [], []
    for paper, scores in zip(papers, letters, strict=True):
        some = np.flatnonzero(scores >= doubtful)
        found = read([paper.sentences[at] for at in some]) if len(some) else None
        highest.append(-np.inf if found is None else float(classifier.by_meaning(found, scores[some]).max()))
        by_letters.append(float(scores.max(initial=-np.inf)))
    threshold = max(LEAST_THRESHOLD, _passed_by_few(highest))
    return replace(classifier, doubtful=doubtful, threshold=threshold, certain=_passed_by_few(by_letters))


def _passed_by_few(highest: Sequence[float]) -> float:
    allowed = int(MOST_ALARMS * len(highest))
    return float(np.sort(highest)[::-1][allowed]) + 1e-3


def save(classifier: Classifier, path: Path) -> None:
    """Write the weights, those of letters and the support vectors rounded to 8 bits."""
    letters, letters_scale = _rounded(classifier.letters)
    rows, rows_scale = _rounded(classifier.rows)
    numbers = {"letters_scale": letters_scale, "rows_scale": rows_scale}
    np.savez_compressed(
        path,
        letters=letters,
        rows=rows,
        coefficients=classifier.coefficients.astype(np.float16),
        numbers=[numbers.get(name) or getattr(classifier, name) for name in NUMBERS],
    )


def _rounded(values: Vector) -> tuple[NDArray[np.int8], float]:
    scale = float(np.abs(values).max()) / 127
    return np.round(values / scale).astype(np.int8), scale


def known_words(papers: Sequence[SplitPaper]) -> list[str]:
    """The words that most papers have; of words in equally many, those that come first in the alphabet."""
    counts: Counter[str] = Counter()
    for paper in papers:
        counts.update({word for sentence in paper.sentences for word in _WORD.findall(sentence.lower())})
    return sorted(counts, key=lambda word: (-counts[word], word))[:KNOWN_WORDS]


def _matrix(sentences: Sequence[str]) -> csr_matrix:
    found = [pieces(sentence) for sentence in sentences]
    lengths = np.cumsum([0, *(len(buckets) for buckets, _ in found)])
    values = np.concatenate([values for _, values in found])
    return csr_matrix((values, np.concatenate([buckets for buckets, _ in found]), lengths), (len(found), BUCKETS))


def _labels(told: Sequence[str], against: Sequence[str]) -> NDArray[np.int_]:
    return np.repeat([1, 0], [len(told), len(against)])
