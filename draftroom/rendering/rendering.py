"""What the command must know to show the runs of a system."""

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
    """How a person answers the question at which a run pauses."""

    describe: Callable[[Values], str]
    """The question as text."""
    these: str
    """What a person answers with, for a sentence: these questions."""
    line: str
    """What a line of the answer is: a question."""

    def build_answer(self, lines: list[str] | None) -> dict[str, Any]:
        """Return what the graph wants to hear: a person's lines, or None for those that it has itself."""
        return {"advice": lines}


@dataclass(frozen=True)
class Rendering:
    """How the runs of a system are told and shown."""

    unit: str
    """What it counts its calls by, as a person says it: round, entry or paragraph."""
    milestone: Callable[[str, Values, Values], str]
    """From a node, what it has just written and the state with it: a line, empty if it is not worth one."""
    document: Callable[[RunRecord, Values], ResultDocument]
    formats: Mapping[str, Render]
    """By the suffix of a file."""
    of_the_paper: Mapping[str, DocumentFormat] = field(default_factory=dict)
    """Formats that are the paper itself with something added, and the format in which it must have come."""
    dialogue: Dialogue | None = None
    """None if its runs never pause."""

    def describe_refusal(self, suffix: str, paper: DocumentFormat) -> str:
        """Say why a result on a paper of some format cannot be had as `suffix`; empty if it can."""
        needed = self.of_the_paper.get(suffix, paper)
        return "" if needed == paper else f"only a paper that is {FORMAT_NAMES[needed]} can be annotated so"


def build_formats(
    build: Callable[[RunRecord, Values], ResultDocument], output: type[Any], **more: str
) -> dict[str, Render]:
    """Return the formats that every system has.

    Args:
        build: Makes the document of a run.
        output: The graph's output schema, whose keys the JSON has beside `run`.
        more: What the JSON holds besides.
    """

    def to_json(record: RunRecord, values: Values) -> str:
        result = {"run": record, **more, **{key: values.get(key) for key in output.__annotations__}}
        return json.dumps(result, ensure_ascii=False, indent=2) + "\n"

    def to_markdown(record: RunRecord, values: Values) -> str:
        return render_markdown(build(record, values))

    def to_html(record: RunRecord, values: Values) -> str:
        return render_html(build(record, values))

    return {".md": to_markdown, ".markdown": to_markdown, ".html": to_html, ".json": to_json}
