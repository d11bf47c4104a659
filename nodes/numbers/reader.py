"""The number reader: a model transcribes the numbers that a passage reports; code computes with them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from langgraph.types import Overwrite, Send

from nodes.shared import AgentAnswer, ask_role, resolve_input
from state.computed_findings import select_findings
from state.errors import NoUsableAnswer, RequestFailedError
from state.model_settings import LengthLimit
from state.number_check import NumberCheckInput, NumberCheckState, NumberReading, PassageState, ReadEntry
from state.settings import CheckContext, CheckSettings
from tools.documents.reading import load_document, read_document
from tools.models.ask import Caller
from tools.numbers import check_paper
from tools.numbers.model_readings import choose_passages, collect_records

PROMPTS = Path(__file__).parent / "prompts"


class NumbersRead(AgentAnswer):
    """The number reader's answer; an empty list says that the passage reports nothing of the kinds asked for."""

    entries: Annotated[list[ReadEntry], LengthLimit("records")]


async def initialise(state: NumberCheckInput) -> dict[str, Any]:
    """Read the paper, and return the run's first state, with the passages whose numbers the model is to read."""
    settings, paper = await resolve_input(state, "paper", CheckContext)
    ref = await asyncio.to_thread(read_document, paper, max_pages=settings.check.max_pages)
    document = await asyncio.to_thread(load_document, ref)
    passages = await asyncio.to_thread(choose_passages, document)
    return {
        "document": ref,
        "settings": settings.freeze_settings("check"),
        "passages": [passage.paragraph["id"] for passage in passages],
        # Overwrite, because a thread that is given new input keeps what its lists had gathered before.
        **{name: Overwrite([]) for name in ("readings", "calls")},
        **{name: [] for name in ("findings", "unread")},
        "read": {},
        "left_out": 0,
        **dict.fromkeys(("references_looked_up", "finished"), False),
    }


def send_passages(state: Mapping[str, Any]) -> list[Send]:
    """Return a `Send` to the number reader for every chosen passage."""
    return [
        Send(
            "read_passage",
            PassageState(number=number, paragraph=paragraph, document=state["document"], settings=state["settings"]),
        )
        for number, paragraph in enumerate(state["passages"], start=1)
    ]


async def read_passage(state: PassageState) -> NumberCheckState:
    """Read the numbers of one passage, or record that it could not be read."""
    document = await asyncio.to_thread(load_document, state["document"])
    paragraph = next(each for each in document["paragraphs"] if each["id"] == state["paragraph"])
    table = "\n".join(" | ".join(row) for row in paragraph.get("rows", []))
    variables: dict[str, object] = {"section": paragraph["section"], "passage": table or paragraph["text"]}
    caller = Caller("number_reader", "read_numbers", state["number"])
    reading = NumberReading(paragraph=state["paragraph"], entries=[], problem="")
    try:
        answer = await ask_role(caller, PROMPTS, state, variables, NumbersRead, trim="passage")
    except (NoUsableAnswer, RequestFailedError) as error:  # other passages may be readable
        return {"readings": [{**reading, "problem": error.problem}], "calls": error.spent}
    return {"readings": [{**reading, "entries": answer.value.entries}], "calls": answer.calls}


async def compute_findings(state: NumberCheckState) -> dict[str, Any]:
    """Compute the findings from the numbers that code and the model have read."""
    document = await asyncio.to_thread(load_document, state["document"])
    records, unread = await asyncio.to_thread(collect_records, state["readings"], document)
    report = await asyncio.to_thread(check_paper, document, [*state["document"]["warnings"], *unread], records)
    chosen = CheckSettings(**state["settings"]["check"])
    return {**select_findings(report, chosen.severity, chosen.without), "finished": True}
