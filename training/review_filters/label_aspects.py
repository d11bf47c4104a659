"""Says which of the five weaknesses a paragraph-review pair is about, where no person has (SWIF2T's aspect filter).

    python -m training.review_filters.label_aspects PAIRS.jsonl --aspect FOLDER --out LABELLED.jsonl

A pair is an object on a line, with `feedback` (what a reviewer criticised) and `review_sentences`, whose `label` is
what each is for. The classifier (`draftroom train aspect`) says what those are about that criticise or ask for
something; the pair gets the `aspect` of most of them. Pairs without feedback, or about none of the five, are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import cast

from rich.console import Console

from runs.many import read_records
from state.errors import BadInput, DraftroomError
from state.files import write_atomically
from training.review_filters.pairs import Pair, keep_aspects


def main() -> None:
    """Label the pairs of a file."""
    arguments = _arguments()
    criticised = [pair for pair in _pairs(arguments.pairs) if pair["feedback"]]
    from training.review_filters.classifier import load_classifier  # noqa: PLC0415 - loads torch

    labelled = keep_aspects(criticised, load_classifier(arguments.aspect, "aspect").classify)
    lines = "".join(json.dumps(pair, ensure_ascii=False) + "\n" for pair in labelled)
    write_atomically(arguments.out, lines.encode())
    counts = ", ".join(f"{label} {n}" for label, n in Counter(pair["aspect"] for pair in labelled).most_common())
    told = f"{len(labelled)} of {len(criticised)} pairs with feedback are about one of the five: {counts}"
    Console(stderr=True).print(told, highlight=False, soft_wrap=True)


def _pairs(path: Path) -> list[Pair]:
    pairs = read_records(path)
    for number, pair in enumerate(pairs, start=1):
        if not isinstance(pair, dict) or not {"feedback", "review_sentences"} <= pair.keys():
            raise BadInput(f"Line {number} of {path} is no pair: it needs feedback and review_sentences.")
    return cast("list[Pair]", pairs)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", type=Path)
    parser.add_argument("--aspect", type=Path, required=True, help="folder of an aspect classifier")
    parser.add_argument("--out", type=Path, required=True)
    return parser.parse_args()


if __name__ == "__main__":
    try:
        main()
    except DraftroomError as error:
        raise SystemExit(str(error)) from None
