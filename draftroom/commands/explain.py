"""`draftroom explain`: turn a paper into an article that anyone can follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from draftroom.commands.beginning import begin as begin_run
from draftroom.commands.beginning import begins_a_run
from draftroom.commands.options import ScopeOption
from draftroom.systems import System, Take
from nodes.journalism.initialise import freeze
from runs.record import RunRecord
from state.settings import Audience, Selection, Settings, StopRule, Variant


@begins_a_run
def explain(  # noqa: PLR0913 - each parameter is a flag
    file: Annotated[
        str,
        typer.Argument(
            metavar="PAPER", help="The paper: PDF, Word, HTML, JATS, Markdown, LaTeX or text; - reads standard input."
        ),
    ],
    *,
    rounds: Annotated[int | None, typer.Option(help="Rounds of notes, advice and revision.")] = None,
    audience: Annotated[Audience | None, typer.Option(help="Who the article is for.")] = None,
    variant: Annotated[Variant | None, typer.Option(help="Leave agents out, as the paper's ablations do.")] = None,
    select: Annotated[Selection | None, typer.Option(help="Which draft is returned.")] = None,
    stop: Annotated[StopRule | None, typer.Option(help="All rounds, or until one no longer reads easier.")] = None,
    warm_start: Annotated[
        bool | None, typer.Option(help="Let the fine-tuned model of `warm_start` write and revise.")
    ] = None,
    scope: ScopeOption = None,
    max_words: Annotated[int | None, typer.Option(help="Length of the article that is aimed at.")] = None,
    pause: Annotated[bool | None, typer.Option(help="Let you edit the advice before each revision.")] = None,
) -> None:
    """Turn a paper into an article that anyone can follow."""


def begin(system: System, settings: Settings, take: Take, request: Mapping[str, Any]) -> RunRecord:
    """The record of an explanation.

    Raises:
        DraftroomError: What is wrong with the settings or the paper.
    """
    frozen = freeze(settings)
    return {**begin_run(system, settings, take, request), "settings": frozen}
