"""Blocks of a result document. Each system builds one document of them, which every format renders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tools.text import DiffSegment

Tone = Literal["plain", "soft", "strong", "good", "warning", "alarm", "question", "answer", "thought"]


@dataclass(frozen=True)
class Heading:
    """Block: a heading; level 1 is the title of a document."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Prose:
    """Block: the Markdown text that the user asked for, such as an article."""

    markdown: str


@dataclass(frozen=True)
class TextLine:
    """Block or list item: a line of plain text, with optional label, quote and source."""

    text: str
    label: str = ""
    quote: str = ""
    source: str = ""
    """Where the text or the quote comes from."""
    tone: Tone = "plain"

    def to_text(self) -> str:
        """Return the label, text, quote and source joined as one line of plain text."""
        quote = f'"{self.quote}"' if self.quote else ""
        text = " ".join(filter(None, (self.text, quote, f"({self.source})" if self.source else "")))
        return f"{self.label}: {text}" if self.label else text


@dataclass(frozen=True)
class Items:
    """Block: a bulleted list."""

    lines: Sequence[TextLine]


@dataclass(frozen=True)
class DataTable:
    """Block: a table whose columns hold numbers, except the first and those named in `words`."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[str] = ()
    selected: int | None = None
    """Index of the highlighted row."""


@dataclass(frozen=True)
class Diff:
    """Block: the changes between two versions of a text."""

    changes: Sequence[DiffSegment]


@dataclass(frozen=True)
class Callout:
    """Block: a warning that a reader must not overlook."""

    title: str
    lines: Sequence[TextLine]


@dataclass(frozen=True)
class FoldedBlocks:
    """Block: further blocks under a title, which a page shows on request."""

    title: str
    blocks: Sequence[Block]
    number: int | None = None
    """Number of the round, entry or paragraph."""
    unfolded: bool = False


@dataclass(frozen=True)
class Note:
    """A comment of the agents, or a computed finding, on a paper; part of the block `NotedPaper`."""

    id: str
    rank: int
    """0 for a computed finding, because it is certain."""
    kind: str
    """Type of comment that a reader can filter by."""
    title: str
    colour: str
    """Red, green and blue as six hexadecimal digits."""
    paragraph: str
    """Id of the paragraph; empty for none."""
    section: str
    page: int
    """0 if unknown."""
    quote: str
    """Empty for a note on the whole paragraph."""
    start: int
    """Offset of the quote in the paragraph's text, if the quote is there."""
    lines: Sequence[TextLine]
    evidence: Sequence[TextLine] = ()
    checks: Sequence[TextLine] = ()
    """Results of the checks of a comment."""

    @property
    def place(self) -> str:
        """Section, page and paragraph id, for display."""
        return format_place(self.section, self.page, self.paragraph)

    @property
    def heading(self) -> str:
        """Rank, title and place for display; of a computed finding only the title."""
        return f"{self.rank}. {self.title} ({self.place})" if self.rank else self.title


@dataclass(frozen=True)
class NotedParagraph:
    """A paragraph of the paper that notes are about; part of the block `NotedPaper`."""

    id: str
    section: str
    page: int
    text: str


@dataclass(frozen=True)
class NotedPaper:
    """Block: notes in order of importance, with the paragraphs of their paper that can be shown."""

    notes: Sequence[Note]
    paper: Sequence[NotedParagraph] = ()
    kinds: Sequence[str] = ()
    """All types of comments, in the order in which they are listed."""


Block = Heading | Prose | TextLine | Items | DataTable | Diff | Callout | FoldedBlocks | NotedPaper


@dataclass(frozen=True)
class ResultDocument:
    """Result of a run for every format, divided into lists of blocks that formats show together."""

    title: str
    result: Sequence[Block]
    """The result itself."""
    remarks: Sequence[Block]
    """Warnings and explanations for a reader of the result."""
    conclusion: str
    """Last line of the remarks on a terminal."""
    story: Sequence[FoldedBlocks] = ()
    """History of the run, by round, entry or paragraph."""
    provenance: Sequence[TextLine] = ()
    """Run, paper and models that the result comes from."""
    costs: Sequence[Block] = ()
    """Usage and failures of the run."""

    @property
    def appendix(self) -> list[Block]:
        """History, provenance and costs under headings, in a new list of blocks."""
        found: list[Block] = []
        if self.story:
            found += [Heading("How it came about"), *self.story]
        if self.provenance:
            found += [Heading("Provenance"), Items(self.provenance)]
        return [*found, *self.costs]


def format_subject(quote: str) -> str:
    """Return the quote of a comment in quotation marks, or a phrase for the whole paragraph."""
    return f'"{quote}"' if quote else "the paragraph as a whole"


def format_place(section: str, page: int, *more: str) -> str:
    """Join a place in a paper with commas: section, page unless it is 0, and parts such as a paragraph."""
    return ", ".join(filter(None, (section, f"page {page}" if page else "", *more)))
