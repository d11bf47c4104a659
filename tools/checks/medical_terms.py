"""Find names of drugs and conditions in a sentence, and their names in plain language.

Medicine writes most of them in small letters, so they are recognised by their spelling: drugs by the stems of their
international nonproprietary names ("-mab", "-pril", "-statin"), conditions by their Greek and Latin endings ("-itis",
"-aemia"), and names without either by a list. All of these words are in `medical_terms.toml`.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

from tools.checks.fidelity import Name, fold_words
from tools.checks.quantity_lexicon import build_alternation

_WORDS: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
_DIGRAPH: Final = re.compile("[ao]e", re.IGNORECASE)


def normalize_spelling(text: str) -> str:
    """Return a text in a spelling for comparisons, in which British and American forms (anaemia, anemia) are alike."""
    return _DIGRAPH.sub("e", text).replace("umour", "umor")


def _normalize_name(name: str) -> str:
    """Return the folded words of a name in the spelling for comparisons, joined by spaces."""
    return " ".join(fold_words(normalize_spelling(name)))


_PLAIN_WORDS: Final[dict[str, list[str]]] = {
    _normalize_name(name): plain for name, plain in _WORDS["plain_words"].items()
}


def list_name_forms(name: str) -> list[list[str]]:
    """List the forms of a name in other texts, each as folded words: the name, its adjective, its plain words."""
    key = _normalize_name(name)
    adjectives = [
        key.removesuffix(noun) + adjective for noun, adjective in _WORDS["adjectives"].items() if key.endswith(noun)
    ]
    return [fold_words(normalize_spelling(form)) for form in (key, *adjectives, *_PLAIN_WORDS.get(key, ()))]


# The letter is a part of the name: hepatitis C is not hepatitis B.
_LETTERED: Final = "(?:hepatitis|influenza|vitamin|haemophilia|hemophilia) [A-K]\\d{0,2}"


_LISTED_NAMES: Final = build_alternation([*_WORDS["drugs"], *_WORDS["conditions"], *_WORDS["plain_words"]])
_NAME_ENDINGS: Final = build_alternation([*_WORDS["drug_stems"], *_WORDS["condition_endings"]])
_MEDICAL_NAME: Final = re.compile(rf"(?i)\b(?:(?-i:{_LETTERED})|{_LISTED_NAMES}|[^\W\d_]{{2,}}(?:{_NAME_ENDINGS}))s?\b")


def find_medical_names(sentence: str) -> list[Name]:
    """Find the names of drugs and conditions in a sentence, in order."""
    found = (Name(match[0], match.start(), symbol=False) for match in _MEDICAL_NAME.finditer(sentence))
    return [name for name in found if name.text.casefold() not in _WORDS["no_names"]]
