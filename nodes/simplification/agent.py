"""What the agents of medical simplification share: asking a model, and the memories of exchanges (SoMS, memory)."""

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
from tools.models.ask import Answer, Caller, Value

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
    """Ask the model of a role with the prompt of a step, for an entry, by default the newest; return answer and calls.

    `trim` names the variable that is shortened if the prompt does not fit the model's context.
    """
    caller = Caller(role, step, state["entry"] if entry is None else entry)
    return await ask_role(caller, PROMPTS, state, variables, schema, trim=trim)


def get_simplification_settings(state: AnyState) -> SimplificationSettings:
    """Return the simplification settings that the run was started with."""
    return SimplificationSettings(**state["settings"]["simplification"])


def has_extension(extension: SimplificationExtension, state: AnyState) -> bool:
    """Return whether an extension is on."""
    # Routers ask, too, and must be fast: the settings are not validated again.
    return extension in state["settings"]["simplification"]["extensions"]


def build_text_variables(state: AnyState) -> dict[str, object]:
    """Return the variables `source`, the original abstract, and `text`, the newest text, for prompts that show both."""
    return {"source": load_source_text(state["source"]), "text": state["text"]}


def format_target_grade(state: AnyState) -> str:
    """Format the school grade that the text should reach, for prompts; empty if there is none."""
    return f"{grade:g}" if (grade := get_simplification_settings(state).target_grade) else ""


def update_exchange(state: LoopState, **news: Any) -> Exchange:
    """Return a copy of the exchange of this entry with some fields replaced."""
    return {**state["exchange"], **news}  # type: ignore[typeddict-item]


LoopNode = Callable[[LoopState], Awaitable[LoopState]]


def as_loop_node(node: LoopNode) -> LoopNode:
    """Decorate a node: its calls join those of its loop, and the loop ends early if an agent gives no usable answer."""

    @wraps(node)
    async def run_node(state: LoopState) -> LoopState:
        """Run the node, and return its update or one with the problem, with all calls of the loop so far."""
        try:
            news = await node(state)
        except NoUsableAnswer as error:  # the run goes on with other loops
            problem = f"{error.spent[-1]['role']}: {error.problem}" if error.spent else error.problem
            news = {"exchange": update_exchange(state, problem=problem), "loop_calls": error.spent}
        return {**news, "loop_calls": [*state["loop_calls"], *news["loop_calls"]]}

    return run_node


def make_empty_exchange(entry: int, loop: Lead, visit: int, because: str) -> Exchange:
    """Return an exchange in which no agent has answered yet."""
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
    """Format an exchange in lines for the conversation history, which the selector reads."""
    lines: list[str] = []
    for question in exchange["questions"]:
        answer = format_expert_answer(question) or "(no answer)"
        lines.append(f"Layperson asked: {question['text']} Medical expert answered: {answer}")
    lines += [f"Simplifier reasoned: {thought}" for thought in exchange["reasoning"]]
    for item in exchange["suggestions"]:
        wording = f'"{item["original"]}" -> "{item["replacement"]}"'
        lines.append(f"Language clarifier proposed {wording}: {item['verdict']} ({item['reason']})")
    for part in exchange["redundancies"]:
        quoted = f'"{part["quote"]}" ({part["reason"]})'
        lines.append(f"Redundancy checker quoted {quoted}: {part['verdict']} ({part['justification']})")
    lines += [f"Medical expert commented on the rewritten text: {comment}" for comment in exchange["comments"]]
    if exchange["accurate"]:
        lines.append("Medical expert stated: the rewritten text is accurate.")
    if exchange["problem"]:
        lines.append("The loop ended early, because an agent gave no usable answer.")
    lines = lines or ["Nothing to change was found."]
    lines.append("The text was changed." if exchange["changed"] else "The text stayed as it was.")
    lead = exchange["loop"].replace("_", " ")
    return "\n".join([f"Entry {exchange['entry']}, {lead} loop:", *(f"- {line}" for line in lines)])


def format_expert_answer(question: Question) -> str:
    """Format the medical expert's answer after the term that it explains; empty if there is none."""
    answer, term = question["answer"], question["term"]
    return f"{term}: {answer}" if answer and term else answer


def format_memory(agent: Agent, state: LoopState, so_far: Exchange | None = None) -> str:
    """Format the memories of an agent for its prompts, the newest first; empty if it has none.

    An unfinished exchange that the agent remembers, too, is `so_far`.
    """
    remembered = [*state["memories"], *(iterate_memories(so_far) if so_far else ())]
    # The newest come first, because a prompt that is too long is trimmed at its end.
    return "\n".join(f"- {memory['text']}" for memory in reversed(remembered) if memory["agent"] == agent)


def iterate_memories(exchange: Exchange) -> Iterator[Memory]:
    """Yield the sentences that each agent with a memory keeps of an exchange."""
    entry = exchange["entry"]
    for agent, text in _iterate_memory_texts(exchange):
        yield Memory(agent=agent, entry=entry, text=text)
    if exchange["changed"]:
        # These two do not see the exchanges of other loops, which may have changed the words that they remember.
        lead = exchange["loop"].replace("_", " ")
        text = f"Entry {entry}: the {lead} loop changed the text; the version shown now is the newest."
        for agent in ("language_clarifier", "redundancy_checker"):
            yield Memory(agent=agent, entry=entry, text=text)


def _iterate_memory_texts(exchange: Exchange) -> Iterator[tuple[Agent, str]]:
    """Yield pairs of an agent and a sentence that it keeps of what was said and decided in an exchange."""
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
