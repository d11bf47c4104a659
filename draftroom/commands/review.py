"""`draftroom review`: specific, checked comments on a draft, paragraph by paragraph.

Of the next version of a draft only what changed is reviewed again; comments on the one before are carried over.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

import typer

from draftroom.commands.options import build_setting_overrides
from draftroom.commands.run_commands import make_run_command
from draftroom.extras import REVIEW, require_extra
from draftroom.files import STANDARD_INPUT, read_standard_input
from draftroom.systems import PaperReader, RunRequest, System
from draftroom.systems.feedback import (
    CHAIN_OF_VERIFICATION,
    FOCUSED_FEEDBACK,
    FOCUSED_FEEDBACK_GRAPH,
    SINGLE_MODEL,
    list_ranked_comments,
)
from nodes.feedback.initialise import choose_targets
from runs.graph_state import load_state
from runs.record import RunInput, RunRecord, build_run_record, find_record
from state.documents import Document
from state.errors import InputError
from state.feedback import EarlierComment, FeedbackInput
from state.records import Values
from state.settings import Execution, FeedbackSettings, LiteratureProvider, RetrievalMode, Settings
from tools.configuration import load_settings
from tools.documents.reading import load_document
from tools.documents.structure import decode_text
from tools.documents.versions import match_paragraphs

ReviewVariant = Literal["full", "single", "cove", "no-reranking"]
VARIANTS: dict[ReviewVariant, System] = {
    "full": FOCUSED_FEEDBACK,
    "no-reranking": FOCUSED_FEEDBACK,
    "single": SINGLE_MODEL,
    "cove": CHAIN_OF_VERIFICATION,
}
LITERATURE_SERVICES = sorted(set(get_args(LiteratureProvider)) - {"folder"})
"""Where other studies are looked up, if not in a folder."""
_LITERATURE_HELP = f"A folder of papers, or a service: {', '.join(LITERATURE_SERVICES)}; repeatable."


@make_run_command
def review(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[
        str,
        typer.Argument(metavar="PAPER", help="PDF, Word, HTML, JATS, Markdown, LaTeX or text; - reads standard input."),
    ],
    *,
    paragraph: Annotated[list[str] | None, typer.Option(help="Review this paragraph, 3 or p3; repeatable.")] = None,
    section: Annotated[str | None, typer.Option(help="Review the sections whose heading contains this.")] = None,
    text: Annotated[str | None, typer.Option(help="Review this text of the paper; - reads standard input.")] = None,
    since: Annotated[
        str | None, typer.Option(help="A review of the version before: only what changed is reviewed again.")
    ] = None,
    variant: Annotated[
        ReviewVariant, typer.Option(help="The whole room, one of its baselines, or the first plan unranked.")
    ] = "full",
    execution: Annotated[
        Execution | None, typer.Option(help="One question after the other, or independent ones together.")
    ] = None,
    plans: Annotated[int | None, typer.Option(help="Plans that the planner writes.")] = None,
    rerank: Annotated[bool | None, typer.Option(help="Let the trained re-ranker choose the plan.")] = None,
    max_questions: Annotated[int | None, typer.Option(help="Most questions about a paragraph.")] = None,
    max_rewrites: Annotated[int | None, typer.Option(help="How often the rest of a plan may be rewritten.")] = None,
    retrieval: Annotated[RetrievalMode | None, typer.Option(help="How passages are found.")] = None,
    passages: Annotated[int | None, typer.Option(help="Passages that a question is answered from.")] = None,
    literature: Annotated[list[str] | None, typer.Option(help=_LITERATURE_HELP)] = None,
    pause: Annotated[bool | None, typer.Option(help="Let you edit the questions about the one paragraph.")] = None,
    min_words: Annotated[int | None, typer.Option(help="Leave out shorter paragraphs.")] = None,
    max_comments: Annotated[int | None, typer.Option(help="Most comments on the paper.")] = None,
    max_pages: Annotated[int | None, typer.Option(help="Longest PDF that is accepted.")] = None,
) -> None:
    """Comment on the weaknesses of a draft, with evidence from the paper and from other studies."""


def build_review_request(_: System, flags: Mapping[str, Any]) -> RunRequest:
    """What the flags want of any draft.

    Raises:
        SettingsError: The packages of a review are not installed.
        BadInput: What is to be reviewed is empty.
    """
    require_extra(REVIEW)
    variant: ReviewVariant = flags["variant"]
    if variant == "no-reranking" and flags["rerank"]:
        raise typer.BadParameter("Give --rerank or --variant no-reranking, not both.")
    system, literature = VARIANTS[variant], flags["literature"]
    chosen = {
        **flags,
        "rerank": False if variant == "no-reranking" else flags["rerank"],
        "literature": _build_literature_settings(literature) if literature else None,
        "pause": flags["pause"] if system.rendering.dialogue else False,
    }
    given = {"paragraphs": flags["paragraph"], **{name: flags[name] for name in ("section", "text", "since")}}
    request = _build_target_request(given, from_standard_input=flags.get("file") == STANDARD_INPUT)
    return RunRequest(system, load_settings(build_setting_overrides("feedback", chosen)), request)


def _build_literature_settings(named: list[str]) -> dict[str, Any]:
    """As settings: services as they are called, anything else a folder."""
    folders = [name for name in named if name not in LITERATURE_SERVICES]
    if len(folders) > 1:
        raise typer.BadParameter(f"Only one folder of literature can be searched, not {len(folders)}: put all in one.")
    chosen: dict[str, Any] = {"providers": [name if name in LITERATURE_SERVICES else "folder" for name in named]}
    return {**chosen, "folder": folders[0]} if folders else chosen


def _build_target_request(given: Mapping[str, Any], *, from_standard_input: bool) -> dict[str, Any]:
    """What is to be reviewed: nothing for every paragraph that is worth it."""
    request = {name: value for name, value in given.items() if value is not None}
    if len(request) > 1:
        raise typer.BadParameter("Give one of --paragraph, --section, --text and --since.")
    if request.get("text") == STANDARD_INPUT:
        if from_standard_input:
            raise typer.BadParameter("Standard input can be the paper or the text, not both.")
        request["text"] = decode_text(read_standard_input(), name="standard input")
    if any(isinstance(value, str) and not value.strip() for value in request.values()):
        raise InputError(f"There is nothing in --{next(iter(request))}; say what to review.", kind="empty_input")
    return request


def prepare_review(system: System, settings: Settings, take: PaperReader, request: Mapping[str, Any]) -> RunRecord:
    """The record of a review of the paragraphs that are requested, of what changed `since` a run, or of all.

    Raises:
        DraftroomError: What is wrong with the settings, the paper or the request.
    """
    _check_literature_sources(settings.feedback)
    run_input = take(scope="whole", max_pages=settings.feedback.max_pages)
    document = load_document(run_input["paper"])
    if "since" in request:
        request = build_new_version_request(find_record(request["since"]), document, settings.feedback)
    asked = cast("FeedbackInput", {"paper": run_input["path"], **request})
    choose_targets(document, asked, settings.feedback)  # refuses what is not there
    if system is FOCUSED_FEEDBACK:
        from tools.reranking import check_reranker  # noqa: PLC0415 - needs the extra `review`

        check_reranker(settings.feedback)
    record_input = RunInput(**run_input, request=dict(request))
    return build_run_record(system.name, record_input, settings.freeze_settings("feedback"), settings.checkpoints)


def _check_literature_sources(options: FeedbackSettings) -> None:
    """Make sure that literature can be asked, before anything is paid for; name its folder for every place."""
    from tools.literature import build_sources  # noqa: PLC0415 - needs the extra `review`

    literature = options.literature
    if literature.folder and "folder" in literature.providers:
        folder = Path(literature.folder).expanduser()
        if not folder.is_dir():
            raise InputError(
                f"There is no folder {literature.folder!r} of literature; name one, or one of these services: "
                f"{', '.join(LITERATURE_SERVICES)}.",
                kind="missing_file",
            )
        literature.folder = str(folder.resolve())
    build_sources(literature, rank=lambda *_, **__: [])


def build_new_version_request(earlier: RunRecord, document: Document, chosen: FeedbackSettings) -> dict[str, Any]:
    """What is asked of the review of a new version: the paragraphs that changed, and the comments until now.

    Args:
        earlier: A finished review of the version before.
        document: The new version.
        chosen: Settings, which tell what paragraphs are worth a review.

    Raises:
        BadInput: The run is no finished review, or nothing changed that is worth a review.
        StateError: Its checkpoints or its paper are gone.
    """
    if earlier["system"] != "focused_feedback":
        raise InputError(f"The run {earlier['id']} is no review; name one of focused_feedback with --since.")
    values = load_state(earlier, FOCUSED_FEEDBACK_GRAPH)
    if not FOCUSED_FEEDBACK_GRAPH.is_finished(values):
        raise InputError(f"The run {earlier['id']} is not done; finish it first: draftroom resume {earlier['id']}")
    before = load_document(earlier["input"]["paper"])
    pairs = match_paragraphs(before["paragraphs"], document["paragraphs"])
    unchanged = {
        pairs[old["id"]]["id"]
        for old in before["paragraphs"]
        if old["id"] in pairs and old["text"].split() == pairs[old["id"]]["text"].split()
    }
    worth_it = choose_targets(document, FeedbackInput(paper=""), chosen.model_copy(update={"pause": False}))
    changed = [target["id"] for target in worth_it if target["id"] not in unchanged]
    if not changed:
        raise InputError(
            f"No paragraph that is worth a review has changed since the run {earlier['id']}; its comments still stand."
        )
    texts = {paragraph["id"]: paragraph["text"] for paragraph in before["paragraphs"]}
    carried = []
    for item in list_open_comments(values):
        now = pairs.get(item["comment"]["paragraph"])
        carried.append(
            {
                **item,
                "paragraph": now["id"] if now else "",
                "before": texts.get(item["comment"]["paragraph"], ""),
                "now": now["text"] if now else "",
            }
        )
    return {"paragraphs": changed, "earlier": carried}


def list_open_comments(values: Values) -> list[EarlierComment]:
    """The comments of a review that its author has not dismissed, and those it had carried over that are open still.

    The latter point at the paragraph that was theirs in the version under this review.
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
