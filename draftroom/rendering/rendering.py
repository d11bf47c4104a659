"""Interface between a system and the command: progress lines, result documents, formats and questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from draftroom.rendering.blocks import ResultDocument
from draftroom.rendering.html import render_html
from draftroom.rendering.markdown import render_markdown
from runs.record import RunRecord
from state.documents import FORMAT_NAMES, DocumentFormat
from state.records import Values

Render = Callable[[RunRecord, Values], str | bytes]


@dataclass(frozen=True)
class Dialogue:
    """Texts of the dialogue with a person when a run pauses, and the form of the answer."""

    describe: Callable[[Values], str]
    """Formats the question as text."""
    these: str
    """Noun phrase for the proposed lines, such as `these questions`."""
    line: str
    """Noun for a line of the answer, such as `question`."""

    def build_answer(self, lines: list[str] | None) -> dict[str, Any]:
        """Return the answer for the graph; None accepts the lines that the graph proposes."""
        return {"advice": lines}


@dataclass(frozen=True)
class Rendering:
    """How runs of a system are shown: progress lines, result documents, formats, and the dialogue with a person."""

    unit: str
    """Word for a step of the system: round, entry or paragraph."""
    milestone: Callable[[str, Values, Values], str]
    """Formats a progress line from a node, its update and the state after it; empty for none."""
    document: Callable[[RunRecord, Values], ResultDocument]
    formats: Mapping[str, Render]
    """Renderers by the suffix of a file."""
    of_the_paper: Mapping[str, DocumentFormat] = field(default_factory=dict)
    """Formats that annotate the paper itself, with the format that the paper must have."""
    dialogue: Dialogue | None = None
    """None for a system whose runs never pause."""

    def describe_refusal(self, suffix: str, paper: DocumentFormat) -> str:
        """Explain why a paper of a format cannot be exported as `suffix`; empty if it can."""
        needed = self.of_the_paper.get(suffix, paper)
        return "" if needed == paper else f"only a paper that is {FORMAT_NAMES[needed]} can be annotated so"


def build_formats(
    build: Callable[[RunRecord, Values], ResultDocument], output: type[Any], **more: str
) -> dict[str, Render]:
    """Return renderers of the formats of every system (Markdown, HTML, JSON) by suffix; `more` goes into the JSON.

    Args:
        build: Builds the result document of a run.
        output: Output schema of the graph; its keys are in the JSON beside `run`.
        more: Further entries of the JSON.
    """

    def to_json(record: RunRecord, values: Values) -> str:
        result = {"run": record, **more, **{key: values.get(key) for key in output.__annotations__}}
        return json.dumps(result, ensure_ascii=False, indent=2) + "\n"

    def to_markdown(record: RunRecord, values: Values) -> str:
        return render_markdown(build(record, values))

    def to_html(record: RunRecord, values: Values) -> str:
        return render_html(build(record, values))

    return {".md": to_markdown, ".markdown": to_markdown, ".html": to_html, ".json": to_json}
