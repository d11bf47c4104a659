"""Reads a text into what can be checked of each of its sentences: amounts and names."""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import Final

from tools.fidelity.name_index import folded
from tools.fidelity.names import Name, names
from tools.fidelity.numerals import Amount, amounts
from tools.sentences import Sentence, sentences

_DEFINITION: Final = re.compile(r"\(([A-Za-z][A-Za-z0-9-]{1,9})\)")
_DEFINED_WITHIN: Final = 120  # characters before the parenthesis


@dataclass(frozen=True, slots=True)
class Details:
    """What can be checked in one sentence."""

    sentence: str
    amounts: list[Amount]
    names: list[Name]


def read(text: str) -> list[Details]:
    """Reads a text; a single capitalised word at the start of a sentence is a name only if it is one elsewhere."""
    found = [_read_sentence(sentence) for sentence in sentences(text)]
    certain = {name.text for details in found for name in details.names if name.certain}
    return [replace(details, names=[name for name in details.names if name.text in certain]) for details in found]


def _read_sentence(sentence: Sentence) -> Details:
    found = names(sentence)
    counted = amounts(_masked(sentence.text, found))
    units = {position for amount in counted for position in range(amount.start, amount.end)}  # Celsius is no person
    return Details(sentence.text, counted, [name for name in found if name.start not in units])


def _masked(sentence: str, found: list[Name]) -> str:
    """The sentence with its symbols blotted out, so that the digits of "IL-6" are no numbers."""
    kept, at = [], 0
    for name in found:
        if name.symbol:
            kept += [sentence[at : name.start], "_" * len(name.text)]
            at = name.end
    return "".join([*kept, sentence[at:]])


def is_fact(amount: Amount) -> bool:
    """Whether an amount is worth checking: a bare "one" or "two" is not."""
    if not amount.spelled or amount.value > 2:
        return True
    idiom = amount.text.lower() == "one day"
    return amount.unit is not None and not idiom


def definitions(found: list[Details]) -> list[tuple[str, str]]:
    """The acronyms that a text defines, each with the words before it: "matrix metalloproteinases (MMPs)"."""
    return [
        (match[1], details.sentence[max(0, match.start() - _DEFINED_WITHIN) : match.start()])
        for details in found
        for match in _DEFINITION.finditer(details.sentence)
    ]


def identity(detail: Amount | Name) -> Hashable:
    """What is equal for two mentions of the same amount or name."""
    if isinstance(detail, Name):
        return "".join(folded(detail.text))
    return (detail.value, detail.unit)
