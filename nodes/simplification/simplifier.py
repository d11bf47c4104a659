"""The simplifier, rewriting: the function agent that writes each new version of the text (SoMS).

It answers in Markdown under the title of the paper's prompt. Each change of the text is attributed to the question,
suggestion, comment or reason that has led to it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, Self

from nodes.rewriting import SimplifiedSentence, is_hard, replace_sentence
from nodes.shared import get_limits
from nodes.simplification.agent import (
    as_loop_node,
    ask_simplification_role,
    build_text_variables,
    format_expert_answer,
    format_memory,
    format_target_grade,
    get_simplification_settings,
    update_exchange,
)
from state.errors import ModelOutputError
from state.model_settings import Limits
from state.records import CallRecord
from state.simplification import LoopState, SimplificationState, TextChange
from tools.checks.fidelity import collect_content_stems
from tools.checks.omissions import list_newly_lost_details, list_unsupported_names
from tools.documents.reading import load_source_text
from tools.models.ask import Answer, MarkdownAnswer
from tools.text import format_numbered_list, has_words, list_points, split_at_labels, split_sentences

Kind = Literal["rewrite", "substitution", "removal", "correction"]

_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"^(?:#+ .*|\*\*[^*\n]+\*\*)$", re.MULTILINE)


class LatestSimplification(MarkdownAnswer):
    """A new version of the entire text, after the reasoning where the prompt asks for it."""

    reasoning: list[str]
    text: str

    @classmethod
    def from_markdown(cls, text: str) -> Self:
        """Return the text under its heading, or all but the reasoning; raise ValueError if it has no words."""
        parts = split_at_labels(text, {"reasoning": "reasoning", "text": "(?:the )?latest simplification"})
        if "reasoning" in parts and "text" not in parts:  # then the text stands under the next heading
            parts["reasoning"], *below = _HEADING.split(parts["reasoning"], maxsplit=1)
            parts["text"] = "".join(below)
        if not has_words(written := parts.get("text", parts[""]).strip()):
            raise ValueError("it has no text below the heading `# Latest Simplification`")
        return cls(reasoning=list_points(parts.get("reasoning", "")), text=written)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return the most words of an answer: those of all paragraphs and of the reasoning."""
        return limits.paragraphs * limits.paragraph_words + limits.questions * limits.note_words


@as_loop_node
async def rewrite_text(state: LoopState) -> LoopState:
    """Rewrite the text with the expert's answers in it, in simpler words, after reasoning how each answer fits."""
    answered = _list_expert_answers(state)
    variables: dict[str, object] = {
        "clarifications": format_numbered_list(answered),
        "target_grade": format_target_grade(state),
    }
    answer = await _ask_simplifier("rewrite_text", state, variables)
    news = _build_text_update(state, answer.value.text, answer.calls, answered, "rewrite")
    return {**news, "exchange": update_exchange(state, reasoning=answer.value.reasoning)}


@as_loop_node
async def rewrite_sentences(state: LoopState) -> LoopState:
    """Simplify the hard sentences one by one (the extension `sentence_by_sentence`)."""
    answered, source = _list_expert_answers(state), load_source_text(state["source"])
    text = re.sub(r"[^\S\n]+", " ", state["text"])  # `split_sentences` does so, and the sentences must be found again
    sentences = [sentence.text for sentence in split_sentences(text) if not sentence.heading]
    hard = [sentence for sentence in sentences if is_hard(sentence) and sentence in text]
    calls: list[CallRecord] = []
    for sentence in hard[: get_limits(state).rewrites]:  # singly, because a small model copies most of several
        variables: dict[str, object] = {
            "source": source,
            "clarifications": format_numbered_list(answered),
            "sentence": sentence,
            "target_grade": format_target_grade(state),
        }
        try:
            answer = await ask_simplification_role(
                "simplifier", "rewrite_sentences", state, variables, SimplifiedSentence, trim="clarifications"
            )
        except ModelOutputError as error:  # the sentence stays
            calls += error.spent
            continue
        calls += answer.calls
        new = answer.value.text
        after = await asyncio.to_thread(replace_sentence, text, sentence, new, source)
        if after != text and not await asyncio.to_thread(_is_harmful, text, after, new, source):
            text = after
    return _build_text_update(state, text, calls, answered, "rewrite")


