"""What a person drops on the page: a paper, typed by its content, and the settings that they have changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import Any, Literal

from draftroom.systems import OF_TABLE, System
from runs.record import RunInput, RunRecord
from state.errors import BadInput
from tools.configuration import load_settings, preset_names
from tools.documents.reading import read_document_bytes

PASTED = "pasted text"

VERBS: Mapping[str, tuple[str, System]] = {
    verb: (table, system) for table, systems in OF_TABLE.items() for system in systems for verb in system.commands
}
"""What a person can have done, with the table of its settings and the system that does it."""


def take_upload(data: bytes, name: str, *, scope: Literal["auto", "abstract", "whole"], max_pages: int) -> RunInput:
    """The paper as a run takes it, kept in the state folder.

    Raises:
        BadInput: If it cannot be used.
        StateError: If the state folder cannot be written.
    """
    # A browser tells the name of a file without its folder, others tell what they like.
    shown = PurePath(name.replace("\\", "/").replace("\0", "")).name[-200:] or PASTED
    paper = read_document_bytes(data, name=shown, scope=scope, max_pages=max_pages)
    return RunInput(name=shown, path=paper["source"], paper=paper)


def begin(verb: str, data: bytes, name: str, chosen: Mapping[str, Any], request: Mapping[str, Any]) -> RunRecord:
    """The record of a run that may begin now.

    Args:
        verb: explain, simplify or review.
        data: The paper.
        name: Of its file; empty if the text was pasted.
        chosen: Settings of the system that a person has changed, and perhaps `preset`.
        request: What is asked of the graph beside its paper: a section to review.

    Raises:
        DraftroomError: What is wrong with the settings, the paper or the request.
    """
    if verb not in VERBS:
        raise BadInput(f"There is nothing called {verb[:40]!r} to do; choose one of {', '.join(VERBS)}.")
    table, system = VERBS[verb]
    own = {field: value for field, value in chosen.items() if field != "preset"}
    if strange := own.keys() - set(system.asked):
        raise BadInput(f"The page has no setting {strange.pop()[:40]!r}; it belongs in draftroom.toml.")
    preset = chosen.get("preset")
    if preset and preset not in preset_names():  # a path would be read
        raise BadInput(f"There is no preset {str(preset)[:40]!r}; choose one of {', '.join(preset_names())}.")
    settings = load_settings({table: own, **({"preset": preset} if preset else {})})
    return system.begin(settings, partial(take_upload, data, name), request)
