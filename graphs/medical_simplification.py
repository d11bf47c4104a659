"""Medical simplification: five agents, three interaction loops, and an agent selector that routes between them.

The Society of Medical Simplifiers of Lyu and Pergola (SoMS). Use it from Python:

    from graphs.medical_simplification import graph
    result = await graph.ainvoke({"abstract": "abstract.txt"}, context={"entries": 2})

Each loop is a subgraph that returns a new version of the text. The content guard, which reports lost details, and the
extensions (`state/extensions.py`) are not in the paper.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph

from nodes.shared import refuse_sync_call
from nodes.simplification import editing
from nodes.simplification.agent import has_extension
from nodes.simplification.initialise import initialise
from nodes.simplification.language_clarifier import list_round_suggestions, propose_wordings, revise_wordings
from nodes.simplification.layperson import ask_questions
from nodes.simplification.logger import check_content, finish, log_exchange
from nodes.simplification.medical_expert import answer_questions, check_accuracy, validate_redundancies
from nodes.simplification.redundancy_checker import find_redundancies
from nodes.simplification.selector import condense_history, select_agent
from nodes.simplification.simplifier import rewrite_alone, rewrite_sentences, rewrite_text
from state.settings import SimplificationContext
from state.simplification import LoopProgress, LoopState, SimplificationInput, SimplificationOutput, SimplificationState


def has_failed(state: LoopState) -> bool:
    """Return whether an agent of the loop gave no usable answer, which ends the loop."""
    return bool(state["exchange"]["problem"])


def route_after_questions(state: LoopState) -> Literal["answer_questions", "__end__"]:
    """Route to the medical expert's answers, or end a failed loop."""
    return "__end__" if has_failed(state) else "answer_questions"


def route_after_answers(state: LoopState) -> Literal["rewrite_text", "rewrite_sentences", "__end__"]:
    """Route to the rewrite of the text, or of its sentences (`sentence_by_sentence`); end a failed loop."""
    if has_failed(state):
        return "__end__"
    return "rewrite_sentences" if has_extension("sentence_by_sentence", state) else "rewrite_text"


def route_after_rewrite(state: LoopState) -> Literal["check_accuracy", "__end__"]:
    """Route a text of the layperson loop to the expert's review if that is wanted, else end."""
    is_wanted = state["settings"]["simplification"]["accuracy_check"] and state["exchange"]["loop"] == "layperson"
    return "check_accuracy" if is_wanted and not has_failed(state) else "__end__"


def route_after_review(state: LoopState) -> Literal["correct_text", "__end__"]:
    """Route to the simplifier's correction while there are rounds and comments left, else end the loop."""
    # The text of the last round is reviewed, too; its comments stay in the record and in the simplifier's memory.
    is_spent = state["loop_round"] > state["settings"]["simplification"]["revision_rounds"]
    if has_failed(state) or is_spent or not state["to_correct"]:
        return "__end__"
    return "correct_text"


# Nodes that enter accepted wordings: an agent, or code by the extension.
WordingEntryNode = Literal["enter_wordings", "apply_wordings", "__end__"]


def route_after_proposal(state: LoopState) -> Literal["judge_wordings", "revise_wordings", WordingEntryNode]:
    """Route open suggestions to the simplifier's verdict, else as `route_after_verdicts` does."""
    is_open = any(item["verdict"] == "open" for item in list_round_suggestions(state))
    return "judge_wordings" if is_open and not has_failed(state) else route_after_verdicts(state)


def route_after_verdicts(state: LoopState) -> Literal["revise_wordings", WordingEntryNode]:
    """Route rejected suggestions back to the clarifier, else accepted ones into the text, else end."""
    # Accepted wordings are entered also if an agent failed afterwards.
    if any(item["verdict"] == "rejected" for item in list_round_suggestions(state)) and not has_failed(state):
        return "revise_wordings"
    if not any(item["verdict"] == "accepted" for item in state["exchange"]["suggestions"]):
        return "__end__"
    return "apply_wordings" if has_extension("apply_edits", state) else "enter_wordings"


def route_after_application(state: LoopState) -> Literal["enter_wordings", "check_accuracy", "__end__"]:
    """Route wordings that code could not enter to the simplifier, else as `route_after_rewrite` does."""
    return "enter_wordings" if editing.list_pending_wordings(state) else route_after_rewrite(state)


def route_after_quotes(state: LoopState) -> Literal["validate_redundancies", "__end__"]:
    """Route quoted redundancies to the medical expert's verdict, or end the loop without any."""
    open_ones = any(part["verdict"] == "open" for part in state["exchange"]["redundancies"])
    return "validate_redundancies" if open_ones and not has_failed(state) else "__end__"


def route_after_validation(state: LoopState) -> Literal["leave_out_redundancies", "remove_redundancies", "__end__"]:
    """Route validated redundancies to their removal, by code with the extension; end without any."""
    if has_failed(state) or not any(part["verdict"] == "validated" for part in state["exchange"]["redundancies"]):
        return "__end__"
    return "remove_redundancies" if has_extension("apply_edits", state) else "leave_out_redundancies"


