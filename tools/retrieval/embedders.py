"""Embedding models: the packaged one in this process, one behind an OpenAI-compatible endpoint, or any of LangChain."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from state.errors import DraftroomError, RetrievalUnavailableError, SettingsError
from state.model_settings import ModelSettings
from state.settings import EmbeddingSettings
from tools.bert import PACKAGED_ENCODER, load_bert, map_in_parallel
from tools.configuration import load_custom_object, name_key
from tools.models.faults import NO_EVENTS, ServerError, read_fault, translate_fault
from tools.models.providers import describe_missing_package

PACKAGED = EmbeddingSettings()  # its weights come with a Python package, so that retrieval works offline
PACKAGED_TOKENS = 256  # of its input, as in its sentence-transformers settings
TIMEOUT_S = 120.0  # of a request to an endpoint


class PackagedEmbeddings(Embeddings):
    """all-MiniLM-L6-v2 on the CPU, which leaves the GPU to the language models, without torch and without the network.

    A text longer than the model's input (256 tokens, about half a segment) is embedded in parts, and their mean,
    weighted by length, is its vector; the model alone would ignore the rest of the text.
    """

    def embed_query(self, text: str) -> list[float]:
        """Embed a text as a unit vector, as `embed_documents` does."""
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts as one unit vector each, in order; long texts in parts."""
        from langchain_text_splitters import RecursiveCharacterTextSplitter  # noqa: PLC0415 - package of an extra

        try:
            bert = load_bert(PACKAGED_ENCODER)
        except SettingsError as error:
            raise RetrievalUnavailableError(str(error)) from error
        # 1. Split texts that are too long for the model into parts of about equal length.
        parts = list[list[str]]()
        for text in texts:
            number = math.ceil(len(bert.tokenizer.encode(text).ids) / PACKAGED_TOKENS)
            splitter = RecursiveCharacterTextSplitter(chunk_size=len(text) // number + 1, chunk_overlap=0)
            parts.append(splitter.split_text(text) if number > 1 else [text])
        # 2. Average the vectors of each text's parts, weighted by their lengths.
        flat = [part for text_parts in parts for part in text_parts]
        vectors = iter(map_in_parallel(lambda part: bert.compute_layer_vectors(part, PACKAGED_TOKENS)[-1], flat))
        means = [
            np.average([next(vectors) for _ in text_parts], axis=0, weights=[max(1, len(part)) for part in text_parts])
            for text_parts in parts
        ]
        return [(mean / max(float(np.linalg.norm(mean)), 1e-12)).tolist() for mean in means]


class RemoteEmbeddings(Embeddings):
    """LangChain embeddings of an endpoint, a provider or the user's own class; any fault is an error for the user."""

    def __init__(self, choice: EmbeddingSettings) -> None:
        self._choice = choice
        # Not validated, because no chat model has all providers of embeddings.
        place = choice.model_dump(exclude={"base_url"}) | {"base_url": choice.base_url or "", "timeout_s": TIMEOUT_S}
        self._server = ModelSettings.model_construct(None, **place)
        with self._translate_faults():
            self._model = self._build_model()

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Request one vector for each text, in order; they are not scaled to unit length."""
        with self._translate_faults(*texts):
            vectors = self._model.embed_documents(texts)
            if len(vectors) != len(texts):
                raise ValueError(f"{len(texts)} texts were answered with {len(vectors)} vectors")
            return vectors

    def embed_query(self, text: str) -> list[float]:
        """Request the vector of a question, which some models embed in another way than the texts that are searched."""
        with self._translate_faults(text):
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
        if choice.provider in {None, "openai"}:
            options |= {
                "api_key": key,
                "timeout": TIMEOUT_S,
                "check_embedding_ctx_length": False,  # texts are sent as they are; OpenAI's tokenizer is a download
                "model_kwargs": {"encoding_format": "float"},
            }
        return init_embeddings(choice.model, provider=choice.provider or "openai", **options)

    @contextmanager
    def _translate_faults(self, *texts: str) -> Iterator[None]:
        """Raise `RetrievalUnavailableError` for whatever a client raises in the context, without the texts."""
        advice = "look at its log, correct its settings, or choose shorter segments if they do not fit the model"
        try:
            yield
        except DraftroomError:
            raise
        except ImportError as error:
            place = self._choice.use or self._choice.provider
            missing = f"The embedding model {self._choice.model!r} of {place} {describe_missing_package(error)}."
            raise RetrievalUnavailableError(missing) from None
        except Exception as error:  # noqa: BLE001 - each client has errors of its own
            try:
                fault = read_fault(error, self._server)
            except Exception:  # noqa: BLE001 - an answer in another form makes LangChain raise whatever comes
                fault = ServerError(NO_EVENTS)
            told = translate_fault(fault, self._server, "\n".join(texts))
            if fault.is_unreachable or fault.told == NO_EVENTS:
                advice = "start it, or correct its address"
            elif told.kind == "endpoint_refused":
                advice = f"put the right one into the environment variable {self._choice.api_key_env}"
            happened = str(told).rpartition("; ")[0].replace("The ", "The embedding ", 1)
            raise RetrievalUnavailableError(f"{happened}; {advice}.") from None  # the cause may quote key or text


_building_lock = Lock()  # without it, reviews and questions that begin together would each load a model
_build_remote_embeddings = lru_cache(RemoteEmbeddings)


def choose_embeddings(choice: EmbeddingSettings) -> Embeddings:
    """Return the embeddings of a model, the process's only ones; it is loaded or reached when it first embeds.

    Raises:
        RetrievalUnavailableError: If it is not built in and has no place, or cannot be built.
    """
    if choice.use or choice.provider or choice.base_url:
        with _building_lock:
            return _build_remote_embeddings(choice)
    if choice.model != PACKAGED.model:
        raise RetrievalUnavailableError(
            f"The embedding model {choice.model!r} is not built in; name its endpoint (`base_url`) or provider "
            f'(`provider = "huggingface"` for weights on this machine), or set it to {PACKAGED.model!r}.'
        )
    return PackagedEmbeddings()


@lru_cache(maxsize=64)  # callers compare many texts with the same others
def _compute_unit_vectors(texts: tuple[str, ...], embedding: EmbeddingSettings) -> NDArray[np.float64]:
    """Return the unit vectors of texts, `[texts, dimensions]`; cached."""
    vectors = np.array(choose_embeddings(embedding).embed_documents([*texts]), dtype=np.float64)
    lengths: NDArray[np.float64] = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(lengths, 1e-12)


def compute_cosines(
    texts: tuple[str, ...], others: tuple[str, ...], embedding: EmbeddingSettings = PACKAGED
) -> NDArray[np.float64]:
    """Compute the cosines, `[texts, others]`, between the vectors of texts and others; vectors are cached.

    Raises:
        RetrievalUnavailableError: If the model cannot be loaded or reached.
    """
    found: NDArray[np.float64] = _compute_unit_vectors(texts, embedding) @ _compute_unit_vectors(others, embedding).T
    return found
