"""Fits the regression of `tools.injection`, chooses its bound, and measures it on what it has not seen.

Instructions of ours and sentences that look like them, by several hands, against the sentences of open papers. Four
tenths of the papers are to fit, three choose the bound, three measure, by the hash of a paper's name, so that none ever
changes sides. Whole papers choose the bound: abstracts are too short to raise an alarm.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.linear_model import LogisticRegression

from tools.injection import addressed_sentences, can_be_judged, embedded, split_sentences

SENTENCES: Final = Path(__file__).with_name("injection_sentences.jsonl")
"""A style a line; `held_out` is by a hand whose sentences nothing is fitted on."""
OTHER_HANDS: Final = ("varied", "sundry")
"""Styles by two more hands; each is left out once, to see how the others' sentences find it."""
STRENGTH: Final = 10.0
"""Inverse strength of the penalty."""
MOST_ALARMS: Final = 0.01
"""Share of the whole papers that choose the bound which may raise an alarm."""

Styles = Mapping[tuple[str, str], list[str]]
"""Sentences by kind (`instruction`, `look-alike` or `translation`) and style."""
Vectors = Mapping[str, NDArray[np.float32]]
Embed = Callable[[Sequence[str]], NDArray[np.float32]]


class SplitPaper(NamedTuple):
    """The sentences of a paper, or of an abstract where no more is open."""

    part: str
    whole: bool
    sentences: list[str]


class Regression(NamedTuple):
    """Weights of a sentence's vector, and a bias by which scores above nought count."""

    weights: NDArray[np.float32]
    bias: float

    def scores(self, sentences: Sequence[str], vectors: Vectors) -> NDArray[np.float32]:
        """How much each sentence sounds like an instruction."""
        found: NDArray[np.float32] = np.stack([vectors[sentence] for sentence in sentences]) @ self.weights + self.bias
        return found


def train_instructions(corpora: Sequence[Path], out: Path, embed: Embed = embedded) -> str:
    """Fit, calibrate and measure.

    Args:
        corpora: JSON Lines of open papers and abstracts.
        out: Folder for `injection.npz`, the weights, and `injection.md`, the report.
        embed: Gives the vectors of sentences, a row for each.

    Returns:
        The report, as Markdown.
    """
    papers = [paper for path in corpora for paper in read_papers(path)]
    records = map(json.loads, SENTENCES.read_text(encoding="utf-8").splitlines())
    styles = {(record["kind"], record["style"]): record["sentences"] for record in records}
    every = list(dict.fromkeys([*_all(styles.values()), *_all(paper.sentences for paper in papers)]))
    vectors = dict(zip(every, embed(every), strict=True))
    regression = fit(styles, papers, vectors)
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "injection.npz", weights=regression.weights, bias=regression.bias)
    text = "\n".join(report(regression, styles, papers, vectors)) + "\n"
    (out / "injection.md").write_text(text, encoding="utf-8")
    return text


def read_papers(path: Path) -> Iterator[SplitPaper]:
    """Papers of JSON Lines: `sections` of `paragraphs`, or nothing but an `abstract` or a `source`."""
    for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        sections = record.get("sections", [])
        texts = [record.get("abstract") or record["source"]]
        texts += [paragraph["text"] for section in sections for paragraph in section["paragraphs"]]
        found = [each for text in texts for each in split_sentences(text) if can_be_judged(each)]
        place = int(hashlib.sha256(str(record.get("paper_id") or record["id"]).encode()).hexdigest(), 16) % 10
        if found:
            yield SplitPaper("fit" if place < 4 else "calibrate" if place < 7 else "measure", bool(sections), found)


def _all(some: Iterable[Sequence[str]]) -> list[str]:
    return [sentence for sentences in some for sentence in sentences]


def fit(styles: Styles, papers: Sequence[SplitPaper], vectors: Vectors, without: str = "") -> Regression:
    """The regression by all styles but those held out, with the highest bias that lets so few whole papers alarm."""
    used = {key: some for key, some in styles.items() if key[1] not in {"held_out", without}}
    told = _all(some for (kind, _), some in used.items() if kind == "instruction")
    alike = _all(some for (kind, _), some in used.items() if kind == "look-alike")
    science = _all(paper.sentences for paper in papers if paper.part == "fit")
    rows = np.stack([vectors[sentence] for sentence in (*told, *alike, *science)])
    labels = np.repeat([1, 0], [len(told), len(alike) + len(science)])
    model = LogisticRegression(C=STRENGTH, max_iter=2_000).fit(rows, labels)
    found = Regression(model.coef_[0].astype(np.float32), float(model.intercept_[0]))
    highest = _highest(found, papers, vectors, "calibrate", whole=True)
    return found._replace(bias=found.bias - sorted(highest, reverse=True)[int(MOST_ALARMS * len(highest))])


def _highest(
    found: Regression, papers: Iterable[SplitPaper], vectors: Vectors, part: str, *, whole: bool
) -> list[float]:
    """The score of the sentence of each paper of a part that sounds most like an instruction."""
    some = [paper.sentences for paper in papers if paper.part == part and paper.whole is whole]
    return [float(found.scores(sentences, vectors).max()) for sentences in some]


def report(regression: Regression, styles: Styles, papers: Sequence[SplitPaper], vectors: Vectors) -> Iterator[str]:
    """What is found of sentences by phrases and regression, and the papers in which the regression raises an alarm."""
    yield "| what | number | found |\n|---|---|---|"
    for style in OTHER_HANDS:
        found = fit(styles, papers, vectors, without=style)
        yield _row(f"instruction, {style}, fitted without it", _found(styles["instruction", style], found, vectors))
    for (kind, style), some in styles.items():
        if style == "held_out" or kind == "translation":
            yield _row(f"{kind}, {style}", _found(some, regression, vectors))
    for name, whole in (("whole papers", True), ("abstracts", False)):
        yield _row(name, [score > 0 for score in _highest(regression, papers, vectors, "measure", whole=whole)])


def _found(some: Sequence[str], regression: Regression, vectors: Vectors) -> list[bool]:
    judged = zip(some, regression.scores(some, vectors), strict=True)
    return [bool(addressed_sentences(each)) or (can_be_judged(each) and score > 0) for each, score in judged]


def _row(name: str, found: Sequence[bool]) -> str:
    """Count and share with Wilson's 95% interval."""
    interval = binomtest(sum(found), len(found)).proportion_ci(method="wilson")
    return f"| {name} | {len(found)} | {sum(found)} ({np.mean(found):.0%} [{interval.low:.0%}, {interval.high:.0%}]) |"
