"""Sentences to learn from and to measure on: instructions of ours, and what open papers say."""

from __future__ import annotations

import hashlib
import json
import random
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from tools.checks.disguises import plainly
from tools.checks.hidden_instructions import split_sentences
from tools.checks.instruction_classifier import long_enough
from training.instructions.tricks import KNOWN, LEARNT, Disguise

Part = Literal["train", "calibrate", "measure"]
Table = Literal["instructions", "look_alikes"]
_HERE = Path(__file__).parent
DISGUISED = 25
"""Sentences that go through each disguise to measure with."""
_DISGUISED_TO_TRAIN = 100


@dataclass(frozen=True)
class SplitPaper:
    """The sentences of a paper, or of an abstract where no more is open."""

    whole: bool
    sentences: list[str]
    part: Part


def read_papers(paths: Iterable[Path]) -> list[SplitPaper]:
    """Papers of JSON Lines: `sections` of `paragraphs`, or nothing but an `abstract` or a `source`."""
    return [_paper(json.loads(line)) for path in paths for line in path.read_text(encoding="utf-8").splitlines()]


def to_train(table: Table) -> dict[str, list[str]]:
    """English sentences to train on, instructions or look-alikes, by style."""
    styles = _tables("sentences_english.toml", table)
    return {style: sentences for style, sentences in styles.items() if style != "held_out"}


def held_out_english(table: Table) -> list[str]:
    """Those to measure with."""
    return _tables("sentences_english.toml", table)["held_out"]


def languages(table: str) -> Mapping[str, list[str]]:
    """Sentences of other languages."""
    return _tables("sentences_other.toml", table)


def disguised(
    sentences: Sequence[str], disguises: Mapping[str, Disguise], seed: int, number: int = DISGUISED
) -> dict[str, list[str]]:
    """Some of the sentences behind each disguise."""
    draw = random.Random(seed)  # noqa: S311 - a sample
    chosen = {name: draw.sample(list(sentences), min(number, len(sentences))) for name in disguises}
    return {name: [disguises[name](sentence) for sentence in some] for name, some in chosen.items()}


def instructions_to_train(seed: int) -> dict[str, list[str]]:
    """All instructions that the classifier learns, by style; those in disguise are the last."""
    styles = to_train("instructions")
    plain = [sentence for some in styles.values() for sentence in some]
    learnt = disguised(plain, {name: KNOWN[name] for name in LEARNT}, seed, _DISGUISED_TO_TRAIN)
    tricky = [sentence for some in learnt.values() for sentence in some]
    return {style: readable(some) for style, some in {**styles, "disguised": tricky}.items()}


def readable(sentences: Sequence[str]) -> list[str]:
    """Sentences as the classifier is shown them, without those that it is not."""
    return list(dict.fromkeys(shown for sentence in sentences if long_enough(shown := plainly(sentence))))


def held_out(seed: int) -> dict[str, dict[str, list[str]]]:
    """Instructions that nothing was trained on, by what is new of them, then by language or trick."""
    plain = held_out_english("instructions")
    return {
        "wordings": {"English": plain},
        "tricks that are known": disguised(plain, KNOWN, seed),
        "languages that were looked at": {**languages("seen"), **languages("kept")},
    }


def _paper(record: Mapping[str, Any]) -> SplitPaper:
    sections = record.get("sections", [])
    texts = [record.get("abstract") or record["source"]]
    texts += [_text(paragraph) for section in sections for paragraph in section["paragraphs"]]
    found = [sentence for text in texts for sentence in split_sentences(text)]
    name = str(record.get("paper_id") or record["id"])
    return SplitPaper(bool(sections), [sentence for sentence in found if long_enough(sentence)], _part(name))


def _text(paragraph: str | Mapping[str, str]) -> str:
    return paragraph if isinstance(paragraph, str) else paragraph["text"]


def _part(name: str) -> Part:
    """By hash, so that a paper never changes sides: two fifths to train, one to calibrate, two to measure."""
    number = int(hashlib.sha256(name.encode()).hexdigest(), 16) % 5
    return "train" if number < 2 else "calibrate" if number == 2 else "measure"


def _tables(file: str, table: str) -> dict[str, list[str]]:
    read = tomllib.loads((_HERE / file).read_text(encoding="utf-8"))[table]
    return {name: lines.strip().splitlines() for name, lines in read.items()}
