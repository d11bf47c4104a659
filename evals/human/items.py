"""Tasks for Label Studio: what a rater sees of the texts of several systems, without the names of the systems.

`paper` is the original, which raters read beside an article of science journalism; its title stands above the two. A
comparison of feedback shows the paragraph, and a link to the paper or the paper itself, which is opened from it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from evals.datasets.samples import Kind
from evals.human.blinding import BlindingKey, HiddenItem, digest, make_key
from runs.many import Record
from state.errors import BadInput
from tools.text import blocks

if TYPE_CHECKING:
    from evals.evaluation import Evaluation
    from evals.task import Item, Task

_PAPERS: Mapping[Kind, str] = {"journalism": "abstract", "feedback": "paper"}
"""The field of a sample that people see beside the text."""

_SILENT = "No comment on this paragraph."
"""A system that has nothing to say has said that."""


class CandidateText(NamedTuple):
    """What one system wrote for one sample."""

    id: str
    """Of the sample: the same for all systems."""
    system: str
    """Never shown to a rater."""
    text: str
    """What a reader would see. A system that had nothing to say says so here, in words."""
    title: str = ""
    paragraph: str = ""
    paper: str = ""
    """The original, as far as the systems were given it."""
    link: str = ""
    """To the paper."""


_Texts = dict[str, dict[str, CandidateText]]
"""By sample, then by system."""
LabelStudioTask = dict[str, dict[str, str]]
"""What is shown, by its name, below `data`."""


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
    """
    texts = _by_sample(candidates)
    hidden = [HiddenItem(sample=sample, systems=(system,)) for sample, written in texts.items() for system in written]
    key = make_key(seed, hidden, together=False)
    return [_rated_text(item, texts[each.sample][each.systems[0]]) for item, each in key.items.items()], key


def comparisons(candidates: Iterable[CandidateText], *, seed: int) -> tuple[list[LabelStudioTask], BlindingKey]:
    """Every pair of systems on every sample, in random order and on random sides, and what tells whose they are.

    Texts stand as they are: taking Markdown off would also take the asterisks of a formula.

    Raises:
        BadInput: There are fewer than two systems.
    """
    texts = _by_sample(candidates)
    hidden = [
        HiddenItem(sample=sample, systems=_on_random_sides(seed, sample, pair))
        for sample, written in texts.items()
        for pair in combinations(sorted(written), 2)
    ]
    if not hidden:
        raise BadInput("The texts are of one system only; comparisons need those of two or more.")
    key = make_key(seed, hidden, together=True)
    return [_comparison(item, each, texts[each.sample]) for item, each in key.items.items()], key


def _by_sample(candidates: Iterable[CandidateText]) -> _Texts:
    texts: _Texts = {}
    for candidate in candidates:
        texts.setdefault(candidate.id, {})[candidate.system] = candidate
    return texts


def _on_random_sides(seed: int, sample: str, pair: tuple[str, str]) -> tuple[str, str]:
    one, other = pair
    return (other, one) if int(digest(seed, "side", sample, one, other), 16) % 2 else (one, other)


def _rated_text(item: str, candidate: CandidateText) -> LabelStudioTask:
    plain = "\n\n".join(block.text for block in blocks(candidate.text))
    shown = {"item": item, "title": candidate.title, "paper": candidate.paper, "text": plain}
    return {"data": {**shown, "anchor": _anchor(candidate.link)}}


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
