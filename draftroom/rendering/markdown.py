"""What every result in Markdown has: tables, warnings and provenance, with all that models wrote as plain text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from draftroom.rendering.rendering import extensions_line, spoken, warnings
from runs.record import RunRecord
from tools.text import plain


def table(header: list[str], rows: Iterable[list[str]]) -> str:
    """A Markdown table."""
    lines = [header, ["---"] * len(header), *([on_one_line(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def on_one_line(text: str) -> str:
    """Text that neither ends a table cell or a list item nor opens an HTML tag."""
    return " ".join(plain(text).split()).replace("|", "\\|").replace("<", "&lt;")


def please_note(values: Mapping[str, Any], unit: str) -> str:
    """The warnings under a heading of their own; empty if there are none."""
    found = warnings(values, unit)
    return "\n".join(["### Please note", "", *(f"- {on_one_line(warning)}" for warning in found)]) if found else ""


def provenance(record: RunRecord, values: Mapping[str, Any]) -> str:
    """Where the result comes from: run, paper, extensions, models and prompts."""
    paper = values.get("source") or record["input"]["paper"]
    lines = [
        "### Provenance",
        "",
        f"- Run {record['id']}, Draftroom {record['version']}, begun {record['created']}",
        f"- Paper: {on_one_line(record['input']['name'])} ({paper['format']}, {paper['scope']}, "
        f"{paper['words']} words), SHA-256 `{paper['sha256']}`",
        f"- {extensions_line(record.get('extensions'))}",
        *(f"- {spoken(role).capitalize()}: {on_one_line(model)}" for role, model in record["models"].items()),
        *(f"- Prompt {name}: SHA-256 `{sha256}`" for name, sha256 in record["prompts"].items()),
    ]
    return "\n".join(lines)
