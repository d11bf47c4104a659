"""The editor: judges the reader's notes and advises the journalist (LLM-CLBR, "Editor")."""

from __future__ import annotations

from typing import Annotated, Literal

from langgraph.types import interrupt

from nodes.journalism.initialise import ask_as, options
from nodes.journalism.reader import as_text
from nodes.shared import AgentAnswer
from state.journalism import Advice, DraftReview, JournalismState
from state.model_settings import AtMost
from tools.documents.reading import stored_text
from tools.models.prompts import numbered


class ArticleEvaluation(AgentAnswer):
    """The paper's three factors."""

    accuracy: Annotated[str, AtMost("advice_words")]
    complexity: Annotated[str, AtMost("advice_words")]
    information: Annotated[str, AtMost("advice_words")]


class Suggestion(AgentAnswer):
    """One piece of advice on one aspect; it may name words of the article and others for their place, or neither."""

    aspect: Literal["accuracy", "accessibility", "information"]
    quote: Annotated[str, AtMost("quote_words")] = ""
    advice: Annotated[str, AtMost("advice_words")]
    replacement: Annotated[str, AtMost("advice_words")] = ""


class EditorReview(AgentAnswer):
    """The editor's answer."""

    evaluation: ArticleEvaluation
    advice: Annotated[list[Suggestion], AtMost("advice")]


async def advise(state: JournalismState) -> JournalismState:
    """Review the newest draft: s = editor(x, p_i-1, r).

    With the extension `unsupported_details` the editor is asked about details that the paper does not have.
    """
    assessment = state["assessments"][-1]
    extensions = options(state).extensions
    unsupported = assessment["unsupported"] if "unsupported_details" in extensions else []
    variables: dict[str, object] = {
        "paper": stored_text(state["source"]),
        "audience": options(state).audience,
        "article": state["drafts"][-1]["text"],
        "notes": "" if options(state).variant == "no-notes" else as_text(state["notes"][-1]),
        "unsupported": numbered([f'"{fact["text"]}" in "{fact["sentence"]}"' for fact in unsupported]),
    }
    answer = await ask_as("editor", "advise", state, variables, EditorReview, round_number=state["round"] + 1)
    review = DraftReview(
        round=state["round"],
        evaluation=answer.value.evaluation.model_dump(),
        advice=list(map(in_words, answer.value.advice)),
    )
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
            "advice": [advice["text"] for advice in review["advice"]],
        }
    )
    texts = answer.get("advice") if isinstance(answer, dict) else None
    if not isinstance(texts, list):
        return {}
    chosen = [
        Advice(aspect="accessibility", text=str(text), quote="", origin="person") for text in texts if str(text).strip()
    ]
    return {"reviews": [{**review, "advice": chosen}]}


def in_words(suggestion: Suggestion) -> Advice:
    """Advice as the journalist reads it: as the editor gave it, also where its quote is not verbatim."""
    quote, text, replacement = (
        " ".join(part.split()) for part in (suggestion.quote, suggestion.advice, suggestion.replacement)
    )
    parts = (f'On "{quote}":' if quote else "", text, f'Proposed wording: "{replacement}"' if replacement else "")
    return Advice(aspect=suggestion.aspect, text=" ".join(filter(None, parts)), quote=quote, origin="editor")
