"""Where the plan re-ranker comes from."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from state.settings import FeedbackSettings

if TYPE_CHECKING:
    from tools.reranking.plan_reranker import PlanReranker

SHIPPED = Path(__file__).parent / "weights"
"""Folder of the weights that come with the project; its README.md is their model card."""

_loading = threading.Lock()


def check_reranker(options: FeedbackSettings) -> None:
    """Make sure that plans can be ranked, if they are to be; what is loaded stays for the run.

    Raises:
        SettingsError: As `load_reranker`.
    """
    if options.rerank and options.plans > 1:
        load_reranker(weights_folder(options))


def weights_folder(options: FeedbackSettings) -> Path:
    """Where the weights are that the settings ask for."""
    return Path(options.reranker).expanduser() if options.reranker else SHIPPED


def load_reranker(folder: Path) -> PlanReranker:
    """The re-ranker in a folder, loaded once; may be called from several threads.

    Raises:
        SettingsError: A file is missing or damaged, or the encoder is not the one that the weights belong to.
    """
    with _loading:
        return _loaded(folder.resolve())


@cache
def _loaded(folder: Path) -> PlanReranker:
    from tools.reranking.plan_reranker import PlanReranker  # noqa: PLC0415 - packages of an extra

    return PlanReranker.load(folder)
