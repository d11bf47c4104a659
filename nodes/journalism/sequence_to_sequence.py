"""A fine-tuned sequence-to-sequence model in the journalist's place (LLM-CLBR, Table 1, "BART fine-tuned")."""

from __future__ import annotations

import asyncio
from pathlib import Path

from nodes.journalism.initialise import options
from state.errors import SettingsError
from state.journalism import Draft, JournalismState
from state.records import CallRecord, Trim
from state.settings import JournalismSettings
from tools.documents.reading import stored_text
from tools.sequence_to_sequence import write


async def write_without_prompt(state: JournalismState) -> JournalismState:
    """Write the article as the model was trained to: the paper's text goes in, the article comes out.

    Raises:
        SettingsError: No model is named, or it cannot be loaded.
        ModelOutputError: The model wrote nothing.
    """
    source, folder = stored_text(state["source"]), await asyncio.to_thread(folder_of_model, options(state))
    written = await write(folder, source)
    words = len(source.split())
    trim = Trim(variable="paper", words_kept=written.words_read, words_before=words)
    call = CallRecord(
        role="journalist",
        step="write_draft",
        round=0,
        model=folder.name,
        prompt="",
        prompt_sha256="",
        input_tokens=written.input_tokens,
        output_tokens=written.output_tokens,
        tokens_estimated=False,
        seconds=written.seconds,
        http_retries=0,
        reask=False,
        finish_reason="length" if written.cut else "stop",
        trims=[trim] if written.words_read < words else [],
        cuts=[],
    )
    draft = Draft(round=0, text=f"{written.text}\n", improvements="")
    return {"round": 0, "drafts": [draft], "calls": [call]}


def folder_of_model(chosen: JournalismSettings) -> Path:
    """Where the fine-tuned model is.

    Raises:
        SettingsError: None is named, or there is no such folder.
    """
    if chosen.sequence_to_sequence is None:
        raise SettingsError(
            "This baseline needs a model that was fine-tuned on plain summaries: name the folder of a BART checkpoint "
            "as `sequence_to_sequence` under [journalism]."
        )
    folder = Path(chosen.sequence_to_sequence).expanduser()
    if not folder.is_dir():
        raise SettingsError(
            f"There is no folder {folder} with a sequence-to-sequence model; correct its path.", kind="missing_file"
        )
    return folder
