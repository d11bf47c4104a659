"""Where the plan re-ranker comes from."""

from __future__ import annotations

import threading
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from state.errors import SettingsError
from state.settings import FeedbackSettings

if TYPE_CHECKING:
    from tools.reranking.plan_reranker import PlanReranker

SHIPPED_WEIGHTS = Path(__file__).parent / "weights"
"""Folder of the weights that come with the project; its README.md is their model card."""
FOLDS_FOLDER = "folds"
"""Folder beside the weights, with those of the cross-validation, each of which has left some papers out."""

_loading_lock = threading.Lock()


def check_reranker(options: FeedbackSettings) -> None:
    """Make sure that plans can be ranked, if they are to be; what is loaded stays for the run.

    Raises:
        SettingsError: As `load_reranker`.
    """
    if options.rerank and options.plans > 1:
        load_reranker(choose_weights_folder(options))


def choose_weights_folder(options: FeedbackSettings) -> Path:
    """Where the weights are that the settings ask for."""
    return Path(options.reranker).expanduser() if options.reranker else SHIPPED_WEIGHTS


def select_unseen_weights(folder: Path, paper: str) -> Path:
    """Where the weights are that have not learnt from a paper: a folder, or that of one of its folds.

    Args:
        folder: Of a re-ranker.
        paper: Id of a paper of the corpus.

    Raises:
        SettingsError: There is no re-ranker, or its weights have all learnt from the paper.
    """
    folds = sorted((folder / FOLDS_FOLDER).glob("*"))
    found = next((each for each in (folder, *folds) if paper not in _load_training_papers(each)), None)
    if found is None:
        raise SettingsError(
            f"The plan re-ranker in {folder} has learnt from the paper {paper}, and no fold of it has not; measure it "
            "on other papers, or train one with `draftroom train plan-reranker`, which leaves each paper out once, and "
            "name its folder."
        )
    return found


@cache
def _load_training_papers(folder: Path) -> frozenset[str]:
    from tools.reranking.plan_reranker import read_reranker_config  # noqa: PLC0415 - packages of an extra

    return read_reranker_config(folder).papers


def load_reranker(folder: Path) -> PlanReranker:
    """The re-ranker in a folder, loaded once; may be called from several threads.

    Raises:
        SettingsError: As `load_plan_reranker`.
    """
    with _loading_lock:
        return _load_cached_reranker(folder.resolve())


@cache
def _load_cached_reranker(folder: Path) -> PlanReranker:
    from tools.reranking.plan_reranker import load_plan_reranker  # noqa: PLC0415 - packages of an extra

    return load_plan_reranker(folder)
