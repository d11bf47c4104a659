"""`draftroom review`."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from draftroom.commands.options import PaperArgument
from draftroom.commands.run_commands import make_run_command
from draftroom.systems.review_requests import LITERATURE_SERVICES

ReviewVariant = Literal["full", "single", "cove", "no-reranking"]
_LITERATURE_HELP = f"A folder of papers, or a service: {', '.join(LITERATURE_SERVICES)}; repeatable."


@make_run_command(
    *("execution", "plans", "rerank", "max_questions", "max_rewrites", "retrieval", "passages"),
    *("pause", "min_words", "every_paragraph", "max_paragraphs", "max_comments", "max_pages"),
)
def review(
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
    literature: Annotated[list[str] | None, typer.Option(help=_LITERATURE_HELP)] = None,
) -> None:
    """Comment on the weaknesses of a draft, with evidence from the paper and from other studies."""
