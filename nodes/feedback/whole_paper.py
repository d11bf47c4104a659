"""One call that comments on a whole paper: what a user would do without the team, and the baseline to beat."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from pydantic import create_model

from nodes.feedback.agent import (
    ask_feedback_role,
    find_quoted_paragraph,
    format_prompt_text,
    get_feedback_settings,
    make_list_field,
)
from nodes.feedback.reviewer import build_comment
from nodes.feedback.weakness_detector import NoticedWeakness
from nodes.shared import AgentAnswer
from state.errors import NoUsableAnswer, NoUsableResultError
from state.feedback import Comment, FeedbackState
from state.model_settings import LengthLimit
from tools.documents.reading import load_document


class PaperComment(NoticedWeakness):
    """A comment on a passage of the paper: its words, what is wrong with them, its type, and what to do."""

    problem: Annotated[str, LengthLimit("advice_words")]
    suggestion: Annotated[str, LengthLimit("advice_words")]


class WholePaperReview(AgentAnswer):
    """The assessment of a paper; the schema that is asked for adds the comments."""

    assessment: Annotated[str, LengthLimit("review_words")]


async def review_whole_paper(state: FeedbackState) -> FeedbackState:
    """Comment on the paper in one call, with at most as many comments as a screened review; drop misquoted ones.

    Raises:
        NoUsableResultError: The model gave no usable answer.
    """
    document, chosen = await asyncio.to_thread(load_document, state["document"]), get_feedback_settings(state)
    most = chosen.max_comments or chosen.max_paragraphs
    variables = {"title": document["title"], "text": format_prompt_text(document["text"], state), "most": most}
    comments: Any = (list[PaperComment], make_list_field(most, "reviewer", state))
    schema = create_model("WholePaperReview", __base__=WholePaperReview, comments=comments)
    try:
        answer = await ask_feedback_role("reviewer", "review_paper", state, variables, schema, trim="text")
    except NoUsableAnswer as error:
        raise NoUsableResultError("The paper could not be reviewed", problem=error.problem) from error
    raised: list[PaperComment] = getattr(answer.value, "comments")[:most]  # noqa: B009 - a field of the built schema
    found = list[Comment]()
    for number, item in enumerate(raised, start=1):
        if placed := find_quoted_paragraph(item.quote, document["paragraphs"]):
            paragraph, place = placed
            words = {"quote": place.slice_text(paragraph["text"]), "review": item.problem, "reasoning": ""}
            comment = build_comment(paragraph, {**item.model_dump(), **words}, [])
            found.append({**comment, "id": f"c-{number}"})  # a paragraph may have several
    if dropped := len(raised) - len(found):
        answer.calls[-1]["cuts"].append(f"comments without words of the paper ({dropped}), which were dropped")
    return {"comments": found, "calls": answer.calls, "finished": True}
