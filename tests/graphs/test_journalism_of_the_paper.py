"""`--preset paper` is LLM-CLBR: who is asked, in which order, with what in the prompt, and sampled how.

All of it is read from what reached the endpoint.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import pytest

from graphs.science_journalism import graph
from tests.fake_endpoint import FakeEndpoint, RecordedRequest
from tests.support.newsroom import HARD, PAPER, Newsroom, article, notes, review, steps
from tests.support.steps import asked_for, list_headings

LARGE, SMALL, TUNED = "qwen1.5-7b-chat", "qwen1.5-1.8b-chat", "tuned"
ROUNDS = 5
SENTENCE_OF_THE_PAPER = "Adverse events occurred in 3.5% of patients."
PARTS = ["Your role", "Your task", "Steps", "Rules"]
JOURNALIST = ["The paper", "Your role", "Rules", "Your task", "Steps"]
ROUND = ["take_notes", "advise", "revise_draft"]


def version(number: int) -> str:
    """The article of a round: it has a hard sentence and an unsupported detail, which would call the extensions up."""
    return article(f"This is version {number}. It helped 47% of us.", HARD)


def open_endpoint() -> FakeEndpoint:
    newsroom = Newsroom(
        write_draft=[version(0)],
        revise_draft=[version(number) for number in range(1, ROUNDS + 1)],
        take_notes=[notes(("zoledronate", f"NOTE-{number}")) for number in range(ROUNDS)],
        advise=[review(f"ADVICE-{number}", "Be brief.") for number in range(ROUNDS)],
    )
    return FakeEndpoint(models={LARGE: 32_768, SMALL: 32_768, TUNED: 32_768}, answer=newsroom)


@pytest.fixture
def endpoint() -> Iterator[FakeEndpoint]:
    with open_endpoint() as opened:
        yield opened


@pytest.fixture(scope="module")
def whole(run_once: Callable[[Awaitable[Any]], Any]) -> Iterator[tuple[FakeEndpoint, dict[str, Any]]]:
    """The endpoint of a run with the preset alone, and its result."""
    with open_endpoint() as opened:
        yield opened, run_once(run(opened))


async def run(endpoint: FakeEndpoint, **choices: Any) -> dict[str, Any]:
    here = {"base_url": endpoint.base_url, "retry_wait_s": 0}
    models = {"default": here, "reader": here, "warm_start": {**here, "model": TUNED}}
    context = {"preset": "paper", "models": models, **choices}
    return await graph.ainvoke({"paper": PAPER}, context=context)


def headings(request: RecordedRequest) -> list[str]:
    """The parts of a prompt, without the article's own heading."""
    return [heading for heading in list_headings(request) if heading != "Stronger bones"]


def test_who_is_asked_in_which_order_and_what_is_returned(whole: tuple[FakeEndpoint, dict[str, Any]]) -> None:
    endpoint, result = whole
    assert steps(endpoint) == ["write_draft", *ROUND * ROUNDS]
    assert [request.model for request in endpoint.chat_requests] == [LARGE, *[SMALL, LARGE, LARGE] * ROUNDS]
    assert result["settings"]["journalism"]["extensions"] == []
    assert (result["selected_round"], result["stop_reason"]) == (3, "rounds done")
    assert "This is version 3." in result["article"]
    assert all(not call["reask"] and not call["cuts"] for call in result["calls"])
    models, limits, asked_again, words = result["not_as_published"]
    assert f"played by {LARGE}, {SMALL}, in" in models
    assert "limits" in limits
    assert "once more" in asked_again
    assert "300 words" in words


def test_what_each_sees_and_how_it_is_sampled(whole: tuple[FakeEndpoint, dict[str, Any]]) -> None:
    endpoint, _ = whole
    (draft,) = asked_for(endpoint, "write_draft")
    assert headings(draft) == [*JOURNALIST, "Output"]
    rounds = zip(*(asked_for(endpoint, step) for step in ROUND), strict=True)
    for number, (reader, editor, journalist) in enumerate(rounds):
        assert headings(reader) == [*PARTS, "The article", "Output"]
        assert headings(editor) == ["The paper", *PARTS, "The article", "The reader's notes", "Output"]
        assert headings(journalist) == [*JOURNALIST, "The article", "The editor's advice", "Output"]
        for request in (reader, editor, journalist):
            assert re.findall(r"This is version (\d)", request.text) == [str(number)]
            assert request.text.count(HARD) == request.text.count("47%") == 1, "in the article alone"
        assert not re.search(r"NOTE|ADVICE", reader.text)
        assert SENTENCE_OF_THE_PAPER not in reader.text
        assert f"# The reader's notes\n\n{notes(('zoledronate', f'NOTE-{number}'))}\n" in editor.text
        assert f"# The editor's advice\n\n1. ADVICE-{number}\n2. Be brief.\n\n# Output" in journalist.text
        assert not re.search("NOTE|The notes are mostly right", journalist.text), "the evaluation is the editor's"
    for request in endpoint.chat_requests:
        assert PAPER in request.text or request.model == SMALL
        sampling = {name: request.body.get(name) for name in ("top_p", "frequency_penalty", "repetition_penalty")}
        assert sampling == {"top_p": 0.4, "frequency_penalty": 1, "repetition_penalty": 1}
        assert (request.body.get("max_tokens") or request.body["max_completion_tokens"]) == 4096
        assert not {"temperature", "top_k", "presence_penalty", "seed"} & set(request.body), "the server's default"
        assert not {"response_format", "structured_outputs"} & set(request.body), "prose is text"


