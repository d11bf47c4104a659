"""The simplifier, rewriting: function agent that holds the text and gives its latest version (SoMS).

Its texts come as Markdown under the paper's title. Each change of the text is attributed to the question, suggestion,
comment or reason that is behind it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal, Self

from nodes.rewriting import SimplifiedSentence, is_hard, rewrite_selected_sentences
from nodes.shared import get_limits
from nodes.simplification.agent import (
    as_loop_node,
    ask_simplification_role,
    build_text_variables,
    format_expert_answer,
    format_memory,
    format_target_grade,
    get_simplification_settings,
    has_extension,
    update_exchange,
)
from nodes.simplification.content_guard import describe_excessive_loss, list_newly_lost_details, list_unsupported_names
from state.model_settings import Limits
from state.records import CallRecord
from state.settings import Lead
from state.simplification import LoopState, SimplificationState, TextChange
from tools.checks.fidelity import collect_content_stems
from tools.documents.reading import load_source_text
from tools.models import Answer
from tools.models.ask import MarkdownAnswer
from tools.models.prompts import format_numbered_list
from tools.text import has_words, list_points, split_at_labels, split_sentences

Kind = Literal["rewrite", "substitution", "removal", "correction"]

_WORD = re.compile(r"\w+")
_HEADING = re.compile(r"^(?:#+ .*|\*\*[^*\n]+\*\*)$", re.MULTILINE)


class LatestSimplification(MarkdownAnswer):
    """The simplifier's latest version of the entire text, and the reasoning before it where that is asked for."""

    reasoning: list[str]
    text: str

    @classmethod
    def from_markdown(cls, text: str) -> Self:
        """Take what stands under the title; without it, all but a part of reasoning.

        Raises:
            ValueError: There are no words.
        """
        parts = split_at_labels(text, {"reasoning": "reasoning", "text": "(?:the )?latest simplification"})
        if "reasoning" in parts and "text" not in parts:  # it stands under whatever heading comes next
            parts["reasoning"], *below = _HEADING.split(parts["reasoning"], maxsplit=1)
            parts["text"] = "".join(below)
        if not has_words(written := parts.get("text", parts[""]).strip()):
            raise ValueError("it has no text below the heading `# Latest Simplification`")
        return cls(reasoning=list_points(parts.get("reasoning", "")), text=written)

    @classmethod
    def compute_word_limit(cls, limits: Limits) -> int:
        """Return the words of all paragraphs and of the reasoning."""
        return limits.paragraphs * limits.paragraph_words + limits.questions * limits.note_words


@as_loop_node
async def rewrite_text(state: LoopState) -> LoopState:
    """Fold the expert's answers into the text: reason how each fits, then rewrite in simpler form."""
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
    """Ask for each hard sentence of the text in easy words, and put in those that say the same as far as code tells.

    This is the extension `sentence_by_sentence`.
    """
    answered, source = _list_expert_answers(state), load_source_text(state["source"])
    text = re.sub(r"[^\S\n]+", " ", state["text"])  # as `sentences` has it
    hard = [
        each.text for each in split_sentences(text) if not each.heading and is_hard(each.text) and each.text in text
    ]

    async def ask(sentence: str) -> Answer[SimplifiedSentence]:
        variables: dict[str, object] = {
            "source": source,
            "clarifications": format_numbered_list(answered),
            "sentence": sentence,
            "target_grade": format_target_grade(state),
        }
        return await ask_simplification_role(
            "simplifier", "rewrite_sentences", state, variables, SimplifiedSentence, trim="clarifications"
        )

    def spoils(before: str, after: str, new: str) -> bool:
        return bool(list_newly_lost_details(before, after, source) or list_unsupported_names(new, source))

    text, calls = await rewrite_selected_sentences(text, hard[: get_limits(state).rewrites], source, ask, spoils)
    return _build_text_update(state, text, calls, answered, "rewrite")


