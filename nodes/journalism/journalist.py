"""The journalist: writes the first article, and revises it (LLM-CLBR, "Journalist").

Or a fine-tuned sequence-to-sequence model in its place (Table 1, "BART fine-tuned").
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from nodes.journalism.editor import extract_advice
from nodes.journalism.initialise import ask_journalism_role, get_journalism_settings
from nodes.rewriting import SimplifiedSentence, find_copied_sentences, rewrite_selected_sentences
from nodes.shared import get_limits
from state.errors import SettingsError
from state.journalism import Draft, JournalismState
from state.model_settings import Limits
from state.records import CallRecord, Trim
from state.settings import JournalismSettings
from tools.documents.reading import load_source_text
from tools.models.ask import Answer, MarkdownAnswer
from tools.sequence_to_sequence import generate_text
from tools.text import has_words, split_at_labels, split_sentences, strip_headline

MAX_ARTICLE_WORDS = 1200
"""Of an article: twice the most that `max_words` may ask for."""
_PARTS = {"improvement": "improvements?", "article": "(?:revised )?article"}
_UNLISTED_LINE = re.compile(r"^(?![ \t]*(?:[-*+]|\d+[.)])[ \t])(?=.*\S)", re.MULTILINE)
_ANNOUNCEMENT = re.compile(r"\A(?:[^\n#]*:[*_]*|[-*_]{3,})\s*\n(?=#|\*\*)")
"""A line such as "Here is the article:" above the headline."""
_TITLE = re.compile(r"(?:headline|title)[*_]*:[*_ ]*(?=\S)", re.IGNORECASE)


class Article(MarkdownAnswer):
    """What the journalist writes: an article, and above it, in a revision, what is improved."""

    text: str
    """Markdown: the headline as a heading of the first level, then paragraphs."""
    improvements: str = ""

    @classmethod
    def from_markdown(cls, text: str) -> Article:
        """Take improvements and article apart; an article without a label begins with its headline."""
        parts = {"improvement": "", **split_at_labels(text, _PARTS)}
        improvements, article = parts["improvement"], parts.get("article", parts[""])
        if "article" not in parts and improvements and not article.startswith("# "):
            begin = re.search(r"^# ", improvements, re.MULTILINE) or _UNLISTED_LINE.search(improvements, 1)
            end = begin.start() if begin else len(improvements)
            improvements, article = improvements[:end].strip(), improvements[end:]
        article = _ANNOUNCEMENT.sub("", article.strip())
        first, _, rest = article.partition("\n")
        words = first.strip("#* \t")
        if first.startswith("#") or (first.startswith("**") and first.endswith("**")) or _TITLE.match(words):
            article = f"# {_TITLE.sub('', words, count=1)}\n\n{rest.strip()}"
        if not has_words(strip_headline(article)):
            raise ValueError("it holds no article; write its text below the headline")
        return cls(text=f"{article.strip()}\n", improvements=improvements)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Allow for the improvements, and for an article that is much longer than it should be."""
        return limits.improvements * limits.advice_words + MAX_ARTICLE_WORDS


MAX_FIRST_DRAFT_WORDS = 500
"""Words of a paper, nearly always an abstract, that can stand for its first draft."""


def is_paper_first_draft(state: JournalismState) -> bool:
    """Whether the first draft is the paper itself (the extension `begin_with_paper`)."""
    return (
        "begin_with_paper" in get_journalism_settings(state).extensions
        and state["source"]["words"] <= MAX_FIRST_DRAFT_WORDS
    )


async def write_draft(state: JournalismState) -> JournalismState:
    """Write the first article from the paper alone: p0 = journalist(x).

    With the extension `begin_with_paper` a short paper is its own first draft, which the journalist then revises.
    """
    if is_paper_first_draft(state):
        # With its title, without its other headings, in paragraphs of a few sentences.
        said = [each.text for each in split_sentences(load_source_text(state["source"])) if not each.heading]
        paragraphs = [" ".join(said[start : start + 4]) for start in range(0, len(said), 4)]
        title = [f"# {state['source']['title']}"] if state["source"]["title"] else []
        text = "\n\n".join([*title, *paragraphs]) + "\n"
        return {"round": 0, "drafts": [Draft(round=0, text=text, improvements="")]}
    variables: dict[str, object] = {
        "paper": load_source_text(state["source"]),
        "audience": get_journalism_settings(state).audience,
        "max_words": get_journalism_settings(state).max_words,
    }
    answer = await ask_journalism_role("journalist", "write_draft", state, variables, Article, round_number=0)
    return {"round": 0, "drafts": [Draft(round=0, text=answer.value.text, improvements="")], "calls": answer.calls}


