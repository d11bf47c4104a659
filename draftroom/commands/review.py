"""`draftroom review`: specific, checked comments on a draft, paragraph by paragraph."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from draftroom.beginning import SERVICES
from draftroom.commands.driving import (
    AidsOption,
    BaseUrlOption,
    MaxCallsOption,
    MaxTokensOption,
    ModelOption,
    OutputOption,
    PresetOption,
    QuietOption,
    drive_and_show,
    overrides,
)
from draftroom.extras import REVIEW, require
from draftroom.files import STANDARD_INPUT, check_outputs, format_of, read_standard_input, take_paper
from draftroom.systems import RunRequest, System
from draftroom.systems.feedback import CHAIN_OF_VERIFICATION, FOCUSED_FEEDBACK, SINGLE_MODEL
from runs.driver import Budget
from runs.record import RunInput
from state.errors import BadInput
from state.settings import Execution, RetrievalMode
from tools.configuration import load_settings
from tools.documents.structure import decode

ReviewVariant = Literal["full", "single", "cove", "no-reranking"]
VARIANTS: dict[ReviewVariant, System] = {
    "full": FOCUSED_FEEDBACK,
    "no-reranking": FOCUSED_FEEDBACK,
    "single": SINGLE_MODEL,
    "cove": CHAIN_OF_VERIFICATION,
}
_LITERATURE = f"A folder of papers, or a service: {', '.join(SERVICES)}; repeatable."


def review(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[
        str, typer.Argument(metavar="PAPER", help="PDF, Word, HTML, Markdown, LaTeX or text; - reads standard input.")
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
    literature: Annotated[list[str] | None, typer.Option(help=_LITERATURE)] = None,
    pause: Annotated[bool | None, typer.Option(help="Let you edit the questions about the one paragraph.")] = None,
    min_words: Annotated[int | None, typer.Option(help="Leave out shorter paragraphs.")] = None,
    max_comments: Annotated[int | None, typer.Option(help="Most comments on the paper.")] = None,
    max_pages: Annotated[int | None, typer.Option(help="Longest PDF that is accepted.")] = None,
    aids: AidsOption = None,
    preset: PresetOption = None,
    model: ModelOption = None,
    base_url: BaseUrlOption = None,
    max_calls: MaxCallsOption = None,
    max_tokens: MaxTokensOption = None,
    output: OutputOption = [],  # noqa: B006 - Typer copies it
    quiet: QuietOption = False,
) -> None:
    """Comment on the weaknesses of a draft, with evidence from the paper and from other studies."""
    flags = locals()
    check_outputs(output, VARIANTS[variant].rendering)
    chosen = wanted(flags)
    record = chosen.begin(partial(_take_draft, file, output, chosen.system))
    budget = Budget(max_calls, max_tokens)
    drive_and_show(record, output, quiet=quiet, checkpoints=chosen.settings.checkpoints, budget=budget)


def wanted(flags: Mapping[str, Any]) -> RunRequest:
    """What the flags want of any draft.

    Raises:
        SettingsError: The packages of a review are not installed.
        BadInput: What is to be reviewed is empty.
    """
    require(REVIEW)
    variant: ReviewVariant = flags["variant"]
    system, literature = VARIANTS[variant], flags["literature"]
    chosen = {
        **flags,
        "rerank": _rerank(variant, wanted=flags["rerank"]),
        "literature": _literature(literature) if literature else None,
        "pause": flags["pause"] if system.rendering.dialogue else False,
    }
    given = {"paragraphs": flags["paragraph"], **{name: flags[name] for name in ("section", "text", "since")}}
    request = _request(given, from_standard_input=flags.get("file") == STANDARD_INPUT)
    return RunRequest(system, load_settings(overrides("feedback", chosen)), request)


def _rerank(variant: ReviewVariant, *, wanted: bool | None) -> bool | None:
    if variant == "no-reranking" and wanted:
        raise typer.BadParameter("Give --rerank or --variant no-reranking, not both.")
    return False if variant == "no-reranking" else wanted


def _literature(named: list[str]) -> dict[str, Any]:
    """As settings: services as they are called, anything else a folder."""
    folders = [name for name in named if name not in SERVICES]
    if len(folders) > 1:
        raise typer.BadParameter(f"Only one folder of literature can be searched, not {len(folders)}: put all in one.")
    chosen: dict[str, Any] = {"providers": [name if name in SERVICES else "folder" for name in named]}
    return {**chosen, "folder": folders[0]} if folders else chosen


def _request(given: Mapping[str, Any], *, from_standard_input: bool) -> dict[str, Any]:
    """What is to be reviewed: nothing for every paragraph that is worth it."""
    request = {name: value for name, value in given.items() if value is not None}
    if len(request) > 1:
        raise typer.BadParameter("Give one of --paragraph, --section, --text and --since.")
    if request.get("text") == STANDARD_INPUT:
        if from_standard_input:
            raise typer.BadParameter("Standard input can be the paper or the text, not both.")
        request["text"] = decode(read_standard_input(), name="standard input")
    if any(isinstance(value, str) and not value.strip() for value in request.values()):
        raise BadInput(f"There is nothing in --{next(iter(request))}; say what to review.", kind="empty_input")
    return request


def _take_draft(file: str, outputs: list[Path], system: System, **how: Any) -> RunInput:
    """The paper, if the results can be written onto it where that is asked for."""
    run_input, rendering = take_paper(file, **how), system.rendering
    for path in outputs:
        if refusal := rendering.refusal(format_of(path, rendering.formats), run_input["paper"]["format"]):
            raise typer.BadParameter(f"{path}: {refusal}.", param_hint="-o")
    return run_input