async def rewrite_entire_text(
    step: str, state: LoopState, variables: dict[str, object], reasons: list[str], kind: Kind
) -> LoopState:
    """Let the simplifier write the entire text, from the original, the newest version and its memory.

    Args:
        step: Name of the prompt.
        state: Of the loop.
        variables: Those of the prompt that not every rewrite has.
        reasons: What led to it; each change is put down to one of them.
        kind: Of the changes.
    """
    answer = await _ask_simplifier(step, state, variables)
    return _build_text_update(state, answer.value.text, answer.calls, reasons, kind)


async def rewrite_alone(state: SimplificationState) -> SimplificationState:
    """Simplify the source in one go: the single-model baseline, without the society."""
    variables: dict[str, object] = {
        "text": state["text"],
        "target_grade": format_target_grade(state),
        "max_words": get_simplification_settings(state).max_words or "",
    }
    answer = await ask_simplification_role(
        "simplifier", "rewrite_alone", state, variables, LatestSimplification, trim="text", entry=1
    )
    text = answer.value.text
    return {
        "entry": 1,
        "next_loop": "single",
        "text": text,
        "changes": list_text_changes(state["text"], text, [], entry=1, loop="single"),
        "loop_calls": answer.calls,
    }


async def _ask_simplifier(step: str, state: LoopState, variables: dict[str, object]) -> Answer[LatestSimplification]:
    """Ask for the entire text, once again if it has lost too much of the one before (the extension `keep_content`)."""
    before, max_words = build_text_variables(state), get_simplification_settings(state).max_words

    class KeptContent(LatestSimplification):
        @classmethod
        def from_markdown(cls, text: str) -> Self:
            answer = super().from_markdown(text)
            if loss := describe_excessive_loss(state["text"], answer.text, str(before["source"]), max_words):
                raise ValueError(loss)
            return answer

    always = {**before, "memory": format_memory("simplifier", state), "max_words": max_words or ""}
    schema = KeptContent if has_extension("keep_content", state) else LatestSimplification
    return await ask_simplification_role("simplifier", step, state, {**always, **variables}, schema)


def _list_expert_answers(state: LoopState) -> list[str]:
    """The questions of this entry that the expert answered, with the answers."""
    return [f"{item['text']} {format_expert_answer(item)}" for item in state["exchange"]["questions"] if item["answer"]]


def _build_text_update(
    state: LoopState, text: str, calls: list[CallRecord], reasons: list[str], kind: Kind
) -> LoopState:
    """What a new text changes in the state."""
    entry, loop, number = state["entry"], state["exchange"]["loop"], max(1, state["loop_round"])
    changes = list_text_changes(state["text"], text, reasons, entry=entry, loop=loop, kind=kind, number=number)
    return {"text": text, "changes": [*state["changes"], *changes], "to_correct": [], "loop_calls": calls}


OWN_WORDING = "the simplifier's own choice of words"
"""Of a change that shares no word with what led to the rewrite."""


def list_text_changes(
    before: str,
    after: str,
    reasons: Sequence[str],
    *,
    entry: int,
    loop: Lead | Literal["single"],
    kind: Kind = "rewrite",
    number: int = 1,
) -> list[TextChange]:
    """The changes of a text that was written anew, sentence by sentence, each with the reason that is closest to it.

    That is the reason that shares most of the words that are new; where none are, most of those that are gone. Reasons
    for a rewrite are long, so only content words count; all others name the very words.
    """
    words = collect_content_stems if kind == "rewrite" else _collect_words
    old, new = ([sentence.text for sentence in split_sentences(text)] for text in (before, after))
    changes: list[TextChange] = []
    for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if operation == "equal":
            continue
        gone, come = " ".join(old[a:b]), " ".join(new[c:d])
        changed = words(come) - words(gone) or words(gone) - words(come)
        closest = max(reasons, key=lambda reason: len(changed & words(reason)), default="")
        changes.append(
            TextChange(
                entry=entry,
                loop=loop,
                round=number,
                agent="simplifier",
                kind=kind,
                before=gone,
                after=come,
                because=closest if changed & words(closest) else OWN_WORDING,
            )
        )
    return changes


def _collect_words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
