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

from tools.injection import embed_sentences, find_instruction_spans, has_enough_words, split_candidate_sentences

SENTENCES_FILE: Final = Path(__file__).with_name("injection_sentences.jsonl")
"""A style a line; `held_out` is by a hand whose sentences nothing is fitted on."""
LEFT_OUT_STYLES: Final = ("varied", "sundry")
"""Styles by two more hands; each is left out once, to see how the others' sentences find it."""
INVERSE_PENALTY: Final = 10.0
"""Inverse strength of the penalty."""
MAX_ALARM_SHARE: Final = 0.01
"""Share of the whole papers that choose the bound which may raise an alarm."""

Styles = Mapping[tuple[str, str], list[str]]
"""Sentences by kind (`instruction`, `look-alike` or `translation`) and style."""
Vectors = Mapping[str, NDArray[np.float32]]
SentenceEmbedder = Callable[[Sequence[str]], NDArray[np.float32]]


class SplitPaper(NamedTuple):
    """The sentences of a paper, or of an abstract where no more is open."""

    part: str
    whole: bool
    sentences: list[str]


class Regression(NamedTuple):
    """Weights of a sentence's vector, and a bias by which scores above nought count."""

    weights: NDArray[np.float32]
    bias: float

    def score_sentences(self, sentences: Sequence[str], vectors: Vectors) -> NDArray[np.float32]:
        """How much each sentence sounds like an instruction."""
        found: NDArray[np.float32] = np.stack([vectors[sentence] for sentence in sentences]) @ self.weights + self.bias
        return found


def train_injection_detector(corpora: Sequence[Path], out: Path, embed: SentenceEmbedder = embed_sentences) -> str:
    """Fit, calibrate and measure.

    Args:
        corpora: JSON Lines of open papers and abstracts.
        out: Folder for `injection.npz`, the weights, and `injection.md`, the report.
        embed: Gives the vectors of sentences, a row for each.

    Returns:
        The report, as Markdown.
    """
    papers = [paper for path in corpora for paper in read_training_papers(path)]
    records = map(json.loads, SENTENCES_FILE.read_text(encoding="utf-8").splitlines())
    styles = {(record["kind"], record["style"]): record["sentences"] for record in records}
    every = list(
        dict.fromkeys([*_flatten_sentences(styles.values()), *_flatten_sentences(paper.sentences for paper in papers)])
    )
    vectors = dict(zip(every, embed(every), strict=True))
    regression = fit_regression(styles, papers, vectors)
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "injection.npz", weights=regression.weights, bias=regression.bias)
    text = "\n".join(render_injection_report(regression, styles, papers, vectors)) + "\n"
    (out / "injection.md").write_text(text, encoding="utf-8")
    return text


def read_training_papers(path: Path) -> Iterator[SplitPaper]:
    """Papers of JSON Lines: `sections` of `paragraphs`, or nothing but an `abstract` or a `source`."""
    for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        sections = record.get("sections", [])
        texts = [record.get("abstract") or record["source"]]
        texts += [paragraph["text"] for section in sections for paragraph in section["paragraphs"]]
        found = [each for text in texts for each in split_candidate_sentences(text) if has_enough_words(each)]
        place = int(hashlib.sha256(str(record.get("paper_id") or record["id"]).encode()).hexdigest(), 16) % 10
        if found:
            yield SplitPaper("fit" if place < 4 else "calibrate" if place < 7 else "measure", bool(sections), found)


def _flatten_sentences(some: Iterable[Sequence[str]]) -> list[str]:
    return [sentence for sentences in some for sentence in sentences]


def fit_regression(styles: Styles, papers: Sequence[SplitPaper], vectors: Vectors, without: str = "") -> Regression:
    """The regression by all styles but those held out, with the highest bias that lets so few whole papers alarm."""
    used = {key: some for key, some in styles.items() if key[1] not in {"held_out", without}}
    told = _flatten_sentences(some for (kind, _), some in used.items() if kind == "instruction")
    alike = _flatten_sentences(some for (kind, _), some in used.items() if kind == "look-alike")
    science = _flatten_sentences(paper.sentences for paper in papers if paper.part == "fit")
    rows = np.stack([vectors[sentence] for sentence in (*told, *alike, *science)])
    labels = np.repeat([1, 0], [len(told), len(alike) + len(science)])
    model = LogisticRegression(C=INVERSE_PENALTY, max_iter=2_000).fit(rows, labels)
    found = Regression(model.coef_[0].astype(np.float32), float(model.intercept_[0]))
    highest = _list_highest_scores(found, papers, vectors, "calibrate", whole=True)
    return found._replace(bias=found.bias - sorted(highest, reverse=True)[int(MAX_ALARM_SHARE * len(highest))])


def _list_highest_scores(
    found: Regression, papers: Iterable[SplitPaper], vectors: Vectors, part: str, *, whole: bool
) -> list[float]:
    """The score of the sentence of each paper of a part that sounds most like an instruction."""
    some = [paper.sentences for paper in papers if paper.part == part and paper.whole is whole]
    return [float(found.score_sentences(sentences, vectors).max()) for sentences in some]


def render_injection_report(
    regression: Regression, styles: Styles, papers: Sequence[SplitPaper], vectors: Vectors
) -> Iterator[str]:
    """What is found of sentences by phrases and regression, and the papers in which the regression raises an alarm."""
    yield "| what | number | found |\n|---|---|---|"
    for style in LEFT_OUT_STYLES:
        found = fit_regression(styles, papers, vectors, without=style)
        yield _format_result_row(
            f"instruction, {style}, fitted without it",
            _detect_instructions(styles["instruction", style], found, vectors),
        )
    for (kind, style), some in styles.items():
        if style == "held_out" or kind == "translation":
            yield _format_result_row(f"{kind}, {style}", _detect_instructions(some, regression, vectors))
    for name, whole in (("whole papers", True), ("abstracts", False)):
        yield _format_result_row(
            name, [score > 0 for score in _list_highest_scores(regression, papers, vectors, "measure", whole=whole)]
        )


def _detect_instructions(some: Sequence[str], regression: Regression, vectors: Vectors) -> list[bool]:
    judged = zip(some, regression.score_sentences(some, vectors), strict=True)
    return [bool(find_instruction_spans(each)) or (has_enough_words(each) and score > 0) for each, score in judged]


def _format_result_row(name: str, found: Sequence[bool]) -> str:
    """Count and share with Wilson's 95% interval."""
    interval = binomtest(sum(found), len(found)).proportion_ci(method="wilson")
    return f"| {name} | {len(found)} | {sum(found)} ({np.mean(found):.0%} [{interval.low:.0%}, {interval.high:.0%}]) |"
