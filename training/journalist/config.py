"""What is fine-tuned to write plain summaries, and how: a chat model as the journalist, and BART."""

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
    """Hyperparameters of both; a batch counts papers."""

    model: str = Field(min_length=1)
    """What to fine-tune: a hub id, a folder, or `embedded:NAME` as `draftroom models up --profile embedded` builds."""
    max_pairs: int | None = Field(default=None, ge=1)
    """Train on so many pairs only, drawn by the seed."""
    dev_share: float = Field(gt=0, lt=1)
    """Of the papers, about; the dev loss on them chooses the epoch."""

    @property
    def source(self) -> str | Path:
        """What the model is loaded from: a folder, or a hub id.

        Raises:
            SettingsError: There is no such embedded model.
        """
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
    """Hyperparameters of a chat model; `dropout` is that of the adapter."""

    lora_rank: int = Field(ge=1, le=512)
    lora_alpha: int = Field(ge=1)
    activation_checkpointing: bool = False
    """Compute activations twice instead of keeping them: less memory for a third more time."""
    max_tokens: int = Field(ge=64)
    """Of prompt and article together; a longer pair is left out, because a cut article would teach not to end."""
    audience: Audience = "general public"
    """As in the settings of the runs that the adapter is for; it is a part of the prompt."""
    max_words: int = Field(default=300, ge=80, le=600)
    """Likewise."""
    limits: Limits = Field(default_factory=Limits)
    """Likewise."""


class BartConfig(SummaryConfig):
    """Hyperparameters of BART, or of a model built like it; `dropout` replaces the checkpoint's."""

    label_smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Share of each token's probability that the loss spreads over all tokens."""
    max_tokens: int = Field(default=1024, ge=4)
    """Of an abstract, which is cut as it is when the model writes, and of a summary: a pair with a longer one is left
    out, because a cut summary would teach not to end."""
