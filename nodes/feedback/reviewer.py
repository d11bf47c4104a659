"""The reviewer: writes one specific comment from the evidence that was gathered (SWIF2T, Section 3, "Reviewer")."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, create_model, model_validator

from nodes.feedback.agent import ask_as, at_most, failed, options
from nodes.feedback.evidence import candidates_shown, evidence_shown
from nodes.feedback.paper import shown
from nodes.feedback.worked_examples import repeats_example
from state.errors import Unanswered
from state.feedback import Comment, ParagraphState, Verification, Weakness
from state.limits import AtMost
from state.records import CallRecord
from tools.quotes import locate, locate_or_closest
from tools.sentences import sentences

UNVERIFIED = Verification(verdict="kept", notes=[])


class Review(BaseModel):
    """A comment on a paragraph; reasoning comes first, as in the paper. Quote, suggestion and evidence are ours."""

    model_config = ConfigDict(extra="forbid")

    reasoning: Annotated[str, AtMost("review_words")]
    quote: Annotated[str, AtMost("quote_words")]
    label: Weakness | Literal["No review needed"]
    review: Annotated[str, AtMost("review_words")]
    suggestion: Annotated[str, AtMost("review_words")]


def review_of(state: ParagraphState, quotes: list[str] | None = None) -> type[Review]:
    """The schema of a comment on this paragraph, which can cite this evidence only.

    A comment whose quote is not in the paragraph, that says nothing or, with the aid `refuse_examples`, that repeats a
    worked example is sent back once.

    Args:
        state: The paragraph and what was gathered.
        quotes: What can be quoted; None: any words of the paragraph.
    """
    paragraph = state["target"]["text"]
    repeats = repeats_example if "refuse_examples" in options(state).aids else lambda _: False

    class CheckedReview(Review):
        @model_validator(mode="after")
        def _is_about_this_paragraph(self) -> Self:
            if self.label == "No review needed":
                return self
            place = locate_or_closest(self.quote, paragraph)
            if place is None:
                raise ValueError("the words of `quote` are not in the paragraph; copy some exactly")
            self.quote = place.of(paragraph)
            if not self.review.strip():
                raise ValueError("`review` must say what is wrong with the quoted words")
            if repeats(self.review):
                raise ValueError("`review` repeats an example; say what is wrong with the quoted words")
            if repeats(self.suggestion) and quotes is None:
                raise ValueError("`suggestion` repeats an example; tell the author of this paragraph what to change")
            if repeats(self.suggestion):
                self.suggestion = ""  # asked often enough: better no advice than somebody else's
            return self

    quote: Any = {"quote": Literal[tuple(quotes)]} if quotes else {}
    ids = tuple(item["id"] for item in state["evidence"])
    known: Any = Literal[ids] if ids else str
    evidence = (list[known], at_most(len(ids), "reviewer", state))
    return create_model("Review", __base__=CheckedReview, evidence=evidence, **quote)


async def write_review(state: ParagraphState) -> dict[str, Any]:
    """Write the comment; the reviewer may find that none is needed.

    With the aid `sentence_quotes`, one whose answers are unusable, mostly because it cannot copy words of the
    paragraph, is asked anew and chooses among its sentences.
    """
    text = state["target"]["text"]
    variables: dict[str, object] = {
        "candidates": candidates_shown(state["candidates"]),
        "evidence": evidence_shown(state),
        "paragraph": shown(text, state),
    }
    spent: list[CallRecord] = []
    problem = ""
    for quotes in (None, sentences_of(text)) if "sentence_quotes" in options(state).aids else (None,):
        schema = review_of(state, quotes)
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
    if review.label == "No review needed":
        return {"outcome": "nothing worth raising", "problem": review.reasoning.strip()}
    return {"outcome": "comment", "comment": _comment(state, review, review.label)}


def _comment(state: ParagraphState, review: Review, label: Weakness) -> Comment:
    target = state["target"]
    cited = set(getattr(review, "evidence", []))
    return Comment(
        id=f"c-{target['id']}",
        paragraph=target["id"],
        section=target["section"],
        page=target["page"],
        label=label,
        quote=review.quote,
        start=target["text"].index(review.quote),
        review=review.review.strip(),
        suggestion=review.suggestion.strip(),
        reasoning=review.reasoning.strip(),
        evidence=[item for item in state["evidence"] if item["id"] in cited],
        verification=UNVERIFIED,
    )
