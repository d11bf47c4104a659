"""What `draftroom check` has found: as a table, JSON, Markdown and an HTML page."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from rich.table import Table
from rich.text import Text

from draftroom.rendering.markdown import on_one_line
from runs.record import RunInput
from state.computed_findings import ComputedFinding, Severity
from tools.html_pages import templates
from tools.text import plain

_COLOURS: dict[Severity, str] = {"high": "red", "medium": "yellow", "low": "cyan"}
_NOTHING = "No contradiction was found among what can be computed."


def summary(findings: Sequence[ComputedFinding]) -> str:
    """How many were found, by severity, in one sentence."""
    if not findings:
        return _NOTHING
    counts = {severity: sum(found["severity"] == severity for found in findings) for severity in _COLOURS}
    told = ", ".join(f"{number} {severity}" for severity, number in counts.items() if number)
    return f"{len(findings)} finding{'' if len(findings) == 1 else 's'}: {told}."


def place(found: ComputedFinding) -> str:
    """Where a finding is: paragraph, page and section, as far as they are known."""
    page = f"page {found['page']}" if found["page"] else ""
    return ", ".join(filter(None, (found["paragraph"], page, found["section"])))


def table(findings: Sequence[ComputedFinding]) -> Table:
    """A row for each finding."""
    rows = Table("", "kind", "place", "words of the paper", "computation", "consistent would be", show_lines=True)
    for found in findings:
        severity = Text(found["severity"], style=_COLOURS[found["severity"]])
        cells = (found["kind"], place(found), found["quote"], found["computation"], found["consistent"])
        rows.add_row(severity, *(Text(plain(cell)) for cell in cells))
    return rows


def _to_json(paper: RunInput, findings: Sequence[ComputedFinding]) -> str:
    named = {"name": paper["name"], "title": paper["paper"]["title"], "sha256": paper["paper"]["sha256"]}
    return json.dumps({"paper": named, "findings": findings}, ensure_ascii=False, indent=2) + "\n"


def _to_markdown(paper: RunInput, findings: Sequence[ComputedFinding]) -> str:
    lines = [f"# Checks of {on_one_line(paper['paper']['title'] or paper['name'])}", "", summary(findings), ""]
    for found in findings:
        lines += [
            f"## {found['kind'].capitalize()} ({found['severity']}): {on_one_line(place(found))}",
            "",
            f"> {on_one_line(found['quote'])}",
            "",
            f"- Computation: {on_one_line(found['computation'])}",
            f"- Consistent would be: {on_one_line(found['consistent'])}",
            "",
        ]
    return "\n".join(lines)


def _to_html(paper: RunInput, findings: Sequence[ComputedFinding]) -> str:
    page = templates("draftroom.rendering").get_template("findings.html")
    title = paper["paper"]["title"] or paper["name"]
    return page.render(title=title, summary=summary(findings), findings=[(place(found), found) for found in findings])


FORMATS: Mapping[str, Callable[[RunInput, Sequence[ComputedFinding]], str]] = {
    ".json": _to_json,
    ".md": _to_markdown,
    ".html": _to_html,
}
"""By the suffix of a file."""
