"""Blinded tasks for Label Studio: texts of several systems without the systems' names.

Raters of science journalism see the paper's abstract beside the article. Raters of focused feedback see the paragraph,
and a link to the paper or the paper itself.

The key says which system wrote which text, and nothing that a rater sees reveals a part of it. Names, order and sides
of the items are derived from hashes of the seed and the hidden systems. The same seed therefore gives the same items,
and samples that are added later do not change the others. Raters must not have both the seed and the candidates: they
could recompute the key.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup
from pydantic import BaseModel, ConfigDict

from state.errors import InputError
from state.files import parse_json_record, read_file
from tools.text import split_blocks

if TYPE_CHECKING:
    from evals.evaluation import Evaluation
    from evals.task import Item


class HiddenItem(BaseModel):
    """What the name of an item hides: its sample, and the one or two systems."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    sample: str
    systems: tuple[str, ...]
    """The system whose text is rated, or the two that are compared, in the order shown."""


class BlindingKey(BaseModel):
    """The content of key.json: the seed, and the sample and systems behind the name of each item."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    seed: int
    items: dict[str, HiddenItem]
    """Hidden items by name, in the order shown."""

    def find_hidden_item(self, item: str, system_count: int) -> HiddenItem:
        """Return what an item hides, or raise unless it has `system_count` systems: 1 for a rating, 2 for a comparison.

        Raises:
            InputError: The key belongs to other tasks.
        """
        hidden = self.items.get(item)
        if hidden is None or len(hidden.systems) != system_count:
            kind = "texts" if system_count == 1 else "comparisons"
            raise InputError(f"The item {item!r} is none of the key's {kind}; give the key written with these sheets.")
        return hidden


def hash_parts(seed: int, *parts: str) -> str:
    """Hash a seed and some texts into a name of 16 hexadecimal digits, the same in every process."""
    return blake2b(json.dumps([seed, *parts]).encode(), digest_size=8).hexdigest()


def build_blinding_key(seed: int, hidden: Iterable[HiddenItem], *, together: bool) -> BlindingKey:
    """Build the key: names and order of items are hashes of the seed; `together` keeps items of a sample adjacent."""
    named = {hash_parts(seed, each.sample, *each.systems): each for each in hidden}
    order = sorted(named, key=lambda item: (hash_parts(seed, named[item].sample) if together else "", item))
    return BlindingKey(seed=seed, items={item: named[item] for item in order})


def read_key(path: Path) -> BlindingKey:
    """Read a blinding key from key.json.

    Raises:
        InputError: The file cannot be read, or has other content.
    """
    return parse_json_record(
        BlindingKey, read_file(path, "key"), f"{path} is no key like the key.json beside the tasks"
    )


# Raters compare systems without a comment, too: raising none is an answer.
_NO_COMMENT_TEXT = "No comment on this paragraph."

# Texts of systems or the corpus, by the sample's id and the name of the row.
Candidates = Mapping[str, Mapping[str, "Item"]]
LabelStudioTask = dict[str, dict[str, str]]  # the fields of a task below `data`


def list_judged_rows(evaluation: Evaluation) -> list[str]:
    """List the names of rows of the paper's human evaluation that have texts; empty if none is a system's."""
    available = {name for sample in evaluation.samples for name in evaluation.collect_sample_items(sample)}
    rows = [evaluation.task.find_row(name) for name in evaluation.task.judged if name in available]
    return [row.name for row in rows] if any(row.system for row in rows) else []


def collect_candidates(evaluation: Evaluation, rows: Sequence[str]) -> Candidates:
    """Collect the texts of the named rows, from the samples for which all these rows have a text.

    Raises:
        InputError: No sample has a text of each row.
    """
    every = {sample["id"]: evaluation.collect_sample_items(sample) for sample in evaluation.samples}
    found = {name: {row: items[row] for row in rows} for name, items in every.items() if set(rows) <= items.keys()}
    if not found:
        raise InputError(f"No sample has a text of each of {', '.join(rows)}: name rows that were run.")
    return found


def build_rating_tasks(texts: Candidates, *, seed: int) -> tuple[list[LabelStudioTask], BlindingKey]:
    """Return a task for each text of science journalism, in random order and without Markdown, and their key."""
    hidden = [HiddenItem(sample=sample, systems=(system,)) for sample, written in texts.items() for system in written]
    key = build_blinding_key(seed, hidden, together=False)
    tasks = []
    for item, each in key.items.items():
        rated = texts[each.sample][each.systems[0]]
        # Without Markdown, because headings and bold print would distinguish a model's text from a person's.
        plain = "\n\n".join(block.text for block in split_blocks(rated.text))
        shown = {"item": item, "title": rated.sample["title"], "paper": rated.sample["abstract"], "text": plain}
        tasks.append({"data": {**shown, "anchor": _render_anchor(rated.sample["link"])}})
    return tasks, key


def build_comparison_tasks(texts: Candidates, *, seed: int) -> tuple[list[LabelStudioTask], BlindingKey]:
    """Return a task for every two comments on every sample, in random order and on random sides, and the key.

    Raises:
        InputError: There are fewer than two systems.
    """
    hidden = []
    for sample, written in texts.items():
        for one, other in combinations(sorted(written), 2):
            swapped = int(hash_parts(seed, "side", sample, one, other), 16) % 2
            hidden.append(HiddenItem(sample=sample, systems=(other, one) if swapped else (one, other)))
    if not hidden:
        raise InputError("The texts are of one system only; comparisons need those of two or more.")
    # The comparisons of a sample follow each other, so that a rater reads its paragraph once.
    key = build_blinding_key(seed, hidden, together=True)
    tasks = []
    for item, each in key.items.items():
        first, second = (texts[each.sample][system] for system in each.systems)
        commented = first.sample
        shown = {
            "item": item,
            "paragraph": commented["paragraph"],
            "paper": "" if commented["link"] else commented["paper"],
            # Markdown stays, because removing it would remove the asterisks of formulas.
            "first": first.text or _NO_COMMENT_TEXT,
            "second": second.text or _NO_COMMENT_TEXT,
            "anchor": _render_anchor(commented["link"]),
        }
        tasks.append({"data": shown})
    return tasks, key


def _render_anchor(link: str) -> str:
    """Render a link as an HTML anchor that opens a new tab; an empty text without a link."""
    anchor = Markup('<a href="{}" target="_blank" rel="noopener noreferrer">{}</a>')
    return str(anchor.format(link, link)) if link else ""
