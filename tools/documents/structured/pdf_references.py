"""Lines of a PDF's list of references to its entries."""

from __future__ import annotations

from collections.abc import Sequence

from tools.documents.structured.page_lines import Line
from tools.documents.structured.reference_list import LABEL
from tools.documents.structured.type_area import TypeArea, follows, gap


def split_entries(lines: Sequence[Line], area: TypeArea) -> list[list[Line]]:
    """Lines of the list to entries: by their labels, else by hanging indentation, else by the gaps between them."""
    labelled = sum(LABEL.match(line.text) is not None for line in lines) > 0.1 * len(lines)
    hanging = any(area.hangs(line) for line in lines)
    entries: list[list[Line]] = []
    for line in lines:
        last = entries[-1][-1] if entries else None
        if last is None:
            new = True
        elif labelled:
            new = LABEL.match(line.text) is not None
        elif hanging:
            new = not area.hangs(line)
        else:
            new = follows(last, line) and gap(last, line) > 1.15 * area.leading(line)
        if new:
            entries.append([])
        entries[-1].append(line)
    return entries
