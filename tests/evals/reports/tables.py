"""Tables of a report in Markdown, read back."""

from __future__ import annotations

Cells = dict[str, dict[str, str]]
"""By the first column, then by the header."""


def part(markdown: str, heading: str) -> str:
    """What stands below a heading of any level, up to the next one."""
    lines = markdown.splitlines()
    (at,) = [number for number, line in enumerate(lines) if line.lstrip("#") == f" {heading}"]
    end = next((number for number in range(at + 1, len(lines)) if lines[number].startswith("#")), len(lines))
    return "\n".join(lines[at + 1 : end])


def table(markdown: str, heading: str) -> Cells:
    """The table below a heading."""
    return {line[0]: dict(zip(header(markdown, heading), line, strict=True)) for line in lines(markdown, heading)}


def header(markdown: str, heading: str) -> list[str]:
    return _rows(markdown, heading)[0]


def lines(markdown: str, heading: str) -> list[list[str]]:
    """The table's lines in their order."""
    return _rows(markdown, heading)[2:]


def points(markdown: str, heading: str) -> list[str]:
    """The list below a heading."""
    return [line.removeprefix("- ") for line in part(markdown, heading).splitlines() if line.startswith("- ")]


def _rows(markdown: str, heading: str) -> list[list[str]]:
    found = [line for line in part(markdown, heading).splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.removeprefix("|").removesuffix("|").split(" | ")] for line in found]
