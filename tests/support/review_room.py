"""Running the focused feedback graphs in tests: a paper, settings for the fake endpoint, scripted agents."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from graphs.focused_feedback import graph
from state.feedback import ParagraphReview
from tests.fake_endpoint import FakeEndpoint, Json, RecordedRequest, Reply, Text, fill

CLAIM = (
    "The seedlings that were watered with cold tea grew taller than the others after three weeks. Tea therefore makes "
    "seedlings grow, and gardeners should use it in place of fertiliser. The effect was seen in every tray that we "
    "looked at."
)
METHODS = (
    "We raised 24 seedlings of garden cress in six trays on one window sill. Three trays were watered with cold green "
    "tea and three with tap water. The height was measured with a ruler by the same person on every second day for "
    "three weeks."
)
PAPER = f"""# Cold tea and the growth of cress

## Abstract

Cress that is watered with cold tea grows taller than cress that is watered with tap water.

## Methods

{METHODS}

## Results

{CLAIM}

## References

1. Greenhand, A. (2019). Tea in the garden. Journal of Invented Botany.
"""
LITERATURE = """# Caffeine slows the growth of roots

Caffeine in the soil slowed the growth of cress roots in four trials of the Invented Botanical Station. The effect of
tea on the height of shoots was small and went away once the nitrogen in the tea had been accounted for.
"""

PAPER_QUESTION = "How many seedlings were watered with cold tea?"
LITERATURE_QUESTION = "Does caffeine slow the growth of cress roots?"

NONSENSE = [Text("I would rather not.")]

every_execution = pytest.mark.parametrize("execution", ["sequential", "parallel"])


def plan(*questions: str, literature: str = "") -> dict[str, Any]:
    """A plan that asks the paper these questions, then perhaps one of the literature, and ends with the review."""
    steps = [{"action": "ask_paper", "question": question} for question in questions]
    steps += [{"action": "ask_literature", "question": literature}] if literature else []
    return {"reasoning": "It claims a cause.", "steps": [*steps, {"action": "write_review", "question": ""}]}


REVIEW = {
    "reasoning": "The design cannot carry the advice.",
    "quote": "Tea therefore makes seedlings grow",
    "label": "Empirical and Theoretical Soundness",
    "review": "“Tea therefore makes seedlings grow” goes beyond three trays on one window sill, because light "
    "may differ along it.",
    "suggestion": "Speak of an observation, and randomise the places of the trays.",
    "severity": "medium",
    "evidence": ["e1"],
}
NOT_NEEDED = {**REVIEW, "label": "No review needed", "quote": "", "review": "", "suggestion": "", "evidence": []}
MISSING = {
    **REVIEW,
    "quote": "grew taller than the others",
    "review": "How many “grew taller than the others” is not stated, so the size of the effect cannot be judged.",
    "suggestion": "State the number of seedlings in each tray.",
}
"""A review whose claim is tested."""
SOUND: dict[str, Any] = {"assessment": "It says what was done, and anyone could repeat it.", "weaknesses": []}
WEAKNESSES = {
    "assessment": "It claims a cause, which six trays cannot show.",
    "weaknesses": [
        {
            "quote": "Tea therefore makes seedlings grow",
            "problem": "The conclusion goes beyond six trays on one window sill.",
            "label": "Empirical and Theoretical Soundness",
        }
    ],
}


def context(endpoint: FakeEndpoint, **choices: Any) -> dict[str, Any]:
    """Context of a run whose agents and embeddings all come from the fake endpoint."""
    default = {"base_url": endpoint.base_url, "model": "large", "retry_wait_s": 0, "timeout_s": 20}
    embedding = {"model": "large", "base_url": endpoint.base_url}
    return {"models": {"default": default}, "embedding": embedding, "plans": 1, "every_paragraph": True, **choices}


async def run(endpoint: FakeEndpoint, paper: str = PAPER, text: str = CLAIM, **choices: Any) -> dict[str, Any]:
    """Review one paragraph."""
    return await graph.ainvoke({"paper": paper, "text": text}, context=context(endpoint, **choices))


async def review(endpoint: FakeEndpoint, **choices: Any) -> ParagraphReview:
    """What came of the one paragraph."""
    (only,) = (await run(endpoint, **choices))["reviews"]
    return only  # type: ignore[no-any-return]


def folder_of_literature(home: Path) -> dict[str, Any]:
    """Settings that look for literature in a folder with one paper."""
    folder = home / "literature"
    folder.mkdir(exist_ok=True)
    (folder / "caffeine.md").write_text(LITERATURE, encoding="utf-8")
    return {"folder": str(folder)}


def as_asked(review: dict[str, Any], request: RecordedRequest) -> dict[str, Any]:
    """A review with the fields that are asked for; computed findings that it does not word stay without words."""
    schema = request.schema or {}
    findings = schema.get("$defs", {}).get("FindingWordings", {}).get("properties", {})
    whole = {**review, "computed": dict.fromkeys(findings, "") | review.get("computed", {})}
    return {field: value for field, value in whole.items() if field in schema["properties"]}


class Room:
    """Answers each agent with what was scripted for it, in order and then the last one again.

    Without a script of its own, every agent does a sensible job: the investigator quotes the first passage, the
    controller keeps the plan, the reviewer finds a weakness.
    """

    def __init__(self, **scripts: Any) -> None:
        """Take lists of answers, as values or as replies, by schema name."""
        self.scripts: dict[str, list[Any]] = {
            "ProposedPlan": [plan(PAPER_QUESTION)],
            "Weaknesses": [WEAKNESSES],
            "Review": [REVIEW],
            "AbsenceTest": [{"missing": "a control", "quote": "", "given": False}],
            **scripts,
        }

    def __call__(self, request: RecordedRequest) -> Reply:
        """The next scripted answer of the agent that is asked."""
        name = str(request.schema_name)
        script = self.scripts.get(name)
        if not script:
            script = [_DEFAULTS.get(name, fill)(request)]
        answer = script.pop(0) if len(script) > 1 else script[0]
        if name == "Review" and isinstance(answer, dict):  # the paper's reviewer gives less than with `anchors`
            answer = as_asked(answer, request)
        return Json(answer) if isinstance(answer, dict) else answer


def _first_passage(request: RecordedRequest) -> dict[str, Any]:
    found = re.search(r"\[1\] .*\n(.+)", request.text)
    words = (found[1] if found else "").split()[:12]
    return {"quote": " ".join(words), "passage": 1, "answer": f"It says: {' '.join(words)}."}


def _keep(request: RecordedRequest) -> dict[str, Any]:
    return decision(_action(request.text.split("The next step is: ")[1]), rewrites="`rewrite`" in request.text)


def _keep_all(request: RecordedRequest) -> dict[str, Any]:
    steps: dict[str, Any] = {"steps": []} if "`steps`" in request.text else {}
    return {"explanation": "Go on.", "decisions": [], **steps}


def _action(step: str) -> str:
    if step.startswith("Reviewer"):
        return "write_review"
    return "ask_paper" if step.startswith("Investigator: answer from the paper") else "ask_literature"


_DEFAULTS: dict[str, Any] = {"PassageAnswer": _first_passage, "StepDecision": _keep, "WaveDecision": _keep_all}
_ACTORS = {"ask_paper": "Investigator", "ask_literature": "Investigator", "write_review": "Reviewer"}


def asked(endpoint: FakeEndpoint) -> list[str]:
    """The questions that the investigator was asked, in order."""
    return [
        request.text.split("# The question\n\n")[1].split("\n")[0]
        for request in endpoint.chat_requests
        if request.schema_name == "PassageAnswer"
    ]


def prompts(endpoint: FakeEndpoint, schema: str) -> list[str]:
    """What the agent that answers with this schema has read."""
    return [request.text for request in endpoint.chat_requests if request.schema_name == schema]


def decision(
    action: str, question: str = "", *, steps: list[dict[str, str]] | None = None, rewrites: bool = True
) -> dict[str, Any]:
    """What the controller says about one step."""
    return {
        "explanation": "So be it.",
        "actor": _ACTORS.get(action, "Controller"),
        "action": action,
        "parameters": {"question": question, **({"steps": steps or []} if rewrites else {})},
    }


def ruling(*decisions: tuple[str, str], steps: list[dict[str, str]] | None = None) -> dict[str, Any]:
    """What the controller says about several steps."""
    numbered = enumerate(decisions, start=1)
    return {
        "explanation": "So be it.",
        "decisions": [{"step": at, "action": action, "question": question} for at, (action, question) in numbered],
        "steps": steps or [],
    }
