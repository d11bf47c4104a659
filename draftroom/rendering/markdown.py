"""The article as Markdown, with an appendix that says how it was made and what to check."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from draftroom.consoles import plain
from draftroom.records import RunRecord
from draftroom.rendering.rounds import Values, selected_round, unsupported_facts, warnings
from state.journalism import Assessment


def to_markdown(record: RunRecord, values: Values) -> str:
    """The returned article and its appendix."""
    parts = [
        plain(values.get("article", "")).strip(),
        "---",
        "## How this article was made",
        "Readability in United States school grades; lower is easier to read.",
        _readability(values.get("assessments", []), selected_round(values)),
        _selection(values),
        "### Details that the paper does not support",
        _facts(values),
        *_warnings(values),
        "### Provenance",
        _provenance(record, values),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _readability(assessments: Sequence[Assessment], selected: int | None) -> str:
    rows = [
        [
            f"**{item['round']}**" if item["round"] == selected else str(item["round"]),
            *(f"{item['readability'][measure]:.1f}" for measure in ("cli", "fkgl", "dcrs", "ari")),
            str(item["readability"]["words"]),
            str(len(item["unsupported"])),
        ]
        for item in assessments
    ]
    return _table(["draft", "CLI", "FKGL", "DCRS", "ARI", "words", "unsupported"], rows)


def _selection(values: Values) -> str:
    selected = selected_round(values)
    if selected is None:
        return "The run has not chosen a draft yet."
    return f"Draft {selected} was chosen: {values['selected_because']}. The loop ended: {values['stop_reason']}."


def _facts(values: Values) -> str:
    facts = unsupported_facts(values)
    rows = [[fact["kind"], fact["text"], fact["sentence"]] for fact in facts]
    return _table(["kind", "detail", "sentence"], rows) if facts else "None was found."


def _warnings(values: Values) -> list[str]:
    found = warnings(values)
    return ["### Please note", "\n".join(f"- {_cell(warning)}" for warning in found)] if found else []


def _provenance(record: RunRecord, values: Values) -> str:
    paper = values.get("source") or record["input"]["paper"]
    lines = [
        f"- Run {record['id']}, Draftroom {record['version']}, begun {record['created']}",
        f"- Paper: {_cell(record['input']['name'])} ({paper['format']}, {paper['scope']}, {paper['words']} words), "
        f"SHA-256 `{paper['sha256']}`",
        *(f"- {role.capitalize()}: {_cell(model)}" for role, model in record["models"].items()),
        *(f"- Prompt {name}: SHA-256 `{sha256}`" for name, sha256 in record["prompts"].items()),
    ]
    return "\n".join(lines)


def _table(header: list[str], rows: Iterable[list[str]]) -> str:
    lines = [header, ["---"] * len(header), *([_cell(text) for text in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _cell(text: str) -> str:
    """Text on one line that neither ends a table cell nor opens an HTML tag."""
    return " ".join(plain(text).split()).replace("|", "\\|").replace("<", "&lt;")
