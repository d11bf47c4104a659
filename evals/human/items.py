"""Tasks for Label Studio: what a rater sees of the texts of several systems, without the names of the systems.

The texts are candidates, from a run or from a JSON Lines file with one object for each sample and system:

    {"id": "moss", "system": "LLM-CLBR", "text": "...", "paper": "...", "title": "Moss and rain", "topic": "ecology"}
    {"id": "p3", "system": "SWIF2T", "text": "...", "paragraph": "...", "link": "https://example.org/paper"}

`paper` is the original, which raters read beside an article of science journalism; `title` and `topic`, which are the
paper's, stand above the two. A comparison of feedback needs the `paragraph`, and a `link` to the paper or the `paper`
itself, which is opened from it. Other fields are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict

from evals.datasets.samples import Kind, Link, Text, checked, read_entries
from evals.human.blinding import BlindingKey, HiddenItem, digest, make_key
from runs.many import Record
from state.errors import BadInput
from tools.text import blocks

if TYPE_CHECKING:
    from evals.evaluation import Evaluation
    from evals.task import Item, Task

_CONTEXT = ("title", "topic", "paragraph", "paper", "link")
"""What is shown beside a text."""
_PAPERS: Mapping[Kind, str] = {
    "journalism": "abstract",
    "simplification": "source",
    "feedback": "paper",
}
"""The field of a sample that holds the original."""

_SILENT = "No comment on this paragraph."
"""A system that has nothing to say has said that."""


class CandidateText(BaseModel):
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


_Texts = dict[str, dict[str, CandidateText]]
"""By sample, then by system."""
LabelStudioTask = dict[str, dict[str, str]]
"""What is shown, by its name, below `data`."""


def read_candidates(path: Path) -> list[CandidateText]:
    """Read the texts.

    Raises:
        BadInput: The file cannot be read or holds none, a line is none, a system has two texts for a sample, or what
            is shown beside a sample's texts differs, which would tell its systems apart.
    """
    read = [(where, checked(CandidateText, where, record)) for where, record in read_entries(path)]
    texts: dict[tuple[str, str], str] = {}
    samples: dict[str, tuple[str, CandidateText]] = {}
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


def judged_rows(evaluation: Evaluation) -> list[str]:
    """The rows that people are to judge, those of the paper's own human evaluation, as far as the run has them."""
    had = {name for sample in evaluation.samples for name in evaluation.items(sample)}
    rows = [evaluation.task.row(name) for name in evaluation.task.judged if name in had]
    return [row.name for row in rows] if any(row.system for row in rows) else []


def candidates_of(evaluation: Evaluation, rows: Sequence[str]) -> list[CandidateText]:
    """The texts of rows for each sample that all of them have.

    Raises:
        BadInput: There is no such sample.
    """
    found = [
        _candidate(evaluation.task, sample, name, items[name])
        for sample in evaluation.samples
        for items in [evaluation.items(sample)]
        if set(rows) <= items.keys()
        for name in rows
    ]
    if not found:
        raise BadInput(f"No sample has a text of each of {', '.join(rows)}: name rows that were run.")
    return found


def _candidate(task: Task, sample: Record, row: str, item: Item) -> CandidateText:
    return CandidateText(
        id=sample["id"],
        system=row,
        text=item.text or _SILENT,
        title=sample.get("title") or "",
        paragraph=sample.get("paragraph") or "",
        paper=sample[_PAPERS[task.kind]],
        link=sample.get("link") or "",
    )


def rated_texts(candidates: Iterable[CandidateText], *, seed: int) -> tuple[list[LabelStudioTask], BlindingKey]:
    """The texts in random order, and what tells whose they are.

    Their Markdown is taken off, because headings and bold print would tell a model's text from a person's.

    Raises:
        BadInput: A system lacks a sample that others have, or a sample has no paper.
    """
    texts = _by_sample(candidates)
    if bare := next((each for each in _one_of_each(texts) if not each.paper), None):
        raise BadInput(f"The sample {bare.id!r} has no `paper`, which raters read beside the articles; add it.")
    hidden = [HiddenItem(sample=sample, systems=(system,)) for sample, written in texts.items() for system in written]
    key = make_key(seed, hidden, together=False)
    return [_rated_text(item, texts[each.sample][each.systems[0]]) for item, each in key.items.items()], key


def comparisons(candidates: Iterable[CandidateText], *, seed: int) -> tuple[list[LabelStudioTask], BlindingKey]:
    """Every pair of systems on every sample, in random order and on random sides, and what tells whose they are.

    Texts stand as they are: taking Markdown off would also take the asterisks of a formula.

    Raises:
        BadInput: There are fewer than two systems, one lacks a sample that others have, or a sample has no paragraph,
            or nothing that leads to its paper.
    """
    texts = _by_sample(candidates)
    hidden = [
        HiddenItem(sample=sample, systems=_on_random_sides(seed, sample, pair))
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


def _by_sample(candidates: Iterable[CandidateText]) -> _Texts:
    texts: _Texts = {}
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


def _one_of_each(texts: _Texts) -> list[CandidateText]:
    """A candidate of every sample: what is shown beside its texts is the same for all."""
    return [next(iter(written.values())) for written in texts.values()]


def _on_random_sides(seed: int, sample: str, pair: tuple[str, str]) -> tuple[str, str]:
    one, other = pair
    return (other, one) if int(digest(seed, "side", sample, one, other), 16) % 2 else (one, other)


def _rated_text(item: str, candidate: CandidateText) -> LabelStudioTask:
    plain = "\n\n".join(block.text for block in blocks(candidate.text))
    shown = candidate.model_dump(include={"title", "topic", "paper"})
    return {"data": {"item": item, **shown, "text": plain, "anchor": _anchor(candidate.link)}}


def _comparison(item: str, hidden: HiddenItem, written: Mapping[str, CandidateText]) -> LabelStudioTask:
    first, second = (written[system] for system in hidden.systems)
    shown = {
        "item": item,
        "paragraph": first.paragraph,
        "paper": "" if first.link else first.paper,
        "first": first.text,
        "second": second.text,
        "anchor": _anchor(first.link),
    }
    return {"data": shown}


def _anchor(link: str) -> str:
    """A link in HTML; empty if there is none."""
    anchor = Markup('<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>')
    return str(anchor.format(link, link)) if link else ""
