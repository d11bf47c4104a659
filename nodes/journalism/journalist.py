"""The journalist: writes the first article, and revises it (LLM-CLBR, "Journalist")."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from nodes.journalism.agent import ask_as, options
from nodes.journalism.reader import as_text
from nodes.rewriting import RewrittenSentences, better, still_in
from state.errors import ModelOutputError
from state.journalism import Assessment, Draft, JournalismState
from tools.documents import stored_text
from tools.prompts import numbered
from tools.prose import finished_paragraphs

LONGEST_PARAGRAPH = 900
"""In characters. A bound that constrained decoding enforces, so that a small model cannot ramble on for ever."""

Paragraph = Annotated[str, Field(min_length=20, max_length=LONGEST_PARAGRAPH)]


class Article(BaseModel):
    """What the journalist writes, and only then its headline.

    A small model that begins with the headline fills paragraphs with it (seen with SmolLM2-135M).
    """

    model_config = ConfigDict(extra="forbid")

    paragraphs: list[Paragraph] = Field(min_length=2, max_length=6)
    title: str = Field(min_length=3, max_length=120)

    @field_validator("paragraphs")
    @classmethod
    def _holds_whole_sentences_once(cls, paragraphs: list[str]) -> list[str]:
        finished = finished_paragraphs(paragraphs)
        if not finished:
            raise ValueError("no paragraph holds a finished sentence")
        return finished


class Improvement(BaseModel):
    """What the journalist decides first when revising; decoding follows the order of the fields."""

    model_config = ConfigDict(extra="forbid")

    improvements: list[Annotated[str, Field(max_length=160)]] = Field(min_length=1, max_length=5)


class RevisedArticle(Article, Improvement):
    """What the journalist writes when revising: first what is improved, then the article."""


async def write_draft(state: JournalismState) -> dict[str, Any]:
    """Write the first article from the paper alone: p0 = journalist(x)."""
    variables: dict[str, object] = {
        "paper": stored_text(state["source"]),
        "audience": options(state).audience,
        "max_words": options(state).max_words,
    }
    answer = await ask_as("journalist", "write_draft", state, variables, Article, round_number=0)
    return {
        "round": 0,
        "drafts": [Draft(round=0, text=as_markdown(answer.value), improvements=[])],
        "calls": answer.calls,
    }


async def revise_draft(state: JournalismState) -> dict[str, Any]:
    """Revise the newest draft: p_i = journalist(x, p_i-1, s). Without an editor the notes take the advice's place."""
    number, variant = state["round"] + 1, options(state).variant
    reviewed = variant not in {"no-suggestions", "no-collaboration"}
    variables: dict[str, object] = {
        "paper": stored_text(state["source"]),
        "audience": options(state).audience,
        "max_words": options(state).max_words,
        "article": state["drafts"][-1]["text"],
        "advice": numbered([advice["text"] for advice in state["reviews"][-1]["advice"]]) if reviewed else "",
        "notes": as_text(state["notes"][-1]) if variant == "no-suggestions" else "",
    }
    answer = await ask_as("journalist", "revise_draft", state, variables, RevisedArticle, round_number=number)
    draft = Draft(round=number, text=as_markdown(answer.value), improvements=answer.value.improvements)
    copied = still_in(draft["text"], sent_back(state["assessments"][-1])) if reviewed else []
    finished = {"revision": draft} if copied else {"drafts": [draft]}
    return {"round": number, **finished, "copied": copied, "calls": answer.calls}


async def rewrite_copied(state: JournalismState) -> dict[str, Any]:
    """Rewrite the sentences that were sent back and yet copied: a small model likes to repeat its article (ours).

    Each is put in by code, where it is easier and as true. If the journalist gives no usable answer, the draft stays.
    """
    draft, paper = state["revision"], stored_text(state["source"])
    variables: dict[str, object] = {
        "audience": options(state).audience,
        "sentences": numbered(state["copied"]),
    }
    try:
        answer = await ask_as(
            "journalist",
            "rewrite_copied",
            state,
            variables,
            RewrittenSentences,
            round_number=draft["round"],
            trim="sentences",
        )
    except ModelOutputError as error:
        return {"drafts": [draft], "calls": error.spent}
    text = draft["text"]
    for old, new in better(state["copied"], answer.value, paper):
        text = text.replace(old, new, 1)
    return {"drafts": [{**draft, "text": text}], "calls": answer.calls}


def sent_back(assessment: Assessment) -> list[str]:
    """Sentences of a draft that must not stay as they are: the hardest, and those that say what the paper does not."""
    return list(
        dict.fromkeys([*assessment["hard_sentences"], *(fact["sentence"] for fact in assessment["unsupported"])])
    )


def as_markdown(article: Article) -> str:
    """The article as Markdown: its title as a heading, then its paragraphs."""
    title = article.title.lstrip("# ").split(". ")[0].strip().rstrip(".")
    return "\n\n".join([f"# {title}", *(paragraph.strip() for paragraph in article.paragraphs)]) + "\n"
