"""What the search for instructions reaches on sentences and papers that nothing was trained on, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Final

from scipy.stats import binomtest

from tools.checks.disguises import in_no_english
from tools.checks.hidden_instructions import Judge, addressed_sentences
from tools.checks.instruction_classifier import Classifier, for_hidden_text, judged
from training.instructions.examples import SplitPaper, held_out, held_out_english

Found = tuple[bool, bool, bool]
"""By the phrases alone, by phrases and classifier, and those or as a sentence in no English."""
_HEAD: Final = (
    "| sentences | number | phrases alone | with the classifier | with what is in no English |\n|---|---|---|---|---|"
)


def report(classifier: Classifier, papers: Sequence[SplitPaper], seed: int) -> str:
    """Tables of what is found of held-out instructions, and of the alarms on held-out papers and look-alikes."""
    judge = partial(judged, classifier)
    kept = held_out(seed)
    lines = ["## Found of instructions", "", _HEAD]
    for kind, parts in kept.items():
        everything = [_found(sentence, judge) for some in parts.values() for sentence in some]
        lines.append(_row(f"**{kind}**", everything))
        lines += _rows(parts, judge) if kind.startswith("tricks") else []
    lines += ["", _where_hidden(partial(judged, for_hidden_text(classifier)), kept["wordings"]["English"], papers)]
    lines += ["", "## Alarms", "", _HEAD]
    whole, abstracts = ([paper for paper in papers if paper.whole is kind] for kind in (True, False))
    lines += [_row(name, [_alarm(paper, judge) for paper in some]) for name, some in _named(whole, abstracts)]
    alike = {"look-alikes, one by one": held_out_english("look_alikes")}
    return "\n".join([*lines, *_rows(alike, judge)]) + "\n"


def _where_hidden(judge: Judge, told: Sequence[str], papers: Sequence[SplitPaper]) -> str:
    found = sum(any(_found(sentence, judge)) for sentence in told)
    science = [sentence for paper in papers for sentence in paper.sentences]
    alarms = sum(judge(science))
    return (
        f"Where a reader cannot see them, {_share(found, len(told))} of the new wordings are found, and {alarms} of "
        f"{len(science):,} sentences of the papers would be."
    )


def _named(whole: Sequence[SplitPaper], abstracts: Sequence[SplitPaper]) -> Iterator[tuple[str, Sequence[SplitPaper]]]:
    yield "whole papers with an alarm", whole
    yield "abstracts with an alarm", abstracts


def _rows(parts: Mapping[str, Sequence[str]], judge: Judge) -> Iterable[str]:
    return [_row(name, [_found(sentence, judge) for sentence in some]) for name, some in parts.items()]


def _found(sentence: str, judge: Judge) -> Found:
    by_phrases = bool(addressed_sentences(sentence))
    addressed = by_phrases or bool(addressed_sentences(sentence, judge))
    return by_phrases, addressed, addressed or in_no_english(sentence)


def _alarm(paper: SplitPaper, judge: Judge) -> Found:
    text = "\n\n".join(paper.sentences)
    by_phrases = bool(addressed_sentences(text))
    addressed = by_phrases or bool(addressed_sentences(text, judge))
    return by_phrases, addressed, addressed or any(map(in_no_english, paper.sentences))


def _row(name: str, found: Sequence[Found]) -> str:
    counts = [sum(column) for column in zip(*found, strict=True)]
    return f"| {name} | {len(found)} | " + " | ".join(_share(count, len(found)) for count in counts) + " |"


def _share(count: int, number: int) -> str:
    """Count and share with Wilson's 95% interval."""
    interval = binomtest(count, number).proportion_ci(method="wilson")
    return f"{count} ({count / number:.0%} [{interval.low:.0%}, {interval.high:.0%}])"
