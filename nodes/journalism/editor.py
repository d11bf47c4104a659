"""The editor: judges the reader's notes and advises the journalist (LLM-CLBR, "Editor")."""

from __future__ import annotations

import re
from typing import Any, Literal

from langgraph.types import interrupt
from pydantic import BaseModel, ConfigDict, Field

from nodes.journalism.agent import ask_as, options
from nodes.journalism.reader import as_text
from state.journalism import Advice, JournalismState, Review
from state.records import Fact
from tools.documents import stored_text
from tools.prompts import numbered


class Evaluation(BaseModel):
    """The paper's three factors."""

    model_config = ConfigDict(extra="forbid")

    accuracy: str = Field(max_length=300)
    complexity: str = Field(max_length=300)
    information: str = Field(max_length=300)


class Suggestion(BaseModel):
    """One piece of advice on one aspect: words of the article, and what they should become."""

    model_config = ConfigDict(extra="forbid")

    aspect: Literal["accuracy", "accessibility", "information"]
    quote: str = Field(max_length=200)
    change: str = Field(min_length=10, max_length=300)


class EditorReview(BaseModel):
    """The editor's answer."""

    model_config = ConfigDict(extra="forbid")

    evaluation: Evaluation
    advice: list[Suggestion] = Field(min_length=1, max_length=5)


async def advise(state: JournalismState) -> dict[str, Any]:
    """Review the newest draft: s = editor(x, p_i-1, r).

    What measuring the draft found, details that the paper does not support and hard sentences, is shown to the editor
    and becomes advice of its own, so that no model can leave it away (ours, not the paper's).
    """
    assessment, article = state["assessments"][-1], state["drafts"][-1]["text"]
    unsupported, hard = assessment["unsupported"], assessment["hard_sentences"]
    variables: dict[str, object] = {
        "paper": stored_text(state["source"]),
        "audience": options(state).audience,
        "article": article,
        "notes": "" if options(state).variant == "no-notes" else as_text(state["notes"][-1]),
        "hard_sentences": numbered(hard),
        "unsupported": numbered([f'"{fact["text"]}" in "{fact["sentence"]}"' for fact in unsupported]),
    }
    answer = await ask_as("editor", "advise", state, variables, EditorReview, round_number=state["round"] + 1)
    kept, dropped = [], []
    for suggestion in answer.value.advice:
        text = in_words(suggestion, article)
        if is_forbidden(suggestion.change) or is_idle(suggestion, article):
            dropped.append(text)
        else:
            kept.append(Advice(aspect=suggestion.aspect, text=text, origin="editor"))
    review = Review(
        round=state["round"],
        evaluation=answer.value.evaluation.model_dump(),
        advice=[*map(correction, unsupported), *map(simplification, hard), *kept],
        dropped=dropped,
    )
    return {"reviews": [review], "calls": answer.calls}


async def edit_advice(state: JournalismState) -> dict[str, Any]:
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
    chosen = [Advice(aspect="accessibility", text=str(text), origin="person") for text in texts if str(text).strip()]
    return {"reviews": [{**review, "advice": chosen}]}


def correction(fact: Fact) -> Advice:
    """Advice to take an unsupported detail out."""
    text = f'The paper does not say "{fact["text"]}" ("{fact["sentence"]}"). Take it out or say what the paper says.'
    return Advice(aspect="accuracy", text=text, origin="guard")


def simplification(sentence: str) -> Advice:
    """Advice to break a hard sentence up."""
    text = f'Too hard: "{sentence}" Say it in two or three short sentences with everyday words.'
    return Advice(aspect="accessibility", text=text, origin="guard")


_REQUEST = r"\b(?:add|include|insert|provide|cite|link|attach|use|show)\b"
_FORBIDDEN = (
    r"\b(?:figures?|diagrams?|images?|pictures?|illustrations?|charts?|tables?|infographics?|videos?"
    r"|hyperlinks?|links?|urls?|references? to|citations?|bibliography)\b"
)


def in_words(suggestion: Suggestion, article: str) -> str:
    """Advice as the journalist reads it; a quote that the article does not have would only mislead."""
    quote = suggestion.quote.strip()
    return f'Instead of "{quote}", say: {suggestion.change}' if _holds(article, quote) else suggestion.change


def is_idle(suggestion: Suggestion, article: str) -> bool:
    """Whether advice changes nothing, because the article says so already."""
    return _holds(article, suggestion.change.strip(' ."'))


def _holds(article: str, words: str) -> bool:
    plain = " ".join(words.split()).casefold()
    return bool(plain) and plain in " ".join(article.split()).casefold()


def is_forbidden(advice: str) -> bool:
    """Whether advice asks for figures, references or links, which the editor must never suggest."""
    return re.search(rf"{_REQUEST}[^.]*{_FORBIDDEN}", advice, re.IGNORECASE) is not None
