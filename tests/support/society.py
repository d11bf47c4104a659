"""Running the medical simplification graph in tests: an abstract, settings for the fake endpoint, scripted agents."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

from graphs.medical_simplification import graph
from tests.fake_endpoint import FakeEndpoint, Json, RecordedRequest, Reply, Text, Truncated, fill
from tests.support.steps import step_of

ABSTRACT = (
    "We included 12 trials with 1840 adults who had chronic asthma. Inhaled budesonide 400 mcg twice daily was "
    "compared with placebo for 24 weeks. Treatment did not reduce mortality. It was subsequently determined "
    "that exacerbations fell by 18% (OR 0.72, 95% CI 0.58 to 0.89). There was no evidence of a difference in oral "
    "candidiasis. In actual fact, the overall quality of the evidence was moderate."
)

STEPS = {
    "layperson": ["Questions", "Answers", "rewrite_text", "AccuracyCheck"],
    "language_clarifier": ["Wordings", "WordingVerdicts", "enter_wordings"],
    "redundancy_checker": ["Redundancies", "RemovalVerdicts", "leave_out_redundancies"],
}
"""What each loop of the paper asks for, in order, if its agents find something and agree."""

BY_CODE = ["apply_edits"]
"""The extension with which code edits the text, so that nothing else changes."""

WORDING = {"original": "It was subsequently determined that exacerbations", "replacement": "Later, attacks"}
PART = {"quote": "In actual fact,", "reason": "It says nothing."}


def context(endpoint: FakeEndpoint, **choices: Any) -> dict[str, Any]:
    """Context of a run in which every agent has the same model; the paper's system unless extensions are asked for."""
    default = {"base_url": endpoint.base_url, "model": "large", "retry_wait_s": 0, "timeout_s": 20}
    return {"models": {"default": default}, "extensions": "none", **choices}


async def run(endpoint: FakeEndpoint, abstract: str = ABSTRACT, **choices: Any) -> dict[str, Any]:
    """Run the graph to its end."""
    return await graph.ainvoke({"abstract": abstract}, context=context(endpoint, **choices))


def entries(result: dict[str, Any]) -> Counter[str]:
    """How often each loop was entered."""
    return Counter(exchange["loop"] for exchange in result["history"])


def latest(text: str, *reasoning: str) -> Text:
    """An answer of the simplifier, as its prompts ask for it."""
    thoughts = "".join(["# Reasoning\n\n", *(f"- {thought}\n" for thought in reasoning)]) if reasoning else ""
    return Text(f"{thoughts}\n# Latest Simplification\n\n{text}\n")


class Society:
    """Answers each agent with what was scripted for it, in order and then the last one again.

    Without a script of its own, an agent finds something and its judge agrees.
    """

    def __init__(self, **scripts: list[Any]) -> None:
        """Take lists of answers, as values or as replies, by step: the schema's name, or that of a prompt for prose."""
        self.scripts: dict[str, list[Any]] = {
            "AccuracyCheck": [{"comments": []}],
            "Wordings": [{"suggestions": [WORDING]}, {"suggestions": []}],
            "WordingVerdicts": [{"verdicts": [{"number": 1, "reason": "It is shorter.", "accept": True}]}],
            "Redundancies": [{"redundancies": [PART]}, {"redundancies": []}],
            "RemovalVerdicts": [{"verdicts": [{"number": 1, "justification": "It is empty.", "remove": True}]}],
            **scripts,
        }

    def __call__(self, request: RecordedRequest) -> Reply:
        """The next scripted answer of the agent that is asked."""
        script = self.scripts.get(step_of(request))
        if not script:
            return fill(request)
        answer: Any = script.pop(0) if len(script) > 1 else script[0]
        return Json(answer) if isinstance(answer, dict) else answer


class Chaos:
    """Answers at random, the same way for the same seed: sense, nonsense, cut-off answers, and forbidden edits."""

    def __init__(self, seed: int) -> None:
        """Take the seed."""
        self._random = random.Random(seed)
        self._count = 0
        self._senses = {
            "Wordings": self._wordings,
            "WordingVerdicts": self._wording_verdicts,
            "Redundancies": self._redundancies,
            "RemovalVerdicts": self._removal_verdicts,
        }

    def __call__(self, request: RecordedRequest) -> Reply:
        """A random answer, valid or not."""
        kind = self._random.random()
        if kind < 0.1:
            return Text(self._random.choice(["", "I would rather not.", "{", '{"reason": 3}', "[]", "<think>hm"]))
        if kind < 0.15:
            return Truncated('{"suggestions": [')
        sense = self._senses.get(step_of(request))
        return Json(sense(request)) if sense else fill(request)

    def _wordings(self, request: RecordedRequest) -> dict[str, Any]:
        return {"suggestions": [self._wording(request) for _ in range(self._random.randint(0, 8))]}

    def _wording(self, request: RecordedRequest) -> dict[str, str]:
        self._count += 1
        return {"original": self._piece(request, 8), "replacement": f"novelty{self._count:05}"}

    def _redundancies(self, request: RecordedRequest) -> dict[str, Any]:
        quotes = [self._piece(request, 7) for _ in range(self._random.randint(0, 6))]
        return {"redundancies": [{"quote": quote, "reason": "superfluous"} for quote in quotes]}

    def _wording_verdicts(self, _: RecordedRequest) -> dict[str, Any]:
        return {"verdicts": [{"number": n, "reason": "because", "accept": self._coin()} for n in self._numbers(8)]}

    def _removal_verdicts(self, _: RecordedRequest) -> dict[str, Any]:
        return {
            "verdicts": [{"number": n, "justification": "because", "remove": self._coin()} for n in self._numbers(6)]
        }

    def _numbers(self, most: int) -> list[int]:
        return [self._random.randint(1, most) for _ in range(self._random.randint(1, most))]

    def _coin(self) -> bool:
        return self._random.random() < 0.5

    def _piece(self, request: RecordedRequest, most: int) -> str:
        """Some words of the text in the prompt, or words that it does not contain."""
        if self._random.random() < 0.2:
            return "words from nowhere"
        words = re.split(r"^# The text\s+", request.text, flags=re.MULTILINE)[-1].split("\n\n# ")[0].split()
        start = self._random.randrange(len(words))
        return " ".join(words[start : start + self._random.randint(1, most)])[:79]
