"""The reviewer's worked examples: comments that reviewers wrote on paragraphs of other papers (SWIF2T, Section 3).

The prompt shows one of each type of weakness: the first of the file or, with the extension `nearest_examples`, the one
whose paragraph is nearest in meaning to that under review. None is ever of the paper under review. The file says where
each comes from and under which licence; docs/worked_examples.md tells more.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, get_args

from nodes.feedback.agent import document_of, likeness, options, switch
from state.documents import Document
from state.errors import RetrievalUnavailable
from state.feedback import ParagraphState, Weakness
from state.settings import EmbeddingSettings


@dataclass(frozen=True)
class WorkedExample:
    """A paragraph of a published article and what a reviewer wrote about it.

    Paragraph, review and what the reviewer suggested are their authors' own words, shortened at sentence borders where
    "…" stands.
    """

    label: Weakness
    paragraph: str
    quote: str
    reasoning: str
    review: str
    suggestion: str
    suggestion_by: Literal["reviewer", "us"]
    """The reasoning, the type and the words that are quoted are always ours."""
    article: str
    doi: str
    report: str
    licence: str
    """Of the article and the report; F1000RD, which links them, is CC BY-SA 4.0."""


WORKED_EXAMPLES: Final = [
    WorkedExample(**json.loads(line))
    for line in Path(__file__).with_suffix(".jsonl").read_text(encoding="utf-8").splitlines()
]


async def examples_for(state: ParagraphState) -> tuple[list[WorkedExample], list[str]]:
    """The examples that the reviewer is shown, one of each type in the order of the types, and a note on the choice.

    If the embedding model cannot be used, they are the first of the file, and the note says so.
    """
    foreign = of_other_papers(await document_of(state), state["target"]["text"])
    if not switch("nearest_examples", state):
        return one_of_each_type(foreign), []
    try:
        ranked = await asyncio.to_thread(nearest_first, foreign, state["target"]["text"], options(state).embedding)
    except RetrievalUnavailable as error:
        return one_of_each_type(foreign), [f"The worked examples are not those nearest to the paragraph: {error}"]
    return one_of_each_type(ranked), []


def of_other_papers(document: Document, paragraph: str) -> list[WorkedExample]:
    """The examples of articles whose title, or words that an example quotes, neither paper nor paragraph has."""
    title = _letters(document["title"])
    text = _letters(" ".join([paragraph, *(each["text"] for each in document["paragraphs"])]))
    own = {each.doi for each in WORKED_EXAMPLES if _letters(each.article) == title or _letters(each.quote) in text}
    return [example for example in WORKED_EXAMPLES if example.doi not in own]


def one_of_each_type(ranked: Sequence[WorkedExample]) -> list[WorkedExample]:
    """The first of each type of weakness, in the order of the types."""
    first: dict[Weakness, WorkedExample] = {}
    for example in ranked:
        first.setdefault(example.label, example)
    return [first[label] for label in get_args(Weakness) if label in first]


def nearest_first(examples: Sequence[WorkedExample], paragraph: str, model: EmbeddingSettings) -> list[WorkedExample]:
    """Examples by the cosine between their paragraph and this one, the nearest first.

    Raises:
        RetrievalUnavailable: If the embedding model cannot be loaded or reached.
    """
    [nearness] = likeness((paragraph,), tuple(example.paragraph for example in WORKED_EXAMPLES), model)
    of_each = dict(zip(WORKED_EXAMPLES, nearness, strict=True))
    return sorted(examples, key=of_each.__getitem__, reverse=True)


def _letters(text: str) -> str:
    """A text without what a format changes: spaces, hyphens, the shapes of quotation marks."""
    return "".join(filter(str.isalnum, text)).casefold()
