"""What the agents share: asking as a role of this run, exchanges, and what each of them remembers (SoMS, memory).

An exchange is one entry into a loop. A loop whose agent talks nonsense ends early.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from functools import wraps
from pathlib import Path
from typing import Any

from nodes.shared import ask_role
from state.errors import NoUsableAnswer
from state.extensions import SimplificationExtension
from state.settings import Lead, SimplificationRole, SimplificationSettings
from state.simplification import Agent, Exchange, LoopState, Memory, Question, SimplificationState
from tools.documents.reading import load_source_text
from tools.models import Answer, Caller
from tools.models.ask import Value

PROMPTS = Path(__file__).parent / "prompts"

AnyState = LoopState | SimplificationState


async def ask_simplification_role(
    role: SimplificationRole,
    step: str,
    state: AnyState,
    variables: dict[str, object],
    schema: type[Value],
    *,
    trim: str = "memory",
    entry: int | None = None,
) -> Answer[Value]:
    """Ask the model of `role` with the prompt named `step`, on the account of this entry unless another is given."""
    caller = Caller(role, step, state["entry"] if entry is None else entry)
    return await ask_role(caller, PROMPTS, state, variables, schema, trim=trim)


def get_simplification_settings(state: AnyState) -> SimplificationSettings:
    """The settings that the run was started with."""
    return SimplificationSettings(**state["settings"]["simplification"])


def has_extension(extension: SimplificationExtension, state: AnyState) -> bool:
    """Whether an extension is on; a router may ask, too, for this only looks it up."""
    return extension in state["settings"]["simplification"]["extensions"]


def build_text_variables(state: AnyState) -> dict[str, object]:
    """The original abstract and the newest text, with which the prompts of all agents that see both begin."""
    return {"source": load_source_text(state["source"]), "text": state["text"]}


def format_target_grade(state: AnyState) -> str:
    """The school grade that the text is to reach, as prompts say it; empty if there is none."""
    return f"{grade:g}" if (grade := get_simplification_settings(state).target_grade) else ""


def update_exchange(state: LoopState, **news: Any) -> Exchange:
    """The exchange of this entry with something new in it."""
    return {**state["exchange"], **news}  # type: ignore[typeddict-item]


LoopNode = Callable[[LoopState], Awaitable[LoopState]]


def as_loop_node(node: LoopNode) -> LoopNode:
    """Add the calls of a node to those of its loop.

    The loop ends early, on record, if an agent gives no usable answer, or cannot be asked; the run goes on.
    """

    @wraps(node)
    async def attempt(state: LoopState) -> LoopState:
        try:
            news = await node(state)
        except NoUsableAnswer as error:
            problem = f"{error.spent[-1]['role']}: {error.problem}" if error.spent else error.problem
            news = {"exchange": update_exchange(state, problem=problem), "loop_calls": error.spent}
        return {**news, "loop_calls": [*state["loop_calls"], *news["loop_calls"]]}

    return attempt


def make_empty_exchange(entry: int, loop: Lead, visit: int, because: str) -> Exchange:
    """An exchange in which nothing has been said."""
    return Exchange(
        entry=entry,
        loop=loop,
        visit=visit,
        chosen_because=because,
        questions=[],
        reasoning=[],
        suggestions=[],
        redundancies=[],
        comments=[],
        accurate=False,
        changed=False,
        problem="",
    )


def format_exchange(exchange: Exchange) -> str:
    """The exchange as the conversation history tells it."""
    lead = exchange["loop"].replace("_", " ")
    lines = list(_iterate_exchange_lines(exchange)) or ["Nothing to change was found."]
    outcome = "The text was changed." if exchange["changed"] else "The text stayed as it was."
    return "\n".join([f"Entry {exchange['entry']}, {lead} loop:", *(f"- {line}" for line in lines), f"- {outcome}"])


def format_expert_answer(question: Question) -> str:
    """Return the medical expert's answer after what it is about; empty if there is none."""
    answer, term = question["answer"], question["term"]
    return f"{term}: {answer}" if answer and term else answer


