"""The reviewer: writes one specific comment from the evidence (SWIF2T, Section 3, "Reviewer")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ValidationInfo, create_model, model_validator

from nodes.feedback.agent import (
    ask_feedback_role,
    fail_paragraph,
    format_evidence,
    format_extension_flag,
    format_prompt_text,
    format_unanswered_questions,
    get_feedback_settings,
    make_list_field,
)
from nodes.feedback.computed_checks import list_shown_findings, validate_finding_wordings
from nodes.feedback.weakness_detector import format_weaknesses
from nodes.shared import AgentAnswer
from state.computed_findings import Severity
from state.documents import Paragraph
from state.errors import NoUsableAnswer
from state.feedback import Comment, Evidence, ParagraphState, Target, Verification, Weakness
from state.model_settings import LengthLimit
from tools.checks.quotes import find_closest_quote, find_quotation
from tools.models.ask import LAST_TRY

Label = Weakness | Literal["No review needed"]
NO_REVIEW_NEEDED = "No review needed"
UNVERIFIED = Verification(verdict="kept", notes=[])
UNPLACED_NOTE = "The comment quoted no words of the paragraph, so it stands without a quote."


class Review(AgentAnswer):
    """A comment as the paper's reviewer writes it, with the words that it is about in quotation marks."""

    reasoning: Annotated[str, LengthLimit("review_words")]
    label: Label
    review: Annotated[str, LengthLimit("review_words")]


class AnchoredReview(AgentAnswer):
    """A comment with a checked quote, a suggestion and its severity (`anchors`); a paragraph's schema adds evidence."""

    reasoning: Annotated[str, LengthLimit("review_words")]
    quote: Annotated[str, LengthLimit("quote_words")]
    label: Label
    review: Annotated[str, LengthLimit("review_words")]
    suggestion: Annotated[str, LengthLimit("review_words")]
    severity: Severity


def build_review_schema(state: ParagraphState) -> type[BaseModel]:
    """Build the schema of a comment on a paragraph, which can cite the gathered evidence only.

    An empty comment is sent back once. So is a comment whose quote is not in the paragraph; the second time it loses
    its quote.
    """
    paragraph = state["target"]["text"]

    def check_quote(answer: Any, info: ValidationInfo) -> Any:
        """Set the quote to the paragraph's own words, or refuse it; in the last try it is emptied."""
        if answer.label == NO_REVIEW_NEEDED:
            return answer
        place = find_closest_quote(answer.quote, paragraph)
        if not place and not (info.context or {}).get(LAST_TRY, False):
            raise ValueError("the words of `quote` are not in the paragraph; copy some exactly")
        answer.quote = place.slice_text(paragraph) if place else ""
        return answer

    def check_review(answer: Any) -> Any:
        """Refuse a comment that says nothing."""
        if answer.label != NO_REVIEW_NEEDED and not answer.review.strip():
            raise ValueError("`review` must say what is wrong")
        return answer

    checks: dict[str, Any] = {"check_review": model_validator(mode="after")(check_review)}
    # A field for the wordings of findings, if the review shows any.
    words: Any = (Annotated[str, LengthLimit("review_words")], ...)
    wordings = {item["id"]: words for item in list_shown_findings(state["target"], state["computed"])}
    findings: Any = create_model("FindingWordings", __base__=AgentAnswer, **wordings)
    computed: Any = {"computed": (findings, ...)} if wordings else {}
    if "anchors" not in get_feedback_settings(state).extensions:
        return create_model("Review", __base__=Review, __validators__=checks, **computed)
    checks["check_quote"] = model_validator(mode="after")(check_quote)
    ids = tuple(item["id"] for item in state["evidence"])
    known: Any = Literal[ids] if ids else str
    fields: Any = {"evidence": (list[known], make_list_field(len(ids), "reviewer", state)), **computed}
    return create_model("Review", __base__=AnchoredReview, __validators__=checks, **fields)


async def write_review(state: ParagraphState) -> ParagraphState:
    """Write the comment, or find that the paragraph needs none."""
    variables: dict[str, object] = {
        "team": "yes" if state["plans"] else "",  # the baselines have none
        "candidates": format_weaknesses(state["candidates"]),
        "suspicions": format_prompt_text(format_weaknesses(state["suspicions"]), state),
        "unanswered": format_unanswered_questions(state) if state["suspicions"] else "",
        "evidence": format_evidence(state),
        "paragraph": format_prompt_text(state["target"]["text"], state),
        "anchors": format_extension_flag("anchors", state),
        "computed": "yes" if list_shown_findings(state["target"], state["computed"]) else "",
    }
    try:
        answer = await ask_feedback_role("reviewer", "write_review", state, variables, build_review_schema(state))
    except NoUsableAnswer as error:
        return fail_paragraph("reviewer", error)
    said = answer.value.model_dump()
    # Findings keep their wording even if there is no comment.
    wordings, notes = validate_finding_wordings(state, said.get("computed", {}))
    news: ParagraphState = {"wordings": wordings, "notes": notes, "calls": answer.calls}
    if said["label"] == NO_REVIEW_NEEDED:
        return {**news, "outcome": "nothing worth raising", "problem": said["reasoning"].strip()}
    comment = build_comment(state["target"], said, state["evidence"])
    notes += [] if comment["quote"] else [UNPLACED_NOTE]
    return {**news, "outcome": "comment", "comment": comment}


def build_comment(target: Target | Paragraph, said: dict[str, Any], evidence: Sequence[Evidence]) -> Comment:
    """Return a comment at its quote in a paragraph, with the evidence that it cites."""
    # Without the extension `anchors` the quote is the text that the comment has in quotation marks.
    place = find_quotation(said["review"], target["text"])
    quote = said.get("quote", place.slice_text(target["text"]) if place else "")
    comment = Comment(
        id=f"c-{target['id']}",
        paragraph=target["id"],
        section=target["section"],
        page=target["page"],
        label=said["label"],
        quote=quote,
        start=target["text"].index(quote),
        review=said["review"].strip(),
        suggestion=said.get("suggestion", "").strip(),
        reasoning=said["reasoning"].strip(),
        evidence=[item for item in evidence if item["id"] in said.get("evidence", [])],
        verification=UNVERIFIED,
    )
    return {**comment, "severity": said["severity"]} if "severity" in said else comment
