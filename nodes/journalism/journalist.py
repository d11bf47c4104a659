"""The journalist: writes the first article, and revises it (LLM-CLBR, "Journalist")."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from nodes.journalism.initialise import ask_as, options
from nodes.journalism.reader import as_text
from nodes.rewriting import EasySentence, copied_from, rewrite_each
from nodes.shared import AgentAnswer, limits_of
from state.journalism import Draft, JournalismState
from state.model_settings import AtMost
from tools.documents.reading import stored_text
from tools.models import Answer
from tools.models.prompts import numbered
from tools.text import sentences


class Article(AgentAnswer):
    """What the journalist writes, and then its headline, as newsrooms do.

    To a capable model the order is neutral. A warm start is trained on answers that end where the headline would begin,
    and a very small model that begins with a headline fills its paragraphs with it.
    """

    paragraphs: Annotated[list[Annotated[str, AtMost("paragraph_words")]], AtMost("paragraphs"), Field(min_length=1)]
    title: Annotated[str, AtMost("title_words")]

    @field_validator("paragraphs")
    @classmethod
    def _hold_words(cls, paragraphs: list[str]) -> list[str]:
        if not any(character.isalpha() for paragraph in paragraphs for character in paragraph):
            raise ValueError("the paragraphs hold no words")
        return paragraphs


class Improvement(AgentAnswer):
    """What the journalist decides first when revising; decoding follows the order of the fields."""

    improvements: Annotated[list[Annotated[str, AtMost("advice_words")]], AtMost("improvements")]


class RevisedArticle(Article, Improvement):
    """What the journalist writes when revising: first what is improved, then the article."""


LONGEST_BEGINNING = 500
"""Words of a paper, nearly always an abstract, that can stand for its first draft."""


def begins_with_paper(state: JournalismState) -> bool:
    """Whether the first draft is the paper itself (the extension `begin_with_paper`)."""
    return "begin_with_paper" in options(state).extensions and state["source"]["words"] <= LONGEST_BEGINNING


async def write_draft(state: JournalismState) -> JournalismState:
    """Write the first article from the paper alone: p0 = journalist(x).

    With the extension `begin_with_paper` a short paper is its own first draft, which the journalist then revises.
    """
    if begins_with_paper(state):
        # With its title, without its other headings, in paragraphs of a few sentences.
        said = [each.text for each in sentences(stored_text(state["source"])) if not each.heading]
        paragraphs = [" ".join(said[start : start + 4]) for start in range(0, len(said), 4)]
        title = [f"# {state['source']['title']}"] if state["source"]["title"] else []
        text = "\n\n".join([*title, *paragraphs]) + "\n"
        return {"round": 0, "drafts": [Draft(round=0, text=text, improvements=[])]}
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


async def revise_draft(state: JournalismState) -> JournalismState:
    """Revise the newest draft: p_i = journalist(x, p_i-1, s). Without an editor the notes take the advice's place."""
    number, chosen = state["round"] + 1, options(state)
    before = state["drafts"][-1]["text"]
    reviewed = chosen.variant not in {"no-suggestions", "no-collaboration"}
    advice = state["reviews"][-1]["advice"] if reviewed else []
    variables: dict[str, object] = {
        "paper": stored_text(state["source"]),
        "audience": chosen.audience,
        "max_words": chosen.max_words,
        "article": before,
        "advice": (numbered(each["text"] for each in advice) or "The editor has no advice.") if reviewed else "",
        "notes": as_text(state["notes"][-1]) if chosen.variant == "no-suggestions" else "",
    }
    answer = await ask_as("journalist", "revise_draft", state, variables, RevisedArticle, round_number=number)
    draft = Draft(round=number, text=as_markdown(answer.value), improvements=answer.value.improvements)
    copied: list[str] = []
    if "rewrite_copied" in chosen.extensions:
        copied = copied_from(stored_text(state["source"]), draft["text"])[: limits_of(state).rewrites]
    finished: JournalismState = {"revision": draft} if copied else {"drafts": [draft]}
    return {"round": number, **finished, "copied": copied, "calls": answer.calls}


async def rewrite_copied(state: JournalismState) -> JournalismState:
    """Rewrite the sentences that the draft has copied from the paper, one by one (the extension `rewrite_copied`)."""
    draft, paper = state["revision"], stored_text(state["source"])

    async def in_easy_words(sentence: str, schema: type[EasySentence]) -> Answer[EasySentence]:
        variables: dict[str, object] = {"paper": paper, "audience": options(state).audience, "sentence": sentence}
        return await ask_as("journalist", "rewrite_copied", state, variables, schema, round_number=draft["round"])

    text, _, calls = await rewrite_each(draft["text"], state["copied"], paper, in_easy_words)
    return {"drafts": [{**draft, "text": text}], "calls": calls}


def as_markdown(article: Article) -> str:
    """Return the article as Markdown: its title as a heading, then its paragraphs."""
    title = " ".join(article.title.split()).lstrip("# ")
    parts = [f"# {title}" if title else "", *(paragraph.strip() for paragraph in article.paragraphs)]
    return "\n\n".join(filter(None, parts)) + "\n"
