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

from collections.abc import Hashable
from functools import lru_cache

from state.records import Fact, FactKind
from tools.fidelity.amount_index import AmountIndex
from tools.fidelity.name_index import NameIndex
from tools.fidelity.names import Name
from tools.fidelity.numerals import Amount
from tools.fidelity.reading import Details, definitions, identity, is_fact, read


def extract_facts(text: str) -> list[Fact]:
    """Lists the checkable details of a Markdown or plain text: numbers, percentages, years, quantities and names.

    Returns:
        The facts in the order of the text; one that stands there twice is listed twice.
    """
    return [_fact(detail, found.sentence) for found in read(text) for detail in _stated(found)]


def unsupported_facts(draft: str, source: str) -> list[Fact]:
    """Lists the facts of a draft that its source does not support, each once, in the order of the draft."""
    amounts_of_source, names_of_source = _indexed(source)
    read_draft = read(draft)
    defined = definitions(read_draft)
    unsupported: dict[Hashable, Fact] = {}
    for found in read_draft:
        for detail in _stated(found):
            if isinstance(detail, Amount):
                supported = amounts_of_source.supports(detail)
            else:
                supported = names_of_source.supports(detail, defined)
            if not supported:
                unsupported.setdefault(identity(detail), _fact(detail, found.sentence))
    return list(unsupported.values())


@lru_cache(maxsize=4)  # every draft of a run is checked against the same paper
def _indexed(source: str) -> tuple[AmountIndex, NameIndex]:
    found = read(source)
    return (
        AmountIndex((details.sentence, details.amounts) for details in found),
        NameIndex((details.sentence for details in found), (name for details in found for name in details.names)),
    )


def _stated(found: Details) -> list[Amount | Name]:
    details: list[Amount | Name] = [*filter(is_fact, found.amounts), *found.names]
    return sorted(details, key=lambda detail: detail.start)


def _fact(detail: Amount | Name, sentence: str) -> Fact:
    kind: FactKind = detail.kind if isinstance(detail, Amount) else "entity"
    return Fact(kind=kind, text=detail.text, sentence=sentence)
