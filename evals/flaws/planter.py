"""All flaws that can be planted in papers, each verified; those that were drawn by lot; those that were refused.

    python -m evals.flaws.planter PAPERS.jsonl

draws them anew and writes `drawn.jsonl`: for each its kind, its paper and paragraph, where it is, and the words that
were put in; of the papers themselves nothing but a digest. `refused.json` names the plants that were read and do not
read naturally or are no flaw, each with the reason; they are never drawn.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Final, NamedTuple

from evals.datasets.feedback import CorpusPaper
from evals.datasets.samples import checked, read_entries
from evals.flaws import computable, textual
from evals.flaws.plant import Edit, FlawKind, OpenPaper, OpenParagraph, Plant, digest, traces
from runs.many import Record, read_records
from state.errors import BadInput
from state.files import write_atomically

_WORDS: Final = range(40, 401)
"""How long a paragraph is that flaws are planted in."""
_GLUED: Final = re.compile(r"[a-z)]\.10\.\d{4}/|DOI: ?http")
"""A caption that stands in the middle of a paragraph, as in some texts of eLife."""


class Planter(NamedTuple):
    """How flaws of a kind are planted."""

    offer: Callable[[OpenPaper, OpenParagraph, Random], Iterable[Edit]]
    holds: Callable[[OpenPaper, OpenParagraph, Edit], bool]
    """Whether an edit made the flaw: what must be true of the paper afterwards."""


PLANTERS: Final[Mapping[FlawKind, Planter]] = {
    "changed number": Planter(computable.changed_numbers, computable.number_differs),
    "wrong percentage": Planter(computable.wrong_percentages, computable.percentage_is_wrong),
    "wrong p-value": Planter(computable.wrong_p_values, computable.p_value_is_wrong),
    "wrong estimate": Planter(computable.wrong_estimates, computable.estimate_is_outside),
    "removed setting": Planter(textual.removed_settings, textual.setting_is_missing),
    "causal words": Planter(textual.causal_words, textual.cause_is_claimed),
    "removed comparison": Planter(textual.removed_comparisons, textual.nothing_is_compared),
    "uncited novelty": Planter(textual.uncited_novelty, textual.novelty_is_uncited),
    "overstated conclusion": Planter(textual.overstated_conclusions, textual.conclusion_is_certain),
    "contradicting step": Planter(textual.contradicting_steps, textual.step_contradicts),
}


def plants_of(paper: OpenPaper, seed: int = 0) -> Iterator[Plant]:
    """Every flaw that can be planted in a paper and is verified, one at a time.

    Args:
        paper: Where to plant.
        seed: Of the numbers that are put in.
    """
    for paragraph in paper.paragraphs:
        if len(paragraph.text.split()) not in _WORDS or _GLUED.search(paragraph.text):
            continue
        for kind, planter in PLANTERS.items():
            lot = Random(f"{seed} {paper.id} {paragraph.id} {kind}")  # noqa: S311 - no secret
            for edit in planter.offer(paper, paragraph, lot):
                plant = Plant(kind, paper.id, paragraph, edit)
                if planter.holds(paper, paragraph, edit) and not traces(plant, paper.others(paragraph)):
                    yield plant


DRAWN: Final = Path(__file__).with_name("drawn.jsonl")
REFUSED: Final = Path(__file__).with_name("refused.json")
SHARES: Final[Mapping[FlawKind, int]] = {
    "changed number": 10,
    "wrong percentage": 4,
    "wrong p-value": 2,
    "wrong estimate": 4,
    "removed setting": 8,
    "causal words": 6,
    "removed comparison": 7,
    "uncited novelty": 6,
    "overstated conclusion": 7,
    "contradicting step": 6,
}
"""How many of each kind are drawn: 20 that can be computed, 40 textual ones."""


def read_papers(path: Path) -> list[OpenPaper]:
    """The papers of a file, one a line.

    Raises:
        BadInput: The file cannot be read, or a line of it is no paper.
    """
    return [OpenPaper(checked(CorpusPaper, where, record)) for where, record in read_entries(path)]


def all_plants(papers: Iterable[OpenPaper]) -> list[Plant]:
    """Every plant of some papers but those that were refused."""
    refused = json.loads(REFUSED.read_text(encoding="utf-8"))
    return [plant for paper in papers for plant in plants_of(paper) if plant.id not in refused]


def draw_plants(plants: Sequence[Plant], seed: int = 0) -> list[Plant]:
    """As many of each kind as `SHARES` says, of as many papers as possible and one a paragraph.

    Args:
        plants: To draw from.
        seed: Of the lot: the same plants and seed always give the same ones.

    Raises:
        BadInput: There are too few of a kind.
    """
    taken, found = Counter[str](), list[Plant]()
    for kind, wanted in sorted(SHARES.items(), key=lambda share: sum(plant.kind == share[0] for plant in plants)):
        of_kind = (plant for plant in plants if plant.kind == kind)
        offered = sorted(of_kind, key=lambda plant: digest(f"{seed} {plant.id}"))  # refusing one replaces that one only
        for _ in range(wanted):
            free = [plant for plant in offered if not taken[plant.paragraph.id]]
            if not free:
                raise BadInput(f"There are too few places for {wanted} flaws of the kind {kind!r}; give more papers.")
            plant = min(free, key=lambda plant: taken[plant.paper])
            taken.update((plant.paper, plant.paragraph.id))
            found.append(plant)
    return found


def on_record(plant: Plant) -> Record:
    """What is kept of a plant."""
    return {
        "id": plant.id,
        "kind": plant.kind,
        "paper": plant.paper,
        "paragraph": plant.paragraph.id,
        **plant.edit._asdict(),
        "digest": digest(plant.paragraph.text),
    }


def drawn_records() -> list[Record]:
    """What is on record of the plants of the benchmark."""
    return read_records(DRAWN)


def drawn_plants(papers: Iterable[OpenPaper]) -> list[Plant]:
    """The plants of the benchmark, in the papers that they were drawn from.

    Raises:
        BadInput: A paper lacks a paragraph, or has it in other words.
    """
    paragraphs = {(paper.id, each.id): each for paper in papers for each in paper.paragraphs}
    found = []
    for record in drawn_records():
        paragraph = paragraphs.get((record["paper"], record["paragraph"]))
        if paragraph is None or digest(paragraph.text) != record["digest"]:
            raise BadInput(
                f"The flaw {record['id']} belongs in the paragraph {record['paragraph']} of {record['paper']}, which "
                "is not there in the same words; give the papers that the benchmark was drawn from."
            )
        edit = Edit(record["start"], record["end"], record["words"])
        found.append(Plant(record["kind"], record["paper"], paragraph, edit))
    return found


if __name__ == "__main__":
    lines = (
        json.dumps(on_record(plant), ensure_ascii=False)
        for plant in draw_plants(all_plants(read_papers(Path(sys.argv[1]))))
    )
    write_atomically(DRAWN, "".join(f"{line}\n" for line in lines).encode())
