"""Configurations of the models that learn to write plain summaries: a chat model as the journalist, and BART."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field

from state.errors import SettingsError
from state.files import resolve_cache_folder
from state.model_settings import Limits
from state.settings import Audience
from training.fitting import FitConfig

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


class JournalistConfig(SummaryConfig):
    """Hyperparameters of fine-tuning a chat model as journalist with LoRA; `dropout` is that of the adapter."""

    lora_rank: int = Field(ge=1, le=512)
    lora_alpha: int = Field(ge=1)
    activation_checkpointing: bool = False
    """Compute activations twice instead of keeping them: less memory for a third more time."""
    max_tokens: int = Field(ge=64)
    """Most tokens of prompt and article; longer pairs are left out, because a cut article would teach not to end."""
    audience: Audience = "general public"
    """Part of the prompt, like the next two; set all three as in the runs that the adapter is for."""
    max_words: int = Field(default=300, ge=80, le=600)
    limits: Limits = Field(default_factory=Limits)


class BartConfig(SummaryConfig):
    """Hyperparameters of BART or a similar model; the inherited `dropout` replaces the checkpoint's."""

    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of each token's probability that the loss spreads over all tokens."""
    max_tokens: int = Field(default=1024, ge=4)
    """Most tokens of an abstract, which is cut as at inference, and of a summary: pairs with a longer summary are left
    out, because a cut summary would teach not to end."""
