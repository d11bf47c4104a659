"""Embedders: the packaged model, other weights, and an endpoint, with what is said when one cannot be used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from state.errors import RetrievalUnavailableError
from tests.fake_endpoint import FakeEndpoint
from tests.fake_endpoint.embeddings import embed
from tools.bert import locate_packaged_encoder
from tools.retrieval.embedders import EmbeddingModel, choose_embedder

ROOT = Path(__file__).parents[3]
LONG = "The weather was fine and the birds sang in the trees. " * 60


def likeness(first: list[float], second: list[float]) -> float:
    return float(np.dot(first, second))


def test_the_end_of_a_long_text_counts_as_much_as_its_beginning() -> None:
    needle = "Forty volunteers with diabetes took insulin. " * 10
    question, first, last, without = choose_embedder(EmbeddingModel()).embed(
        ["Insulin for diabetes", needle + LONG, LONG + needle, LONG]
    )
    assert likeness(question, last) > likeness(question, without) + 0.05
    assert likeness(question, last) == pytest.approx(likeness(question, first), abs=0.1)


def test_vectors_are_computed_without_torch() -> None:
    program = (
        "import sys; from tools.retrieval.embedders import EmbeddingModel, choose_embedder\n"
        "choose_embedder(EmbeddingModel()).embed(['Moss'])\n"
        "sys.exit(bool({'torch', 'transformers', 'sentence_transformers'} & sys.modules.keys()))"
    )
    subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=True)


def test_a_folder_of_sentence_transformers_weights_gives_the_same_vectors_through_torch() -> None:
    texts = ["Forty volunteers were enrolled.", LONG, "", "細胞 🙂 β"]
    folder = choose_embedder(EmbeddingModel(str(locate_packaged_encoder())))
    assert np.allclose(folder.embed(texts), choose_embedder(EmbeddingModel()).embed(texts), atol=1e-5)


def test_without_torch_another_model_is_refused_with_the_extra_that_brings_it(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['sentence_transformers'] = None\n"
        "from tools.retrieval.embedders import EmbeddingModel, choose_embedder\n"
        "choose_embedder(EmbeddingModel('some/model')).embed(['Moss'])"
    )
    failed = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "'some/model' needs torch: pip install 'draftroom[encoders]'" in failed.stderr.splitlines()[-1]


def test_a_folder_without_weights_is_reported_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RetrievalUnavailableError, match="cannot be loaded; set it to 'all-MiniLM-L6-v2'"):
        choose_embedder(EmbeddingModel(str(tmp_path))).embed(["Mosses"])


def test_an_endpoint_answers_one_vector_for_each_text_in_order(fake_endpoint: FakeEndpoint) -> None:
    texts = ["Mosses", "dry out", "in summer"]
    vectors = choose_embedder(EmbeddingModel("large", fake_endpoint.base_url)).embed(texts)
    assert vectors == [pytest.approx(embed(text)) for text in texts]
    (request,) = fake_endpoint.requests
    assert (request.model, request.body["input"]) == ("large", texts)


def test_the_key_comes_from_the_variable_that_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOSS_KEY", "secret")
    with FakeEndpoint(api_key="secret") as endpoint:
        assert choose_embedder(EmbeddingModel("large", endpoint.base_url, "MOSS_KEY")).embed(["Mosses"])


@pytest.mark.parametrize(
    ("choice", "text", "advice"),
    [
        (("large", "NO_SUCH_KEY"), "Mosses", "refuses the key; put the right one into .* NO_SUCH_KEY"),
        (("tiny", "MOSS_KEY"), "Mosses", "does not serve 'tiny'; name a model"),
        (("large", "MOSS_KEY"), None, "answered with status 400; look at its log"),
    ],
)
def test_a_refusal_is_reported_with_what_to_do(
    choice: tuple[str, str], text: str | None, advice: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOSS_KEY", "secret")
    with FakeEndpoint(api_key="secret") as endpoint, pytest.raises(RetrievalUnavailableError, match=advice) as refusal:
        choose_embedder(EmbeddingModel(choice[0], endpoint.base_url, choice[1])).embed([text] if text else [])
    assert "secret" not in str(refusal.value)
    assert refusal.value.kind == "retrieval_failed"
