"""What each extension of science journalism does, and that nothing of it is left without it."""

from __future__ import annotations

import pytest

from tests.fake_endpoint import FakeEndpoint
from tests.support.newsroom import EASY, HARD, PAPER, Newsroom, article, review, run, steps

WRONG = article("Doctors in Oslo looked at the bones of 212 adults.", "A drug made the bones 47% denser.")
COPIED = f"{PAPER} {HARD}"
ROUND = ["take_notes", "advise", "revise_draft"]


async def test_the_editor_is_asked_about_details_that_the_paper_does_not_have(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(write_draft=[WRONG], advise=[review()])
    result = await run(fake_endpoint, rounds=1, extensions="unsupported_details")
    _, _, editor, journalist = fake_endpoint.chat_requests
    assert '1. "47%" in "A drug made the bones 47% denser."' in editor.text
    assert "it may stay" in editor.text
    assert result["reviews"][0]["text"] == review(), "code writes no advice on them: it may be an explanation"
    assert "47%" not in journalist.text.split("# The editor's advice")[1]


async def test_without_extensions_details_are_measured_and_no_agent_is_told(fake_endpoint: FakeEndpoint) -> None:
    drafts = f"{WRONG}\n\n{HARD}"
    fake_endpoint.answer = Newsroom(write_draft=[drafts], revise_draft=[drafts])
    result = await run(fake_endpoint, rounds=1, extensions="none")
    assert [fact["text"] for fact in result["assessments"][0]["unsupported"]] == ["47%"]
    assert steps(fake_endpoint) == ["write_draft", *ROUND], "what is copied stays"
    editor = fake_endpoint.chat_requests[2]
    assert "a check did not find" not in editor.text
    assert editor.text.count(HARD) == 1, "in the article"


async def test_a_short_paper_is_its_own_first_draft_with_the_extension(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = copying("Doctors gave zoledronate.")
    result = await run(fake_endpoint, f"# Bones\n\n## Abstract\n\n{COPIED}", rounds=1, extensions="begin_with_paper")
    assert result["drafts"][0]["text"].split() == f"# Bones {COPIED}".split()
    assert steps(fake_endpoint) == ROUND, "nobody is asked for a draft, and it is revised like any other"
    untitled = await run(fake_endpoint, COPIED, rounds=1, extensions="begin_with_paper")
    assert untitled["drafts"][0]["text"].split() == COPIED.split()


async def test_it_is_said_when_the_article_is_still_the_paper(fake_endpoint: FakeEndpoint) -> None:
    for revision, still_the_paper in ((PAPER, False), (f"{HARD} {HARD}", True)):
        fake_endpoint.answer = copying(copied=revision)
        result = await run(fake_endpoint, COPIED, rounds=1, select="best", extensions="begin_with_paper")
        assert any("the paper's own text" in warning for warning in result["warnings"]) is still_the_paper


async def test_a_long_paper_gets_a_first_draft_all_the_same(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = copying("Doctors gave zoledronate.")
    await run(fake_endpoint, " ".join([COPIED] * 40), rounds=1, extensions="begin_with_paper")
    assert steps(fake_endpoint) == ["write_draft", *ROUND]


async def test_sentences_that_were_copied_from_the_paper_are_rewritten_one_by_one(fake_endpoint: FakeEndpoint) -> None:
    easier = "Doctors gave zoledronate. It made the bones take up substantial minerals."
    fake_endpoint.answer = copying("It is fun. We like it.", easier)
    result = await run(fake_endpoint, f"{EASY} {COPIED}", rounds=1, select="last", extensions="rewrite_copied")
    assert steps(fake_endpoint) == ["write_draft", *ROUND, "rewrite_copied", "rewrite_copied"]
    first, second = fake_endpoint.chat_requests[-2:]
    assert f"# The hard sentence\n\n{EASY}\n" in first.text
    assert f"# The hard sentence\n\n{HARD}\n" in second.text
    assert COPIED in second.text, "it is rewritten with the paper in sight"
    assert [draft["round"] for draft in result["drafts"]] == [0, 1]
    assert result["article"] == f"# Stronger bones\n\n{EASY}\n\n{easier}\n"


async def test_no_more_copied_sentences_are_rewritten_than_the_limit(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = copying("Bones got denser.")
    await run(fake_endpoint, f"{EASY} {COPIED}", rounds=1, extensions="rewrite_copied", limits={"rewrites": 1})
    assert steps(fake_endpoint).count("rewrite_copied") == 1


async def test_a_sentence_in_words_of_its_own_stays(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = copying("Zoledronate helped.")
    result = await run(fake_endpoint, rounds=1, select="last", extensions="rewrite_copied")
    assert steps(fake_endpoint) == ["write_draft", *ROUND]
    assert HARD in result["article"]


@pytest.mark.parametrize(
    "worse",
    [
        f"Notwithstanding uncertainties, {HARD[:-1]} and immunological interrelationships.",
        "This is good for us. We like it a lot. It is fun.",
        "Zoledronate gave substantial mineralisation to 999 adults.",
        "Zoledronate decreased the mineralisation of bones.",
    ],
    ids=["harder", "about something else", "not in the paper", "turned round"],
)
async def test_a_rewritten_sentence_that_is_no_better_is_left_out(fake_endpoint: FakeEndpoint, worse: str) -> None:
    fake_endpoint.answer = copying(worse)
    result = await run(fake_endpoint, COPIED, rounds=1, select="last", extensions="all")
    assert steps(fake_endpoint)[-1] == "rewrite_copied"
    assert HARD in result["article"]


async def test_a_rewritten_sentence_that_leaves_a_doubt_out_is_left_out(fake_endpoint: FakeEndpoint) -> None:
    doubt = f"{HARD[:-1]}, which probably prevented osteoporotic fractures."
    fake_endpoint.answer = copying("Zoledronate prevented fractures.", copied=doubt)
    result = await run(fake_endpoint, f"{COPIED} {doubt}", rounds=1, select="last", extensions="rewrite_copied")
    assert doubt in result["article"]


async def test_nonsense_instead_of_a_rewritten_sentence_leaves_the_revision(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = copying("1.", "2.")
    result = await run(fake_endpoint, COPIED, rounds=1, select="last", extensions="rewrite_copied")
    assert HARD in result["article"]
    assert sum(call["step"] == "rewrite_copied" for call in result["calls"]) == 2


def copying(*easy: str, copied: str = HARD) -> Newsroom:
    """A journalist that copies a sentence of the paper, and says it in these words when it is asked for it."""
    return Newsroom(
        write_draft=[article(EASY, copied)],
        advise=[review("Say it in everyday words.")],
        revise_draft=[article(EASY, copied)],
        rewrite_copied=list(easy),
    )
