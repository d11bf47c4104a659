"""The faithfulness guard: which numbers and names of a draft its source does not support, and whether it retells it.

The law, in short:

* A number is supported by the same value, in words or in digits, in any unit that converts; by the correct rounding of
  a more precise number (within 10%); and, behind "about", "over" or "under", by a number that the word allows.
* Bare "one" and "two" are no facts. Other bare numbers up to ten are also supported by a list of that length.
* A number without a unit is supported by that value with any unit; a number with a unit needs that unit.
* A year is supported by itself only; a decade by any of its years.
* A name is supported if the source has all of it, in any case, number, hyphenation or accent; an acronym also by the
  words it abbreviates, and a name by its acronym.

Signs are not compared, and no arithmetic is done: "88% survived" is not supported by "12% died". The guard against what
a text leaves out is `tools.checks.omissions`.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from state.documents import DocumentRef
from state.records import Fact, FactKind
from tools.checks.named_entities import Name, NameIndex, folded, names
from tools.checks.quantities import Amount, AmountIndex, amounts
from tools.documents.store import stored_text
from tools.text.sentences import Sentence, sentences


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


_CONTENT_WORD = re.compile(r"[^\W\d_]{5,}")
_STEM = 5
"""Letters that are compared, so that "measured" and "measurements" are one word: a crude stem, enough for a ratio."""


def coverage(draft: str, source: str) -> float:
    """Share of the source's content words (five letters or more) that the draft uses, from 0 to 1.

    It tells drafts that still retell a source from those that do not, and is no measure of quality. Measured over 200
    eLife papers: their own plain summaries cover 0.39 of the abstract on average, other papers' summaries 0.15.
    A source without such words counts as covered.
    """
    wanted = stems(source)
    return len(wanted & stems(draft)) / len(wanted) if wanted else 1.0


def stems(text: str) -> set[str]:
    """The content words of a text (five letters or more), each by its first letters."""
    return {word[:_STEM] for word in _CONTENT_WORD.findall(text.casefold())}


_LEAST = 0.1
"""None of 691 plain summaries by people (eLife, PLOS, Cochrane) covers less of its abstract."""
_LONGEST_ABSTRACT = 800
"""In words; the longest of those has 766. Of a whole paper any draft covers little, which tells nothing."""


def off_subject(draft: str, source: DocumentRef) -> list[str]:
    """A warning if a draft is about something else than its source, which no grade tells; empty if it may be about it.

    It reads the stored text.
    """
    share = coverage(draft, stored_text(source))
    if source["words"] > _LONGEST_ABSTRACT or share >= _LEAST:
        return []
    return [f"the text is hardly about its source: it uses {share:.0%} of its longer words, which any text may have"]