async def revise_draft(state: JournalismState) -> JournalismState:
    """Revise the newest draft: p_i = journalist(x, p_i-1, s). Without an editor the notes take the advice's place."""
    number, chosen = state["round"] + 1, get_journalism_settings(state)
    before = state["drafts"][-1]["text"]
    reviewed = chosen.variant not in {"no-suggestions", "no-collaboration"}
    advice = extract_advice(state["reviews"][-1]["text"]) if reviewed else ""
    variables: dict[str, object] = {
        "paper": load_source_text(state["source"]),
        "audience": chosen.audience,
        "max_words": chosen.max_words,
        "article": before,
        "advice": advice or "The editor has no advice." if reviewed else "",
        "notes": state["notes"][-1]["text"] if chosen.variant == "no-suggestions" else "",
    }
    answer = await ask_journalism_role("journalist", "revise_draft", state, variables, Article, round_number=number)
    draft = Draft(round=number, text=answer.value.text, improvements=answer.value.improvements)
    copied: list[str] = []
    if "rewrite_copied" in chosen.extensions:
        copied = find_copied_sentences(load_source_text(state["source"]), draft["text"])[: get_limits(state).rewrites]
    finished: JournalismState = {"revision": draft} if copied else {"drafts": [draft]}
    return {"round": number, **finished, "copied": copied, "calls": answer.calls}


async def rewrite_copied(state: JournalismState) -> JournalismState:
    """Rewrite the sentences that the draft has copied from the paper (the extension `rewrite_copied`)."""
    draft, paper = state["revision"], load_source_text(state["source"])

    async def ask(sentence: str) -> Answer[SimplifiedSentence]:
        variables: dict[str, object] = {
            "paper": paper,
            "audience": get_journalism_settings(state).audience,
            "sentence": sentence,
        }
        return await ask_journalism_role(
            "journalist", "rewrite_copied", state, variables, SimplifiedSentence, round_number=draft["round"]
        )

    text, calls = await rewrite_selected_sentences(draft["text"], state["copied"], paper, ask)
    return {"drafts": [{**draft, "text": text}], "calls": calls}


async def write_without_prompt(state: JournalismState) -> JournalismState:
    """Write the article as the model was trained to: the paper's text goes in, the article comes out.

    Raises:
        SettingsError: No model is named, or it cannot be loaded.
        ModelOutputError: The model wrote nothing.
    """
    source, folder = (
        load_source_text(state["source"]),
        await asyncio.to_thread(resolve_model_folder, get_journalism_settings(state)),
    )
    written = await generate_text(folder, source)
    words = len(source.split())
    trim = Trim(variable="paper", words_kept=written.words_read, words_before=words)
    call = CallRecord(
        role="journalist",
        step="write_draft",
        round=0,
        model=folder.name,
        prompt="",
        prompt_sha256="",
        input_tokens=written.input_tokens,
        output_tokens=written.output_tokens,
        tokens_estimated=False,
        seconds=written.seconds,
        http_retries=0,
        reask=False,
        finish_reason="length" if written.cut else "stop",
        trims=[trim] if written.words_read < words else [],
        cuts=[],
    )
    draft = Draft(round=0, text=f"{written.text}\n", improvements="")
    return {"round": 0, "drafts": [draft], "calls": [call]}


def resolve_model_folder(chosen: JournalismSettings) -> Path:
    """Where the fine-tuned model is.

    Raises:
        SettingsError: None is named, or there is no such folder.
    """
    if chosen.sequence_to_sequence is None:
        raise SettingsError(
            "This baseline needs a model that was fine-tuned on plain summaries: name the folder of a BART checkpoint "
            "as `sequence_to_sequence` under [journalism]."
        )
    folder = Path(chosen.sequence_to_sequence).expanduser()
    if not folder.is_dir():
        raise SettingsError(
            f"There is no folder {folder} with a sequence-to-sequence model; correct its path.", kind="missing_file"
        )
    return folder
