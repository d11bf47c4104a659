"""Attribution: which question, suggestion, comment or reason is behind which change of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Literal

from state.settings import Lead
from state.simplification import LoopState, TextChange
from tools.fidelity.coverage import stems
from tools.sentences import sentences

OWN = "the simplifier's own choice of words"
"""Of a change that shares no word with what led to the rewrite."""

_WORD = re.compile(r"\w+")

Kind = Literal["rewrite", "substitution", "removal", "correction"]


def rewritten(
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
    words = stems if kind == "rewrite" else _words
    old, new = ([sentence.text for sentence in sentences(text)] for text in (before, after))
    return [
        TextChange(
            entry=entry,
            loop=loop,
            round=number,
            agent="simplifier",
            kind=kind,
            before=" ".join(old[a:b]),
            after=" ".join(new[c:d]),
            because=_reason(" ".join(old[a:b]), " ".join(new[c:d]), reasons, words),
        )
        for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if operation != "equal"
    ]


def change_of(state: LoopState, kind: Kind, before: str, after: str, because: str) -> TextChange:
    """One change that the simplifier made in this entry."""
    return TextChange(
        entry=state["entry"],
        loop=state["exchange"]["loop"],
        round=max(1, state["loop_round"]),
        agent="simplifier",
        kind=kind,
        before=before,
        after=after,
        because=because,
    )


def _reason(before: str, after: str, reasons: Sequence[str], words: Callable[[str], set[str]]) -> str:
    changed = words(after) - words(before) or words(before) - words(after)
    closest = max(reasons, key=lambda reason: len(changed & words(reason)), default="")
    return closest if changed & words(closest) else OWN


def _words(text: str) -> set[str]:
    return set(_WORD.findall(text.casefold()))
