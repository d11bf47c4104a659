"""The published corpora: their names, and their sizes as the papers print them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final, NamedTuple

from evals.datasets.splits import NAMES


class Published(NamedTuple):
    """Statistics of a whole corpus, all its parts together."""

    samples: int
    mean_words: Mapping[str, float]
    """By field."""


PUBLISHED: Final = {
    # Jiang, Shi and Luo, LLM-CLBR, "Corpora".
    "SCITech": Published(2431, {"abstract": 216.8, "summary": 176.1}),
    "eLife": Published(4828, {"abstract": 166.3, "summary": 347.6}),
    "PLOS": Published(27525, {"abstract": 268.3, "summary": 175.6}),
    # Devaraj, Marshall, Wallace and Li (NAACL 2021); SoMS gives no mean words.
    "Cochrane": Published(4459, {}),
    # Chamoun, Schlichtkrull and Vlachos, the hand-checked test set; SWIF2T gives no mean words.
    "SWIF2T": Published(300, {}),
}

_IN_NAMES: Final = {"scitech": "SCITech", "elife": "eLife", "plos": "PLOS", "cochrane": "Cochrane", "swif2t": "SWIF2T"}


def corpus_name(path: Path) -> str:
    """The corpus that a file belongs to, by its name, or by that of its folder if the file is named for a part of it.

    `elife.jsonl` and `eLife/val.json` are of eLife; a file with a name that says nothing is a corpus of that name.
    """
    name = path.resolve().parent.name if path.stem in NAMES else path.stem
    return next((corpus for known, corpus in _IN_NAMES.items() if known in name.lower()), name)
