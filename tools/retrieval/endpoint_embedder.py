"""An embedding model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import os
from collections.abc import Sequence

import openai

from state.errors import RetrievalUnavailable

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
