"""What a rater sees: texts and pairs of comments without the names of their systems."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from pydantic import BaseModel, ConfigDict

from evals.datasets.schema import Link
from evals.human.blinding import Hidden, Key, digest, make_key
from evals.human.candidates import Candidate
from state.errors import BadInput
from tools.plain_text import blocks

Texts = dict[str, dict[str, Candidate]]
"""By sample, then by system."""


class RatedText(BaseModel):
    """A text that is rated, beside the paper that it is about."""

    model_config = ConfigDict(frozen=True)

    item: str
    title: str
    """Of the paper; empty if not known."""
    topic: str
    paper: str
    link: Link
    """To the paper; empty if there is none."""
    text: str


class Comparison(BaseModel):
    """Two comments on a paragraph."""

    model_config = ConfigDict(frozen=True)

    item: str
    paragraph: str
    paper: str
    """The whole of it; empty where a link leads there."""
    link: Link
    first: str
    second: str


def rated_texts(candidates: Iterable[Candidate], *, seed: int) -> tuple[list[RatedText], Key]:
    """The texts in random order, and what tells whose they are.

    Their Markdown is taken off, because headings and bold print would tell a model's text from a person's.

    Raises:
        BadInput: A system lacks a sample that others have, or a sample has no paper.
    """
    texts = _by_sample(candidates)
    if bare := next((each for each in _one_of_each(texts) if not each.paper), None):
        raise BadInput(f"The sample {bare.id!r} has no `paper`, which raters read beside the articles; add it.")
    hidden = [Hidden(sample=sample, systems=(system,)) for sample, written in texts.items() for system in written]
    key = make_key(seed, hidden, together=False)
    return [_rated_text(item, texts[each.sample][each.systems[0]]) for item, each in key.items.items()], key


def comparisons(candidates: Iterable[Candidate], *, seed: int) -> tuple[list[Comparison], Key]:
    """Every pair of systems on every sample, in random order and on random sides, and what tells whose they are.

    Texts stand as they are: taking Markdown off would also take the asterisks of a formula.

    Raises:
        BadInput: There are fewer than two systems, one lacks a sample that others have, or a sample has no paragraph,
            or nothing that leads to its paper.
    """
    texts = _by_sample(candidates)
    hidden = [
        Hidden(sample=sample, systems=_on_random_sides(seed, sample, pair))
        for sample, written in texts.items()
        for pair in combinations(sorted(written), 2)
    ]
    if not hidden:
        raise BadInput("The candidates are of one system only; comparisons need those of two or more.")
    if bare := next((each for each in _one_of_each(texts) if not each.paragraph), None):
        raise BadInput(f"The sample {bare.id!r} has no `paragraph`, which the comments are about; add it.")
    if closed := next((each for each in _one_of_each(texts) if not each.link and not each.paper), None):
        raise BadInput(f"The sample {closed.id!r} has no `link` to its paper and no `paper`; add one for the raters.")
    key = make_key(seed, hidden, together=True)
    return [_comparison(item, each, texts[each.sample]) for item, each in key.items.items()], key


def _by_sample(candidates: Iterable[Candidate]) -> Texts:
    texts: Texts = {}
    for candidate in candidates:
        texts.setdefault(candidate.id, {})[candidate.system] = candidate
    systems = dict.fromkeys(system for written in texts.values() for system in written)
    for sample, written in texts.items():
        if missing := [system for system in systems if system not in written]:
            raise BadInput(
                f"The sample {sample!r} has no text of {' and '.join(map(repr, missing))}; add it, or leave the sample "
                "out: systems are judged on the same samples."
            )
    return texts


def _one_of_each(texts: Texts) -> list[Candidate]:
    """A candidate of every sample: what is shown beside its texts is the same for all."""
    return [next(iter(written.values())) for written in texts.values()]


def _on_random_sides(seed: int, sample: str, pair: tuple[str, str]) -> tuple[str, str]:
    one, other = pair
    return (other, one) if int(digest(seed, "side", sample, one, other), 16) % 2 else (one, other)


def _rated_text(item: str, candidate: Candidate) -> RatedText:
    plain = "\n\n".join(block.text for block in blocks(candidate.text))
    shown = candidate.model_dump(include={"title", "topic", "paper", "link"})
    return RatedText(item=item, text=plain, **shown)


def _comparison(item: str, hidden: Hidden, written: Mapping[str, Candidate]) -> Comparison:
    first, second = (written[system] for system in hidden.systems)
    paper = "" if first.link else first.paper
    return Comparison(
        item=item, paragraph=first.paragraph, paper=paper, link=first.link, first=first.text, second=second.text
    )