def _iterate_exchange_lines(exchange: Exchange) -> Iterator[str]:
    for question in exchange["questions"]:
        answer = format_expert_answer(question) or "(no answer)"
        yield f"Layperson asked: {question['text']} Medical expert answered: {answer}"
    for thought in exchange["reasoning"]:
        yield f"Simplifier reasoned: {thought}"
    for suggestion in exchange["suggestions"]:
        wording = f'"{suggestion["original"]}" -> "{suggestion["replacement"]}"'
        yield f"Language clarifier proposed {wording}: {suggestion['verdict']} ({suggestion['reason']})"
    for part in exchange["redundancies"]:
        quoted = f'"{part["quote"]}" ({part["reason"]})'
        yield f"Redundancy checker quoted {quoted}: {part['verdict']} ({part['justification']})"
    for comment in exchange["comments"]:
        yield f"Medical expert commented on the rewritten text: {comment}"
    if exchange["accurate"]:
        yield "Medical expert stated: the rewritten text is accurate."
    if exchange["problem"]:
        yield "The loop ended early, because an agent gave no usable answer."


def format_memory(agent: Agent, state: LoopState, so_far: Exchange | None = None) -> str:
    """What an agent remembers, newest first, so that trimming forgets the oldest.

    Args:
        agent: Whose memory it is.
        state: Of the loop.
        so_far: The exchange of this entry as far as it has come, for a prompt that does not tell it by itself.
    """
    remembered = [*state["memories"], *(iterate_memories(so_far) if so_far else ())]
    return "\n".join(f"- {memory['text']}" for memory in reversed(remembered) if memory["agent"] == agent)


def iterate_memories(exchange: Exchange) -> Iterator[Memory]:
    """What each agent with a memory learns from an exchange, in natural language."""
    entry = exchange["entry"]
    for agent, text in _iterate_memory_texts(exchange):
        yield Memory(agent=agent, entry=entry, text=text)
    if exchange["changed"]:
        lead = exchange["loop"].replace("_", " ")
        for agent in ("language_clarifier", "redundancy_checker"):
            text = f"Entry {entry}: the {lead} loop changed the text; the version shown now is the newest."
            yield Memory(agent=agent, entry=entry, text=text)


def _iterate_memory_texts(exchange: Exchange) -> Iterator[tuple[Agent, str]]:
    for question in exchange["questions"]:
        if answer := format_expert_answer(question):
            yield "medical_expert", f"I was asked: {question['text']} I said: {answer}"
            yield "simplifier", f"A reader asked: {question['text']} The medical expert said: {answer}"
    for item in exchange["suggestions"]:
        wording = f'"{item["original"]}" -> "{item["replacement"]}"'
        yield "language_clarifier", f"I suggested {wording}: {item['verdict']}. {item['reason']}"
        if item["judge"] == "simplifier":
            did = "accepted" if item["verdict"] == "accepted" else "rejected"
            yield "simplifier", f"I {did} the wording {wording}. {item['reason']}"
    for part in exchange["redundancies"]:
        verdict = f'"{part["quote"]}": {part["verdict"]}. {part["justification"]}'
        yield "redundancy_checker", f"I quoted {verdict}"
        if part["judge"] == "medical_expert":
            yield "medical_expert", f"I judged {verdict}"
        if part["verdict"] == "removed":
            yield "simplifier", f'I left out "{part["quote"]}", for it is redundant: {part["reason"]}'
    for comment in exchange["comments"]:
        yield "medical_expert", f"I commented on a rewritten text: {comment}"
        yield "simplifier", f"The medical expert commented on my text: {comment}"
    if exchange["accurate"]:
        yield "medical_expert", "I stated that the rewritten text was accurate."
        yield "simplifier", "The medical expert stated that my text was accurate."
