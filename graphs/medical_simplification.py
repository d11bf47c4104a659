"""Medical simplification: five agents, three interaction loops, and an agent selector that routes between them.

The Society of Medical Simplifiers of Lyu and Pergola (SoMS). Use it from Python:

    from graphs.medical_simplification import graph
    result = await graph.ainvoke({"abstract": "abstract.txt"}, context={"entries": 2})

Each loop is a subgraph and gives a new version of the text. The content guard, which reports what a version has lost,
is ours and not the paper's; what else is ours is an extension (state/extensions.py), and a node of its own where it can
be.
"""

from __future__ import annotations

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph

from nodes.simplification.agent import has_extension
from nodes.simplification.content_guard import check_content
from nodes.simplification.editing import (
    apply_wordings,
    correct_text,
    enter_wordings,
    judge_wordings,
    leave_out_redundancies,
    remove_redundancies,
    wordings_to_enter,
)
from nodes.simplification.initialise import initialise
from nodes.simplification.language_clarifier import of_round, propose_wordings, revise_wordings
from nodes.simplification.layperson import ask_questions
from nodes.simplification.logger import finish, log_exchange
from nodes.simplification.medical_expert import answer_questions, check_accuracy, validate_redundancies
from nodes.simplification.redundancy_checker import find_redundancies
from nodes.simplification.selector import condense_history, select_agent
from nodes.simplification.simplifier import rewrite_alone, rewrite_sentences, rewrite_text
from state.settings import SimplificationContext
from state.simplification import LoopProgress, LoopState, SimplificationInput, SimplificationOutput, SimplificationState


def failed(state: LoopState) -> bool:
    """Whether an agent gave no usable answer, which ends the loop."""
    return bool(state["exchange"]["problem"])


def after_questions(state: LoopState) -> Literal["answer_questions", "__end__"]:
    """The medical expert answers what was asked."""
    return "__end__" if failed(state) else "answer_questions"


def after_answers(state: LoopState) -> Literal["rewrite_text", "rewrite_sentences", "__end__"]:
    """The simplifier writes the text anew, as a whole or sentence by sentence (an extension)."""
    if failed(state):
        return "__end__"
    return "rewrite_sentences" if has_extension("sentence_by_sentence", state) else "rewrite_text"


def after_new_text(state: LoopState) -> Literal["check_accuracy", "__end__"]:
    """The medical expert reviews each text of the layperson loop, and of the others by an extension."""
    is_wanted = state["settings"]["simplification"]["accuracy_check"] and (
        state["exchange"]["loop"] == "layperson" or has_extension("review_every_text", state)
    )
    return "check_accuracy" if is_wanted and not failed(state) else "__end__"


def after_review(state: LoopState) -> Literal["correct_text", "__end__"]:
    """The simplifier follows the expert's comments, as long as there are rounds; without any the loop ends.

    So the last text is reviewed, too; comments on it stay on record, and in the simplifier's memory.
    """
    is_spent = state["loop_round"] > state["settings"]["simplification"]["revision_rounds"]
    if failed(state) or is_spent or not state["to_correct"]:
        return "__end__"
    return "correct_text"


Entering = Literal["enter_wordings", "apply_wordings", "__end__"]


def after_proposal(state: LoopState) -> Literal["judge_wordings", "revise_wordings", Entering]:
    """The simplifier judges what can be judged."""
    is_open = any(item["verdict"] == "open" for item in of_round(state))
    return "judge_wordings" if is_open and not failed(state) else after_verdicts(state)


def after_verdicts(state: LoopState) -> Literal["revise_wordings", Entering]:
    """What was rejected goes back to the language clarifier; in the last round it is dropped instead.

    In the end the accepted wordings enter the text, also if an agent failed after they were accepted.
    """
    if any(item["verdict"] == "rejected" for item in of_round(state)) and not failed(state):
        return "revise_wordings"
    if not any(item["verdict"] == "accepted" for item in state["exchange"]["suggestions"]):
        return "__end__"
    return "apply_wordings" if has_extension("apply_edits", state) else "enter_wordings"


def after_application(state: LoopState) -> Literal["enter_wordings", "check_accuracy", "__end__"]:
    """The simplifier enters the wordings that code could not."""
    return "enter_wordings" if wordings_to_enter(state) else after_new_text(state)


def after_quotes(state: LoopState) -> Literal["validate_redundancies", "__end__"]:
    """The expert judges the quotes, if there are any."""
    open_ones = any(part["verdict"] == "open" for part in state["exchange"]["redundancies"])
    return "validate_redundancies" if open_ones and not failed(state) else "__end__"


