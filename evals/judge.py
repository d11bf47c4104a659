"""The judge: a model that says which comments on a paper say the same as those of its reviewers.

It is asked once about each review of a paper, and only where the settings name a model of the role `judge`: the model
under test does not judge itself unasked. Without a usable answer a review is not judged, rather than judged wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from langgraph.graph import END, START, StateGraph
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


class JudgeState(TypedDict, total=False):
    """Input and result of the judge."""

    expected: list[str]
    """Comments of the reviewers, each with the words that it is about."""
    raised: list[str]
    """Comments of the system."""
    settings: dict[str, Any]
    """Frozen settings with the judge's model."""
    found: list[bool] | None
    """Whether any of the system's comments says the same as each expected one; None if it was not judged."""
    problem: str
    """Reason for which it was not judged."""
    calls: list[CallRecord]


class Match(AgentAnswer):
    """The judge's answer about one expected comment; the schema that is asked for adds `same_as`."""

    explanation: Annotated[str, LengthLimit("note_words")]


async def judge_comments(state: JudgeState) -> JudgeState:
    """Ask which of the expected comments are among those of a system; without any of these, no call is needed."""
    expected, raised = state["expected"], state["raised"]
    if not raised:
        return {"found": [False] * len(expected), "problem": "", "calls": []}
    choices: Any = Literal[(*_number_ids("c", raised), _NO_MATCH)]
    match: Any = (create_model("Match", __base__=Match, same_as=(choices, ...)), ...)
    ids = _number_ids("e", expected)
    schema = create_model("Matches", __base__=AgentAnswer, **dict.fromkeys(ids, match))
    variables: dict[str, object] = {
        "expected": _format_numbered(ids, expected),
        "raised": _format_numbered(_number_ids("c", raised), raised),
    }
    try:
        with translate_request_failures():
            answer = await ask_role(
                Caller("judge", "judge_comments", 0), _PROMPTS, state, variables, schema, trim="raised"
            )
    except NoUsableAnswer as error:
        return {"found": None, "problem": error.problem, "calls": error.spent}
    matches = answer.value.model_dump()
    return {"found": [matches[name]["same_as"] != _NO_MATCH for name in ids], "problem": "", "calls": answer.calls}


def _number_ids(letter: str, comments: Sequence[str]) -> list[str]:
    """Return the ids of comments, such as c1 and c2."""
    return [f"{letter}{number}" for number in range(1, len(comments) + 1)]


def _format_numbered(ids: Sequence[str], comments: Sequence[str]) -> str:
    """Format comments for the prompt, each after its id."""
    return "\n\n".join(f"[{name}] {comment}" for name, comment in zip(ids, comments, strict=True))


judge_builder = StateGraph(JudgeState)
judge_builder.add_node(judge_comments)
judge_builder.add_edge(START, "judge_comments")
judge_builder.add_edge("judge_comments", END)
