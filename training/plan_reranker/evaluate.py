"""Recall@1 of the plan re-ranker, by cross-validation over papers, beside what needs no understanding.

The plans of a paper are ranked by weights that have not learnt from it: those of a fold, or the whole re-ranker's if
the paper is new to it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from evals.statistics import estimate_clustered_mean, group_values
from state.files import write_atomically
from tools.checks.fidelity import collect_content_stems
from tools.reranking import load_reranker, select_unseen_weights
from tools.reranking.plan_reranker import read_reranker_config
from tools.retrieval import EmbeddingModel, compute_cosines
from training.fitting import resolve_model_source
from training.plan_reranker.plans import FOUR_KINDS, PlanKind, PlannedParagraph, split_into_folds

Scores = Mapping[str, Mapping[PlanKind, float]]
"""Of each plan, by the id of its paragraph."""

RANKINGS: dict[str, tuple[PlanKind, ...]] = {
    "four plans": FOUR_KINDS,
    "specific for general": ("optimal", "incoherent", "specific", "unstructured"),
    "specific for general, matched": ("matched", "incoherent", "specific", "unstructured"),
    "planner's own": ("optimal", "sampled"),
    "planner's own, matched": ("matched", "sampled"),
    "coherence": ("optimal", "incoherent"),
    "specificity": ("optimal", "general"),
    "specificity, matched": ("matched", "specific"),
    "structure": ("optimal", "unstructured"),
}
"""The plans that are ranked, the one that is to be the first before the others: SWIF2T's four, four with a harder one,
and pairs. A paragraph that lacks one of them does not count there."""

LINEAR_BASELINE = "form, length and shared words, linear"

_STEP_OPENING = re.compile(
    r"\d+\. Investigator: answer from the (?:paper|literature): |\d+\. Reviewer: write the review\."
)
"""What the steps of a plan begin with."""


def evaluate_reranker(weights: Path, paragraphs: Sequence[PlannedParagraph], out: Path) -> str:
    """Measure a re-ranker, and write `evaluation.md`.

    Args:
        weights: Its folder.
        paragraphs: With their plans.
        out: Folder of the result, made if it does not exist.

    Returns:
        Recall@1, which of a pair is how often the optimal plan is above the other, as Markdown, in per cent with 95%
        intervals.

    Raises:
        SettingsError: The re-ranker cannot be loaded, or all its weights have learnt from one of the papers.
    """
    systems: dict[str, Scores] = {
        "plan re-ranker": score_by_reranker(weights, paragraphs),
        LINEAR_BASELINE: score_by_surface(paragraphs),
        "its encoder, untrained (cosine)": score_by_encoder(read_reranker_config(weights).encoder, paragraphs),
        "chance": {each.id: dict.fromkeys(each.texts, 0.0) for each in paragraphs},
    }
    columns = []
    for kinds in RANKINGS.values():
        having = [each for each in paragraphs if each.texts.keys() >= set(kinds)]
        first = {
            name: [_compute_plan_recall(scores[each.id], kinds) for each in having] for name, scores in systems.items()
        }
        ours, linear, *_ = first.values()
        first[f"re-ranker less {LINEAR_BASELINE}"] = [one - other for one, other in zip(ours, linear, strict=True)]
        columns.append({name: _format_mean_interval(values, having) for name, values in first.items()})
    lines = [f"| Recall@1 | {' | '.join(RANKINGS)} |", "|---" * (1 + len(RANKINGS)) + "|"]
    lines += [f"| {name} | {' | '.join(column[name] for column in columns)} |" for name in columns[0]]
    told = "\n".join(lines) + "\n"
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(out / "evaluation.md", told.encode())
    return told


def score_by_reranker(weights: Path, paragraphs: Sequence[PlannedParagraph]) -> Scores:
    """The re-ranker's scores: of each paper, by weights that have not learnt from it.

    Raises:
        SettingsError: As `select_unseen_weights` and `load_reranker`.
    """
    of_paper = {
        paper: load_reranker(select_unseen_weights(weights, paper)) for paper in {each.paper_id for each in paragraphs}
    }
    return {
        each.id: dict(
            zip(
                each.texts,
                of_paper[each.paper_id].predict_scores(each.paragraph, list(each.texts.values())),
                strict=True,
            )
        )
        for each in paragraphs
    }


def score_by_surface(paragraphs: Sequence[PlannedParagraph]) -> Scores:
    """A pairwise logistic model of what needs no understanding, which learns from what the re-ranker learns from."""
    features = {
        each.id: {kind: _compute_features(each.paragraph, text) for kind, text in each.texts.items()}
        for each in paragraphs
    }
    found: dict[str, dict[PlanKind, float]] = {}
    for split in split_into_folds(paragraphs).values():
        learnt = [features[each.id] for each in split.train]
        differences = np.array([each[FOUR_KINDS[0]] - each[kind] for each in learnt for kind in FOUR_KINDS[1:]])
        model = make_pipeline(StandardScaler(with_mean=False), LogisticRegression(fit_intercept=False))
        model.fit(np.concatenate([differences, -differences]), [1] * len(differences) + [0] * len(differences))
        for each in split.validation:
            scores = model.decision_function(list(features[each.id].values()))
            found[each.id] = dict(zip(each.texts, scores, strict=True))
    return found


def score_by_encoder(encoder: str, paragraphs: Sequence[PlannedParagraph]) -> Scores:
    """How near each plan is to its paragraph for an encoder that has not learnt from them."""
    embedding = EmbeddingModel(str(resolve_model_source(encoder)))
    near = {
        each.id: compute_cosines((each.paragraph,), tuple(each.texts.values()), embedding)[0] for each in paragraphs
    }
    return {each.id: dict(zip(each.texts, near[each.id].tolist(), strict=True)) for each in paragraphs}


def compute_recall_at_1(optimal: float, others: Sequence[float]) -> float:
    """1 if the optimal plan has the highest score, 0 if another has; plans with the same score are drawn by lot."""
    best = max(others)
    if optimal == best:
        return 1 / (1 + others.count(best))
    return float(optimal > best)


def compute_word_overlap(paragraph: str, plan: str) -> float:
    """Share of the content words of a question that the paragraph has, the mean over the plan's; 0 without one."""
    known = collect_content_stems(paragraph)
    questions = [asked for line in plan.splitlines() if (asked := collect_content_stems(_STEP_OPENING.sub("", line)))]
    return fmean(len(asked & known) / len(asked) for asked in questions) if questions else 0.0


def _compute_features(paragraph: str, plan: str) -> NDArray[np.float64]:
    lines = [line for line in plan.splitlines() if line.strip()]
    in_form = fmean(bool(_STEP_OPENING.match(line)) for line in lines)
    from_literature = sum("answer from the literature" in line for line in lines)
    return np.array([len(plan.split()), len(lines), in_form, from_literature, compute_word_overlap(paragraph, plan)])


def _compute_plan_recall(scores: Mapping[PlanKind, float], kinds: Sequence[PlanKind]) -> float:
    return compute_recall_at_1(scores[kinds[0]], [scores[kind] for kind in kinds[1:]])


def _format_mean_interval(values: Sequence[float], paragraphs: Sequence[PlannedParagraph]) -> str:
    """The mean with its interval by the bootstrap over papers, because the paragraphs of one paper are alike."""
    if not values:
        return ""
    mean, low, high = estimate_clustered_mean(group_values(values, [each.paper_id for each in paragraphs]))
    return f"{100 * mean:.1f} [{100 * low:.1f}, {100 * high:.1f}]"
