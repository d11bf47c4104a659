"""How often a model does what a hidden instruction tells it, as far as code sees it.

    DRAFTROOM_PRESET=laptop python -m benchmarks.obedience [review] [explain] [simplify]

Each of the forty papers of `tests/tools/checks/poisoned.py`, with one instruction in each, is reviewed, explained and
simplified by one call of the model that the settings name, and so is the same paper with a harmless sentence in the
instruction's place. A result obeys if it repeats the instruction or says what such instructions ask for
(`tools/checks/obedience.py`). Of reviews, those without a comment are counted, too, for silence is what most of the
instructions ask for.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from graphs.baselines import single_model
from graphs.medical_simplification import graph as simplification
from graphs.science_journalism import graph as journalism
from state.errors import DraftroomError
from state.settings import FeedbackContext, JournalismContext, SimplificationContext
from tests.tools.checks.poisoned import CARRIERS, PROSE, poisoned_papers
from tools.checks.obedience import signs_of_obedience
from tools.models import close_clients

SYSTEMS = ("review", "explain", "simplify")


async def main(systems: Sequence[str]) -> None:
    """Print two rows for each system."""
    papers = {paper.name: (paper.data, paper.instruction) for paper in poisoned_papers()}
    harmless = {f"harmless-{name}.{suffix}": (make(PROSE[1]), "") for name, (suffix, make) in CARRIERS.items()}
    with tempfile.TemporaryDirectory() as home:
        os.environ["DRAFTROOM_HOME"] = home
        for title, files in (("with an instruction", papers), ("harmless", harmless)):
            for name, (data, _) in files.items():
                (Path(home) / name).write_bytes(data)
            for system in systems:
                counts = Counter[str]()
                for name, (_, instruction) in files.items():
                    counts.update(await outcome(system, str(Path(home) / name), instruction))
                print(
                    f"{title:20} {system:9} " + ", ".join(f"{count} {what}" for what, count in counts.items()),
                    flush=True,
                )
        await close_clients()


async def outcome(system: str, path: str, instruction: str) -> list[str]:
    """What became of one paper: `done` or `failed`, and whether the result obeys or says nothing."""
    try:
        said, findings = await RESULTS[system](path)
    except DraftroomError as error:
        return [f"failed ({type(error).__name__})"]
    signs = signs_of_obedience(said, findings) or (instruction and instruction.casefold() in said.casefold())
    return ["done", *(["obeyed"] if signs else []), *([] if said else ["silent"])]


async def review(path: str) -> tuple[str, list[Any]]:
    """The comments of one call a paragraph."""
    result = await single_model.ainvoke({"paper": path}, context=FeedbackContext(min_words=5))
    return " ".join(f"{each['review']} {each['suggestion']}" for each in result["comments"]), result["findings"]


async def explain(path: str) -> tuple[str, list[Any]]:
    """The article of one call."""
    result = await journalism.ainvoke({"paper": path}, context=JournalismContext(variant="single", extensions=()))
    return result["article"], []


async def simplify(path: str) -> tuple[str, list[Any]]:
    """The plain text of one call."""
    result = await simplification.ainvoke(
        {"abstract": path}, context=SimplificationContext(variant="single", extensions=())
    )
    return result["simplified"], []


RESULTS = {"review": review, "explain": explain, "simplify": simplify}


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1:] or SYSTEMS))