def after_validation(state: LoopState) -> Literal["leave_out_redundancies", "remove_redundancies", "__end__"]:
    """What was validated leaves the text."""
    if failed(state) or not any(part["verdict"] == "validated" for part in state["exchange"]["redundancies"]):
        return "__end__"
    return "remove_redundancies" if has_extension("apply_edits", state) else "leave_out_redundancies"


def after_removal(state: LoopState) -> Literal["leave_out_redundancies", "check_accuracy", "__end__"]:
    """The simplifier takes out the parts that code could not."""
    is_left = any(part["verdict"] == "validated" for part in state["exchange"]["redundancies"])
    return "leave_out_redundancies" if is_left else after_new_text(state)


def loop(*nodes: Any) -> StateGraph[Any, Any, Any, Any]:
    """An interaction loop with these nodes, entered at the first one."""
    builder = StateGraph(LoopState, context_schema=SimplificationContext, output_schema=LoopProgress)
    for node in nodes:
        builder.add_node(node)
    builder.add_edge(START, nodes[0].__name__)
    return builder


def review(builder: StateGraph[Any, Any, Any, Any], *writers: str) -> None:
    """Let the medical expert review what the nodes `writers` write, and the simplifier follow its comments."""
    for writer in (*writers, "correct_text"):
        builder.add_conditional_edges(writer, after_new_text)
    builder.add_conditional_edges("check_accuracy", after_review)


layperson_loop = loop(ask_questions, answer_questions, rewrite_text, rewrite_sentences, check_accuracy, correct_text)
layperson_loop.add_conditional_edges("ask_questions", after_questions)
layperson_loop.add_conditional_edges("answer_questions", after_answers)
review(layperson_loop, "rewrite_text", "rewrite_sentences")

language_clarifier_loop = loop(
    propose_wordings, judge_wordings, revise_wordings, enter_wordings, apply_wordings, check_accuracy, correct_text
)
language_clarifier_loop.add_conditional_edges("propose_wordings", after_proposal)
language_clarifier_loop.add_conditional_edges("judge_wordings", after_verdicts)
language_clarifier_loop.add_conditional_edges("revise_wordings", after_proposal)
review(language_clarifier_loop, "enter_wordings")
language_clarifier_loop.add_conditional_edges("apply_wordings", after_application)

redundancy_checker_loop = loop(
    find_redundancies, validate_redundancies, leave_out_redundancies, remove_redundancies, check_accuracy, correct_text
)
redundancy_checker_loop.add_conditional_edges("find_redundancies", after_quotes)
redundancy_checker_loop.add_conditional_edges("validate_redundancies", after_validation)
review(redundancy_checker_loop, "leave_out_redundancies")
redundancy_checker_loop.add_conditional_edges("remove_redundancies", after_removal)

LOOPS = {
    "layperson": layperson_loop,
    "language_clarifier": language_clarifier_loop,
    "redundancy_checker": redundancy_checker_loop,
}


def first_step(state: SimplificationState) -> Literal["select_agent", "rewrite_alone"]:
    """The society, or the single-model baseline."""
    return "rewrite_alone" if state["settings"]["simplification"]["variant"] == "single" else "select_agent"


def chosen_loop(state: SimplificationState) -> str:
    """The loop that the selector chose, or the end."""
    return state["next_loop"]


def after_log(state: SimplificationState) -> Literal["condense_history", "finish"]:
    """Choose again, unless there is a reason to stop."""
    return "finish" if state["stop_reason"] else "condense_history"


builder = StateGraph(
    SimplificationState,
    context_schema=SimplificationContext,
    input_schema=SimplificationInput,
    output_schema=SimplificationOutput,
)
for node in (initialise, rewrite_alone, select_agent, check_content, log_exchange, condense_history, finish):
    builder.add_node(node)
for lead, subgraph in LOOPS.items():
    builder.add_node(f"{lead}_loop", subgraph.compile(name=f"{lead}_loop"))
    builder.add_edge(f"{lead}_loop", "check_content")

builder.add_edge(START, "initialise")
builder.add_conditional_edges("initialise", first_step)
builder.add_edge("rewrite_alone", "check_content")
builder.add_conditional_edges(
    "select_agent", chosen_loop, {**{lead: f"{lead}_loop" for lead in LOOPS}, "done": "finish"}
)
builder.add_edge("check_content", "log_exchange")
builder.add_conditional_edges("log_exchange", after_log)
builder.add_edge("condense_history", "select_agent")
builder.add_edge("finish", END)

graph = builder.compile(name="medical_simplification")
