"""The judge: what it is asked, and what becomes of its answers."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import pytest
from jinja2 import Environment, meta

from evals.model_scores import PROMPT, judge
from state.errors import ModelUnavailable
from state.model_settings import Limits, ModelSettings
from tests.fake_endpoint import FakeEndpoint, Json, Script, Text, Truncated, When
from tools.models import close_clients
from tools.models.prompts import load_prompt, split_front_matter

SOURCE = "We gave 40 mice cold tea; 12 of them grew."
ARTICLE = "Cold tea makes mice grow, say {{ researchers }}."

REASONS = {"faithfulness": "Only 12 of 40 grew.", "information": "The number is missing.", "interest": "It is lively."}
GRADES = {"faithfulness": 2, "information": 3, "interest": 4}


def verdict(**changed: Any) -> dict[str, Any]:
    return {name: {"reason": REASONS[name], "grade": GRADES[name]} for name in GRADES} | changed


def model(endpoint: FakeEndpoint) -> ModelSettings:
    return ModelSettings(base_url=endpoint.base_url, model="large", retry_wait_s=0, retries=1, max_tokens=256)


@pytest.fixture(autouse=True)
async def no_clients_left() -> AsyncIterator[None]:
    yield
    await close_clients()


async def test_a_verdict_is_three_grades_with_their_reasons(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([Json(verdict())])
    judgement = await judge(SOURCE, ARTICLE, model(fake_endpoint))
    assert judgement["grades"] == GRADES
    assert judgement["reasons"] == REASONS
    assert (judgement["problem"], judgement["trimmed"]) == ("", False)
    assert [(call["role"], call["prompt"], call["reask"]) for call in judgement["calls"]] == [("judge", "judge", False)]


async def test_the_judge_sees_source_and_text_and_must_give_whole_grades(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([Json(verdict())])
    await judge(SOURCE, ARTICLE, model(fake_endpoint))
    (request,) = fake_endpoint.chat_requests
    assert f"# The source\n\n{SOURCE}\n" in request.text
    assert f"# The text\n\n{ARTICLE}\n" in request.text
    assert request.schema is not None
    assert request.schema["$defs"]["Mark"]["properties"]["grade"]["enum"] == [1, 2, 3, 4, 5]
    assert list(request.schema["$defs"]["Mark"]["properties"]) == ["reason", "grade"], "it thinks before it grades"


async def test_a_verdict_that_fits_after_a_re_ask_counts(fake_endpoint: FakeEndpoint) -> None:
    fake_endpoint.answer = Script([Text("Five out of five!"), Json(verdict())])
    judgement = await judge(SOURCE, ARTICLE, model(fake_endpoint))
    assert judgement["grades"] == GRADES
    assert [call["reask"] for call in judgement["calls"]] == [False, True]


@pytest.mark.parametrize(
    ("answer", "problem"),
    [
        (Text("I would rather not."), "no JSON object"),
        (Truncated('{"faithfulness": {"reason": "It'), "cut off"),
        (Json(verdict(interest={"reason": "Superb.", "grade": 6})), "interest.grade"),
        (Json(verdict(interest={"reason": "Good.", "grade": 4.5})), "interest.grade"),
        (Json({"faithfulness": {"reason": "Only this.", "grade": 1}}), "information"),
    ],
    ids=["prose", "cut off", "grade too high", "half a grade", "two grades missing"],
)
async def test_a_verdict_that_cannot_be_read_leaves_the_text_unscored(
    fake_endpoint: FakeEndpoint, answer: Any, problem: str
) -> None:
    fake_endpoint.answer = Script([When(answer)])
    judgement = await judge(SOURCE, ARTICLE, model(fake_endpoint))
    assert judgement["grades"] is None
    assert judgement["reasons"] == {}
    assert problem in judgement["problem"]
    assert [call["reask"] for call in judgement["calls"]] == [False, True], "both calls are accounted for"


async def test_an_endpoint_that_is_down_is_an_error(fake_endpoint: FakeEndpoint) -> None:
    settings = model(fake_endpoint)
    fake_endpoint.close()
    with pytest.raises(ModelUnavailable, match="cannot be reached"):
        await judge(SOURCE, ARTICLE, settings)


async def test_a_source_that_does_not_fit_is_trimmed_and_the_judgement_says_so() -> None:
    with FakeEndpoint({"large": 2048}, answer=Script([Json(verdict())])) as endpoint:
        judgement = await judge("A mouse drank cold tea. " * 800, ARTICLE, model(endpoint))
        (request,) = endpoint.chat_requests
    assert judgement["trimmed"]
    assert judgement["grades"] == GRADES
    assert ARTICLE in request.text
    assert request.text.count("mouse") < 400


def test_the_prompt_declares_what_it_uses() -> None:
    prompt = load_prompt(PROMPT)
    body = split_front_matter(PROMPT.read_text(encoding="utf-8"))[1]
    assert set(prompt.front_matter.variables) == meta.find_undeclared_variables(
        Environment(autoescape=False).parse(body)
    )
    assert prompt.front_matter.role == "judge"
    text = prompt.render({"source": "<source>", "text": "<text>", "limits": Limits()})
    assert "{" not in text
    assert text.index("<source>") < text.index("<text>"), "rows share what comes before their texts"
