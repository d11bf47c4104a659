"""Makes a paper and settings a run that may begin, for every system; whatever is wrong is refused here, before it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast, get_args

from draftroom.next_version import request_since
from nodes.feedback.initialise import choose_targets
from nodes.journalism.initialise import freeze
from runs.record import RunInput, RunRecord, find_record, new_record
from state.errors import BadInput
from state.feedback import FeedbackInput
from state.settings import FeedbackSettings, LiteratureProvider, Settings
from tools.documents.reading import load_document

Take = Callable[..., RunInput]
"""Reads the paper, of which it is told `scope` and `max_pages`."""

SERVICES = sorted(set(get_args(LiteratureProvider)) - {"folder"})
"""Where other studies are looked up, if not in a folder."""


def journalism_run(system: str, settings: Settings, take: Take, request: Mapping[str, Any]) -> RunRecord:
    """The record of an explanation; nothing is requested beside its paper.

    Raises:
        DraftroomError: What is wrong with the settings or the paper.
    """
    del request
    options = settings.journalism
    run_input = take(scope=options.scope, max_pages=options.max_pages)
    return new_record(system, run_input, freeze(settings), settings.checkpoints)


def simplification_run(system: str, settings: Settings, take: Take, request: Mapping[str, Any]) -> RunRecord:
    """The record of a simplification; nothing is requested beside its abstract.

    Raises:
        DraftroomError: What is wrong with the settings or the abstract.
    """
    del request
    options = settings.simplification
    run_input = take(scope=options.scope, max_pages=options.max_pages)
    return new_record(system, run_input, settings.frozen("simplification"), settings.checkpoints)


def feedback_run(system: str, settings: Settings, take: Take, request: Mapping[str, Any]) -> RunRecord:
    """The record of a review of the paragraphs that are requested, of what changed `since` a run, or of all.

    Raises:
        DraftroomError: What is wrong with the settings, the paper or the request.
    """
    _check_literature(settings.feedback)
    run_input = take(scope="whole", max_pages=settings.feedback.max_pages)
    document = load_document(run_input["paper"])
    if "since" in request:
        request = request_since(find_record(request["since"]), document, settings.feedback)
    asked = cast("FeedbackInput", {"paper": run_input["path"], **request})
    choose_targets(document, asked, settings.feedback)  # refuses what is not there
    if system == "focused_feedback":
        from tools.reranking import check_reranker  # noqa: PLC0415 - needs the extra `review`

        check_reranker(settings.feedback)
    record_input = RunInput(**run_input, request=dict(request))
    return new_record(system, record_input, settings.frozen("feedback"), settings.checkpoints)


def _check_literature(options: FeedbackSettings) -> None:
    """Make sure that literature can be asked, before anything is paid for; name its folder for every place."""
    from tools.literature import open_sources  # noqa: PLC0415 - needs the extra `review`

    literature = options.literature
    if literature.folder and "folder" in literature.providers:
        folder = Path(literature.folder).expanduser()
        if not folder.is_dir():
            raise BadInput(
                f"There is no folder {literature.folder!r} of literature; name one, or one of these services: "
                f"{', '.join(SERVICES)}.",
                kind="missing_file",
            )
        literature.folder = str(folder.resolve())
    open_sources(literature, rank=lambda *_, **__: [])
