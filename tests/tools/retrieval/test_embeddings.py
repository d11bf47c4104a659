"""Embedders: the packaged model, other weights, and an endpoint, with what is said when one cannot be used."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from state.errors import RetrievalUnavailableError
from state.settings import EmbeddingSettings
from tests.fake_endpoint import FakeEndpoint
from tests.fake_endpoint.embeddings import embed
from tests.support.processes import run_code
from tests.tools.retrieval.papers import LoadedEmbeddings
from tools.retrieval.embedders import choose_embeddings

LONG = "The weather was fine and the birds sang in the trees. " * 60


def likeness(first: list[float], second: list[float]) -> float:
    return float(np.dot(first, second))


def test_the_end_of_a_long_text_counts_as_much_as_its_beginning() -> None:
    needle = "Forty volunteers with diabetes took insulin. " * 10
    question, first, last, without = choose_embeddings(EmbeddingSettings()).embed_documents(
        ["Insulin for diabetes", needle + LONG, LONG + needle, LONG]
    )
    assert likeness(question, last) > likeness(question, without) + 0.05
    assert likeness(question, last) == pytest.approx(likeness(question, first), abs=0.1)


def test_vectors_are_computed_without_torch() -> None:
    program = (
        "import sys; from state.settings import EmbeddingSettings\n"
        "from tools.retrieval.embedders import choose_embeddings\n"
        "choose_embeddings(EmbeddingSettings()).embed_query('Moss')\n"
        "sys.exit(bool({'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()))"
    )
    assert run_code(program).returncode == 0


def test_a_model_without_a_place_is_refused_with_what_to_set() -> None:
    with pytest.raises(RetrievalUnavailableError, match="'some/model' is not built in; name its endpoint"):
        choose_embeddings(EmbeddingSettings(model="some/model"))


def test_reviews_that_begin_together_load_a_model_once(monkeypatch: pytest.MonkeyPatch) -> None:
    name = "tests.tools.retrieval.papers:LoadedEmbeddings"
    monkeypatch.setenv("DRAFTROOM_ALLOWED_CODE", name)
    with ThreadPoolExecutor(8) as pool:
        chosen = list(pool.map(choose_embeddings, [EmbeddingSettings(model="own", use=name)] * 8))
    assert chosen == [chosen[0]] * 8
    assert LoadedEmbeddings.loaded == 1


def test_an_endpoint_answers_one_vector_for_each_text_in_order(fake_endpoint: FakeEndpoint) -> None:
    texts = ["Mosses", "dry out", "in summer"]
    choice = EmbeddingSettings(model="large", base_url=fake_endpoint.base_url)
    vectors = choose_embeddings(choice).embed_documents(texts)
    assert vectors == [pytest.approx(embed(text)) for text in texts]
    (request,) = fake_endpoint.requests
    assert request.body == {"model": "large", "input": texts, "encoding_format": "float"}


def test_a_provider_is_one_of_langchain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LAB_TOKEN", "s3cret")
    (tmp_path / "langchain_ollama.py").write_text(
        "import os\n"
        "class OllamaEmbeddings:\n"
        "    def __init__(self, model, base_url): self.named = f'{model} at {base_url}'\n"
        "    def embed_query(self, text): raise LookupError(f'no {self.named}', os.environ['LAB_TOKEN'])"
    )
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from state.settings import EmbeddingSettings\n"
        "from tools.retrieval.embedders import choose_embeddings\n"
        "choice = EmbeddingSettings(provider='ollama', model='moss', base_url='http://127.0.0.1:9')\n"
        "choose_embeddings(choice).embed_query('Moss')"
    )
    failed = run_code(program)
    fault = "refuses the request: “LookupError: ('no moss at http://127.0.0.1:9', '…')”"
    assert f"The embedding provider ollama at http://127.0.0.1:9 {fault}" in failed.stderr.splitlines()[-1]


@pytest.mark.parametrize(
    ("choice", "text", "advice"),
    [
        (("large", "NO_SUCH_KEY"), "Mosses", "refuses the key: .*; put the right one into .* NO_SUCH_KEY"),
        (("tiny", "MOSS_KEY"), "Mosses", "does not serve 'tiny': .*correct its settings"),
        (("large", "MOSS_KEY"), "moss " * 40_000, "does not fit the context .*choose shorter segments"),
    ],
)
def test_a_refusal_is_reported_with_what_to_do(
    choice: tuple[str, str], text: str, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSS_KEY", "secret")
    with FakeEndpoint(api_key="secret") as endpoint:
        embedding = EmbeddingSettings(model=choice[0], base_url=endpoint.base_url, api_key_env=choice[1])
        with pytest.raises(RetrievalUnavailableError, match=advice) as refusal:
            choose_embeddings(embedding).embed_documents([text])
    assert "secret" not in str(refusal.value)
    assert refusal.value.kind == "retrieval_failed"
