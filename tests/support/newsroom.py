"""The agents of journalism in tests: settings that point at the fake endpoint, and scripted answers."""

from __future__ import annotations

from typing import Any

from graphs.science_journalism import graph
from tests.fake_endpoint import FakeEndpoint, Json, RecordedRequest, Reply, fill

PAPER = (
    "We measured bone density in 212 adults from Oslo between 2015 and 2019. Treatment with zoledronate raised it by "
    "12% after 18 months. Adverse events occurred in 3.5% of patients. The mechanism remains unknown."
)

DRAFT = ["Doctors in Oslo looked at the bones of 212 adults.", "A drug made the bones 12% denser after 18 months."]

HARD = "The administration of zoledronate precipitated substantial augmentation of mineralisation characteristics."
EASY = "The treatment made the bones of adults a bit more dense, and few patients had any bad events."


def context(endpoint: FakeEndpoint, **choices: Any) -> dict[str, Any]:
    """Context of a run with a large journalist and editor and a small reader."""
    default = {"base_url": endpoint.base_url, "model": "large", "retry_wait_s": 0, "timeout_s": 20}
    return {"models": {"default": default, "reader": {"model": "small"}}, **choices}


async def run(endpoint: FakeEndpoint, paper: str = PAPER, **choices: Any) -> dict[str, Any]:
    """Run the graph to its end."""
    return await graph.ainvoke({"paper": paper}, context=context(endpoint, **choices))


def steps(endpoint: FakeEndpoint) -> list[str]:
    """What was asked for, in order, by the names of the answers' schemas."""
    return [str(request.schema_name) for request in endpoint.chat_requests]


def article(*paragraphs: str) -> dict[str, Any]:
    """An article of the journalist; it serves as first draft and, with improvements, as a revision."""
    return {"paragraphs": list(paragraphs) or DRAFT, "title": "Stronger bones"}


def note(term: str, explanation: str) -> dict[str, Any]:
    """A reading note."""
    return {"term": term, "where": f"the {term}", "explanation": explanation, "basis": "article"}


def advice(text: str, *, quote: str = "", replacement: str = "") -> dict[str, Any]:
    """A piece of the editor's advice."""
    return {"aspect": "accessibility", "quote": quote, "advice": text, "replacement": replacement}


def review(*pieces: dict[str, Any]) -> dict[str, Any]:
    """The editor's answer."""
    judged = {"accuracy": "good", "complexity": "fair", "information": "good"}
    return {"evaluation": judged, "advice": list(pieces)}


class Newsroom:
    """Answers each agent with what was scripted for it, in order; the filler answers the rest."""

    def __init__(self, **scripts: list[dict[str, Any]]) -> None:
        """Take lists of answers by schema name: Article, RevisedArticle, ReadingNotes, EditorReview."""
        self.scripts = scripts

    def __call__(self, request: RecordedRequest) -> Reply:
        """The next scripted answer of the agent that is asked."""
        script = self.scripts.get(str(request.schema_name))
        if not script:
            return fill(request)
        answer = script.pop(0)
        if request.schema_name == "RevisedArticle":
            answer = {"improvements": ["shorter sentences"], **answer}
        return Json(answer)
