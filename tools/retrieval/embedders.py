"""Embedding models, in this process or behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import math
import os
import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
import openai
from numpy.typing import NDArray

from state.errors import RetrievalUnavailableError, SettingsError
from tools.bert import PACKAGED_ENCODER, Bert, load_bert, map_in_parallel

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer


PACKAGED_MODEL = "all-MiniLM-L6-v2"  # its weights come with a Python package, so that retrieval works offline


@dataclass(frozen=True)
class EmbeddingModel:
    """Settings of an embedding model: its name, and the endpoint that serves it if there is one."""

    model: str = PACKAGED_MODEL
    """Without an endpoint: `PACKAGED_MODEL`, a folder of sentence-transformers weights, or a name on the Hugging Face
    hub. With an endpoint: the name under which it serves the model."""
    base_url: str | None = None
    """Address of the endpoint, ending in /v1; None to run the model in this process, on the CPU."""
    api_key_env: str = "OPENAI_API_KEY"
    """Name of the environment variable that holds the endpoint's key."""


class Embedder(Protocol):
    """Protocol of embedding models, which turn texts into vectors; any thread may call them."""

    @property
    def name(self) -> str:
        """Name of the vector space: vectors of equal names can be compared."""

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts as one vector each, in order.

        Raises:
            RetrievalUnavailableError: If the model cannot be loaded or reached.
        """


class LocalEmbedder(ABC):
    """Base class of embedding models in this process, on the CPU, which leaves the GPU to the language models.

    A text longer than the model's input (256 tokens for MiniLM, about half a segment) is embedded in parts, and their
    mean, weighted by length, is its vector; the model alone would ignore the rest of the text.
    """

    def __init__(self, source: str) -> None:
        self.source = source

    @property
    def name(self) -> str:
        """Name of the vector space: the model or its folder, and a note that long texts are embedded in parts."""
        return f"{self.source} in parts"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts as one unit vector each, in order; long texts in parts."""
        # 1. Split texts that are too long for the model into parts of about equal length.
        parts = list[list[str]]()
        for text in texts:
            tokens = self.count_tokens(text)
            if self.longest is None or tokens <= self.longest:
                parts.append([text])
                continue
            from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415 - package of an extra

            length = math.ceil(len(text) / math.ceil(tokens / self.longest))
            parts.append(RecursiveCharacterTextSplitter(chunk_size=length, chunk_overlap=0).split_text(text))
        # 2. Average the vectors of each text's parts, weighted by their lengths.
        vectors = self.encode_texts([part for text_parts in parts for part in text_parts])
        ends = np.cumsum([len(text_parts) for text_parts in parts])
        weights = [[max(1, len(part)) for part in text_parts] for text_parts in parts]
        groups = zip(np.split(vectors, ends[:-1]), weights, strict=True)
        means = [np.average(group, axis=0, weights=lengths) for group, lengths in groups]
        return [(mean / max(float(np.linalg.norm(mean)), 1e-12)).tolist() for mean in means]

    @property
    @abstractmethod
    def longest(self) -> int | None:
        """Most tokens of the model's input, special tokens included; None if there is no limit."""

    @abstractmethod
    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text, special tokens included."""

    @abstractmethod
    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute the vectors, `[texts, dimensions]`, of texts that fit the model's input."""


