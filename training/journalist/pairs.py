"""Shared parts of both trainings on plain summaries: hyperparameters, pairs with an abstract, their split by paper."""

from __future__ import annotations

import hashlib
import json
import random
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel, ConfigDict, Field
from transformers import Trainer

from evals.datasets.samples import NonEmptyText, TrainDevSplit, read_entries, validate_record
from state.errors import InputError, SettingsError
from state.files import resolve_cache_folder, write_atomically
from training.fitting import FitConfig, FitRecord, compute_file_sha256, fit_model

Example = TypeVar("Example")

_EMBEDDED_PREFIX = "embedded:"


class SummaryConfig(FitConfig):
    """Base of the hyperparameters of both models that write summaries, a chat model and BART; a batch counts papers."""

    model: str = Field(min_length=1)
    """Model to fine-tune: a hub id, a folder, or `embedded:NAME` as `draftroom models up --profile embedded` builds."""
    max_pairs: int | None = Field(default=None, ge=1)
    """Number of training pairs, drawn by the seed; all if null."""
    dev_share: float = Field(gt=0, lt=1)
    """Approximate share of the papers in the dev part, whose loss chooses the epoch."""

    @property
    def source(self) -> str | Path:
        """Folder or hub id of the model; raises SettingsError for an embedded model that is not built."""
        if not self.model.startswith(_EMBEDDED_PREFIX):
            return self.model
        folder = resolve_cache_folder() / "models" / self.model.removeprefix(_EMBEDDED_PREFIX)
        if not folder.is_dir():
            raise SettingsError(
                f"The embedded model {self.model!r} is not built yet: run `draftroom models up --profile embedded` "
                "once, or set `model` to a hub id or a folder."
            )
        return folder


class SummaryPair(BaseModel):
    """A paper's abstract with its plain summary, a line of the data; other fields are ignored."""

    model_config = ConfigDict(frozen=True)

    abstract: NonEmptyText
    summary: NonEmptyText
    doi: str | None = None
    title: str | None = None

    @property
    def paper(self) -> str:
        """Key of the paper: its DOI, else its title, else its abstract."""
        doi = (self.doi or "").strip().casefold()
        return (
            re.sub(r"^(https?://(dx\.)?doi\.org/|doi:\s*)", "", doi)
            or _normalize_paper_key(self.title or "")
            or _normalize_paper_key(self.abstract)
        )


def read_summary_pairs(paths: Sequence[Path]) -> list[SummaryPair]:
    """Read pairs from JSON Lines files, and keep only the first pair of each paper."""
    pairs = [validate_record(SummaryPair, *entry) for path in paths for entry in read_entries(path)]
    # A pair without a DOI is of the same paper as a pair that has the title and a DOI.
    keys = {_normalize_paper_key(pair.title): pair.paper for pair in pairs if pair.doi and pair.title}
    kept: dict[str, SummaryPair] = {}
    for pair in pairs:
        kept.setdefault(keys.get(pair.paper, pair.paper), pair)
    return list(kept.values())


def split_pairs_by_paper(pairs: Iterable[SummaryPair], dev_share: float, seed: int) -> TrainDevSplit[SummaryPair]:
    """Split pairs by paper into a training and a dev part; InputError if one of them is empty."""
    split = TrainDevSplit[SummaryPair]([], [])
    for pair in pairs:
        # By a hash of the paper and the seed, so that more data never moves a paper from dev to training.
        digest = hashlib.sha256(f"{seed} {pair.paper}".encode()).digest()
        place = int.from_bytes(digest[:8]) / 2**64  # from 0 to 1
        (split.dev if place < dev_share else split.train).append(pair)
    if not (split.train and split.dev):
        raise InputError(
            f"{len(split.train) + len(split.dev)} papers are too few to split into training and dev; give more papers "
            "or another `dev_share`."
        )
    return split


def sample_examples(examples: list[Example], most: int | None, seed: int) -> list[Example]:
    """Return `most` examples drawn by a seed, or the list itself if it has no more or `most` is None."""
    if most is None or len(examples) <= most:
        return examples
    return random.Random(seed).sample(examples, most)  # noqa: S311 - no secret


def fit_on_pairs(
    trainer: Trainer,
    config: SummaryConfig,
    data: Sequence[Path],
    dev: Iterable[SummaryPair],
    save: Callable[[], object],
) -> FitRecord:
    """Train as `fit_model` does, and write the dev pairs to `dev.jsonl`, for `draftroom eval science_journalism`."""
    out = Path(str(trainer.args.output_dir))
    record = fit_model(trainer, config, out, {path.name: compute_file_sha256(path) for path in data}, save)
    lines = [json.dumps({"id": pair.paper, **pair.model_dump()}, ensure_ascii=False) for pair in dev]
    write_atomically(out / "dev.jsonl", "".join(f"{line}\n" for line in lines).encode())
    return record


def _normalize_paper_key(text: str) -> str:
    """Return a text in lower case with single spaces for punctuation, to compare copies that differ in these."""
    return re.sub(r"[\W_]+", " ", text.casefold()).strip()
