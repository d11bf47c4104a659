"""A flaw at a known place of a paper, and what an edit must not leave behind.

A plant is one edit of one paragraph: some of its words are taken out, and others may be put in. What may be kept of it
is little: where it is, the words that were put in, and a digest of the paragraph that it belongs to. The papers
themselves are read from where they lie.
"""

from __future__ import annotations

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Final, Literal, NamedTuple, get_args

from evals.datasets.feedback import CorpusPaper, paper_markdown
from state.feedback import Weakness
from tools.text import sentence_ends

FlawKind = Literal[
    "changed number",
    "wrong percentage",
    "wrong p-value",
    "wrong estimate",
    "removed setting",
    "causal words",
    "removed comparison",
    "uncited novelty",
    "overstated conclusion",
    "contradicting step",
]
FLAW_KINDS: tuple[FlawKind, ...] = get_args(FlawKind)
COMPUTABLE: Final = frozenset[FlawKind]({"changed number", "wrong percentage", "wrong p-value", "wrong estimate"})
"""Kinds that arithmetic or a comparison of two places shows; the others are textual."""

LABELS: Final[Mapping[FlawKind, tuple[Weakness, ...]]] = {
    **dict.fromkeys(FLAW_KINDS, ("Empirical and Theoretical Soundness",)),
    "removed setting": ("Replicability",),
    "removed comparison": ("Meaningful Comparison",),
    "uncited novelty": ("Originality",),
    "contradicting step": ("Empirical and Theoretical Soundness", "Replicability"),
}
"""Types of SWIF2T that are right for a flaw."""


class Edit(NamedTuple):
    """Words of a paragraph that others take the place of."""

    start: int
    end: int
    words: str
    """What is put in; empty if the flaw is that something is missing."""

    def of(self, text: str) -> str:
        """The text with it."""
        return text[: self.start] + self.words + text[self.end :]


class OpenParagraph(NamedTuple):
    """A paragraph with single spaces."""

    id: str
    section: str
    text: str


class OpenPaper:
    """A paper as plants are made in it.

    Args:
        record: As the corpus has it.
    """

    def __init__(self, record: CorpusPaper) -> None:
        self.record = record
        self.id = record.paper_id
        self.paragraphs = [
            OpenParagraph(part.id or f"{record.paper_id}_{number}", section.heading, " ".join(part.text.split()))
            for number, (section, part) in enumerate(
                (section, part) for section in record.sections for part in section.paragraphs
            )
        ]

    @cached_property
    def texts(self) -> dict[str, str]:
        """Of the paragraphs, by their ids, and the abstract if it is none of them."""
        named = {paragraph.id: paragraph.text for paragraph in self.paragraphs}
        if any(section.heading.strip().lower() == "abstract" for section in self.record.sections):
            return named
        return {"": " ".join((self.record.abstract or "").split()), **named}

    def others(self, paragraph: OpenParagraph) -> list[str]:
        """The texts of all paragraphs but one."""
        return [text for name, text in self.texts.items() if name != paragraph.id]

    def markdown(self, paragraph: OpenParagraph | None = None, text: str = "") -> str:
        """The whole paper; with another text in place of a paragraph, if one is given."""
        if paragraph is None:
            return paper_markdown(self.record)
        sections = []
        parts = iter(self.paragraphs)
        for section in self.record.sections:
            inside = [
                part.model_copy(update={"text": text}) if next(parts) == paragraph else part
                for part in section.paragraphs
            ]
            sections.append(section.model_copy(update={"paragraphs": inside}))
        return paper_markdown(self.record.model_copy(update={"sections": sections}))


class Plant(NamedTuple):
    """A flaw in a paper."""

    kind: FlawKind
    paper: str
    paragraph: OpenParagraph
    edit: Edit

    @property
    def id(self) -> str:
        """The same for the same edit, whatever else is planted."""
        said = "\n".join(map(str, (self.kind, self.paper, self.paragraph.id, *self.edit)))
        return hashlib.sha256(said.encode()).hexdigest()[:10]

    @property
    def flawed(self) -> str:
        """The paragraph with the flaw."""
        return self.edit.of(self.paragraph.text)

    @property
    def sentences(self) -> tuple[str, str]:
        """The sentence with the flaw, and the same one without it."""
        return sentence_at(self.flawed, self.edit.start), sentence_at(self.paragraph.text, self.edit.start)


def digest(text: str) -> str:
    """By which a paragraph is known again."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def sentence_span(text: str, at: int) -> tuple[int, int]:
    """Where the sentence at an offset begins and ends."""
    ends = [0, *sentence_ends(text), len(text)]
    place = min(bisect_right(ends, at), len(ends) - 1)
    return ends[place - 1], ends[place]


def sentence_at(text: str, at: int) -> str:
    """The sentence at an offset."""
    start, end = sentence_span(text, at)
    return text[start:end].strip()


_IRREGULAR: Final = (
    re.compile(r"\s\s"),
    re.compile(r"\s[.,;:)](?!\d)"),
    re.compile(r"\(\s|\[\s|\(\)|\[\]|\(\s*[,;]"),
    re.compile(r"[,;:]\s*[.,;:)]|\.\s*[,;]"),
    re.compile(r"\b(a|an|the|of|in|at|for|and|or|with|to|by|than|as|from|on) ?[.,;)]", re.IGNORECASE),
    re.compile(r"\b(a|an|the|of|in|at|for|with|to|by|than|and|or) (?=(of|and|or|by|for|than|with|at) )", re.IGNORECASE),
    re.compile(r"\b(\w+) \1\b", re.IGNORECASE),
    re.compile(r"\b[Aa] [aeioAEIO]\w"),
    re.compile(r"\b[Aa]n [bcdfgjklmnpqrstvwxyzBCDGJKPQTVWYZ]\w"),
    re.compile(r"[.!?] [a-z]"),
    re.compile(r"^[a-z]"),
    re.compile(r"[\w,;]$"),
)
"""What a cut may leave, which copy-editing does not: counted before and after, since texts have some of their own."""
_ABBREVIATION: Final = re.compile(r"\b[A-Z][A-Za-z]*[A-Z]+\w*\b")


def traces(plant: Plant, elsewhere: Iterable[str]) -> list[str]:
    """What would tell a reader that the paragraph was edited; empty if nothing would.

    Args:
        plant: The flaw.
        elsewhere: The other paragraphs of the paper.
    """
    clean, flawed = plant.paragraph.text, plant.flawed
    found = [each.pattern for each in _IRREGULAR if len(each.findall(flawed)) > len(each.findall(clean))]
    for opening, closing in ("()", "[]", "“”"):
        if flawed.count(opening) - flawed.count(closing) != clean.count(opening) - clean.count(closing):
            found.append(f"unbalanced {opening}{closing}")
    removed = clean[plant.edit.start : plant.edit.end]
    defined = {name for name in _ABBREVIATION.findall(removed) if f"({name}" in removed}
    rest = " ".join((flawed, *elsewhere))
    found += [f"{name} is defined nowhere" for name in sorted(defined) if re.search(rf"\b{re.escape(name)}\b", rest)]
    return found
