"""Divides pairs into train, dev and test so that no paper is in two of them."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from training.review_filters.pairs import Pair
from training.review_filters.papers import Split

_Share = Annotated[float, Field(ge=0, le=1)]


class SplitRules(BaseModel):
    """How papers are divided."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int = 0
    dev: _Share = Field(0.1, description="Share of the papers.")
    test: _Share = Field(0.1, description="Share of the papers.")
    redraw: bool = Field(
        default=False, description="Draw papers that were published with a split as well; by default they keep it."
    )

    @model_validator(mode="after")
    def _leave_some_to_train(self) -> Self:
        if self.dev + self.test > 1:
            raise ValueError("the shares of dev and test are more than all papers")
        return self


def split_by_paper(pairs: Sequence[Pair], published: Mapping[str, Split | None], rules: SplitRules) -> list[Pair]:
    """Give every pair the split of its paper.

    A published split is kept, so that what was trained on its train part (a filter, for one) is not measured on a
    paper that it has seen. Papers without one are drawn: shares count papers that have a pair.

    Args:
        pairs: Of any number of papers.
        published: The split that a paper was published with.
        rules: Shares and seed. One seed gives one division of the same papers, whatever their order.
    """
    kept = {} if rules.redraw else {paper: split for paper, split in published.items() if split}
    papers = sorted({pair["paper_id"] for pair in pairs} - kept.keys())
    random.Random(rules.seed).shuffle(papers)  # noqa: S311 - no secret
    dev, test = round(rules.dev * len(papers)), round(rules.test * len(papers))
    splits: dict[str, Split] = dict.fromkeys(papers, "train")
    splits.update(dict.fromkeys(papers[:dev], "dev"))
    splits.update(dict.fromkeys(papers[dev:][:test], "test"))
    splits.update(kept)
    return [{**pair, "split": splits[pair["paper_id"]]} for pair in pairs]
