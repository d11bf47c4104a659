"""The blocks that a result is made of. Each system builds one document of them, and every writer knows them all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tools.text import DiffSegment

Tone = Literal["plain", "soft", "strong", "good", "warning", "alarm", "question", "answer", "thought"]


@dataclass(frozen=True)
class Heading:
    """A heading; level 1 is the title of a document."""

    text: str
    level: int = 2


@dataclass(frozen=True)
class Prose:
    """A text in Markdown that was asked for."""

    markdown: str


@dataclass(frozen=True)
class TextLine:
    """A paragraph or a list item in plain text."""

    text: str
    label: str = ""
    quote: str = ""
    source: str = ""
    """Where the text or the quote comes from."""
    tone: Tone = "plain"

    def to_text(self) -> str:
        """Return all of it as one text."""
        quote = f'"{self.quote}"' if self.quote else ""
        said = " ".join(filter(None, (self.text, quote, f"({self.source})" if self.source else "")))
        return f"{self.label}: {said}" if self.label else said


@dataclass(frozen=True)
class Quotation:
    """Words of a paper."""

    text: str


@dataclass(frozen=True)
class Items:
    """A list."""

    lines: Sequence[TextLine]


@dataclass(frozen=True)
class DataTable:
    """A table whose columns hold numbers, but for the first one and those in `words`."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    words: Sequence[str] = ()
    selected: int | None = None
    """Index of the row that stands out."""


@dataclass(frozen=True)
class Diff:
    """What was changed in a text."""

    changes: Sequence[DiffSegment]


@dataclass(frozen=True)
class Callout:
    """What a reader must not overlook."""

    title: str
    lines: Sequence[TextLine]


@dataclass(frozen=True)
class FoldedBlocks:
    """Blocks that a page shows when they are asked for."""

    title: str
    blocks: Sequence[Block]
    number: int | None = None
    """Of the round, entry or paragraph that it is about."""
    unfolded: bool = False


@dataclass(frozen=True)
class Note:
    """What is said about words of a paper: a comment of the agents, or a finding that was computed."""

    id: str
    rank: int
    """0 for what was computed: it is certain."""
    kind: str
    """What a reader can filter by."""
    title: str
    colour: str
    """Red, green and blue in hexadecimal digits."""
    paragraph: str
    """Empty if it is about none."""
    section: str
    page: int
    """0 if it is not known."""
    quote: str
    """Empty if it is about the paragraph as a whole."""
    start: int
    """Offset of the quote in the text of the paragraph, if it stands there."""
    lines: Sequence[TextLine]
    evidence: Sequence[TextLine] = ()
    checks: Sequence[TextLine] = ()
    """What a check of it found."""

    @property
    def place(self) -> str:
        """Where it is, for a person."""
        return format_place(self.section, self.page, self.paragraph)

    @property
    def heading(self) -> str:
        """Its rank, title and place."""
        return f"{self.rank}. {self.title} ({self.place})" if self.rank else self.title

    @property
    def about(self) -> str:
        """What it is about, for a person."""
        return f'"{self.quote}"' if self.quote else "the paragraph as a whole"


@dataclass(frozen=True)
class NotedParagraph:
    """A paragraph of the paper that notes are about."""

    id: str
    section: str
    page: int
    text: str


@dataclass(frozen=True)
class NotedPaper:
    """NotedPaper in the order of their importance, and the paper that they are about as far as it can be shown."""

    notes: Sequence[Note]
    paper: Sequence[NotedParagraph] = ()
    kinds: Sequence[str] = ()
    """All kinds that comments may have, in the order in which they are listed."""


Block = Heading | Prose | TextLine | Quotation | Items | DataTable | Diff | Callout | FoldedBlocks | NotedPaper


@dataclass(frozen=True)
class ResultDocument:
    """A result, in the parts that writers show together."""

    title: str
    result: Sequence[Block]
    """What was asked for."""
    remarks: Sequence[Block]
    """What a reader of the result should know."""
    conclusion: str
    """The end of the remarks on a terminal, in one line."""
    story: Sequence[FoldedBlocks] = ()
    """How it came about, one part a round, entry or paragraph."""
    provenance: Sequence[TextLine] = ()
    """Where it comes from."""
    costs: Sequence[Block] = ()
    """What it cost, and what went wrong."""

    @property
    def appendix(self) -> list[Block]:
        """How it came about, where it comes from, and what it cost, under headings."""
        found: list[Block] = []
        if self.story:
            found += [Heading("How it came about"), *self.story]
        if self.provenance:
            found += [Heading("Provenance"), Items(self.provenance)]
        return [*found, *self.costs]


def format_place(section: str, page: int, *more: str) -> str:
    """Name a place of a paper: its section, its page where there are pages, and more."""
    return ", ".join(filter(None, (section, f"page {page}" if page else "", *more)))
