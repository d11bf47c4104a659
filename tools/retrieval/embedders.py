"""Embedding models: in this process, behind an OpenAI-compatible endpoint, or any other of LangChain."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import openai
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from state.errors import DraftroomError, RetrievalUnavailableError, SettingsError
from state.settings import EmbeddingSettings
from tools.bert import PACKAGED_ENCODER, load_bert, map_in_parallel
from tools.configuration import load_custom_object, mask_keys, name_key
from tools.models.providers import describe_missing_package

PACKAGED = EmbeddingSettings()  # its weights come with a Python package, so that retrieval works offline
PACKAGED_TOKENS = 256  # of its input, as in its sentence-transformers settings
TIMEOUT_S = 120.0  # of a request to an endpoint


class Encoder(NamedTuple):
    """Named tuple of what an encoder in this process can do; its functions are called by one thread at a time."""

    longest: int | None
    """Most tokens of its input, special tokens included; None if there is no limit."""
    count_tokens: Callable[[str], int]
    encode: Callable[[list[str]], NDArray[np.float32]]
    """Computes the vectors, `[texts, dimensions]`, of texts that fit its input."""


class LocalEmbeddings(Embeddings):
    """Embedding model in this process, on the CPU, which leaves the GPU to the language models.

    A text longer than the model's input (256 tokens for MiniLM, about half a segment) is embedded in parts, and their
    mean, weighted by length, is its vector; the model alone would ignore the rest of the text.
    """

    def __init__(self, load: Callable[[], Encoder]) -> None:
        self._load = load
        self._one_at_a_time = threading.Lock()

    def embed_query(self, text: str) -> list[float]:
        """Embed a text as a unit vector, as `embed_documents` does."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts as one unit vector each, in order; long texts in parts."""
        from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415 - package of an extra

        with self._one_at_a_time:
            # 1. Split texts that are too long for the model into parts of about equal length.
            encoder, parts = self._encoder, list[list[str]]()
            for text in texts:
                number = math.ceil(encoder.count_tokens(text) / encoder.longest) if encoder.longest else 1
                splitter = RecursiveCharacterTextSplitter(chunk_size=len(text) // number + 1, chunk_overlap=0)
                parts.append(splitter.split_text(text) if number > 1 else [text])
            # 2. Average the vectors of each text's parts, weighted by their lengths.
            vectors = encoder.encode([part for text_parts in parts for part in text_parts])
        ends = np.cumsum([len(text_parts) for text_parts in parts])
        weights = [[max(1, len(part)) for part in text_parts] for text_parts in parts]
        groups = zip(np.split(vectors, ends[:-1]), weights, strict=True)
        means = [np.average(group, axis=0, weights=lengths) for group, lengths in groups]
        return [(mean / max(float(np.linalg.norm(mean)), 1e-12)).tolist() for mean in means]

    @cached_property
    def _encoder(self) -> Encoder:
        """The encoder, loaded once."""
        return self._load()


def load_packaged_encoder() -> Encoder:
    """Load all-MiniLM-L6-v2 from its Python package, without torch and without the network.

    Raises:
        RetrievalUnavailableError: If its package is missing.
    """
    try:
        bert = load_bert(PACKAGED_ENCODER)
    except SettingsError as error:
        raise RetrievalUnavailableError(str(error)) from error

    def encode(texts: list[str]) -> NDArray[np.float32]:
        """Compute unit vectors: the means of the last hidden states."""
        vectors = map_in_parallel(lambda text: bert.compute_layer_vectors(text, PACKAGED_TOKENS)[-1], texts)
        return np.reshape(vectors, (len(texts), bert.config.hidden_size))

    return Encoder(PACKAGED_TOKENS, lambda text: len(bert.tokenizer.encode(text).ids), encode)


def load_sentence_transformer(source: str) -> Encoder:
    """Load any other sentence-transformers model; only a name on the Hugging Face hub uses the network.

    Raises:
        RetrievalUnavailableError: If torch or the weights are missing.
    """
    try:
        from sentence_transformers import SentenceTransformer  # noqa: PLC0415 - takes seconds
        from transformers.utils import logging  # noqa: PLC0415 - takes seconds
    except ImportError as error:
        raise RetrievalUnavailableError(
            f"The embedding model {source!r} needs torch: pip install 'draftroom[encoders]', or set it to "
            f"{PACKAGED.model!r}, which needs none."
        ) from error
    logging.disable_progress_bar()  # type: ignore[no-untyped-call, unused-ignore] # unused where it is missing
    folder = Path(source).expanduser()
    is_local = folder.is_dir()
    try:
        model = SentenceTransformer(str(folder) if is_local else source, device="cpu", local_files_only=is_local)
    except (OSError, ValueError) as error:
        raise RetrievalUnavailableError(
            f"The embedding model {source!r} cannot be loaded; set it to {PACKAGED.model!r}, to a folder of "
            "sentence-transformers weights, or to a name on the Hugging Face hub, and check the network."
        ) from error
    return Encoder(
        model.max_seq_length,
        lambda text: len(model.tokenizer(text, verbose=False)["input_ids"]),
        lambda texts: model.encode(texts, show_progress_bar=False),
    )


class RemoteEmbeddings(Embeddings):
    """LangChain embeddings of an endpoint, a provider or the user's own class; any fault is an error for the user."""

    def __init__(self, choice: EmbeddingSettings) -> None:
        self._choice = choice
        self._has_openai_api = not choice.use and choice.provider in {None, "openai"}
        with self._translate_faults():
            self._model = self._build_model()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Request one vector for each text, in order; they are not scaled to unit length."""
        with self._translate_faults():
            vectors = self._model.embed_documents(texts)
            if len(vectors) != len(texts):
                raise ValueError(f"{len(texts)} texts were answered with {len(vectors)} vectors")
            return vectors

    def embed_query(self, text: str) -> list[float]:
        """Request the vector of a question, which some models embed in another way than the texts that are searched."""
        with self._translate_faults():
            return self._model.embed_query(text)

    def _build_model(self) -> Embeddings:
        """Build the model of LangChain, which reaches nothing yet."""
        from langchain.embeddings import init_embeddings  # noqa: PLC0415 - takes a second

        choice = self._choice
        key = os.environ.get(name_key(choice)) or "none"  # local servers accept any key but an empty one
        if choice.use:
            model: Embeddings = load_custom_object(choice.use)(model=choice.model)
            return model
        options: dict[str, Any] = {"base_url": choice.base_url} if choice.base_url else {}
        if self._has_openai_api:
            options |= {
                "api_key": key,
                "timeout": TIMEOUT_S,
                "check_embedding_ctx_length": False,  # texts are sent as they are; OpenAI's tokenizer is a download
                "model_kwargs": {"encoding_format": "float"},
            }
        return init_embeddings(choice.model, provider=choice.provider or "openai", **options)

    @contextmanager
    def _translate_faults(self) -> Iterator[None]:
        """Raise `RetrievalUnavailableError` for whatever a client raises in the context."""
        choice = self._choice
        try:
            yield
        except DraftroomError:
            raise
        except Exception as error:  # noqa: BLE001 - each client has errors of its own
            if not self._has_openai_api:
                told = mask_keys(" ".join(str(error).split()))
                fault = f"cannot be used ({type(error).__name__}: {told}); correct its settings"
                if isinstance(error, ImportError):
                    fault = describe_missing_package(error)
                place = f"The embedding model {choice.model!r} of {choice.use or choice.provider}"
                raise RetrievalUnavailableError(f"{place} {fault}.") from None
            fault = "does not answer as an OpenAI API does; start it, or correct its address"
            if isinstance(error, openai.APIStatusError):
                advice = "look at its log, or choose shorter segments if they do not fit the model"
                key = f"refuses the key; put the right one into the environment variable {choice.api_key_env}"
                known = {401: key, 403: key, 404: f"does not serve {choice.model!r}; name a model that it serves"}
                fault = known.get(error.status_code, f"answered with status {error.status_code}; {advice}")
            place = f"The embedding endpoint {choice.base_url or 'of OpenAI'}"
            raise RetrievalUnavailableError(f"{place} {fault}.") from None  # the cause may quote key or text


_choosing_lock = threading.Lock()


def choose_embeddings(choice: EmbeddingSettings) -> Embeddings:
    """Return the process's only embeddings of a model, cached; it is loaded or reached when it first embeds.

    Raises:
        RetrievalUnavailableError: If the package of its provider is missing, or its class cannot be built.
    """
    with _choosing_lock:  # otherwise two threads could load a model twice
        return _build_embeddings(choice)


@lru_cache
def _build_embeddings(choice: EmbeddingSettings) -> Embeddings:
    if choice.use or choice.provider or choice.base_url:
        return RemoteEmbeddings(choice)
    is_packaged = choice.model == PACKAGED.model
    return LocalEmbeddings(load_packaged_encoder if is_packaged else partial(load_sentence_transformer, choice.model))


def compute_cosines(
    texts: tuple[str, ...], others: tuple[str, ...], embedding: EmbeddingSettings = PACKAGED
) -> NDArray[np.float64]:
    """Compute the cosines, `[texts, others]`, between the vectors of texts and others; vectors are cached.

    Raises:
        RetrievalUnavailableError: If the model cannot be loaded or reached.
    """
    found: NDArray[np.float64] = _compute_unit_vectors(texts, embedding) @ _compute_unit_vectors(others, embedding).T
    return found


@lru_cache(maxsize=64)  # callers compare many texts with the same others
def _compute_unit_vectors(texts: tuple[str, ...], embedding: EmbeddingSettings) -> NDArray[np.float64]:
    """Return the unit vectors of texts, `[texts, dimensions]`; cached."""
    vectors = np.array(choose_embeddings(embedding).embed_documents([*texts]), dtype=np.float64)
    lengths: NDArray[np.float64] = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)
