"""Fit the head of the support score, calibrate it, and measure it on papers that it has not seen."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from tools.checks.support import FEATURES, Head, embedded, is_definition
from training.support.changes import CHANGES
from training.support.examples import Example, examples, read_papers

SEED: Final = 0
RESAMPLES: Final = 1000
"""Of whole papers, for the intervals."""
STRENGTHS: Final = (0.01, 0.1, 1.0, 10.0)
"""Inverse strengths of the penalty, one of which the dev papers choose."""


def train_support(corpora: Sequence[Path], out: Path, at_most: int) -> str:
    """Train on 60% of the papers, calibrate on 15%, measure on 25%.

    Args:
        corpora: JSON Lines of plain summaries with their abstracts.
        out: Folder for `support.json`, the weights, and `support.md`, what they reach.
        at_most: Papers of a corpus.

    Returns:
        The report, as Markdown.
    """
    papers = [paper for path in corpora for paper in read_papers(path, at_most)]
    found = examples(papers, embedded, SEED)
    parts = [_part(papers[example.paper].source) for example in found]
    train, dev, test = ([one for one, of in zip(found, parts, strict=True) if of == part] for part in range(3))
    head = calibrated(fit(train, dev), dev)
    out.mkdir(parents=True, exist_ok=True)
    weights = {
        "features": FEATURES,
        "mean": head.mean.round(6).tolist(),
        "scale": head.scale.round(6).tolist(),
        "weights": head.weights.round(6).tolist(),
        "bias": round(head.bias, 6),
    }
    (out / "support.json").write_text(json.dumps(weights, indent=1) + "\n", encoding="utf-8")
    text = report(head, test, [len({one.paper for one in part}) for part in (train, dev, test)])
    (out / "support.md").write_text(text, encoding="utf-8")
    return text


def fit(train: Sequence[Example], dev: Sequence[Example]) -> Head:
    """The logistic regression that separates the dev sentences best."""
    rows, labels = _matrix(train)
    mean, scale = rows.mean(axis=0), np.maximum(rows.std(axis=0), 1e-6)
    heads = []
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, class_weight="balanced", max_iter=1000).fit(
            (rows - mean) / scale, labels
        )
        heads.append(Head(mean, scale, model.coef_[0], float(model.intercept_[0])))
    dev_rows, dev_labels = _matrix(dev)
    return max(heads, key=lambda head: roc_auc_score(dev_labels, head.score(dev_rows)))


def calibrated(head: Head, dev: Sequence[Example]) -> Head:
    """The head with the slope and the bias by which its scores are probabilities on the dev sentences (Platt 1999)."""
    rows, labels = _matrix(dev)
    logits = ((rows - head.mean) / head.scale @ head.weights + head.bias)[:, None]
    balanced = LogisticRegression(C=1e6, class_weight="balanced").fit(logits, labels)
    slope = float(balanced.coef_[0, 0])
    return Head(head.mean, head.scale, head.weights * slope, head.bias * slope + float(balanced.intercept_[0]))


def report(head: Head, test: Sequence[Example], papers: Sequence[int]) -> str:
    """What the head and the baseline reach on test papers, as Markdown tables."""
    rows, _ = _matrix(test)
    scores, cosines = head.score(rows), rows[:, 0]
    lines = [
        f"Papers: {papers[0]} to train, {papers[1]} to calibrate, {papers[2]} to measure.",
        "",
        "| sentences | number | cosine alone | head |",
        "|---|---|---|---|",
    ]
    changed = tuple(CHANGES)
    for name, kinds in (("foreign", ("foreign",)), ("changed, all", changed), *((kind, (kind,)) for kind in changed)):
        number = sum(one.kind in kinds for one in test)
        lines.append(f"| {name} | {number} | {_auc(cosines, test, kinds)} | {_auc(scores, test, kinds)} |")
    told = [one.kind == "own" and not is_definition(one.sentence) for one in test]
    lines += ["", "| score | sentences | mean score | share that is the source's own |", "|---|---|---|---|"]
    labels, weight = _balance(test)
    error = 0.0
    for low in np.arange(0, 1, 0.2):
        inside = (scores >= low) & (scores < low + 0.2 + 1e-9 * (low > 0.7))
        if inside.any():
            mean = np.average(scores[inside], weights=weight[inside])
            share = np.average(labels[inside], weights=weight[inside])
            error += weight[inside].sum() / weight.sum() * abs(mean - share)
            lines.append(f"| {low:.1f} to {low + 0.2:.1f} | {int(inside.sum())} | {mean:.2f} | {share:.2f} |")
    lines += ["", f"Expected calibration error: {error:.3f} (own and other sentences weighted to one half each)."]
    lines += ["", "| marked below | own, no definitions | foreign | changed |", "|---|---|---|---|"]
    of = {
        "own": np.array(told),
        **{k: np.array([one.kind in v for one in test]) for k, v in (("foreign", ("foreign",)), ("changed", changed))},
    }
    for bound in (0.05, 0.1, 0.15, 0.2, 0.3):
        lines.append(f"| {bound} | " + " | ".join(f"{(scores[who] < bound).mean():.0%}" for who in of.values()) + " |")
    lines += ["", "| feature | weight |", "|---|---|"]
    lines += [f"| {name} | {weight:+.2f} |" for name, weight in zip(FEATURES, head.weights, strict=True)]
    return "\n".join(lines) + "\n"


def _auc(scores: NDArray[np.float64], test: Sequence[Example], kinds: Sequence[str]) -> str:
    """Area under the curve of sentences of some kinds against the same sentences with their own source."""
    originals = {(one.paper, one.original) for one in test if one.kind in kinds}
    chosen = np.array(
        [one.kind in kinds or (one.kind == "own" and (one.paper, one.sentence) in originals) for one in test]
    )
    labels = np.array([one.kind == "own" for one in test])[chosen]
    papers, kept = np.array([one.paper for one in test])[chosen], scores[chosen]
    draw = np.random.default_rng(SEED)
    unique = np.unique(papers)
    places = {paper: np.flatnonzero(papers == paper) for paper in unique}
    areas = []
    for _ in range(RESAMPLES):
        some = np.concatenate([places[paper] for paper in draw.choice(unique, len(unique))])
        if 0 < labels[some].mean() < 1:
            areas.append(roc_auc_score(labels[some], kept[some]))
    low, high = np.percentile(areas, [2.5, 97.5])
    return f"{roc_auc_score(labels, kept):.2f} [{low:.2f}, {high:.2f}]"


def _matrix(some: Sequence[Example]) -> tuple[NDArray[np.float64], NDArray[np.int_]]:
    return np.stack([one.features for one in some]), np.array([int(one.kind == "own") for one in some])


def _balance(some: Sequence[Example]) -> tuple[NDArray[np.int_], NDArray[np.float64]]:
    labels = np.array([int(one.kind == "own") for one in some])
    return labels, np.where(labels == 1, 0.5 / labels.sum(), 0.5 / (len(labels) - labels.sum()))


def _part(source: str) -> int:
    """0 to train, 1 to calibrate, 2 to measure: by hash, so that a paper never changes sides."""
    number = int(hashlib.sha256(source.encode()).hexdigest(), 16) % 20
    return 0 if number < 12 else 1 if number < 15 else 2