def _is_harmful(before: str, after: str, sentence: str, source: str) -> bool:
    """Return whether a new sentence loses what the others of the text do not say, or brings a name of its own."""
    return bool(list_newly_lost_details(before, after, source) or list_unsupported_names(sentence, source))


async def rewrite_entire_text(
    step: str, state: LoopState, variables: dict[str, object], reasons: list[str], kind: Kind
) -> LoopState:
    """Ask the simplifier for the entire text; return the update with it and its changes, each with the closest reason.

    The prompt has the given variables beside the original, the newest text and the memory. The reasons are the
    questions, suggestions or comments that the rewrite is to follow.
    """
    answer = await _ask_simplifier(step, state, variables)
    return _build_text_update(state, answer.value.text, answer.calls, reasons, kind)


async def rewrite_alone(state: SimplificationState) -> SimplificationState:
    """Simplify the source with one call of one model: the single-model baseline."""
    variables: dict[str, object] = {
        "text": state["text"],
        "target_grade": format_target_grade(state),
        "max_words": get_simplification_settings(state).max_words or "",
    }
    answer = await ask_simplification_role(
        "simplifier", "rewrite_alone", state, variables, LatestSimplification, trim="text", entry=1
    )
    text = answer.value.text
    template = TextChange(
        entry=1, loop="single", round=1, agent="simplifier", kind="rewrite", before="", after="", because=""
    )
    return {
        "entry": 1,
        "next_loop": "single",
        "text": text,
        "changes": list_text_changes(state["text"], text, [], template),
        "loop_calls": answer.calls,
    }


async def _ask_simplifier(step: str, state: LoopState, variables: dict[str, object]) -> Answer[LatestSimplification]:
    """Ask for the entire text; the variables, such as a memory of their own, go before those of every prompt."""
    max_words = get_simplification_settings(state).max_words or ""
    always = {**build_text_variables(state), "memory": format_memory("simplifier", state), "max_words": max_words}
    return await ask_simplification_role("simplifier", step, state, {**always, **variables}, LatestSimplification)


def _list_expert_answers(state: LoopState) -> list[str]:
    """List the questions of this entry that the expert answered, each with its answer."""
    return [f"{item['text']} {format_expert_answer(item)}" for item in state["exchange"]["questions"] if item["answer"]]


def _build_text_update(
    state: LoopState, text: str, calls: list[CallRecord], reasons: list[str], kind: Kind
) -> LoopState:
    """Return the update that a new text brings, with its changes by sentence."""
    changes = list_text_changes(state["text"], text, reasons, make_text_change(state, kind))
    return {"text": text, "changes": [*state["changes"], *changes], "to_correct": [], "loop_calls": calls}


def make_text_change(state: LoopState, kind: Kind) -> TextChange:
    """Return a template for records of changes in this entry, with empty words and reason."""
    entry, loop, number = state["entry"], state["exchange"]["loop"], max(1, state["loop_round"])
    return TextChange(
        entry=entry, loop=loop, round=number, agent="simplifier", kind=kind, before="", after="", because=""
    )


# Reason of a change that shares no word with any reason for the rewrite.
OWN_WORDING = "the simplifier's own choice of words"


def list_text_changes(before: str, after: str, reasons: Sequence[str], template: TextChange) -> list[TextChange]:
    """List the changes between two versions, sentence by sentence.

    Each is recorded as in `template`, with its words and the reason that shares most words with it.
    """

    def split_words(text: str) -> set[str]:
        """Return the words by which a change and a reason are compared."""
        # Reasons for a rewrite are long, so only content words count; all others quote the words that they concern.
        is_rewrite = template["kind"] == "rewrite"
        return collect_content_stems(text) if is_rewrite else set(_WORD.findall(text.casefold()))

    old, new = ([sentence.text for sentence in split_sentences(text)] for text in (before, after))
    changes: list[TextChange] = []
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            continue
        removed, added = " ".join(old[a:b]), " ".join(new[c:d])
        # The closest reason shares most of the new words or, if a change only removes words, of those.
        changed = split_words(added) - split_words(removed) or split_words(removed) - split_words(added)
        closest = max(reasons, key=lambda reason: len(changed & split_words(reason)), default="")
        because = closest if changed & split_words(closest) else OWN_WORDING
        changes.append({**template, "before": removed, "after": added, "because": because})
    return changes
