"""`draftroom review`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from draftroom.commands.options import PaperArgument
from draftroom.commands.run_commands import make_run_command
from draftroom.systems.review_requests import LITERATURE_SERVICES
from state.settings import Execution, RetrievalMode

ReviewVariant = Literal["full", "single", "cove", "no-reranking"]
_LITERATURE_HELP = f"A folder of papers, or a service: {', '.join(LITERATURE_SERVICES)}; repeatable."


@make_run_command
def review(  # noqa: PLR0913 - each parameter is a flag
    file: PaperArgument,
    *,
    paragraph: Annotated[list[str] | None, typer.Option(help="Review this paragraph, 3 or p3; repeatable.")] = None,
    section: Annotated[str | None, typer.Option(help="Review the sections whose heading contains this.")] = None,
    text: Annotated[str | None, typer.Option(help="Review this text of the paper; - reads standard input.")] = None,
    since: Annotated[
        str | None, typer.Option(help="Id of an earlier review, or `last`: review only the paragraphs changed since.")
    ] = None,
    variant: Annotated[
        ReviewVariant,
        typer.Option(
            help="full: all agents; no-reranking: follow the first plan; "
            "single, cove (chain of verification): the paper's baselines."
        ),
    ] = "full",
    execution: Annotated[
        Execution | None, typer.Option(help="Ask independent questions at once (parallel), or one by one (sequential).")
    ] = None,
    plans: Annotated[int | None, typer.Option(help="Plans that the planner writes.")] = None,
    rerank: Annotated[bool | None, typer.Option(help="Let the trained re-ranker choose the plan.")] = None,
    max_questions: Annotated[int | None, typer.Option(help="Maximum number of questions about a paragraph.")] = None,
    max_rewrites: Annotated[int | None, typer.Option(help="How often the rest of a plan may be rewritten.")] = None,
    retrieval: Annotated[RetrievalMode | None, typer.Option(help="How passages are found.")] = None,
    passages: Annotated[int | None, typer.Option(help="Passages that a question is answered from.")] = None,
    literature: Annotated[list[str] | None, typer.Option(help=_LITERATURE_HELP)] = None,
    pause: Annotated[bool | None, typer.Option(help="Let you edit the plan first; needs a single paragraph.")] = None,
    min_words: Annotated[int | None, typer.Option(help="Leave out shorter paragraphs.")] = None,
    max_comments: Annotated[int | None, typer.Option(help="Maximum number of comments.")] = None,
    max_pages: Annotated[int | None, typer.Option(help="Maximum number of pages of a PDF.")] = None,
) -> None:
    """Comment on the weaknesses of a draft, with evidence from the paper and from other studies."""
