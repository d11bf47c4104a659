"""The editor: judges the reader's notes and advises the journalist (LLM-CLBR, "Editor")."""

from __future__ import annotations

from langgraph.types import interrupt

from nodes.journalism.initialise import ask_journalism_role, get_journalism_settings
from state.journalism import DraftReview, JournalismState
from state.model_settings import Limits
from tools.documents.reading import load_source_text
from tools.models.ask import MarkdownAnswer
from tools.models.prompts import format_numbered_list
from tools.text import has_words, list_points, split_at_labels

REVIEW_PARTS = {"evaluation": r"evaluation[^\n:*]*", "advice": r"advice[^\n:*]*"}
"""Labels of the parts of a review, for `split_at_labels`."""


class EditorReview(MarkdownAnswer):
    """The editor's answer: an evaluation of the notes, and advice for the article."""

    usable_if_cut_off = True

    text: str

    @classmethod
    def from_markdown(cls, text: str) -> EditorReview:
        """Take the review as it is."""
        if not has_words(extract_advice(text)):
            raise ValueError("it holds no advice; give it below the heading `## Advice`")
        return cls(text=text)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Allow for the advice, and for as many words on each of the three factors of the evaluation."""
        return (limits.advice + 3) * limits.advice_words


def extract_advice(review: str) -> str:
    """Return the advice of a review without its evaluation; the review as a whole if it has no part of that name."""
    return split_at_labels(review, REVIEW_PARTS).get("advice", review)


async def advise(state: JournalismState) -> JournalismState:
    """Review the newest draft: s = editor(x, p_i-1, r).

    With the extension `unsupported_details` the editor is asked about details that the paper does not have.
    """
    assessment = state["assessments"][-1]
    extensions = get_journalism_settings(state).extensions
    unsupported = assessment["unsupported"] if "unsupported_details" in extensions else []
    variables: dict[str, object] = {
        "paper": load_source_text(state["source"]),
        "audience": get_journalism_settings(state).audience,
        "article": state["drafts"][-1]["text"],
        "notes": "" if get_journalism_settings(state).variant == "no-notes" else state["notes"][-1]["text"],
        "unsupported": format_numbered_list([f'"{fact["text"]}" in "{fact["sentence"]}"' for fact in unsupported]),
    }
    answer = await ask_journalism_role(
        "editor", "advise", state, variables, EditorReview, round_number=state["round"] + 1
    )
    review = DraftReview(round=state["round"], text=answer.value.text, origin="editor")
    return {"reviews": [review], "calls": answer.calls}


async def edit_advice(state: JournalismState) -> JournalismState:
    """Pause the run, so that a person can replace the advice. Any answer but a list of texts keeps it as it is."""
    review = state["reviews"][-1]
    answer = interrupt(
        {
            "question": "Which advice should the journalist follow?",
            "answer": 'A JSON object: {"advice": ["...", "..."]}, or {"advice": null} to keep the advice as it is.',
            "round": review["round"] + 1,
            "article": state["drafts"][-1]["text"],
            "advice": list_points(extract_advice(review["text"])),
        }
    )
    texts = answer.get("advice") if isinstance(answer, dict) else None
    if not isinstance(texts, list):
        return {}
    chosen = format_numbered_list(str(text) for text in texts if str(text).strip())
    return {"reviews": [DraftReview(round=review["round"], text=chosen, origin="person")]}
