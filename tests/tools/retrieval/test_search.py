"""Searching papers: dense, by words, and both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from state.documents import Document, Passage
from state.settings import EmbeddingSettings, FeedbackSettings, RetrievalMode
from tests.fake_endpoint import FakeEndpoint
from tests.support.processes import run_module
from tests.tools.retrieval.papers import numbered_paper, paper, short_segments
from tools.retrieval.search import find_passages, fuse_rankings

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


@pytest.fixture
def endpoint(fake_endpoint: FakeEndpoint) -> EmbeddingSettings:
    return EmbeddingSettings(model="large", base_url=fake_endpoint.base_url)


def search(documents: list[Document], question: str, number: int = 5, **chosen: Any) -> list[Passage]:
    return find_passages(documents, question, FeedbackSettings(**chosen), number)


def texts(passages: list[Passage]) -> list[str]:
    return [passage["text"] for passage in passages]


def first_words(document: Document, mode: RetrievalMode, question: str, k: int = 1) -> list[str]:
    return [text[:12] for text in texts(find_passages([document], question, short_segments(retrieval=mode), k))]


def test_embeddings_find_a_paraphrase_that_words_do_not() -> None:
    assert first_words(STUDY, "dense", PARAPHRASE) == ["Forty-two vo"]
    assert first_words(STUDY, "bm25", PARAPHRASE) == []
    assert first_words(STUDY, "hybrid", PARAPHRASE) == ["Forty-two vo"]


def test_hybrid_finds_what_either_finds() -> None:
    question = f"{PARAPHRASE} XK-42"
    assert first_words(STUDY, "bm25", question) == ["The XK-42 bu"]
    assert first_words(STUDY, "dense", question) == ["Forty-two vo"]
    assert set(first_words(STUDY, "hybrid", question, k=2)) == {"Forty-two vo", "The XK-42 bu"}


def test_words_alone_need_no_embedding_model(fake_endpoint: FakeEndpoint, endpoint: EmbeddingSettings) -> None:
    assert search([STUDY], "mosses", embedding=endpoint, retrieval="bm25")
    assert fake_endpoint.requests == []


@pytest.mark.parametrize("mode", ["dense", "bm25", "hybrid"])
def test_excluded_paragraphs_are_left_out(mode: RetrievalMode, endpoint: EmbeddingSettings) -> None:
    question, chosen = "mosses dried, rainfall in the valley", short_segments(embedding=endpoint, retrieval=mode)
    assert any("Mosses" in text for text in texts(find_passages([STUDY], question, chosen, 5)))
    rest = find_passages([STUDY], question, chosen, 5, {"p4"})
    assert not any("Mosses" in text for text in texts(rest))
    assert any("Rainfall" in text for text in texts(rest))


def test_a_segment_that_holds_more_than_excluded_paragraphs_stays(endpoint: EmbeddingSettings) -> None:
    chosen = FeedbackSettings(embedding=endpoint)
    assert find_passages([STUDY], "mosses", chosen, 5, {"p4"})
    assert find_passages([STUDY], "mosses", chosen, 5, {f"p{n}" for n in range(1, 7)}) == []


def test_exclusion_does_not_shorten_the_answer(endpoint: EmbeddingSettings) -> None:
    many = numbered_paper(300)
    excluded = {f"p{number}" for number in range(1, 251)}
    assert len(find_passages([many], "number0001 weighed", short_segments(embedding=endpoint), 20, excluded)) == 20


def test_a_paper_that_is_given_twice_is_searched_once(endpoint: EmbeddingSettings) -> None:
    assert len(search([STUDY, STUDY], "mosses", embedding=endpoint)) == 1


@pytest.mark.parametrize("mode", ["dense", "bm25", "hybrid"])
@pytest.mark.parametrize("documents", [[], [paper()], [paper("", " \n")]])
def test_nothing_is_found_where_there_is_no_text(
    documents: list[Document], mode: RetrievalMode, endpoint: EmbeddingSettings
) -> None:
    assert search(documents, "mosses", embedding=endpoint, retrieval=mode) == []


def test_texts_of_an_own_retriever_have_the_place_where_they_stand(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "tests.tools.retrieval.papers:make_excerpt_retriever"
    monkeypatch.setenv("DRAFTROOM_ALLOWED_CODE", code)
    chosen = short_segments(retriever=code)
    found = find_passages([STUDY], "Which mosses?", chosen, 2)
    assert [(passage["text"], passage["section"]) for passage in found] == [
        ("Mosses from the northern slope", "Methods"),
        ("Words of nowhere", ""),
    ]
    assert texts(find_passages([STUDY], "Which mosses?", chosen, 2, {"p4"})) == ["Words of nowhere", "Rainfall"]


def test_the_packaged_model_needs_no_network_says_nothing_and_lets_the_process_end(tmp_path: Path) -> None:
    file = tmp_path / "paper.json"
    file.write_text(json.dumps(STUDY), encoding="utf-8")
    process = run_module("tests.tools.retrieval.asking", file, PARAPHRASE)
    assert (process.returncode, process.stderr) == (0, "")
    assert process.stdout.startswith("Forty-two volunteers")


@settings(deadline=None)
@given(RANKINGS)
def test_every_item_is_there_once_best_first(rankings: list[list[int]]) -> None:
    fused = fuse_rankings(rankings)
    assert sorted(fused) == sorted({item for ranking in rankings for item in ranking})
    scores = [sum(1 / (61 + ranking.index(item)) for ranking in rankings if item in ranking) for item in fused]
    assert scores == pytest.approx(sorted(scores, reverse=True))