class PackagedEmbedder(LocalEmbedder):
    """all-MiniLM-L6-v2 from its Python package, without torch and without the network."""

    longest = 256  # as in its sentence-transformers settings

    def __init__(self) -> None:
        super().__init__(PACKAGED_MODEL)

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text with the package's tokenizer, special tokens included."""
        return len(self._bert.tokenizer.encode(text).ids)

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute unit vectors, `[texts, dimensions]`: the means of the last hidden states."""
        bert = self._bert
        vectors = map_in_parallel(lambda text: bert.compute_layer_vectors(text, self.longest)[-1], texts)
        return np.reshape(vectors, (len(texts), bert.config.hidden_size))

    @property
    def _bert(self) -> Bert:
        """The encoder, loaded once; raises `RetrievalUnavailableError` if its package is missing."""
        try:
            return load_bert(PACKAGED_ENCODER)
        except SettingsError as error:
            raise RetrievalUnavailableError(str(error)) from error


class SentenceTransformersEmbedder(LocalEmbedder):
    """Any other sentence-transformers model, through torch; only a name on the Hugging Face hub uses the network."""

    def __init__(self, source: str) -> None:
        super().__init__(source)
        self._one_at_a_time = threading.Lock()  # its tokenizer cannot be shared by threads

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed the texts as `LocalEmbedder.embed` does, for one thread at a time."""
        with self._one_at_a_time:
            return super().embed(texts)

    @property
    def longest(self) -> int | None:
        """Most tokens of the model's input, from its settings."""
        limit: int | None = self._model.max_seq_length
        return limit

    def count_tokens(self, text: str) -> int:
        """Count the tokens of a text with the model's tokenizer, special tokens included."""
        return len(self._model.tokenizer(text, verbose=False)["input_ids"])

    def encode_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Compute the vectors, `[texts, dimensions]`, by sentence-transformers."""
        vectors: NDArray[np.float32] = self._model.encode(list(texts), show_progress_bar=False)
        return vectors

    @cached_property
    def _model(self) -> SentenceTransformer:
        """The model, loaded once; raises `RetrievalUnavailableError` without torch or weights."""
        try:
            from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds
            from transformers.utils import logging  # noqa: PLC0415 - takes seconds
        except ImportError as error:
            raise RetrievalUnavailableError(
                f"The embedding model {self.source!r} needs torch: pip install 'draftroom[encoders]', or set it to "
                f"{PACKAGED_MODEL!r}, which needs none."
            ) from error
        logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # unused where it is missing
        folder = Path(self.source).expanduser()
        is_local = folder.is_dir()
        source = str(folder) if is_local else self.source
        try:
            return SentenceTransformer(source, device="cpu", local_files_only=is_local)
        except (OSError, ValueError) as error:
            raise RetrievalUnavailableError(
                f"The embedding model {self.source!r} cannot be loaded; set it to {PACKAGED_MODEL!r}, to a folder of "
                "sentence-transformers weights, or to a name on the Hugging Face hub, and check the network."
            ) from error


TIMEOUT_S = 120.0
MAX_RETRIES = 2  # of the OpenAI client after transient faults, about a second in all


class EndpointEmbedder:
    """An embedding model behind an endpoint with /embeddings; arguments as in `EmbeddingModel`."""

    def __init__(self, model: str, base_url: str, api_key_env: str) -> None:
        self._model = model
        self._base_url = base_url
        self._api_key_env = api_key_env

    @property
    def name(self) -> str:
        """Name of the vector space: model and address, as two servers may give different models the same name."""
        return f"{self._model} at {self._base_url}"

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Request one vector for each text from the endpoint, in order; they are not scaled to unit length."""
        key = os.environ.get(self._api_key_env) or "none"  # local servers accept any key but an empty one
        try:
            # A client for each call, so that none is left to be closed; its cost is small beside that of an embedding.
            with openai.OpenAI(
                base_url=self._base_url, api_key=key, timeout=TIMEOUT_S, max_retries=MAX_RETRIES
            ) as client:
                answer = client.embeddings.create(model=self._model, input=list(texts), encoding_format="float")
            vectors = [item.embedding for item in sorted(answer.data, key=lambda item: item.index)]
        except (openai.OpenAIError, ValueError, TypeError, AttributeError) as error:
            raise self._build_unavailable_error(error) from None  # the cause may quote the key or the text
        if len(vectors) != len(texts):
            raise RetrievalUnavailableError(
                f"The embedding endpoint {self._base_url} answered {len(texts)} texts with {len(vectors)} vectors; "
                "use a server that supports the OpenAI API."
            )
        return vectors

    def _build_unavailable_error(self, error: Exception) -> RetrievalUnavailableError:
        """Build the error for the user that stands for an exception of the client."""
        where = f"The embedding endpoint {self._base_url}"
        if not isinstance(error, openai.APIStatusError):
            advice = "start it, or correct its address"
            return RetrievalUnavailableError(f"{where} does not answer as an OpenAI API does; {advice}.")
        if error.status_code in {401, 403}:
            advice = f"put the right one into the environment variable {self._api_key_env}"
            return RetrievalUnavailableError(f"{where} refuses the key; {advice}.")
        if error.status_code == 404:
            return RetrievalUnavailableError(f"{where} does not serve {self._model!r}; name a model that it serves.")
        advice = "look at its log, or choose shorter segments if they do not fit the model"
        return RetrievalUnavailableError(f"{where} answered with status {error.status_code}; {advice}.")


_embedders: dict[EmbeddingModel, Embedder] = {}
_choosing_lock = threading.Lock()


def choose_embedder(choice: EmbeddingModel) -> Embedder:
    """Return the process's only embedder of a model, cached; it loads or reaches the model when it first embeds."""
    # Without the lock, two threads could build two embedders, and load the model twice.
    with _choosing_lock:
        if choice not in _embedders:
            if choice.base_url is not None:
                _embedders[choice] = EndpointEmbedder(choice.model, choice.base_url, choice.api_key_env)
            elif choice.model == PACKAGED_MODEL:
                _embedders[choice] = PackagedEmbedder()
            else:
                _embedders[choice] = SentenceTransformersEmbedder(choice.model)
        return _embedders[choice]


def compute_cosines(texts: tuple[str, ...], others: tuple[str, ...], embedding: EmbeddingModel) -> NDArray[np.float64]:
    """Compute the cosines, `[texts, others]`, between the vectors of texts and others; vectors are cached.

    Raises:
        RetrievalUnavailableError: If the model cannot be loaded or reached.
    """
    found: NDArray[np.float64] = _compute_unit_vectors(texts, embedding) @ _compute_unit_vectors(others, embedding).T
    return found


@lru_cache(maxsize=64)  # callers compare many texts with the same others
def _compute_unit_vectors(texts: tuple[str, ...], embedding: EmbeddingModel) -> NDArray[np.float64]:
    """Return the unit vectors of texts, `[texts, dimensions]`; cached."""
    vectors = np.array(choose_embedder(embedding).embed(texts), dtype=np.float64)
    lengths: NDArray[np.float64] = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)
