"""Attribution: which question, suggestion or reason is behind which change of the text."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Literal

from state.settings import Lead
from state.simplification import LoopState, TextChange
from tools.fidelity.coverage import stems
from tools.sentences import sentences

PLAINER = "said in plainer words"


def rewritten(
    before: str, after: str, reasons: Sequence[str], *, entry: int, loop: Lead | Literal["single"]
) -> list[TextChange]:
    """The changes of a rewrite, sentence by sentence, each with the reason that shares most of its new words."""
    old, new = ([sentence.text for sentence in sentences(text)] for text in (before, after))
    return [
        TextChange(
            entry=entry,
            loop=loop,
            round=1,
            agent="simplifier",
            kind="rewrite",
            before=" ".join(old[a:b]),
            after=" ".join(new[c:d]),
            because=_reason(stems(" ".join(new[c:d])) - stems(before), reasons),
        )
        for operation, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if operation != "equal"
    ]


def change_of(
    state: LoopState,
    kind: Literal["rewrite", "substitution", "removal", "correction"],
    before: str,
    after: str,
    because: str,
) -> TextChange:
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


def _reason(added: set[str], reasons: Sequence[str]) -> str:
    closest = max(reasons, key=lambda reason: len(added & stems(reason)), default="")
    return closest if added & stems(closest) else PLAINER
