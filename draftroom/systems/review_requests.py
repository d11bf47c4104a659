"""Requests of `draftroom review`: which paragraphs are reviewed, and which earlier comments are carried over.

In a new version of a draft only changed paragraphs are reviewed again.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import typer

from draftroom.extras import REVIEW, require_extra
from draftroom.files import STANDARD_INPUT, read_standard_input
from draftroom.systems import PaperReader, RunRequest, System, build_setting_overrides, find_run
from draftroom.systems.feedback import FOCUSED_FEEDBACK_GRAPH, LITERATURE_SERVICES, list_ranked_comments
from nodes.feedback.initialise import choose_targets
from runs.graph_state import load_state
from runs.record import RunInput, RunRecord, build_run_record
from state.documents import Document
from state.errors import InputError
from state.feedback import EarlierComment, FeedbackInput
from state.records import Values
from state.settings import FeedbackSettings, Settings
from tools.configuration import load_settings
from tools.documents.reading import load_document
from tools.documents.structure import decode_text
from tools.documents.versions import match_paragraphs


def build_review_request(system: System, flags: Mapping[str, Any]) -> RunRequest:
    """Return the request of a review with its settings, from the flags of `draftroom review`.

    Raises:
        SettingsError: If the packages of a review are not installed.
        InputError: If the text to be reviewed is empty.
    """
    require_extra(REVIEW)
    chosen = dict(flags)
    if not system.rendering.dialogue:
        chosen["pause"] = False
    if named := flags["literature"]:
        folders = [name for name in named if name not in LITERATURE_SERVICES]
        if len(folders) > 1:
            raise typer.BadParameter(f"Only one literature folder can be searched, not {len(folders)}: put all in one.")
        providers = [name if name in LITERATURE_SERVICES else "folder" for name in named]
        chosen["literature"] = {"providers": providers} | ({"folder": folders[0]} if folders else {})
    targets = {"paragraphs": flags["paragraph"], **{name: flags[name] for name in ("section", "text", "since")}}
    request = _build_target_request(targets, is_paper_from_stdin=flags.get("file") == STANDARD_INPUT)
    return RunRequest(system, load_settings(build_setting_overrides("feedback", chosen)), request)


def _build_target_request(targets: Mapping[str, Any], *, is_paper_from_stdin: bool) -> dict[str, Any]:
    """Return the input that chooses a part of the paper, or raise if two were given; empty for the whole paper."""
    request = {name: value for name, value in targets.items() if value is not None}
    if len(request) > 1:
        raise typer.BadParameter("Give one of --paragraph, --section, --text and --since.")
    if request.get("text") == STANDARD_INPUT:
        if is_paper_from_stdin:
            raise typer.BadParameter("Standard input can be the paper or the text, not both.")
        request["text"] = decode_text(read_standard_input(), name="standard input")
    if any(isinstance(value, str) and not value.strip() for value in request.values()):
        raise InputError(f"There is nothing in --{next(iter(request))}; say what to review.", kind="empty_input")
    return request


def prepare_review(system: System, settings: Settings, take: PaperReader, request: Mapping[str, Any]) -> RunRecord:
    """Read the paper with `take`, raise if its review could not start, and return a new run's record, not saved.

    Raises:
        DraftroomError: If the settings, the paper or the request are wrong.
    """
    from tools.literature import build_sources  # noqa: PLC0415 - needs the extra `review`

    # 1. Check that the literature sources can be used.
    literature = settings.feedback.literature
    if literature.folder and "folder" in literature.providers:
        folder = Path(literature.folder).expanduser()
        if not folder.is_dir():
            raise InputError(
                f"There is no folder {literature.folder!r} of literature; name one, or one of these services: "
                f"{', '.join(LITERATURE_SERVICES)}.",
                kind="missing_file",
            )
        # A run may be resumed from another working directory.
        literature.folder = str(folder.resolve())
    build_sources(literature, rank=lambda *_, **__: [])

    # 2. Read the paper, and check the request and the reranker.
    run_input = take(scope="whole", max_pages=settings.feedback.max_pages)
    document = load_document(run_input["paper"])
    if "since" in request:
        request = build_new_version_request(find_run(request["since"]), document, settings.feedback)
    # Raises if the requested paragraphs do not exist.
    choose_targets(document, cast("FeedbackInput", {"paper": run_input["path"], **request}), settings.feedback)
    if system.name == "focused_feedback":
        from tools.reranking import preload_reranker  # noqa: PLC0415 - needs the extra `review`

        preload_reranker(settings.feedback)
    record_input = RunInput(**run_input, request=dict(request))
    return build_run_record(system.name, record_input, settings.freeze_settings("feedback"), settings.checkpoints)


def build_new_version_request(earlier: RunRecord, document: Document, chosen: FeedbackSettings) -> dict[str, Any]:
    """Return the input that reviews the changed paragraphs of a new version, with the earlier open comments.

    The settings `chosen` decide which paragraphs are worth a review.

    Raises:
        InputError: If the run is no finished review, or no paragraph worth a review has changed.
        StateError: If its checkpoints or its paper are gone.
    """
    if earlier["system"] != "focused_feedback":
        raise InputError(f"The run {earlier['id']} is no review; name one of focused_feedback with --since.")
    values = load_state(earlier, FOCUSED_FEEDBACK_GRAPH)
    if not FOCUSED_FEEDBACK_GRAPH.is_finished(values):
        raise InputError(f"The run {earlier['id']} is not done; finish it first: draftroom resume {earlier['id']}")
    # 1. Find the paragraphs that changed; a pair with other blanks has not.
    before = load_document(earlier["input"]["paper"])
    pairs = match_paragraphs(before["paragraphs"], document["paragraphs"])
    texts = {paragraph["id"]: paragraph["text"] for paragraph in before["paragraphs"]}
    unchanged = {now["id"] for old, now in pairs.items() if texts[old].split() == now["text"].split()}
    # 2. Carry open comments over to the paragraphs' new places; a deleted paragraph has none.
    carried = []
    for item in list_open_comments(values):
        old = item["comment"]["paragraph"]
        place = {"paragraph": pairs[old]["id"], "now": pairs[old]["text"]} if old in pairs else {}
        carried.append({**item, "paragraph": "", "now": "", "before": texts.get(old, ""), **place})
    # 3. Review what changed and is worth it, or has such a comment: a screening also chooses short paragraphs.
    worth_it = choose_targets(document, FeedbackInput(paper=""), chosen.model_copy(update={"pause": False}))
    reviewed = {*(target["id"] for target in worth_it), *(item["paragraph"] for item in carried)} - unchanged
    changed = [paragraph["id"] for paragraph in document["paragraphs"] if paragraph["id"] in reviewed]
    if not changed:
        raise InputError(
            f"No paragraph that is worth a review has changed since the run {earlier['id']}; its comments still stand."
        )
    return {"paragraphs": changed, "earlier": carried}


def list_open_comments(values: Values) -> list[EarlierComment]:
    """List the comments of a review that are not dismissed, and the still open ones that it carried over.

    Carried comments point at their paragraph in the reviewed version.
    """
    decisions = values.get("decisions") or {}
    found = [
        EarlierComment(comment=comment, status="open", paragraph="", before="", now="")
        for comment in list_ranked_comments(values)
        if decisions.get(comment["id"], {}).get("decision") != "dismissed"
    ]
    carried: list[EarlierComment] = values.get("earlier") or []
    return found + [
        {**item, "comment": {**item["comment"], "paragraph": item["paragraph"]}}
        for item in carried
        if item["status"] == "open"
    ]
