"""The editor: judges the reader's notes and advises the journalist (LLM-CLBR, "Editor")."""

from __future__ import annotations

from nodes.journalism.initialise import ask_journalism_role, get_journalism_settings
from nodes.shared import ask_person
from state.journalism import DraftReview, JournalismState
from state.model_settings import Limits
from tools.documents.reading import load_source_text
from tools.models.ask import MarkdownAnswer
from tools.text import format_numbered_list, has_words, list_points, split_at_labels

# Labels of the parts of a review.
REVIEW_PARTS = {"evaluation": r"evaluation[^\n:*]*", "advice": r"advice[^\n:*]*"}


class EditorReview(MarkdownAnswer):
    """The editor's answer: an evaluation of the notes, and advice for the article."""

    usable_if_cut_off = True

    text: str

    @classmethod
    def from_markdown(cls, text: str) -> EditorReview:
        """Return the whole answer as the review; raise ValueError if it holds no advice."""
        if not has_words(extract_advice(text)):
            raise ValueError("it holds no advice; give it below the heading `## Advice`")
        return cls(text=text)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return the most words of an answer: those of all pieces of advice and of the evaluation."""
        # The evaluation has three factors.
        return (limits.advice + 3) * limits.advice_words


def extract_advice(review: str) -> str:
    """Return the advice of a review, or the whole review if no part has that label."""
    return split_at_labels(review, REVIEW_PARTS).get("advice", review)


async def advise(state: JournalismState) -> JournalismState:
    """Add the editor's review of the newest draft: s = editor(x, p_i-1, r)."""
    chosen, unsupported = get_journalism_settings(state), list[str]()
    if "unsupported_details" in chosen.extensions:
        facts = state["assessments"][-1]["unsupported"]
        unsupported = [f'"{fact["text"]}" in "{fact["sentence"]}"' for fact in facts]
    variables: dict[str, object] = {
        "paper": load_source_text(state["source"]),
        "audience": chosen.audience,
        "article": state["drafts"][-1]["text"],
        "notes": "" if chosen.variant == "no-notes" else state["notes"][-1]["text"],
        "unsupported": format_numbered_list(unsupported),
    }
    number = state["round"] + 1
    answer = await ask_journalism_role("editor", "advise", state, variables, EditorReview, round_number=number)
    review = DraftReview(round=state["round"], text=answer.value.text, origin="editor")
    return {"reviews": [review], "calls": answer.calls}


async def edit_advice(state: JournalismState) -> JournalismState:
    """Pause the run for a person, whose lines are added as a review; None keeps the editor's advice."""
    review = state["reviews"][-1]
    lines = ask_person(
        "Which advice should the journalist follow?",
        list_points(extract_advice(review["text"])),
        ["Explain ...", "Shorten ..."],
        round=review["round"] + 1,
        article=state["drafts"][-1]["text"],
    )
    if lines is None:
        return {}
    chosen = format_numbered_list(line for line in lines if line.strip())
    return {"reviews": [DraftReview(round=review["round"], text=chosen, origin="person")]}
