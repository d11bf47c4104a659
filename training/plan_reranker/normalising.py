"""A plan in any form, brought into the form of the planner's: what is left to tell it by is what it asks.

A plan that lacks structure can be told from the others by its form alone. The planner never hands over such a plan (its
answers are constrained, and code repairs them), so a re-ranker that has learnt the form has learnt nothing of use. This
is what the system itself would make of the free text: Markdown is gone, each sentence is a question to the paper, or to
the literature if it speaks of other work, and the golden rules are kept.
"""

from __future__ import annotations

import re

from nodes.feedback.golden_rules import Asked, in_words, keep_golden_rules, numbered_steps
from state.feedback import Action
from tools.text.sentences import sentences

_LABELS = re.compile(
    r"^(?:(?:(?:step|question)\s*\d+\s*[.:)]|\(?\d+[.)]|[-•–*]|(?:investigator|reviewer|paper|literature|"
    r"answer from the (?:paper|literature))\s*:)\s*)+",
    re.IGNORECASE,
)
_STRUCTURED = re.compile(
    r"^\d+\. (?:Investigator: answer from the (paper|literature): (.+)|Reviewer: write the review\.)$"
)
_NUMBER = re.compile(r"(?<=[:;.?!])\s+\(?\d{1,2}[.)]\s+(?=[A-Z])")
"""Of a point in running text: "as follows: 1. Read it. 2. Compare it."."""
_OTHER_WORK = re.compile(
    r"\b(?:literature|(?:other|previous|prior|earlier|related|existing|similar|published) (?:\w+ )?(?:stud(?:y|ies)|"
    r"works?|research|publications?|methods?|findings))\b",
    re.IGNORECASE,
)

_REVIEW = re.compile(
    r"\b(?:write|draft|compose|formulate|provide|give)\w*\s(?:\w+\s){0,4}(?:review|comment|feedback)\b", re.IGNORECASE
)


def normalised(plan: str, *, most: int) -> str:
    """A plan with one numbered question a line and the review as the last step.

    Args:
        plan: In any form; one of the planner's own stays as it is.
        most: Most questions; further ones are left out.
    """
    steps = _read(plan) or [_asked(sentence) for sentence in _sentences(plan)]
    kept = keep_golden_rules([*steps, Asked("write_review", "")], most=most).steps
    return "\n".join(
        f"{number}. {in_words(step)}" for number, step in enumerate(numbered_steps(kept, "planner"), start=1)
    )


def questions_of(plan: str) -> int:
    """How many questions a plan of the planner's asks; at least one."""
    return max(1, len(_read(plan)))


def is_structured(plan: str) -> bool:
    """Whether every line has the form of the planner's."""
    return all(_STRUCTURED.match(line) for line in plan.splitlines())


def _read(plan: str) -> list[Asked]:
    """The questions of a plan in the planner's own form; none if it has another one."""
    if not is_structured(plan):
        return []
    found = [match.groups() for line in plan.splitlines() if (match := _STRUCTURED.match(line))]
    return [Asked("ask_paper" if source == "paper" else "ask_literature", text) for source, text in found if source]


def _sentences(plan: str) -> list[str]:
    """Without headings, and without those that only announce a list."""
    found = sentences(_NUMBER.sub("\n\n", plan))
    return [sentence.text for sentence in found if not sentence.heading and not sentence.text.endswith(":")]


def _asked(sentence: str) -> Asked:
    if _REVIEW.search(sentence):
        return Asked("write_review", "")
    action: Action = "ask_literature" if _OTHER_WORK.search(sentence) else "ask_paper"
    return Asked(action, _LABELS.sub("", sentence))
