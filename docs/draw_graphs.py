"""Draw the graphs of `langgraph.json` as Mermaid pictures into README.md, between their markers.

python -m docs.draw_graphs
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from langgraph.graph.state import CompiledStateGraph

from graphs.focused_feedback import graph as focused_feedback
from graphs.medical_simplification import graph as medical_simplification
from graphs.science_journalism import graph as science_journalism

README = Path(__file__).parent.parent / "README.md"
GRAPHS: dict[str, CompiledStateGraph[Any, Any, Any, Any]] = {
    "science_journalism": science_journalism,
    "medical_simplification": medical_simplification,
    "focused_feedback": focused_feedback,
}


def picture(graph: CompiledStateGraph[Any, Any, Any, Any]) -> str:
    """The graph as a Mermaid block, subgraphs opened; dotted arrows are decisions."""
    lines = graph.get_graph(xray=1).draw_mermaid(with_styles=False).strip()
    return f"```mermaid\n{_with_short_names(lines)}\n```"


def _with_short_names(mermaid: str) -> str:
    """Call the nodes of a subgraph by their own names, and only its end by the subgraph's, for each has one."""
    ends = re.sub(r"(\w+)\\3a__end__", r"\1_done", mermaid)
    return re.sub(r"\w+\\3a", "", ends)


def with_current_pictures(readme: str) -> str:
    """Replace what stands between the markers of each graph.

    Raises:
        ValueError: If a graph has no markers.
    """
    for name, graph in GRAPHS.items():
        begin, end = f"<!-- graph: {name} -->", "<!-- /graph -->"
        pattern = re.compile(f"{re.escape(begin)}.*?{re.escape(end)}", re.DOTALL)
        if not pattern.search(readme):
            raise ValueError(f"README.md has no place for the picture of {name}")
        block = f"{begin}\n{picture(graph)}\n{end}"
        readme = pattern.sub(lambda _, block=block: block, readme)
    return readme


if __name__ == "__main__":
    README.write_text(with_current_pictures(README.read_text(encoding="utf-8")), encoding="utf-8")
