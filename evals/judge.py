"""The judge: a model that says which comments on a paper say the same as those of its reviewers.

It is asked once about each review of a paper, and only where the settings name a model of the role `judge`: the model
under test does not judge itself unasked. Without a usable answer a review is not judged, rather than judged wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from langgraph.graph import START, StateGraph
from pydantic import create_model
from typing_extensions import TypedDict

from nodes.feedback.agent import translate_request_failures
from nodes.shared import AgentAnswer, ask_role
from state.errors import NoUsableAnswer
from state.model_settings import LengthLimit
from state.records import CallRecord
from tools.models.ask import Caller

_PROMPTS = Path(__file__).with_name("prompts")
_NO_MATCH = "none"


class Judgement(TypedDict, total=False):
    """What the judge says of a review."""

    found: list[bool] | None
    """Whether a comment of the review says the same as each expected one; None if it was not judged."""
    problem: str
    """Reason for which it was not judged."""
    calls: list[CallRecord]


class JudgeState(Judgement, total=False):
    """Input of the judge and its result."""

    expected: list[str]
    """Comments of the reviewers, each with the words that it is about."""
    raised: list[str]
    """Comments of the system."""
    settings: dict[str, Any]
    """Frozen settings with the judge's model."""


class Match(AgentAnswer):
    """The judge's answer about one expected comment; the schema that is asked for adds `same_as`."""

    explanation: Annotated[str, LengthLimit("note_words")]


async def judge_comments(state: JudgeState) -> JudgeState:
    """Ask which of the expected comments are among those of a system; without any of these, no call is needed."""
    expected, raised = (
        {f"{letter}{number}": text for number, text in enumerate(texts, start=1)}
        for letter, texts in (("e", state["expected"]), ("c", state["raised"]))
    )
    if not raised:
        return {"found": [False] * len(expected), "problem": "", "calls": []}
    choices: Any = Literal[(*raised, _NO_MATCH)]
    match: Any = (create_model("Match", __base__=Match, same_as=(choices, ...)), ...)
    schema = create_model("Matches", __base__=AgentAnswer, **dict.fromkeys(expected, match))
    variables: dict[str, object] = {
        name: "\n\n".join(f"[{key}] {text}" for key, text in texts.items())
        for name, texts in (("expected", expected), ("raised", raised))
    }
    caller = Caller("judge", "judge_comments", 0)
    try:
        with translate_request_failures():
            answer = await ask_role(caller, _PROMPTS, state, variables, schema, trim="raised")
    except NoUsableAnswer as error:
        return {"found": None, "problem": error.problem, "calls": error.spent}
    matches = answer.value.model_dump()
    return {"found": [matches[key]["same_as"] != _NO_MATCH for key in expected], "problem": "", "calls": answer.calls}


judge_builder = StateGraph(JudgeState, output_schema=Judgement)
judge_builder.add_sequence([judge_comments])
judge_builder.add_edge(START, "judge_comments")
