"""What ranks plans without having learnt anything: what the re-ranker has to beat, and what the data gives away."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache

import torch
from torch import Tensor

from tools.bert import Array, load_bert
from tools.retrieval import bm25
from tools.retrieval.segments import Segment
from training.plan_reranker.plans import PlanName, PlannedParagraph, folds_of
from training.plan_reranker.train import pairwise_loss

Score = Callable[[PlannedParagraph, Sequence[PlanName]], Sequence[float]]
"""Scores of some plans of a paragraph, by which they are ranked."""

_QUESTION = re.compile(
    r"(?:^|[.:] )(?:what|which|who|when|where|why|how|is|are|was|were|does|do|did|can|has|have)\b[^.]*\?", re.IGNORECASE
)
_STEP = re.compile(r"\s*\d+[.)]\s*(?:Investigator|Reviewer)\b", re.IGNORECASE)


def pointwise(score: Callable[[str, str], float]) -> Score:
    """A baseline that looks at one paragraph and one plan at a time."""
    return lambda planned, names: [score(planned.paragraph, planned.texts[name]) for name in names]


def heuristics(paragraphs: Sequence[PlannedParagraph]) -> dict[str, Score]:
    """Those that need no model, by name. BM25 takes its word frequencies from the paragraphs."""
    return {
        "chance": pointwise(lambda _, __: 0.0),
        "longest plan": pointwise(lambda _, plan: words(plan)),
        "shortest plan": pointwise(lambda _, plan: -words(plan)),
        "most steps": pointwise(lambda _, plan: steps(plan)),
        "numbered Investigator and Reviewer lines": pointwise(lambda _, plan: structure(plan)),
        "steps that begin with a question word": pointwise(lambda _, plan: questions(plan)),
        "BM25 with the paragraph": pointwise(overlap_with(paragraphs)),
    }


def words(plan: str) -> float:
    """How many."""
    return len(plan.split())


def steps(plan: str) -> float:
    """How many lines that are not empty."""
    return sum(bool(line.strip()) for line in plan.splitlines())


def structure(plan: str) -> float:
    """Share of those lines that are a numbered step of the Investigator's or the Reviewer's."""
    return sum(bool(_STEP.match(line)) for line in plan.splitlines()) / steps(plan)


def questions(plan: str) -> float:
    """Share of those lines that hold a question as the planner asks it."""
    return sum(bool(_QUESTION.search(line)) for line in plan.splitlines()) / steps(plan)


def overlap_with(paragraphs: Sequence[PlannedParagraph]) -> Callable[[str, str], float]:
    """BM25 of a paragraph for its plan as the query, among all paragraphs."""
    texts = sorted({each.paragraph for each in paragraphs})
    segments = tuple(Segment(str(number), 0, text, "", 0, ()) for number, text in enumerate(texts))
    ids = {text: str(number) for number, text in enumerate(texts)}

    @cache
    def overlap(paragraph: str, plan: str) -> float:
        found = bm25.rank(segments, plan, len(segments))
        return next((score for segment, score in found if segment.id == ids[paragraph]), 0.0)

    return overlap


def untrained_encoder(name: str, max_length: int = 512) -> Score:
    """The cosine of the mean-pooled embeddings of paragraph and plan.

    Raises:
        SettingsError: There is no such encoder.
    """
    bert = load_bert(name)

    @cache
    def vector(text: str) -> Array:
        return bert.sentence_vector(text, min(max_length, bert.config.max_position_embeddings))

    return pointwise(lambda paragraph, plan: float(vector(paragraph) @ vector(plan)))


_RIDGE = 1e-3
_STEPS = 200


def surface_model(paragraphs: Sequence[PlannedParagraph]) -> Score:
    """Fit a linear model of all that to all papers but those of a fold, for each fold, whose paragraphs it ranks."""
    features = _features(paragraphs)
    models: dict[str, Callable[[str, str], float]] = {}
    for split in folds_of(paragraphs).values():
        models |= dict.fromkeys((each.id for each in split.validation), _linear(features, split.train))
    return lambda planned, names: [models[planned.id](planned.paragraph, planned.texts[name]) for name in names]


def _linear(features: Callable[[str, str], Tensor], train: Sequence[PlannedParagraph]) -> Callable[[str, str], float]:
    rows = [torch.stack([features(each.paragraph, plan) for plan in each.texts.values()]) for each in train]
    every = torch.cat(rows)
    mean, scale = every.mean(dim=0), every.std(dim=0).clamp_min(1e-6)
    weights = _fitted([(row - mean) / scale for row in rows])
    return lambda paragraph, plan: float((features(paragraph, plan) - mean) / scale @ weights)


def _features(paragraphs: Sequence[PlannedParagraph]) -> Callable[[str, str], Tensor]:
    overlap = overlap_with(paragraphs)

    @cache
    def features(paragraph: str, plan: str) -> Tensor:
        values = [words(plan), steps(plan), structure(plan), questions(plan), overlap(paragraph, plan)]
        return torch.tensor(values, dtype=torch.float64)

    return features


def _fitted(rows: Sequence[Tensor]) -> Tensor:
    """Weights for rows `[plans, features]` of each paragraph, the optimal plan first."""
    weights = torch.zeros(rows[0].shape[-1], dtype=rows[0].dtype, requires_grad=True)
    optimizer = torch.optim.LBFGS([weights], max_iter=_STEPS, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        scores = [row @ weights for row in rows]
        losses = torch.stack([pairwise_loss(each[:1], each[None, 1:]) for each in scores])
        loss = losses.mean() + _RIDGE * weights.square().sum()
        loss.backward()  # type: ignore[no-untyped-call, unused-ignore] # torch is typed in parts only
        return loss

    optimizer.step(closure)  # type: ignore[no-untyped-call, unused-ignore]
    return weights.detach()
