"""Samples whose finished model calls are kept, so that an evaluation that is cut off goes on in the middle of each."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from langchain_core.runnables import RunnableConfig
from langgraph.graph import StateGraph

from runs.checkpoints import open_checkpointer
from runs.many import Key, Record
from state.errors import NothingUsable

Builder = StateGraph[Any, Any, Any, Any]
Run = Callable[[Builder, Key, Any, Any], Awaitable[Record]]
"""Takes a graph's builder, the key of a job, input and context; gives the graph's output."""


@asynccontextmanager
async def checkpointed(results: Path) -> AsyncIterator[Run]:
    """Runs samples through graphs, each with checkpoints beside the results until it is finished.

    Args:
        results: File of the evaluation's results; that of the checkpoints has its name and the suffix `.sqlite`.
    """
    async with open_checkpointer(f"sqlite:///{results.with_suffix('.sqlite').resolve()}") as saver:

        async def run(builder: Builder, key: Key, request: Any, context: Any) -> Record:
            graph = builder.compile(checkpointer=saver)
            thread = " ".join(key)
            config: RunnableConfig = {"configurable": {"thread_id": thread}}
            # Not `next`, which is empty, too, where a step's writes are stored and the next checkpoint is not.
            begun = (await graph.aget_state(config)).tasks
            try:
                output: Record = await graph.ainvoke(
                    None if begun else request, config, context=context, durability="sync"
                )
            except NothingUsable:  # the answers so far led there, so the next try begins anew
                await saver.adelete_thread(thread)
                raise
            await saver.adelete_thread(thread)
            return output

        yield run
