"""Number check: a model reads the numbers of each passage, code computes contradictions.

`draftroom check --model` runs it. From Python: `await graph.ainvoke({"paper": "paper.pdf"}, context={...})`.
"""

from __future__ import annotations

from langchain_core.runnables import RunnableLambda
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from nodes.numbers.reader import compute_findings, initialise, read_passage, send_passages
from nodes.shared import refuse_sync_call
from state.number_check import NumberCheckInput, NumberCheckOutput, NumberCheckState
from state.settings import CheckContext


def route_to_passages(state: NumberCheckState) -> list[Send] | str:
    """Route every chosen passage to the number reader; without passages to the computations."""
    return send_passages(state) or "compute_findings"


builder = StateGraph(
    NumberCheckState, context_schema=CheckContext, input_schema=NumberCheckInput, output_schema=NumberCheckOutput
)
builder.add_node("initialise", RunnableLambda(refuse_sync_call, initialise), input_schema=NumberCheckInput)
for node in (read_passage, compute_findings):
    builder.add_node(node)
builder.add_edge(START, "initialise")
# Passages are read in parallel; findings are computed when all are read.
builder.add_conditional_edges("initialise", route_to_passages, ["read_passage", "compute_findings"])
builder.add_edge("read_passage", "compute_findings")
builder.add_edge("compute_findings", END)

graph = builder.compile(name="number_check")
