"""A paper's text as it goes into prompts: what addresses a language model is quoted as data."""

from __future__ import annotations

import re
from typing import Final

from tools.hidden_instructions.characters import INVISIBLE, defuse_tokens, strip_invisible
from tools.hidden_instructions.detection import addressed_sentences

_OPENING: Final = 'the paper contains a sentence addressed to a language model, quoted as data: "'
_QUOTED: Final = re.compile(rf'(\[{re.escape(_OPENING)}[^"\[\]]*"\])')
_INNER_MARKS: Final = str.maketrans(dict.fromkeys('"“”„‟«»', "'") | {"[": "(", "]": ")"})


def as_data(text: str) -> str:
    """Disarm a text for a prompt; ordinary text comes back unchanged, character by character.

    A sentence that addresses a language model becomes a marked quotation, the special tokens of models are written so
    that they are none, and characters without a shape are taken out. Applying it again changes nothing.
    """
    pieces = _QUOTED.split(strip_invisible(text))
    return "".join(defuse_tokens(piece) if index % 2 else _disarmed(piece) for index, piece in enumerate(pieces))


def _disarmed(text: str) -> str:
    parts: list[str] = []
    done = 0
    for start, end, _ in addressed_sentences(text):
        parts += [defuse_tokens(text[done:start]), _quoted(text[start:end])]
        done = end
    return "".join([*parts, defuse_tokens(text[done:])])


def _quoted(sentence: str) -> str:
    words = " ".join(INVISIBLE.sub("", sentence).split())
    return f'[{_OPENING}{defuse_tokens(words).translate(_INNER_MARKS)}"]'
