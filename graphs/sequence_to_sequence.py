"""A baseline of LLM-CLBR (Table 1, "BART fine-tuned"), with the input and output of `science_journalism`.

A fine-tuned sequence-to-sequence model, run in this process, writes the article in one go: no agents, no rounds.
"""

from __future__ import annotations

from functools import partial

from langgraph.graph import END, START, StateGraph

from nodes.journalism.assessment import assess_draft, choose_draft
from nodes.journalism.initialise import initialise
from nodes.journalism.sequence_to_sequence import write_without_prompt
from state.journalism import JournalismInput, JournalismOutput, JournalismState
from state.settings import JournalismContext

builder = StateGraph(
    JournalismState,
    context_schema=JournalismContext,
    input_schema=JournalismInput,
    output_schema=JournalismOutput,
)
builder.add_node("initialise", partial(initialise, has_agents=False), input_schema=JournalismInput)
for node in (write_without_prompt, assess_draft, choose_draft):
    builder.add_node(node)
builder.add_edge(START, "initialise")
builder.add_edge("initialise", "write_without_prompt")
builder.add_edge("write_without_prompt", "assess_draft")
builder.add_edge("assess_draft", "choose_draft")
builder.add_edge("choose_draft", END)
