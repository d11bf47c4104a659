"""What becomes of the journalist's drafts: what code mends in them, which one is returned, and when it is enough."""

from __future__ import annotations

import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import DRAFT, EASY, HARD, Newsroom, article, run


async def test_best_is_the_easiest_draft_among_those_that_keep_the_facts(fake_endpoint: FakeEndpoint) -> None:
    easiest_but_false = article(f"{EASY} It was 99% of us.", "It was fun. We are glad. So are you.")
    fake_endpoint.answer = Newsroom(
        Article=[article(HARD, HARD)], RevisedArticle=[article(EASY, EASY), easiest_but_false, article(HARD, EASY)]
    )
    result = await run(fake_endpoint, rounds=3, select="best")
    grades = [assessment["mean_grade"] for assessment in result["assessments"]]
    assert min(grades) == grades[2]
    assert result["selected_round"] == 1
    assert EASY in result["article"]


@pytest.mark.parametrize(("select", "rounds", "chosen"), [("third", 5, 3), ("third", 2, 2), ("last", 4, 4)])
async def test_third_and_last(fake_endpoint: FakeEndpoint, select: str, rounds: int, chosen: int) -> None:
    result = await run(fake_endpoint, rounds=rounds, select=select)
    assert result["selected_round"] == chosen
    assert result["article"] == result["drafts"][chosen]["text"]


async def test_converged_stops_at_the_round_that_reads_no_easier(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(
        Article=[article(HARD, HARD)], RevisedArticle=[article(EASY, EASY), article(EASY, EASY), article(EASY, EASY)]
    )
    result = await run(fake_endpoint, rounds=10, stop="converged")
    assert result["stop_reason"] == "converged"
    assert len(result["drafts"]) == 3


async def test_converged_still_ends_at_its_cap(fake_endpoint: FakeEndpoint) -> None:
    easier = [article(*[" ".join(["We see it."] * (3 + number))] * 2) for number in range(4)]
    fake_endpoint.answer = Newsroom(Article=[article(HARD, HARD)], RevisedArticle=easier)
    result = await run(fake_endpoint, rounds=2, stop="converged", min_improvement=0)
    assert result["stop_reason"] in {"rounds done", "converged"}
    assert len(result["drafts"]) <= 3


async def test_best_never_is_a_draft_that_lost_the_subject(fake_endpoint: FakeEndpoint) -> None:
    recipe = article("This is how to bake a pie.", "Mix it and let it be.")
    fake_endpoint.answer = Newsroom(Article=[article()], RevisedArticle=[recipe])
    result = await run(fake_endpoint, rounds=1, select="best")
    assert result["assessments"][1]["mean_grade"] < result["assessments"][0]["mean_grade"]
    assert result["selected_round"] == 0


@pytest.mark.parametrize("select", ["best", "last"])
async def test_an_article_on_something_else_is_returned_with_a_warning(
    fake_endpoint: FakeEndpoint, select: str
) -> None:
    recipe = article("This is how to bake a pie.", "Mix it and let it be.")
    fake_endpoint.answer = Newsroom(Article=[recipe], RevisedArticle=[recipe])
    extensions = ["doubtful_sentences"]
    warning, *named = (await run(fake_endpoint, rounds=1, select=select, extensions=extensions))["warnings"]
    assert "hardly about its source" in warning
    assert named
    assert all("the source does not seem to say this" in each for each in named)


async def test_without_extensions_no_sentence_is_named(fake_endpoint: FakeEndpoint) -> None:
    recipe = article("This is how to bake a pie.", "Mix it and let it be.")
    fake_endpoint.answer = Newsroom(Article=[recipe], RevisedArticle=[recipe])
    (warning,) = (await run(fake_endpoint, rounds=1, extensions=[]))["warnings"]
    assert "hardly about its source" in warning


async def test_an_article_about_the_paper_has_no_warning(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(Article=[article()])
    assert (await run(fake_endpoint, rounds=0))["warnings"] == []


async def test_an_article_is_returned_as_it_was_written(fake_endpoint: FakeEndpoint) -> None:
    unusual = ["Bones grew denser. Bones grew denser. They grew by 3.5", "So what? {} It depends:"]
    fake_endpoint.answer = Newsroom(Article=[{"paragraphs": unusual, "title": "# Dr. Who. On\nbones."}])
    result = await run(fake_endpoint, rounds=0)
    assert result["article"] == "# Dr. Who. On bones.\n\n" + "\n\n".join(unusual) + "\n"


async def test_an_article_of_a_single_paragraph_is_one(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(Article=[article(DRAFT[0])])
    assert DRAFT[0] in (await run(fake_endpoint, rounds=0))["article"]
    assert len(fake_endpoint.chat_requests) == 1


@pytest.mark.parametrize("paragraphs", [[], [""], ["---", " 1. "]], ids=["none", "empty", "no words"])
async def test_an_article_without_words_is_asked_for_again(fake_endpoint: FakeEndpoint, paragraphs: list[str]) -> None:
    fake_endpoint.answer = Newsroom(Article=[{"paragraphs": paragraphs, "title": "Stronger bones"}, article()])
    assert DRAFT[0] in (await run(fake_endpoint, rounds=0))["article"]
    assert len(fake_endpoint.chat_requests) == 2
