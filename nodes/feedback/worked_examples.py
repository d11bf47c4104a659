"""What a comment copies from the reviewer's worked examples: a small model hands their advice to any author (ours)."""

from __future__ import annotations

import re
from difflib import SequenceMatcher

from nodes.feedback.agent import PROMPTS

_ADVICE = re.compile(r'\b(?:review|suggestion): "([^"]+)"')
_WORD = re.compile(r"\w+")
_COPIED = 0.5
"""Share of an example's words that, in one run, are no chance."""


def repeats_example(text: str) -> bool:
    """Whether half of an example's review or suggestion stands in a text, word for word."""
    said = _words(text)
    return any(_longest_run(example, said) >= _COPIED * len(example) for example in _EXAMPLES)


def _longest_run(example: list[str], said: list[str]) -> int:
    return SequenceMatcher(None, example, said, autojunk=False).find_longest_match().size


def _words(text: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(text)]


_EXAMPLES = [_words(advice) for advice in _ADVICE.findall((PROMPTS / "_examples.md").read_text(encoding="utf-8"))]
