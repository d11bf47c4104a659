"""Word lists of the checks, from `word_lists.toml`, which describes them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

_LISTS: Final[dict[str, Any]] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text(encoding="utf-8"))
ORDINARY_WORDS: Final = frozenset(_LISTS["ordinary"])
UNIVERSAL_NAMES: Final = frozenset(_LISTS["universal"])
QUALIFIERS: Final = tuple(_LISTS["qualifiers"])
GENERAL_WORDS: Final = tuple(_LISTS["general"])
STATISTICS: Final = frozenset(_LISTS["statistics"])
NUMBERS_BY_WORD: Final = {word: int(number) for number, words in _LISTS["counting"].items() for word in words}
