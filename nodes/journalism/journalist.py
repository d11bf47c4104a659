"""The journalist: writes the first article, and revises it (LLM-CLBR, "Journalist").

A fine-tuned sequence-to-sequence model can replace it (Table 1, "BART fine-tuned").
"""

from __future__ import annotations

import asyncio
import re
from pathlib import Path

from nodes.journalism.editor import extract_advice
from nodes.journalism.initialise import ask_journalism_role, get_journalism_settings
from nodes.rewriting import SimplifiedSentence, find_copied_sentences, replace_sentence
from nodes.shared import get_limits
from state.errors import ModelOutputError, SettingsError
from state.journalism import Draft, JournalismState
from state.model_settings import Limits
from state.records import CallRecord, Trim
from state.settings import JournalismSettings
from tools.documents.reading import load_source_text
from tools.models.ask import MarkdownAnswer
from tools.sequence_to_sequence import generate_text
from tools.text import has_words, split_at_labels, split_sentences, strip_headline

# Twice the most that `max_words` allows.
MAX_ARTICLE_WORDS = 1200
_PARTS = {"improvement": "improvements?", "article": "(?:revised )?article"}
_UNLISTED_LINE = re.compile(r"^(?![ \t]*(?:[-*+]|\d+[.)])[ \t])(?=.*\S)", re.MULTILINE)
# A line such as "Here is the article:" above the headline.
_ANNOUNCEMENT = re.compile(r"\A(?:[^\n#]*:[*_]*|[-*_]{3,})\s*\n(?=#|\*\*)")
_TITLE = re.compile(r"(?:headline|title)[*_]*:[*_ ]*(?=\S)", re.IGNORECASE)


class Article(MarkdownAnswer):
    """The journalist's answer: an article, in a revision after a list of improvements."""

    text: str
    """Markdown: the headline as a heading of the first level, then paragraphs."""
    improvements: str = ""

    @classmethod
    def from_markdown(cls, text: str) -> Article:
        """Return the article with its headline, and the improvements apart; raise ValueError if there is no article."""
        # 1. Split at the labels. Without a label the article begins at its headline, or after the list.
        parts = {"improvement": "", **split_at_labels(text, _PARTS)}
        improvements, article = parts["improvement"], parts.get("article", parts[""])
        if "article" not in parts and improvements and not article.startswith("# "):
            begin = re.search(r"^# ", improvements, re.MULTILINE) or _UNLISTED_LINE.search(improvements, 1)
            end = begin.start() if begin else len(improvements)
            improvements, article = improvements[:end].strip(), improvements[end:]
        # 2. Turn a bold or labelled first line into the headline.
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
        """Return the most words of an answer: those of all improvements, and twice those of the longest article."""
        return limits.improvements * limits.advice_words + MAX_ARTICLE_WORDS


# A paper of so many words, nearly always an abstract, can stand for its first draft.
MAX_FIRST_DRAFT_WORDS = 500


def is_paper_first_draft(state: JournalismState) -> bool:
    """Return whether the first draft is the paper itself, being short (the extension `begin_with_paper`)."""
    is_short = state["source"]["words"] <= MAX_FIRST_DRAFT_WORDS
    return is_short and "begin_with_paper" in get_journalism_settings(state).extensions


async def write_draft(state: JournalismState) -> JournalismState:
    """Add the first article, written from the paper alone, p0 = journalist(x), or made of a short paper itself."""
    source = load_source_text(state["source"])
    if is_paper_first_draft(state):
        # With its title, without its other headings, in paragraphs of a few sentences.
        sentences = [each.text for each in split_sentences(source) if not each.heading]
        paragraphs = [" ".join(sentences[start : start + 4]) for start in range(0, len(sentences), 4)]
        title = [f"# {state['source']['title']}"] if state["source"]["title"] else []
        text = "\n\n".join([*title, *paragraphs]) + "\n"
        return {"round": 0, "drafts": [Draft(round=0, text=text, improvements="")]}
    chosen = get_journalism_settings(state)
    variables: dict[str, object] = {"paper": source, "audience": chosen.audience, "max_words": chosen.max_words}
    answer = await ask_journalism_role("journalist", "write_draft", state, variables, Article, round_number=0)
    return {"round": 0, "drafts": [Draft(round=0, text=answer.value.text, improvements="")], "calls": answer.calls}


async def revise_draft(state: JournalismState) -> JournalismState:
    """Revise the newest draft with the editor's advice, p_i = journalist(x, p_i-1, s), and list what it has copied."""
    number, chosen, paper = state["round"] + 1, get_journalism_settings(state), load_source_text(state["source"])
    # In variants without an editor there is no advice, or the reader's notes take its place.
    has_editor = chosen.variant not in {"no-suggestions", "no-collaboration"}
    advice = extract_advice(state["reviews"][-1]["text"]) if has_editor else ""
    variables: dict[str, object] = {
        "paper": paper,
        "audience": chosen.audience,
        "max_words": chosen.max_words,
        "article": state["drafts"][-1]["text"],
        "advice": advice or "The editor has no advice." if has_editor else "",
        "notes": state["notes"][-1]["text"] if chosen.variant == "no-suggestions" else "",
    }
    answer = await ask_journalism_role("journalist", "revise_draft", state, variables, Article, round_number=number)
    draft = Draft(round=number, text=answer.value.text, improvements=answer.value.improvements)
    copied: list[str] = []
    if "rewrite_copied" in chosen.extensions:
        copied = find_copied_sentences(paper, draft["text"])[: get_limits(state).rewrites]
    # A draft with copied sentences is finished by `rewrite_copied`.
    finished: JournalismState = {"revision": draft} if copied else {"drafts": [draft]}
    return {"round": number, **finished, "copied": copied, "calls": answer.calls}


async def rewrite_copied(state: JournalismState) -> JournalismState:
    """Rewrite the sentences that the draft has copied from the paper (the extension `rewrite_copied`)."""
    draft, paper = state["revision"], load_source_text(state["source"])
    text, calls = draft["text"], list[CallRecord]()
    for sentence in state["copied"]:  # singly, because a small model copies most of several
        variables: dict[str, object] = {
            "paper": paper,
            "audience": get_journalism_settings(state).audience,
            "sentence": sentence,
        }
        try:
            answer = await ask_journalism_role(
                "journalist", "rewrite_copied", state, variables, SimplifiedSentence, round_number=draft["round"]
            )
        except ModelOutputError as error:  # the sentence stays
            calls += error.spent
            continue
        calls += answer.calls
        text = await asyncio.to_thread(replace_sentence, text, sentence, answer.value.text, paper)
    return {"drafts": [{**draft, "text": text}], "calls": calls}


async def write_without_prompt(state: JournalismState) -> JournalismState:
    """Add the article of a fine-tuned model, which takes the paper's text without a prompt."""
    source = load_source_text(state["source"])
    folder = await asyncio.to_thread(resolve_model_folder, get_journalism_settings(state))
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
    """Return the folder of the fine-tuned model, or raise `SettingsError` if none is named or it does not exist."""
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
