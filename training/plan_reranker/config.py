"""What a training of the plan re-ranker is set up with (`training/configs/plan-reranker*.toml`)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from tools.reranking.plan_reranker import Adapter
from training.run_record import FitConfig

Parts = Literal["everything", "top layers", "adapter"]


class RerankerRun(FitConfig):
    """One training run: a model, what of it is trained, and how."""

    encoder: str
    """As `training.plan_reranker.model.RerankerModel` takes it."""
    max_length: int = Field(default=512, ge=16)
    joined_layers: int | None = Field(default=None, ge=1)
    """As `tools.reranking.plan_reranker.PlanReranker.joined_layers`; None for SWIF2T's cross-encoder."""
    parts: Parts = "everything"
    """What is trained besides the pooler and the head, which always are."""
    top_layers: int = Field(default=2, ge=1)
    """How many, if it is the top layers."""
    adapter: Adapter = Adapter()
    """If it is an adapter."""
    adapter_modules: tuple[str, ...] = ("query", "value")
    """Linear layers of BERT with an adapter: query, key, value, dense."""


class Grid(BaseModel):
    """Values to try; a field that is empty keeps that of the run."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: tuple[float, ...] = ()
    batch_size: tuple[int, ...] = ()
    dropout: tuple[float, ...] = ()
    weight_decay: tuple[float, ...] = ()
    seed: tuple[int, ...] = ()


class RerankerTraining(BaseModel):
    """A run, the values of it that are tried, and what is set aside to choose by."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: RerankerRun
    grid: Grid = Grid()
    validation: Annotated[float, Field(gt=0, lt=1)] = 0.15
    """Share of the paragraphs, by whole papers, by which run and epoch are chosen."""
    validation_seed: int = 0
    """Of the papers that are set aside: the same ones in all runs."""
    shared_words: bool = False
    """Whether the words that a plan shares with its paragraph count, too; SWIF2T's re-ranker has no such thing."""
    dtype: Literal["float32", "float16"] = "float16"
    """In which the weights are kept."""

    def runs(self) -> Iterator[tuple[str, RerankerRun]]:
        """Every run by a name that says what is tried in it."""
        tried = {name: values for name, values in self.grid.model_dump().items() if values}
        for chosen in product(*tried.values()):
            values = dict(zip(tried, chosen, strict=True))
            name = " ".join(f"{key}={value:g}" for key, value in values.items()) or "run"
            yield name, RerankerRun.model_validate({**self.run.model_dump(), **values})
