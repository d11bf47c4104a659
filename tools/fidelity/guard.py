"""The faithfulness guard: which numbers and names of a draft its source does not support.

The law, in short:

* A number is supported by the same value, in words or in digits, in any unit that converts; by the correct rounding of
  a more precise number (within 10%); and, behind "about", "over" or "under", by a number that the word allows.
* Bare "one" and "two" are no facts. Other bare numbers up to ten are also supported by a list of that length.
* A number without a unit is supported by that value with any unit; a number with a unit needs that unit.
* A year is supported by itself only; a decade by any of its years.
* A name is supported if the source has all of it, in any case, number, hyphenation or accent; an acronym also by the
  words it abbreviates, and a name by its acronym.

Signs are not compared, and no arithmetic is done: "88% survived" is not supported by "12% died".
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from state.records import Fact, FactKind
from tools.fidelity.amount_index import AmountIndex
from tools.fidelity.name_index import NameIndex, folded
from tools.fidelity.names import Name, names
from tools.fidelity.numerals import Amount, amounts
from tools.sentences import Sentence, sentences

_DEFINITION: Final = re.compile(r"\(([A-Za-z][A-Za-z0-9-]{1,9})\)")
_DEFINED_WITHIN: Final = 120  # characters before the parenthesis


@dataclass(frozen=True, slots=True)
class _Details:
    """What can be checked in one sentence."""

    sentence: str
    amounts: list[Amount]
    names: list[Name]


def extract_facts(text: str) -> list[Fact]:
    """Lists the checkable details of a Markdown or plain text: numbers, percentages, years, quantities and names.

    Returns:
        The facts in the order of the text; one that stands there twice is listed twice.
    """
    return [_fact(detail, found.sentence) for found in _read(text) for detail in _stated(found)]


def unsupported_facts(draft: str, source: str) -> list[Fact]:
    """Lists the facts of a draft that its source does not support, each once, in the order of the draft."""
    amounts_of_source, names_of_source = _indexed(source)
    read = _read(draft)
    definitions = [definition for found in read for definition in _definitions(found.sentence)]
    unsupported: dict[Hashable, Fact] = {}
    for found in read:
        for detail in _stated(found):
            if isinstance(detail, Amount):
                supported = amounts_of_source.supports(detail)
            else:
                supported = names_of_source.supports(detail, definitions)
            if not supported:
                unsupported.setdefault(_identity(detail), _fact(detail, found.sentence))
    return list(unsupported.values())


@lru_cache(maxsize=4)  # every draft of a run is checked against the same paper
def _indexed(source: str) -> tuple[AmountIndex, NameIndex]:
    read = _read(source)
    return (
        AmountIndex((found.sentence, found.amounts) for found in read),
        NameIndex((found.sentence for found in read), (name for found in read for name in found.names)),
    )


def _read(text: str) -> list[_Details]:
    """Reads a text; a single capitalised word at the start of a sentence is a name only if it is one elsewhere."""
    read = [_read_sentence(sentence) for sentence in sentences(text)]
    certain = {name.text for found in read for name in found.names if name.certain}
    return [replace(found, names=[name for name in found.names if name.text in certain]) for found in read]


def _read_sentence(sentence: Sentence) -> _Details:
    found = names(sentence)
    counted = amounts(_masked(sentence.text, found))
    units = {position for amount in counted for position in range(amount.start, amount.end)}  # Celsius is no person
    return _Details(sentence.text, counted, [name for name in found if name.start not in units])


def _masked(sentence: str, found: list[Name]) -> str:
    """The sentence with its symbols blotted out, so that the digits of "IL-6" are no numbers."""
    kept, at = [], 0
    for name in found:
        if name.symbol:
            kept += [sentence[at : name.start], "_" * len(name.text)]
            at = name.end
    return "".join([*kept, sentence[at:]])


def _stated(found: _Details) -> list[Amount | Name]:
    details: list[Amount | Name] = [*filter(_is_fact, found.amounts), *found.names]
    return sorted(details, key=lambda detail: detail.start)


def _is_fact(amount: Amount) -> bool:
    if not amount.spelled or amount.value > 2:
        return True
    idiom = amount.text.lower() == "one day"
    return amount.unit is not None and not idiom


def _definitions(sentence: str) -> list[tuple[str, str]]:
    """The acronyms that a sentence defines, each with the words before it: "matrix metalloproteinases (MMPs)"."""
    return [
        (match[1], sentence[max(0, match.start() - _DEFINED_WITHIN) : match.start()])
        for match in _DEFINITION.finditer(sentence)
    ]


def _fact(detail: Amount | Name, sentence: str) -> Fact:
    kind: FactKind = detail.kind if isinstance(detail, Amount) else "entity"
    return Fact(kind=kind, text=detail.text, sentence=sentence)


def _identity(detail: Amount | Name) -> Hashable:
    if isinstance(detail, Name):
        return "".join(folded(detail.text))
    return (detail.value, detail.unit)
