"""What was written for the version before gets one sentence that says what to change."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from langchain_core.runnables import RunnableConfig
from pydantic import BaseModel

from draftroom.exit_codes import EXIT_CODES
from draftroom.systems import find_system
from graphs.focused_feedback import graph as focused_feedback
from runs.checkpoints import open_checkpointer
from state.errors import SettingsError
from state.settings import FeedbackContext
from tests.draftroom.conftest import Command

EARLIER = Path(__file__).parent / "earlier"
"""Runs that were made by the version before the extensions: record and state, with `HOME` and `FOLDER` for its
folders."""

LAST = {"explain": "choose_draft", "simplify": "finish", "review": "rank_comments"}
"""The node that ends each graph."""
RESULTS = {
    "explain": "The common wing measures the calm sleep most of the time",
    "simplify": "The hidden field follows the young river most of the time.",
    "review": "Three trays on one window sill cannot show that tea is the cause",
}


def test_a_setting_that_became_an_extension(draftroom: Command, draft: Path):
    earlier = draftroom.with_variables({"DRAFTROOM_FEEDBACK__DETECT": "true"})
    refused = earlier("review", draft)
    assert refused.exit_code == EXIT_CODES["bad_settings"]
    assert "`feedback.detect` is no setting any more: it is the extension `detect` now" in " ".join(
        refused.stderr.split()
    )


@pytest.mark.parametrize(
    ("graph", "context", "extension"),
    [
        (focused_feedback, FeedbackContext, "detect"),
        (focused_feedback, FeedbackContext, "verify"),
    ],
)
async def test_a_choice_for_one_run_that_became_an_extension(graph: Any, context: type[BaseModel], extension: str):
    said = (
        r"^The settings of this run cannot be used: "
        rf"`\w+\.{extension}` is no setting any more: it is the extension `{extension}` now; .*"
    )
    with pytest.raises(SettingsError, match=said):
        context(**{extension: True})
    with pytest.raises(SettingsError, match=said):
        await graph.ainvoke({"paper": "Of moss", "abstract": "Of moss"}, context={extension: True})


@pytest.mark.parametrize("flag", ["--no-verify"])
def test_a_flag_that_became_an_extension(draftroom: Command, draft: Path, flag: str):
    refused = draftroom("review", draft, flag)
    assert refused.exit_code == 2
    said = " ".join(refused.stderr.replace("│", " ").split())
    assert f"{flag.split('=', maxsplit=1)[0]} is no option any more: it is the extension" in said


@pytest.mark.parametrize("command", ["explain", "simplify", "review"])
def test_a_finished_run_is_shown_and_resumed_to_its_result(draftroom: Command, tmp_path: Path, command: str):
    record = put_back(draftroom, tmp_path, command)
    assert record["id"] in draftroom("runs").stdout
    shown = draftroom("show", record["id"])
    assert shown.exit_code == 0, shown.stderr
    assert "Extensions: not on record" in shown.stdout
    assert RESULTS[command] in " ".join(shown.stdout.split())
    resumed = draftroom("resume", record["id"])
    assert resumed.exit_code == 0, resumed.stderr
    assert RESULTS[command] in " ".join(resumed.stdout.split())
    assert "Extensions: not on record" in resumed.stderr
    assert draftroom.endpoint.chat_requests == []
    page = tmp_path / "result.html"
    assert draftroom("show", record["id"], "-o", page).exit_code == 0
    assert "Extensions: not on record" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("command", ["explain", "simplify", "review"])
def test_an_unfinished_run_is_refused_in_one_sentence(draftroom: Command, tmp_path: Path, command: str):
    record = put_back(draftroom, tmp_path, command, finished=False)
    refused = draftroom("resume", record["id"])
    assert refused.exit_code == EXIT_CODES["run_incompatible"]
    assert (
        "was begun by an earlier version, whose settings knew no `extensions`; resume it with that version"
        in " ".join(refused.stderr.split())
    )
    assert draftroom("show", record["id"]).exit_code == 0


@pytest.mark.parametrize("command", ["explain", "simplify", "review"])
def test_a_run_is_deleted_with_its_paper(draftroom: Command, tmp_path: Path, command: str):
    record = put_back(draftroom, tmp_path, command)
    stored = Path(record["input"]["paper"]["path"])
    stored.parent.mkdir(parents=True)
    stored.write_text("Of moss", encoding="utf-8")
    assert draftroom("runs", "delete", record["id"], "--yes").exit_code == 0
    assert not stored.exists()
    assert draftroom.records() == []


def put_back(draftroom: Command, folder: Path, command: str, *, finished: bool = True) -> dict[str, Any]:
    """Put a run of the version before the extensions where it would be; its record."""
    text = (EARLIER / f"{command}.json").read_text(encoding="utf-8")
    run = json.loads(text.replace("HOME", str(draftroom.home)).replace("FOLDER", str(folder)))
    record, values = run["record"], run["values"]
    system = find_system(record["system"])
    if not finished:
        record["status"] = "stopped"
        values = {key: value for key, value in values.items() if key not in ("article", "simplified", "finished")}
    runs = draftroom.home / "state" / "runs"
    runs.mkdir(parents=True)
    (runs / f"{record['id']}.json").write_text(json.dumps(record), encoding="utf-8")

    async def store() -> None:
        async with open_checkpointer(f"sqlite:///{draftroom.home}/state/checkpoints.sqlite") as saver:
            graph = system.graph.builder.compile(checkpointer=saver)
            kept = {key: value for key, value in values.items() if key in graph.channels}  # as LangGraph reads them
            config: RunnableConfig = {"configurable": {"thread_id": record["id"]}}
            await graph.aupdate_state(config, kept, as_node=LAST[command])

    asyncio.run(store())
    return record  # type: ignore[no-any-return]
