"""Tasks for Label Studio: what a rater sees of the texts of several systems, without the names of the systems.

`paper` is the original, which raters read beside an article of science journalism; its title stands above the two. A
comparison of feedback shows the paragraph, and a link to the paper or the paper itself, which is opened from it.

Which system wrote what is told by a key, and nothing that a rater sees holds a part of it. Order, sides and names of
items all come from hashes of the seed and of what is hidden. So the same seed gives the same items again, and a sample
that is added later changes nothing about the others. Who has the seed and the candidates can make the key anew: neither
belongs in the hands of a rater.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict

from evals.datasets.samples import SampleKind
from runs.jobs import Record
from state.errors import InputError
from state.files import parse_json_record, read_file
from tools.text import split_blocks

if TYPE_CHECKING:
    from evals.evaluation import Evaluation
    from evals.task import Item, Task


class HiddenItem(BaseModel):
    """What stands behind an item."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample: str
    systems: tuple[str, ...]
    """One whose text is rated, or two that are compared, in the order in which they are shown."""


class BlindingKey(BaseModel):
    """What stands behind every item."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int
    items: dict[str, HiddenItem]
    """In the order in which they are shown."""

    def unblind_item(self, item: str, systems: int) -> HiddenItem:
        """What stands behind one item.

        Args:
            item: Its name.
            systems: How many there should be.

        Raises:
            BadInput: The key is that of other sheets.
        """
        hidden = self.items.get(item)
        if hidden is None or len(hidden.systems) != systems:
            kind = "texts" if systems == 1 else "comparisons"
            raise InputError(f"The item {item!r} is none of the key's {kind}; give the key written with these sheets.")
        return hidden


def hash_parts(seed: int, *parts: str) -> str:
    """A random-looking name: the same for the same seed and parts, in every process."""
    return blake2b(json.dumps([seed, *parts]).encode(), digest_size=8).hexdigest()


def make_key(seed: int, hidden: Iterable[HiddenItem], *, together: bool) -> BlindingKey:
    """Name the items and put them into random order.

    Args:
        seed: Of names and order.
        hidden: What stands behind the items.
        together: Whether those of a sample follow each other, so that a rater reads what they share once.
    """
    named = {hash_parts(seed, each.sample, *each.systems): each for each in hidden}
    order = sorted(named, key=lambda item: (hash_parts(seed, named[item].sample) if together else "", item))
    return BlindingKey(seed=seed, items={item: named[item] for item in order})


def read_key(path: Path) -> BlindingKey:
    """Read a key.

    Raises:
        BadInput: The file cannot be read, or is no key.
    """
    return parse_json_record(
        BlindingKey, read_file(path, "key"), f"{path} is no key like the key.json beside the tasks"
    )


_PAPER_FIELDS: Mapping[SampleKind, str] = {"journalism": "abstract", "feedback": "paper"}
"""The field of a sample that people see beside the text."""

_NO_COMMENT_TEXT = "No comment on this paragraph."
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


_TextsBySample = dict[str, dict[str, CandidateText]]
"""By sample, then by system."""
LabelStudioTask = dict[str, dict[str, str]]
"""What is shown, by its name, below `data`."""


def list_judged_rows(evaluation: Evaluation) -> list[str]:
    """The rows that people are to judge, those of the paper's own human evaluation, as far as the run has them."""
    had = {name for sample in evaluation.samples for name in evaluation.collect_sample_items(sample)}
    rows = [evaluation.task.find_row(name) for name in evaluation.task.judged if name in had]
    return [row.name for row in rows] if any(row.system for row in rows) else []


def collect_candidates(evaluation: Evaluation, rows: Sequence[str]) -> list[CandidateText]:
    """The texts of rows for each sample that all of them have.

    Raises:
        BadInput: There is no such sample.
    """
    found = [
        _build_candidate(evaluation.task, sample, name, items[name])
        for sample in evaluation.samples
        for items in [evaluation.collect_sample_items(sample)]
        if set(rows) <= items.keys()
        for name in rows
    ]
    if not found:
        raise InputError(f"No sample has a text of each of {', '.join(rows)}: name rows that were run.")
    return found


def _build_candidate(task: Task, sample: Record, row: str, item: Item) -> CandidateText:
    return CandidateText(
        id=sample["id"],
        system=row,
        text=item.text or _NO_COMMENT_TEXT,
        title=sample.get("title") or "",
        paragraph=sample.get("paragraph") or "",
        paper=sample[_PAPER_FIELDS[task.kind]],
        link=sample.get("link") or "",
    )


def build_rating_tasks(candidates: Iterable[CandidateText], *, seed: int) -> tuple[list[LabelStudioTask], BlindingKey]:
    """The texts in random order, and what tells whose they are.

    Their Markdown is taken off, because headings and bold print would tell a model's text from a person's.
    """
    texts = _group_by_sample(candidates)
    hidden = [HiddenItem(sample=sample, systems=(system,)) for sample, written in texts.items() for system in written]
    key = make_key(seed, hidden, together=False)
    return [_build_rating_task(item, texts[each.sample][each.systems[0]]) for item, each in key.items.items()], key


def build_comparison_tasks(
    candidates: Iterable[CandidateText], *, seed: int
) -> tuple[list[LabelStudioTask], BlindingKey]:
    """Every pair of systems on every sample, in random order and on random sides, and what tells whose they are.

    Texts stand as they are: taking Markdown off would also take the asterisks of a formula.

    Raises:
        BadInput: There are fewer than two systems.
    """
    texts = _group_by_sample(candidates)
    hidden = [
        HiddenItem(sample=sample, systems=_shuffle_sides(seed, sample, pair))
        for sample, written in texts.items()
        for pair in combinations(sorted(written), 2)
    ]
    if not hidden:
        raise InputError("The texts are of one system only; comparisons need those of two or more.")
    key = make_key(seed, hidden, together=True)
    return [_build_comparison_task(item, each, texts[each.sample]) for item, each in key.items.items()], key


def _group_by_sample(candidates: Iterable[CandidateText]) -> _TextsBySample:
    texts: _TextsBySample = {}
    for candidate in candidates:
        texts.setdefault(candidate.id, {})[candidate.system] = candidate
    return texts


def _shuffle_sides(seed: int, sample: str, pair: tuple[str, str]) -> tuple[str, str]:
    one, other = pair
    return (other, one) if int(hash_parts(seed, "side", sample, one, other), 16) % 2 else (one, other)


def _build_rating_task(item: str, candidate: CandidateText) -> LabelStudioTask:
    plain = "\n\n".join(block.text for block in split_blocks(candidate.text))
    shown = {"item": item, "title": candidate.title, "paper": candidate.paper, "text": plain}
    return {"data": {**shown, "anchor": _render_anchor(candidate.link)}}


def _build_comparison_task(item: str, hidden: HiddenItem, written: Mapping[str, CandidateText]) -> LabelStudioTask:
    first, second = (written[system] for system in hidden.systems)
    shown = {
        "item": item,
        "paragraph": first.paragraph,
        "paper": "" if first.link else first.paper,
        "first": first.text,
        "second": second.text,
        "anchor": _render_anchor(first.link),
    }
    return {"data": shown}


def _render_anchor(link: str) -> str:
    """A link in HTML; empty if there is none."""
    anchor = Markup('<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>')
    return str(anchor.format(link, link)) if link else ""
