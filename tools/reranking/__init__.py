"""Load the plan re-ranker: the one that ships with the project, or one that the user has trained."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from state.errors import SettingsError
from state.settings import FeedbackSettings

if TYPE_CHECKING:
    from tools.reranking.plan_reranker import PlanReranker

SHIPPED_WEIGHTS = Path(__file__).parent / "weights"  # its README.md is the model card
# Folder beside the weights that holds the weights of the cross-validation; each fold has left some papers out.
FOLDS_FOLDER = "folds"

_rerankers: dict[Path, PlanReranker] = {}
_loading_lock = threading.Lock()


def preload_reranker(options: FeedbackSettings) -> None:
    """Load the re-ranker into the cache if the settings need it, so that a missing one is reported before the run."""
    if options.rerank and options.plans > 1:
        load_reranker(choose_weights_folder(options))


def choose_weights_folder(options: FeedbackSettings) -> Path:
    """Return the folder of weights that the settings name, by default that of the shipped weights."""
    return Path(options.reranker).expanduser() if options.reranker else SHIPPED_WEIGHTS


def select_unseen_weights(folder: Path, paper: str) -> Path:
    """Return the first folder whose weights were not trained on the paper of this id: the re-ranker's own or a fold's.

    Raises:
        SettingsError: There is no re-ranker, or all its weights were trained on the paper.
    """
    from tools.reranking.plan_reranker import read_reranker_config  # noqa: PLC0415 - packages of an extra

    folds = sorted((folder / FOLDS_FOLDER).glob("*"))
    found = next((each for each in (folder, *folds) if paper not in read_reranker_config(each).papers), None)
    if found is None:
        raise SettingsError(
            f"The plan re-ranker in {folder} was trained on the paper {paper}, and so were all its folds; measure it "
            "on other papers, or name the folder of one that was trained with `draftroom train plan-reranker`, which "
            "leaves each paper out once."
        )
    return found


def load_reranker(folder: Path) -> PlanReranker:
    """Load the re-ranker in a folder, cached for all threads; errors are those of `load_plan_reranker`."""
    from tools.reranking.plan_reranker import load_plan_reranker  # noqa: PLC0415 - packages of an extra

    path = folder.resolve()
    # Without the lock, two threads could load it twice.
    with _loading_lock:
        if path not in _rerankers:
            _rerankers[path] = load_plan_reranker(path)
        return _rerankers[path]
