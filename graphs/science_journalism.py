"""Science journalism: a journalist writes, a smaller reader takes notes, an editor advises, the journalist revises.

The loop of Jiang, Shi and Luo, "LLM-Collaboration on Automatic Science Journalism for the General Audience" (LLM-CLBR),
and its ablations. Use it from Python:

    from graphs.science_journalism import graph
    result = await graph.ainvoke({"paper": "paper.pdf"}, context={"rounds": 3})
"""

from __future__ import annotations

from typing import Literal

from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph

from nodes.journalism.assessment import assess_draft, choose_draft
from nodes.journalism.editor import advise, edit_advice
from nodes.journalism.initialise import initialise
from nodes.journalism.journalist import revise_draft, rewrite_copied, write_draft
from nodes.journalism.reader import take_notes
from nodes.shared import refuse_sync_call
from state.journalism import JournalismInput, JournalismOutput, JournalismState
from state.settings import JournalismContext

RoundEntryNode = Literal["take_notes", "advise", "revise_draft"]

# First node of a round in each variant of the paper's Table 1; `single` has no rounds.
ROUND_ENTRY_NODES: dict[str, RoundEntryNode] = {
    "full": "take_notes",
    "large-reader": "take_notes",
    "no-suggestions": "take_notes",
    "no-notes": "advise",
    "no-collaboration": "revise_draft",
    "single": "revise_draft",
}


def route_after_assessment(state: JournalismState) -> Literal[RoundEntryNode, "choose_draft"]:
    """Route to the choice of a draft if there is a reason to stop, else to a round's first node."""
    return "choose_draft" if state["stop_reason"] else ROUND_ENTRY_NODES[state["settings"]["journalism"]["variant"]]


def route_after_notes(state: JournalismState) -> Literal["advise", "revise_draft"]:
    """Route to the editor, or straight to the revision in the variant without suggestions."""
    return "revise_draft" if state["settings"]["journalism"]["variant"] == "no-suggestions" else "advise"


def route_after_advice(state: JournalismState) -> Literal["edit_advice", "revise_draft"]:
    """Route to a person's edit of the advice if the run was started with `pause`, else to the revision."""
    return "edit_advice" if state["settings"]["journalism"]["pause"] else "revise_draft"


def route_after_revision(state: JournalismState) -> Literal["rewrite_copied", "assess_draft"]:
    """Route to the rewrite of sentences copied from the paper, if the extension found any, else on."""
    return "rewrite_copied" if state["copied"] else "assess_draft"


builder = StateGraph(
    JournalismState, context_schema=JournalismContext, input_schema=JournalismInput, output_schema=JournalismOutput
)
builder.add_node("initialise", RunnableLambda(refuse_sync_call, initialise), input_schema=JournalismInput)
for node in (write_draft, assess_draft, take_notes, advise, edit_advice, revise_draft, rewrite_copied, choose_draft):
    builder.add_node(node)

builder.add_edge(START, "initialise")
builder.add_edge("initialise", "write_draft")
builder.add_edge("write_draft", "assess_draft")
builder.add_conditional_edges("assess_draft", route_after_assessment)
builder.add_conditional_edges("take_notes", route_after_notes)
builder.add_conditional_edges("advise", route_after_advice)
builder.add_edge("edit_advice", "revise_draft")
builder.add_conditional_edges("revise_draft", route_after_revision)
# Measure the draft only after its copied sentences are rewritten.
builder.add_edge("rewrite_copied", "assess_draft")
builder.add_edge("choose_draft", END)

graph = builder.compile(name="science_journalism")
