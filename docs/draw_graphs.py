"""Draw the graphs as Mermaid pictures into docs/graphs.md, between their markers.

python -m docs.draw_graphs
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.protocol import PregelProtocol

from graphs.focused_feedback import graph as focused_feedback
from graphs.medical_simplification import graph as medical_simplification
from graphs.number_check import graph as number_check
from graphs.science_journalism import graph as science_journalism

PAGE = Path(__file__).parent / "graphs.md"
GRAPHS: dict[str, CompiledStateGraph[Any, Any, Any, Any]] = {
    "science_journalism": science_journalism,
    "medical_simplification": medical_simplification,
    "focused_feedback": focused_feedback,
    "number_check": number_check,
}


def render_graph(graph: CompiledStateGraph[Any, Any, Any, Any]) -> str:
    """The graph as a Mermaid block, then each of its subgraphs; dotted arrows are decisions."""
    parts = [_render_mermaid_block(graph)]
    parts += [
        f"The subgraph `{name}`:\n\n{_render_mermaid_block(subgraph)}" for name, subgraph in graph.get_subgraphs()
    ]
    return "\n\n".join(parts)


def _render_mermaid_block(graph: PregelProtocol[Any, Any, Any, Any]) -> str:
    return f"```mermaid\n{graph.get_graph().draw_mermaid(with_styles=False).strip()}\n```"


def replace_pictures(page: str) -> str:
    """Replace what stands between the markers of each graph.

    Raises:
        ValueError: If a graph has no markers.
    """
    for name, graph in GRAPHS.items():
        begin, end = f"<!-- graph: {name} -->", "<!-- /graph -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if not pattern.search(page):
            raise ValueError(f"{PAGE.name} has no place for the picture of {name}")
        block = f"{begin}\n{render_graph(graph)}\n{end}"
        page = pattern.sub(lambda _, block=block: block, page)
    return page


if __name__ == "__main__":
    PAGE.write_text(replace_pictures(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