@pytest.mark.parametrize(
    ("step", "parts", "rules"),
    [
        ("write_draft", ["Article"], ["comes from the paper", "no figures, tables, references or links"]),
        (
            "take_notes",
            ["Extraction", "Explanation"],
            [
                "Find every technical term",
                "Look for its meaning in the article first",
                "use common or special knowledge",
            ],
        ),
        (
            "advise",
            ["Evaluation", "Advice"],
            [
                "Compare the reader's notes with the paper, and evaluate the notes on three factors: accuracy",
                "Each piece of advice targets one aspect of the article",
                "Stay within the facts of the paper. Common or special knowledge may be used to explain them.",
                "Prefer explaining what is there to adding more.",
                "no figures, tables, references or links",
            ],
        ),
        (
            "revise_draft",
            ["Improvement", "Revised article"],
            ["Pick the advice that is worth following, and refine it", "no figures, tables, references or links"],
        ),
    ],
)
def test_each_agent_has_its_steps_rules_and_parts_of_its_answer(
    whole: tuple[FakeEndpoint, dict[str, Any]], step: str, parts: list[str], rules: list[str]
) -> None:
    request, *_ = asked_for(whole[0], step)
    assert re.findall(r"`## (.+)`", request.text) == parts, "in the paper's order"
    for rule in rules:
        assert rule in request.text.split("# Your role")[1]
    assert not re.search(r"readability measure|check did not find|JSON", request.text), "nothing of ours"


@pytest.mark.parametrize(
    ("variant", "asked", "models", "last_parts"),
    [
        ("large-reader", ROUND, [LARGE] * 3, ["The editor's advice"]),
        ("no-notes", ["advise", "revise_draft"], [LARGE] * 2, ["The editor's advice"]),
        ("no-suggestions", ["take_notes", "revise_draft"], [SMALL, LARGE], ["The reader's notes"]),
        ("no-collaboration", ["revise_draft"], [LARGE], []),
    ],
)
async def test_rows_of_table_1(
    endpoint: FakeEndpoint, variant: str, asked: list[str], models: list[str], last_parts: list[str]
) -> None:
    await run(endpoint, variant=variant)
    assert steps(endpoint) == ["write_draft", *asked * ROUNDS]
    assert [request.model for request in endpoint.chat_requests] == [LARGE, *models * ROUNDS]
    assert headings(endpoint.chat_requests[-1]) == [*JOURNALIST, "The article", *last_parts, "Output"]
    if variant == "no-notes":
        assert headings(endpoint.chat_requests[1]) == ["The paper", *PARTS, "The article", "Output"]


async def test_the_single_model_writes_one_draft(endpoint: FakeEndpoint) -> None:
    result = await run(endpoint, variant="single")
    assert f"played by {LARGE}, in the paper by Qwen1.5-7B-Chat." in result["not_as_published"][0]
    assert steps(endpoint) == ["write_draft"]
    assert "This is version 0." in result["article"]


async def test_changed_sampling_and_limits_are_told(endpoint: FakeEndpoint) -> None:
    sampling = {"top_p": 0.9, "extra_body": {"top_k": 1}}
    models = {role: {"base_url": endpoint.base_url, **sampling} for role in ("journalist", "reader")}
    result = await run(endpoint, variant="single", models=models, limits={"terms": 5}, scope="whole", pause=True)
    changes = "models.journalist.extra_body = {'top_k': 1}, models.journalist.top_p = 0.9, pause = True, scope = whole"
    told = f"These settings are not the preset's: limits.terms = 5, {changes}, variant = single."
    assert told in result["not_as_published"], "no reader is asked"


async def test_a_reader_that_is_no_smaller_model_is_told(endpoint: FakeEndpoint) -> None:
    result = await run(endpoint, models={"default": {"base_url": endpoint.base_url, "model": LARGE}})
    assert result["not_as_published"][-1].startswith("The reader is no smaller model")


async def test_with_a_warm_start_the_fine_tuned_model_is_the_journalist(endpoint: FakeEndpoint) -> None:
    result = await run(endpoint, warm_start=True)
    assert f"played by {TUNED}, {SMALL}, {LARGE}, in" in result["not_as_published"][0]
    assert [request.model for request in endpoint.chat_requests] == [TUNED, *[SMALL, LARGE, TUNED] * ROUNDS]
