"""Where the plan re-ranker comes from; torch is imported with the first one that is loaded."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tools.plan_reranker import PlanReranker

_loading = threading.Lock()


def default_weights() -> Path | None:
    """Folder of the weights that ship with the project; None where there are none."""
    folder = Path(__file__).parent / "reranker_weights"
    return folder if folder.is_dir() else None


def load_reranker(folder: Path) -> PlanReranker:
    """The re-ranker in a folder, loaded once; may be called from several threads.

    Raises:
        SettingsError: A file is missing or damaged, or the encoder is not the one that the weights belong to.
    """
    with _loading:
        return _loaded(folder.resolve())


@cache
def _loaded(folder: Path) -> PlanReranker:
    from tools.plan_reranker import PlanReranker  # noqa: PLC0415 - takes seconds

    return PlanReranker.load(folder)
