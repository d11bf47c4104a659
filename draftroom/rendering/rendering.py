"""Interface between a system and the command: progress lines, result documents, formats and questions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from draftroom.rendering.blocks import ResultDocument
from draftroom.rendering.html import render_html
from draftroom.rendering.markdown import render_markdown
from draftroom.rendering.provenance import describe_costs, describe_provenance
from runs.record import RunRecord
from state.documents import FORMAT_NAMES, DocumentFormat
from state.records import Values

Render = Callable[[RunRecord, Values], str | bytes]


@dataclass(frozen=True)
class Dialogue:
    """Texts of the dialogue with a person when a run pauses, and the form of the answer."""

    introduce: Callable[[Values], str]
    """Formats what stands before the proposed lines."""
    these: str
    """Noun phrase for the proposed lines, such as `these questions`."""
    line: str
    """Noun for a line of the answer, such as `question`."""

    def describe(self, question: Values) -> str:
        """Format the question at which a run is paused, with its numbered lines, for the terminal."""
        lines = (f"  {number}. {text}" for number, text in enumerate(question["advice"], start=1))
        return "\n".join([self.introduce(question), *lines])

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
    build_result: Callable[[RunRecord, Values], ResultDocument]
    """Builds the document of a run, also of an unfinished one, without its provenance and costs."""
    output: type[Any]
    """Output schema of the graph; its keys are in the JSON beside `run`."""
    note: str = ""
    """Warning that stands in the JSON."""
    own_formats: Mapping[str, Render] = field(default_factory=dict)
    """Renderers of further formats by the suffix of a file."""
    of_the_paper: Mapping[str, DocumentFormat] = field(default_factory=dict)
    """Formats that annotate the paper itself, with the format that the paper must have."""
    dialogue: Dialogue | None = None
    """None for a system whose runs never pause."""

    @property
    def formats(self) -> dict[str, Render]:
        """Renderers by the suffix of a file: those of every system, and its own."""
        return {
            ".md": lambda *run: render_markdown(self.build_document(*run)),
            ".html": lambda *run: render_html(self.build_document(*run)),
            ".json": self._render_json,
            **self.own_formats,
        }

    def build_document(self, record: RunRecord, values: Values) -> ResultDocument:
        """Build the whole result document of a run, also of an unfinished one."""
        provenance, costs = describe_provenance(record, values), list(describe_costs(record, self.unit))
        return replace(self.build_result(record, values), provenance=provenance, costs=costs)

    def _render_json(self, record: RunRecord, values: Values) -> str:
        """Render the record and the output of a run as JSON text."""
        note = {"note": self.note} if self.note else {}
        result = {"run": record, **note, **{key: values.get(key) for key in self.output.__annotations__}}
        return json.dumps(result, ensure_ascii=False, indent=2) + "\n"

    def describe_refusal(self, suffix: str, paper: DocumentFormat) -> str:
        """Explain why a paper of a format cannot be exported as `suffix`; empty if it can."""
        needed = self.of_the_paper.get(suffix, paper)
        return "" if needed == paper else f"only a paper that is {FORMAT_NAMES[needed]} can be annotated so"
