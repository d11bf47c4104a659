"""The reviewer: writes one specific comment from the evidence that was gathered (SWIF2T, Section 3, "Reviewer")."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from nodes.feedback.agent import ask_as, failed
from nodes.feedback.evidence import candidates_shown, evidence_shown
from nodes.feedback.paper import shown
from state.errors import ModelOutputError
from state.feedback import Comment, ParagraphState, Verification, Weakness
from tools.quotes import locate_or_closest

UNVERIFIED = Verification(verdict="kept", notes=[])


class Review(BaseModel):
    """A comment on a paragraph; reasoning comes first, as in the paper."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str = Field(max_length=600)
    worth_raising: bool
    quote: str = Field(max_length=400)
    label: Weakness
    review: str = Field(max_length=1200)
    suggestion: str = Field(max_length=600)


def review_of(paragraph: str, evidence: list[str]) -> type[Review]:
    """The schema of a comment on this paragraph, which can cite this evidence only.

    A comment whose quote is not in the paragraph, or that says nothing, is sent back once.
    """

    class VerbatimReview(Review):
        @field_validator("quote")
        @classmethod
        def _stands_in_the_paragraph(cls, quote: str) -> str:
            place = locate_or_closest(quote, paragraph)
            if place is None:
                raise ValueError("its words are not in the paragraph; copy five to thirty words exactly")
            return place.of(paragraph)

        @field_validator("review")
        @classmethod
        def _says_something(cls, review: str) -> str:
            if len(review.split()) < 5:
                raise ValueError("must say what is wrong with the quoted words, in two to four sentences")
            return review.strip()

    return create_model("Review", __base__=VerbatimReview, evidence=_evidence_field(evidence))


def _evidence_field(ids: list[str]) -> Any:
    """A list of known ids; of nothing where there is no evidence."""
    known: Any = Literal[tuple(ids)] if ids else str
    return list[known], Field(max_length=len(ids))


async def write_review(state: ParagraphState) -> dict[str, Any]:
    """Write the comment; the reviewer, too, may find nothing worth raising."""
    text = state["target"]["text"]
    variables: dict[str, object] = {
        "candidates": candidates_shown(state["candidates"]),
        "evidence": evidence_shown(state["evidence"]),
        "paragraph": shown(text),
    }
    schema = review_of(text, [item["id"] for item in state["evidence"]])
    try:
        answer = await ask_as("reviewer", "write_review", state, variables, schema)
    except ModelOutputError as error:
        return {**failed("reviewer", error.problem), "calls": error.spent}
    review = answer.value
    if not review.worth_raising:
        news = {"outcome": "nothing worth raising", "problem": review.reasoning.strip()}
        return {**news, "calls": answer.calls}
    return {"comment": _comment(state, review), "outcome": "comment", "calls": answer.calls}


def _comment(state: ParagraphState, review: Review) -> Comment:
    target = state["target"]
    cited = set(getattr(review, "evidence", []))
    return Comment(
        id=f"c-{target['id']}",
        paragraph=target["id"],
        section=target["section"],
        page=target["page"],
        label=review.label,
        quote=review.quote,
        start=target["text"].index(review.quote),
        review=review.review,
        suggestion=review.suggestion.strip(),
        reasoning=review.reasoning.strip(),
        evidence=[item for item in state["evidence"] if item["id"] in cited],
        verification=UNVERIFIED,
    )
