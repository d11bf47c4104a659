"""Searching papers: dense, by words, and both."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.documents import Document, Passage
from state.errors import RetrievalUnavailableError
from state.settings import RetrievalMode
from tests.fake_endpoint import FakeEndpoint
from tests.tools.retrieval.papers import numbered_paper, paper
from tools.retrieval import EmbeddingModel, find_passages
from tools.retrieval.search import fuse_rankings

RANKINGS = st.lists(st.lists(st.integers(0, 9), unique=True), max_size=4)

STUDY = paper(
    "Forty-two volunteers were enrolled between May and July.",
    "The XK-42 buffer was kept on ice and stirred before use.",
    "Spectra were recorded with a fibre probe in the dark room.",
    "Mosses from the northern slope had dried for three weeks.",
    "Rainfall was taken from the nearest station of the valley.",
    "All images were coded, then scored by two blinded readers.",
)
PARAPHRASE = "How many people took part in the study?"
search_paragraphs = partial(find_passages, segment_characters=60, overlap=0)


@pytest.fixture
def endpoint(fake_endpoint: FakeEndpoint) -> EmbeddingModel:
    return EmbeddingModel("large", fake_endpoint.base_url)


def texts(passages: list[Passage]) -> list[str]:
    return [passage["text"] for passage in passages]


def first_words(document: Document, mode: RetrievalMode, question: str, k: int = 1) -> list[str]:
    return [
        text[:12] for text in texts(search_paragraphs([document], question, embedding=EmbeddingModel(), mode=mode, k=k))
    ]


def test_embeddings_find_a_paraphrase_that_words_do_not() -> None:
    assert first_words(STUDY, "dense", PARAPHRASE) == ["Forty-two vo"]
    assert first_words(STUDY, "bm25", PARAPHRASE) == []
    assert first_words(STUDY, "hybrid", PARAPHRASE) == ["Forty-two vo"]


def test_hybrid_finds_what_either_finds() -> None:
    question = f"{PARAPHRASE} XK-42"
    assert first_words(STUDY, "bm25", question) == ["The XK-42 bu"]
    assert first_words(STUDY, "dense", question) == ["Forty-two vo"]
    assert set(first_words(STUDY, "hybrid", question, k=2)) == {"Forty-two vo", "The XK-42 bu"}


def test_a_passage_says_where_it_comes_from(endpoint: EmbeddingModel) -> None:
    found = paper("Ferns need shade.", section="Results", title="On ferns")
    mine, other = find_passages([STUDY, found], "mosses dried", embedding=endpoint)
    assert (mine["title"], mine["section"]) == ("On mosses", "Methods")
    assert (other["title"], other["section"]) == ("On ferns", "Results")
    assert other["id"] == f"{found['sha256'][:12]}:1"


@pytest.mark.parametrize("mode", ["dense", "bm25", "hybrid"])
def test_passages_are_the_k_best_with_the_best_first(mode: RetrievalMode, endpoint: EmbeddingModel) -> None:
    passages = search_paragraphs([STUDY], "mosses from the northern slope, dried", embedding=endpoint, mode=mode, k=3)
    scores = [passage["score"] for passage in passages]
    assert passages[0]["text"].startswith("Mosses from")
    assert scores == sorted(scores, reverse=True)
    assert 1 <= len(scores) <= 3


def test_words_alone_need_no_embedding_model(fake_endpoint: FakeEndpoint, endpoint: EmbeddingModel) -> None:
    assert find_passages([STUDY], "mosses", embedding=endpoint, mode="bm25")
    assert fake_endpoint.requests == []


@pytest.mark.parametrize("mode", ["dense", "bm25", "hybrid"])
def test_excluded_paragraphs_are_left_out(mode: RetrievalMode, endpoint: EmbeddingModel) -> None:
    ask = partial(search_paragraphs, [STUDY], "mosses dried, rainfall in the valley", embedding=endpoint, mode=mode)
    assert any("Mosses" in text for text in texts(ask()))
    rest = ask(exclude_paragraphs={"p4"}, k=5)
    assert not any("Mosses" in text for text in texts(rest))
    assert any("Rainfall" in text for text in texts(rest))


def test_a_segment_that_holds_more_than_excluded_paragraphs_stays(endpoint: EmbeddingModel) -> None:
    assert find_passages([STUDY], "mosses", embedding=endpoint, exclude_paragraphs={"p4"})
    assert find_passages([STUDY], "mosses", embedding=endpoint, exclude_paragraphs={f"p{n}" for n in range(1, 7)}) == []


def test_exclusion_does_not_shorten_the_answer(endpoint: EmbeddingModel) -> None:
    many = numbered_paper(300)
    excluded = {f"p{number}" for number in range(1, 251)}
    passages = search_paragraphs([many], "number0001 weighed", embedding=endpoint, exclude_paragraphs=excluded, k=20)
    assert len(passages) == 20


def test_a_paper_that_is_given_twice_is_searched_once(endpoint: EmbeddingModel) -> None:
    assert len(find_passages([STUDY, STUDY], "mosses", embedding=endpoint)) == 1


@pytest.mark.parametrize("mode", ["dense", "bm25", "hybrid"])
@pytest.mark.parametrize("documents", [[], [paper()], [paper("", " \n")]])
def test_nothing_is_found_where_there_is_no_text(
    documents: list[Document], mode: RetrievalMode, endpoint: EmbeddingModel
) -> None:
    assert find_passages(documents, "mosses", embedding=endpoint, mode=mode) == []


def test_an_empty_question_finds_nothing(fake_endpoint: FakeEndpoint, endpoint: EmbeddingModel) -> None:
    assert find_passages([STUDY], " \n", embedding=endpoint) == []
    assert fake_endpoint.requests == []


def test_text_of_any_script_is_found(endpoint: EmbeddingModel) -> None:
    document = paper("細胞 🙂 wurden gezählt.", "Ærøskøbing — naïve β-Catenin.")
    (passage,) = find_passages([document], "細胞", embedding=endpoint)
    assert passage["text"] == "細胞 🙂 wurden gezählt.\n\nÆrøskøbing — naïve β-Catenin."


def test_an_endpoint_that_is_down_is_reported() -> None:
    with FakeEndpoint() as gone:
        embedding = EmbeddingModel("large", gone.base_url)
    with pytest.raises(RetrievalUnavailableError, match="start it, or correct its address"):
        find_passages([STUDY], "mosses", embedding=embedding)


def test_the_packaged_model_needs_no_network_says_nothing_and_lets_the_process_end(tmp_path: Path) -> None:
    file = tmp_path / "paper.json"
    file.write_text(json.dumps(STUDY), encoding="utf-8")
    command = [sys.executable, "-m", "tests.tools.retrieval.asking", str(file), PARAPHRASE]
    process = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.startswith("Forty-two volunteers")


@settings(deadline=None)
@given(RANKINGS)
def test_every_item_is_there_once_best_first(rankings: list[list[int]]) -> None:
    fused = fuse_rankings(rankings)
    assert sorted(item for item, _ in fused) == sorted({item for ranking in rankings for item in ranking})
    assert [score for _, score in fused] == sorted((score for _, score in fused), reverse=True)