def route_after_removal(state: LoopState) -> Literal["leave_out_redundancies", "check_accuracy", "__end__"]:
    """Route parts that code could not remove to the simplifier, else as `route_after_rewrite` does."""
    is_left = any(part["verdict"] == "validated" for part in state["exchange"]["redundancies"])
    return "leave_out_redundancies" if is_left else route_after_rewrite(state)


def build_loop(*nodes: Any, writers: Sequence[str]) -> StateGraph[Any, Any, Any, Any]:
    """Return the graph, not compiled, of a loop whose new texts the expert reviews and the simplifier corrects.

    The loop begins at its first node, and the texts of its writers are reviewed. It is still without the edges between
    its own nodes.
    """
    builder = StateGraph(LoopState, context_schema=SimplificationContext, output_schema=LoopProgress)
    for node in (*nodes, check_accuracy, editing.correct_text):
        builder.add_node(node)
    builder.add_edge(START, nodes[0].__name__)
    # A corrected text is reviewed again while there are rounds left.
    for writer in (*writers, "correct_text"):
        builder.add_conditional_edges(writer, route_after_rewrite)
    builder.add_conditional_edges("check_accuracy", route_after_review)
    return builder


layperson_loop = build_loop(
    ask_questions,
    answer_questions,
    rewrite_text,
    rewrite_sentences,
    writers=("rewrite_text", "rewrite_sentences"),
)
layperson_loop.add_conditional_edges("ask_questions", route_after_questions)
layperson_loop.add_conditional_edges("answer_questions", route_after_answers)

language_clarifier_loop = build_loop(
    propose_wordings,
    editing.judge_wordings,
    revise_wordings,
    editing.enter_wordings,
    editing.apply_wordings,
    writers=("enter_wordings",),
)
language_clarifier_loop.add_conditional_edges("propose_wordings", route_after_proposal)
language_clarifier_loop.add_conditional_edges("judge_wordings", route_after_verdicts)
language_clarifier_loop.add_conditional_edges("revise_wordings", route_after_proposal)
language_clarifier_loop.add_conditional_edges("apply_wordings", route_after_application)

redundancy_checker_loop = build_loop(
    find_redundancies,
    validate_redundancies,
    editing.leave_out_redundancies,
    editing.remove_redundancies,
    writers=("leave_out_redundancies",),
)
redundancy_checker_loop.add_conditional_edges("find_redundancies", route_after_quotes)
redundancy_checker_loop.add_conditional_edges("validate_redundancies", route_after_validation)
redundancy_checker_loop.add_conditional_edges("remove_redundancies", route_after_removal)

# By the agent that leads the loop, as the selector names it.
LOOPS = {
    "layperson": layperson_loop,
    "language_clarifier": language_clarifier_loop,
    "redundancy_checker": redundancy_checker_loop,
}


def route_after_initialise(state: SimplificationState) -> Literal["select_agent", "rewrite_alone"]:
    """Route to the agent selector, or to the single-model baseline of the variant `single`."""
    return "rewrite_alone" if state["settings"]["simplification"]["variant"] == "single" else "select_agent"


def route_to_loop(state: SimplificationState) -> str:
    """Return the name of the loop that the selector chose, or "done"."""
    return state["next_loop"]


def route_after_log(state: SimplificationState) -> Literal["condense_history", "finish"]:
    """Route to `finish` if there is a reason to stop, else to the selector by way of `condense_history`."""
    return "finish" if state["stop_reason"] else "condense_history"


builder = StateGraph(
    SimplificationState,
    context_schema=SimplificationContext,
    input_schema=SimplificationInput,
    output_schema=SimplificationOutput,
)
builder.add_node("initialise", RunnableLambda(refuse_sync_call, initialise), input_schema=SimplificationInput)
for node in (rewrite_alone, select_agent, check_content, log_exchange, condense_history, finish):
    builder.add_node(node)
for lead, subgraph in LOOPS.items():
    builder.add_node(f"{lead}_loop", subgraph.compile(name=f"{lead}_loop"))
    # Every new version passes the content guard.
    builder.add_edge(f"{lead}_loop", "check_content")

builder.add_edge(START, "initialise")
builder.add_conditional_edges("initialise", route_after_initialise)
# The baseline's text is checked and logged like any other version.
builder.add_edge("rewrite_alone", "check_content")
builder.add_conditional_edges(
    "select_agent", route_to_loop, {**{lead: f"{lead}_loop" for lead in LOOPS}, "done": "finish"}
)
builder.add_edge("check_content", "log_exchange")
builder.add_conditional_edges("log_exchange", route_after_log)
# The history is condensed only if the selector reads it again.
builder.add_edge("condense_history", "select_agent")
builder.add_edge("finish", END)

graph = builder.compile(name="medical_simplification")
