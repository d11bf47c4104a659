"""The agents of journalism in tests: settings that point at the fake endpoint, and scripted answers."""

from __future__ import annotations

from typing import Any

from graphs.science_journalism import graph
from tests.fake_endpoint import FakeEndpoint, RecordedRequest, Reply, Text, fill
from tests.support.steps import step_of
from tools.text import format_numbered_list

PAPER = (
    "We measured bone density in 212 adults from Oslo between 2015 and 2019. Treatment with zoledronate raised it by "
    "12% after 18 months. Adverse events occurred in 3.5% of patients. The mechanism remains unknown."
)

IMPROVEMENT = "## Improvement\n\n1. Shorter sentences."
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
    """What was asked for, in order, by the names of the steps."""
    return [step_of(request) for request in endpoint.chat_requests]


def article(*paragraphs: str) -> str:
    """An article of the journalist; it serves as first draft and as a revision."""
    return "\n\n".join(["# Stronger bones", *(paragraphs or DRAFT)])


def notes(*terms: tuple[str, str]) -> str:
    """The reader's answer: terms and their explanations."""
    extracted = format_numbered_list(f"**{term}**: the {term}" for term, _ in terms) or "No term."
    explained = format_numbered_list(f"**{term}**: {explanation}" for term, explanation in terms) or "No term."
    return f"## Extraction\n\n{extracted}\n\n## Explanation\n\n{explained}"


def review(*advice: str) -> str:
    """The editor's answer."""
    return f"## Evaluation\n\nThe notes are mostly right.\n\n## Advice\n\n{format_numbered_list(advice) or 'None'}"


class Newsroom:
    """Answers each agent with what was scripted for it, in order; the filler answers the rest."""

    def __init__(self, **scripts: list[str]) -> None:
        """Take lists of answers by step: write_draft, take_notes, advise, revise_draft, rewrite_copied."""
        self.scripts = scripts

    def __call__(self, request: RecordedRequest) -> Reply:
        """The next scripted answer of the agent that is asked."""
        script = self.scripts.get(step := step_of(request))
        if not script:
            return fill(request)
        answer = script.pop(0)
        label = {"write_draft": "## Article\n\n", "revise_draft": f"{IMPROVEMENT}\n\n## Revised article\n\n"}
        return Text(label.get(step, "") + answer)
