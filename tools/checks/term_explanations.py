"""Explanations of a glossary: whether one is about its term, and says nothing that the source says otherwise.

The law, in short:

* An explanation whose subject is another drug or condition is not about its term.
* Of a term that the source has, it connects only drugs and conditions that the source connects with it, too, or that
  the source does not have at all.
* It does not say that a term causes or raises what the source says that it lowers, prevents or leaves unchanged.
"""

from __future__ import annotations

import re
from typing import Final

from tools.checks.medical_terms import medical_names
from tools.checks.omissions import negations
from tools.text import occurrences, sentences

_VERB: Final = re.compile(
    r"(?i)\b(?:is|are|was|were|means?|refers?|can|may|causes?|leads?|helps?|works?|prevents?|reduces?|happens?)\b"
)
_CAUSES: Final = re.compile(r"(?i)\b(?:caus\w+|leads? to|rais\w+|increas\w+|worsen\w*|brings? on)\b")
_LOWERS: Final = re.compile(r"(?i)\b(?:less|fewer|lower\w*|reduc\w+|decreas\w+|prevent\w*|protect\w*)\b")

_CLAUSE: Final = re.compile(r"[,;:] |\s(?:and|but|although|whereas|while)\s")


def agrees(term: str, explanation: str, source: str) -> bool:
    """Whether an explanation is about its term and nothing in the source speaks against it.

    Args:
        term: As the glossary names it.
        explanation: What it says of the term.
        source: The text that the term is from.
    """
    said = [sentence.text for sentence in sentences(explanation)]
    if not said or not _about(term, said[0]):
        return False
    read = [sentence.text for sentence in sentences(source)]
    beside = [sentence for sentence in read if _has(sentence, term)]
    return not beside or all(_fits(sentence, term, beside, source) for sentence in said)


def _about(term: str, sentence: str) -> bool:
    """Whether the subject, what comes before the first verb, names no drug or condition but the term."""
    verb = _VERB.search(sentence)
    subject = sentence[: verb.start()] if verb else ""
    others = [name.text for name in medical_names(subject)]
    return not others or _has(subject, term) or any(_has(term, name) for name in others)


def _fits(sentence: str, term: str, beside: list[str], source: str) -> bool:
    names = (name.text for name in medical_names(sentence))
    known = [name for name in names if not _has(term, name) and not _has(name, term) and _has(source, name)]
    causes = bool(_CAUSES.search(sentence)) and not negations(sentence) and not _LOWERS.search(sentence)
    for name in known:
        clauses = [clause for said in beside for clause in _CLAUSE.split(said) if _has(clause, name)]
        if not clauses or (causes and all(_LOWERS.search(clause) or negations(clause) for clause in clauses)):
            return False
    return True


def _has(text: str, name: str) -> bool:
    """Whether a text has a name, in singular or plural."""
    singular = name.removesuffix("s")
    return any(occurrences(text, form) for form in (singular, f"{singular}s"))
