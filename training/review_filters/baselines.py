"""What a classifier must beat: the commonest label, and the nearest class by an encoder that was not trained for it."""

from __future__ import annotations

from collections import Counter

import torch
from torch.nn.functional import normalize

from training.review_filters.classifier import ReviewClassifier
from training.review_filters.sentences import SentenceSplit


def majority(split: SentenceSplit) -> list[str]:
    """The commonest label of the training data, for every dev sentence."""
    commonest = Counter(each.label for each in split.train).most_common(1)[0][0]
    return [commonest] * len(split.dev)


def nearest_centroid(classifier: ReviewClassifier, split: SentenceSplit) -> list[str]:
    """For every dev sentence the label whose training sentences are nearest to it in the mean (cosine similarity)."""
    train = normalize(classifier.embed([each.text for each in split.train]))
    dev = normalize(classifier.embed([each.text for each in split.dev]))
    labels = sorted({each.label for each in split.train})
    rows = [[each.label == label for each in split.train] for label in labels]
    centroids = normalize(torch.stack([train[torch.tensor(row)].mean(dim=0) for row in rows]))
    return [labels[int(best)] for best in (dev @ centroids.T).argmax(dim=1)]
