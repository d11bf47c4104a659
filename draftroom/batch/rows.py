"""The row of a paper in a batch: what came of it, or why nothing did."""

from __future__ import annotations

import asyncio
import traceback

from langgraph.errors import GraphDrained

from draftroom.batch.folder import BatchFolder
from draftroom.batch.papers import NamedPaper
from draftroom.batch.work import Session, of_the_surroundings
from runs.many import Record
from state.errors import DraftroomError
from state.files import storage_error

FAULT = "fault"
"""The kind of a failure that is a mistake in Draftroom itself."""


async def row_of(folder: BatchFolder, session: Session, name: str, paper: NamedPaper) -> Record:
    """The row of a paper, whose results are written.

    Args:
        folder: Where they are written.
        session: Does the work.
        name: The paper's id.
        paper: It.

    Raises:
        DraftroomError: What every further paper would end with, too.
        GraphDrained: The work was stopped.
    """
    try:
        row = await _result(folder, session, name, paper)
    except GraphDrained:
        raise
    except DraftroomError as error:
        if of_the_surroundings(error):
            raise
        row = {"error": str(error), "kind": error.kind}
    except Exception as error:  # noqa: BLE001 - one odd paper must not end a thousand others, whatever is wrong with it
        told = f"{name}.traceback.txt"
        await asyncio.to_thread(folder.write, told, traceback.format_exc())
        row = {"error": f"{type(error).__name__}: {error}; please report {told}", "kind": FAULT}
    return {"paper": paper.origin, "status": "failed" if "error" in row else "done", **row}


async def _result(folder: BatchFolder, session: Session, name: str, paper: NamedPaper) -> Record:
    result = await session.do(name, paper)
    for suffix, content in result.files.items():
        try:
            await asyncio.to_thread(folder.write, f"{name}{suffix}", content)
        except OSError as error:
            raise storage_error(error, folder.path) from error
    return result.row
