"""What a person drops on the page: a paper, typed by its content, and the settings that they have changed."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

from draftroom.files import take_bytes
from draftroom.systems import SYSTEMS, RunRequest, System
from runs.record import RunRecord
from state.errors import BadInput
from tools.configuration import load_settings, preset_names

PASTED = "pasted text"

VERBS: Mapping[str, System] = {verb: system for system in SYSTEMS.values() for verb in system.commands}
"""What a person can have done, and the system that does it."""


def file_name(told: str) -> str:
    """A browser tells the name of a file without its folder, others tell what they like; pasted text has none."""
    return PurePath(told.replace("\\", "/").replace("\0", "")).name[-200:] or PASTED


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
    system = VERBS[verb]
    own = {field: value for field, value in chosen.items() if field != "preset"}
    if strange := own.keys() - set(system.asked):
        raise BadInput(f"The page has no setting {strange.pop()[:40]!r}; it belongs in draftroom.toml.")
    preset = chosen.get("preset")
    if preset and preset not in preset_names():  # a path would be read
        raise BadInput(f"There is no preset {str(preset)[:40]!r}; choose one of {', '.join(preset_names())}.")
    settings = load_settings({system.table: own, **({"preset": preset} if preset else {})})
    take = partial(take_bytes, data, file_name(name))
    return RunRequest(system, settings, request).begin(take)
