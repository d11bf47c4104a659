"""The loss of the plan re-ranker (SWIF2T, "Training the plan re-ranker")."""

from __future__ import annotations

from torch import Tensor
from torch.nn.functional import logsigmoid


def pairwise_loss(optimal: Tensor, lacking: Tensor) -> Tensor:
    """The mean over all pairs of an optimal plan i and a plan j of the same paragraph p that lacks something.

    Each pair counts `-[log P(f(p, i) > f(p, j)) + log(1 - P(f(p, j) > f(p, i)))]`. The paper leaves P open; here it is
    `P(f(p, i) > f(p, j)) = sigmoid(f(p, i) - f(p, j))`, the model of Bradley and Terry. With it the two terms are
    equal, because 1 - sigmoid(-d) = sigmoid(d), so the loss is -2 log sigmoid(d), twice that of RankNet. The
    logarithm of the sigmoid is taken in one step, which does not become log 0 where the difference is large.

    Args:
        optimal: Scores f(p, i), `[paragraphs]`.
        lacking: Scores f(p, j), `[paragraphs, plans that lack something]`.

    Returns:
        One number; 2 log 2 where all scores are the same.
    """
    difference = optimal.unsqueeze(-1) - lacking
    return -2 * logsigmoid(difference).mean()
