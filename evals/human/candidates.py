"""Texts that people are to judge: a JSON Lines file with one object for each sample and system.

    {"id": "moss", "system": "LLM-CLBR", "text": "...", "paper": "...", "title": "Moss and rain", "topic": "ecology"}
    {"id": "p3", "system": "SWIF2T", "text": "...", "paragraph": "...", "link": "https://example.org/paper"}

`paper` is the original, which raters read beside an article of science journalism; `title` and `topic`, which are the
paper's, stand above the two. A comparison of feedback needs the `paragraph`, and a `link` to the paper or the `paper`
itself, which is opened from it. Other fields are passed over.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from evals.datasets.entries import checked, read_entries
from evals.datasets.schema import Link, Text
from state.errors import BadInput


class Candidate(BaseModel):
    """What one system wrote for one sample."""

    model_config = ConfigDict(frozen=True, coerce_numbers_to_str=True)

    id: Text
    """Of the sample: the same for all systems."""
    system: Text
    """Never shown to a rater."""
    text: Text
    """What a reader would see. A system that had nothing to say says so here, in words."""
    title: str = ""
    topic: str = ""
    paragraph: str = ""
    paper: str = ""
    """The original, as far as the systems were given it."""
    link: Link = ""
    """To the paper."""


_CONTEXT = ("title", "topic", "paragraph", "paper", "link")
"""What is shown beside a text."""


def read_candidates(path: Path) -> list[Candidate]:
    """Read the texts.

    Raises:
        BadInput: The file cannot be read or holds none, a line is none, a system has two texts for a sample, or what
            is shown beside a sample's texts differs, which would tell its systems apart.
    """
    read = [(where, checked(Candidate, where, record)) for where, record in read_entries(path)]
    texts: dict[tuple[str, str], str] = {}
    samples: dict[str, tuple[str, Candidate]] = {}
    for where, candidate in read:
        before = texts.setdefault((candidate.id, candidate.system), where)
        if before != where:
            raise BadInput(
                f"{before} and {where} are both what {candidate.system!r} wrote for {candidate.id!r}; keep one."
            )
        earlier, other = samples.setdefault(candidate.id, (where, candidate))
        if differing := [name for name in _CONTEXT if getattr(candidate, name) != getattr(other, name)]:
            raise BadInput(
                f"{earlier} and {where} differ in the {' and '.join(differing)} of {candidate.id!r}, which would tell "
                "the systems apart; give both the same."
            )
    return [candidate for _, candidate in read]
