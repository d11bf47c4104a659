"""What becomes of the journalist's drafts: what code mends in them, which one is returned, and when it is enough."""

from __future__ import annotations

import pytest

from state.errors import ModelOutputError
from tests.fake_endpoint import FakeEndpoint, Reply, Script, Text, Truncated
from tests.support.newsroom import DRAFT, EASY, HARD, Newsroom, article, notes, review, run


async def test_best_is_the_easiest_draft_among_those_that_keep_the_facts(fake_endpoint: FakeEndpoint) -> None:
    easiest_but_false = article(f"{EASY} It was 99% of us.", "It was fun. We are glad. So are you.")
    fake_endpoint.answer = Newsroom(
        write_draft=[article(HARD, HARD)], revise_draft=[article(EASY, EASY), easiest_but_false, article(HARD, EASY)]
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
        write_draft=[article(HARD, HARD)], revise_draft=[article(EASY, EASY), article(EASY, EASY), article(EASY, EASY)]
    )
    result = await run(fake_endpoint, rounds=10, stop="converged")
    assert result["stop_reason"] == "converged"
    assert len(result["drafts"]) == 3


async def test_best_never_is_a_draft_that_lost_the_subject(fake_endpoint: FakeEndpoint) -> None:
    recipe = article("This is how to bake a pie.", "Mix it and let it be.")
    fake_endpoint.answer = Newsroom(write_draft=[article()], revise_draft=[recipe])
    result = await run(fake_endpoint, rounds=1, select="best")
    assert result["assessments"][1]["mean_grade"] < result["assessments"][0]["mean_grade"]
    assert result["selected_round"] == 0


@pytest.mark.parametrize("select", ["best", "last"])
async def test_an_article_on_something_else_is_returned_with_a_warning(
    fake_endpoint: FakeEndpoint, select: str
) -> None:
    recipe = article("This is how to bake a pie.", "Mix it and let it be.")
    fake_endpoint.answer = Newsroom(write_draft=[recipe], revise_draft=[recipe])
    extensions = ["doubtful_sentences"]
    warning, *named = (await run(fake_endpoint, rounds=1, select=select, extensions=extensions))["warnings"]
    assert "hardly about its source" in warning
    assert named
    assert all("the source does not seem to say this" in each for each in named)
    fake_endpoint.answer = Newsroom(write_draft=[recipe], revise_draft=[recipe])
    assert (await run(fake_endpoint, rounds=1, select=select, extensions=[]))["warnings"] == [warning]


async def test_an_article_about_the_paper_has_no_warning(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(write_draft=[article()])
    assert (await run(fake_endpoint, rounds=0, extensions=["doubtful_sentences"]))["warnings"] == []


UNUSUAL = "Bones grew denser. They grew by 3.5\n\n## So what? {}\n\nIt **depends**:"
FORMS = {
    "label": f"## Article\n\n# Dr. Who. On bones.\n\n{UNUSUAL}",
    "bold label": f"Here is the article:\n\n**Article:**\n# Dr. Who. On bones.\n\n{UNUSUAL}",
    "no label": f"# Dr. Who. On bones.\n\n{UNUSUAL}",
    "announced": f"Here is the article:\n\n## Dr. Who. On bones.\n{UNUSUAL}",
    "labelled headline": f"**Headline:** Dr. Who. On bones.\n\n{UNUSUAL}",
    "bold headline": f"**Dr. Who. On bones.**\n\n{UNUSUAL}",
    "revision": f"## Improvement\n\n1. Be brief.\n\n## Revised Article\n\n# Dr. Who. On bones.\n\n{UNUSUAL}",
    "improvement below": f"# Dr. Who. On bones.\n\n{UNUSUAL}\n\n**Improvement:**\n\n1. Be brief.",
    "improvement alone": f"## Improvement\n\n1. Be brief.\n\n# Dr. Who. On bones.\n\n{UNUSUAL}",
    "fence": f"```markdown\n# Dr. Who. On bones.\n\n{UNUSUAL}\n```",
}


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
async def test_an_article_is_returned_as_it_was_written(fake_endpoint: FakeEndpoint, form: str) -> None:
    fake_endpoint.answer = Script([Text(form)])
    result = await run(fake_endpoint, rounds=0)
    assert result["article"] == f"# Dr. Who. On bones.\n\n{UNUSUAL}\n"
    assert result["drafts"][0]["improvements"] in {"", "1. Be brief."}
    assert len(fake_endpoint.chat_requests) == 1


NO_ARTICLE = {
    "nothing": Text(""),
    "a headline": Text("## Article\n\n# Stronger bones"),
    "no words": Text("# Stronger bones\n\n---\n\n1. "),
    "improvements alone": Text("## Improvement\n\n1. Be brief.\n2. Be clear."),
    "an improvement alone": Text("## Improvement\n\nI will be brief, and say it clearly."),
    "cut off": Truncated(article()),
    "a rule of its prompt": Text(
        f"{article()}\n\nThe article stands for itself: no figures, tables, references or links."
    ),
}


@pytest.mark.parametrize("answer", NO_ARTICLE.values(), ids=NO_ARTICLE)
async def test_what_is_no_article_is_asked_for_once_again_and_is_no_result(
    fake_endpoint: FakeEndpoint, answer: Reply
) -> None:
    fake_endpoint.answer = Script([answer, Text(article()), answer, answer])
    result = await run(fake_endpoint, rounds=0)
    assert DRAFT[0] in result["article"]
    assert [call["reask"] for call in result["calls"]] == [False, True]
    with pytest.raises(ModelOutputError):
        await run(fake_endpoint, rounds=0)


async def test_the_headline_is_no_sentence_of_the_article(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Newsroom(write_draft=["\n\n".join(DRAFT), f"# {HARD}\n\n{DRAFT[0]}\n\n{DRAFT[1]}"])
    bare, headed = [(await run(fake_endpoint, rounds=0))["assessments"][0] for _ in range(2)]
    assert headed == bare


async def test_a_model_that_rambles_on_has_as_many_tokens_as_its_limits_ask_for(fake_endpoint: FakeEndpoint) -> None:
    few = {"terms": 2, "advice": 3, "improvements": 2, "note_words": 20, "quote_words": 10, "advice_words": 20}
    models = {"default": {"base_url": fake_endpoint.base_url, "model": "large", "schema_limits": True}}
    await run(fake_endpoint, rounds=1, limits=few, models=models)
    assert [request.body["max_tokens"] for request in fake_endpoint.chat_requests] == [2480, 200, 240, 2480]


async def test_lists_that_are_cut_off_are_used_to_their_last_whole_line(fake_endpoint: FakeEndpoint) -> None:
    noted = notes(("zoledronate", "A drug."), ("mineralisation", "Bones take up min"))
    fake_endpoint.answer = Script(
        [Text(article()), Truncated(noted), Truncated(f"{review('Name the drug.')}\n2. Say wh"), Text(article())]
    )
    result = await run(fake_endpoint, rounds=1)
    assert "A drug." in result["notes"][0]["text"]
    assert "Bones take up" not in result["notes"][0]["text"]
    assert result["reviews"][0]["text"] == review("Name the drug.")
    assert [bool(call["cuts"]) for call in result["calls"]] == [False, True, True, False]
