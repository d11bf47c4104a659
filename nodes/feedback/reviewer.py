"""The reviewer: writes one specific comment from the evidence that was gathered (SWIF2T, Section 3, "Reviewer")."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model, field_validator

from nodes.feedback.agent import ask_as, failed
from nodes.feedback.evidence import candidates_shown, evidence_shown
from nodes.feedback.paper import shown
from nodes.feedback.worked_examples import repeats_example
from state.errors import Unanswered
from state.feedback import Comment, ParagraphState, Verification, Weakness
from state.records import CallRecord
from tools.quotes import locate, locate_or_closest
from tools.sentences import sentences

UNVERIFIED = Verification(verdict="kept", notes=[])


class Review(BaseModel):
    """A comment on a paragraph; reasoning comes first, as in the paper."""

    model_config = ConfigDict(extra="forbid")

    reasoning: str = Field(max_length=600)
    verdict: Literal["weakness", "sound"]  # in words: asked for true or false, small models answer as they feel
    quote: str = Field(max_length=400)
    label: Weakness
    review: str = Field(max_length=1200)
    suggestion: str = Field(max_length=600)


def review_of(paragraph: str, evidence: list[str], quotes: list[str] | None = None) -> type[Review]:
    """The schema of a comment on this paragraph, which can cite this evidence only.

    A comment whose quote is not in the paragraph, that says nothing or that repeats a worked example is sent back once.

    Args:
        paragraph: What the comment is on.
        evidence: Ids of what was gathered.
        quotes: What can be quoted; None: any words of the paragraph.
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
            if repeats_example(review):
                raise ValueError("repeats an example; say what is wrong with the quoted words of this paragraph")
            return review.strip()

        @field_validator("suggestion")
        @classmethod
        def _is_for_this_author(cls, suggestion: str) -> str:
            if not repeats_example(suggestion):
                return suggestion.strip()
            if quotes is None:
                raise ValueError("repeats an example; tell the author of this paragraph what to change in it")
            return ""  # asked often enough: better no advice than somebody else's

    quote: Any = {"quote": (Literal[tuple(quotes)], ...)} if quotes else {}
    return create_model("Review", __base__=VerbatimReview, evidence=_evidence_field(evidence), **quote)


def _evidence_field(ids: list[str]) -> Any:
    """A list of known ids; of nothing where there is no evidence."""
    known: Any = Literal[tuple(ids)] if ids else str
    return list[known], Field(max_length=len(ids))


async def write_review(state: ParagraphState) -> dict[str, Any]:
    """Write the comment; the reviewer, too, may find nothing worth raising.

    One whose answers are unusable, mostly because it cannot copy words of the paragraph, is asked anew and chooses
    among its sentences; a suggestion that still repeats a worked example is left out (ours).
    """
    text = state["target"]["text"]
    variables: dict[str, object] = {
        "candidates": candidates_shown(state["candidates"]),
        "evidence": evidence_shown(state["evidence"]),
        "paragraph": shown(text),
    }
    spent: list[CallRecord] = []
    problem = ""
    for quotes in (None, sentences_of(text)):
        schema = review_of(text, [item["id"] for item in state["evidence"]], quotes)
        try:
            answer = await ask_as("reviewer", "write_review", state, variables, schema)
        except Unanswered as error:
            spent, problem = [*spent, *error.spent], error.problem
        else:
            return {**_outcome(state, answer.value), "calls": [*spent, *answer.calls]}
    return {**failed("reviewer", problem), "calls": spent}


def sentences_of(paragraph: str) -> list[str]:
    """What can be quoted of a paragraph by somebody who does not copy well: each of its sentences once."""
    places = (locate(sentence.text, paragraph) for sentence in sentences(paragraph))
    return list(dict.fromkeys(place.of(paragraph) for place in places if place))


def _outcome(state: ParagraphState, review: Review) -> dict[str, Any]:
    if review.verdict == "sound":
        return {"outcome": "nothing worth raising", "problem": review.reasoning.strip()}
    return {"outcome": "comment", "comment": _comment(state, review)}


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
        suggestion=review.suggestion,
        reasoning=review.reasoning.strip(),
        evidence=[item for item in state["evidence"] if item["id"] in cited],
        verification=UNVERIFIED,
    )
