"""Papers in Markdown and what is found in them."""

from __future__ import annotations

from state.computed_findings import CheckKind, ComputedFinding
from tools.documents.structure import build_document_from_parts
from tools.documents.web_pages import parse_markdown
from tools.numbers import check_paper


def found_in(markdown: str) -> list[ComputedFinding]:
    """Findings about a paper."""
    return check_paper(build_document_from_parts(parse_markdown(markdown), sha256="", document_format="markdown"))[
        "findings"
    ]


def found(text: str, kind: CheckKind) -> list[ComputedFinding]:
    """Findings of one kind about the results of a paper."""
    return [each for each in found_in(f"# A paper\n\n## Results\n\n{text}\n") if each["kind"] == kind]
