"""Draw the graphs as Mermaid diagrams into docs/graphs.md: `python -m docs.draw_graphs`."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from langgraph.graph.state import CompiledStateGraph
from langgraph.pregel.protocol import PregelProtocol

from graphs import focused_feedback, medical_simplification, number_check, science_journalism

PAGE = Path(__file__).parent / "graphs.md"
SYSTEMS = (science_journalism, medical_simplification, focused_feedback, number_check)


def render_graph(graph: CompiledStateGraph[Any, Any, Any, Any]) -> str:
    """Render a graph and its subgraphs as Mermaid blocks; dotted arrows are decisions."""
    parts = [_render_mermaid_block(graph)]
    for name, subgraph in graph.get_subgraphs():
        parts.append(f"The subgraph `{name}`:\n\n{_render_mermaid_block(subgraph)}")
    return "\n\n".join(parts)


def _render_mermaid_block(graph: PregelProtocol[Any, Any, Any, Any]) -> str:
    return f"```mermaid\n{graph.get_graph().draw_mermaid(with_styles=False).strip()}\n```"


def replace_pictures(page: str) -> str:
    """Replace the diagrams between the markers of each graph.

    Raises:
        ValueError: If a graph has no markers.
    """
    for system in SYSTEMS:
        name = system.graph.name
        begin, end = f"<!-- graph: {name} -->", "<!-- /graph -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if not pattern.search(page):
            raise ValueError(f"{PAGE.name} has no place for the picture of {name}")
        block = f"{begin}\n{render_graph(system.graph)}\n{end}"
        page = pattern.sub(lambda _, block=block: block, page)
    return page


if __name__ == "__main__":
    PAGE.write_text(replace_pictures(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
