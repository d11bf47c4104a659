"""Training of the regression of `tools.injection`: fit it, calibrate its threshold and measure it on held-out data.

Our instructions and look-alike sentences, by several writers, are contrasted with sentences of open papers. By the hash
of their names, four tenths of the papers are for fitting, three for calibration and three for measurement. Calibration
uses whole papers, as abstracts are too short to raise an alarm.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression

from evals.statistics import estimate_share
from tools.injection import embed_sentences, find_instruction_spans, has_enough_words, split_candidate_sentences

# A style on each line. The style `held_out` is by a writer whose sentences are never fitted on.
SENTENCES_FILE: Final = Path(__file__).with_name("injection_sentences.jsonl")
# Styles by two more writers; each is left out of a fit once, to measure how well the others cover it.
LEFT_OUT_STYLES: Final = ("varied", "sundry")
# Inverse strength of the L2 penalty.
INVERSE_PENALTY: Final = 10.0
# Share of the whole papers for calibration that may raise an alarm.
MAX_ALARM_SHARE: Final = 0.01

# Sentences by kind (`instruction`, `look-alike` or `translation`) and style.
Styles = Mapping[tuple[str, str], list[str]]
# Embeddings by sentence.
Vectors = Mapping[str, NDArray[np.float32]]
SentenceEmbedder = Callable[[Sequence[str]], NDArray[np.float32]]


class SplitPaper(NamedTuple):
    """The sentences of a whole paper or an abstract, with its part: `fit`, `calibrate` or `measure`."""

    part: str
    whole: bool
    sentences: list[str]


class Regression(NamedTuple):
    """Weights and bias that score a sentence's embedding; above 0, it raises an alarm as an injected instruction."""

    weights: NDArray[np.float32]
    bias: float

    def score_sentences(self, sentences: Sequence[str], vectors: Vectors) -> NDArray[np.float32]:
        """Score how much each sentence, given the vectors of all, sounds like an instruction; above 0 is an alarm."""
        scores: NDArray[np.float32] = np.stack([vectors[sentence] for sentence in sentences]) @ self.weights + self.bias
        return scores


def train_injection_detector(corpora: Sequence[Path], out: Path, embed: SentenceEmbedder = embed_sentences) -> str:
    """Train the detector of injected instructions, write weights and a report to `out`, and return the report.

    The corpora are JSON Lines of open papers and abstracts. `out` gets the weights (`injection.npz`) and the report
    (`injection.md`).
    """
    papers = [paper for path in corpora for paper in read_training_papers(path)]
    records = map(json.loads, SENTENCES_FILE.read_text(encoding="utf-8").splitlines())
    styles = {(record["kind"], record["style"]): record["sentences"] for record in records}
    # Embed each distinct sentence once.
    sentences = list(dict.fromkeys(chain(*styles.values(), *(paper.sentences for paper in papers))))
    vectors = dict(zip(sentences, embed(sentences), strict=True))
    regression = fit_regression(styles, papers, vectors)
    out.mkdir(parents=True, exist_ok=True)
    np.savez(out / "injection.npz", weights=regression.weights, bias=regression.bias)
    report = "\n".join(render_injection_report(regression, styles, papers, vectors)) + "\n"
    (out / "injection.md").write_text(report, encoding="utf-8")
    return report


def read_training_papers(path: Path) -> Iterator[SplitPaper]:
    """Yield the papers of a file (JSON Lines) with their sentences that have enough words, each in its part.

    A record has an `abstract` or `source`, and `sections` of `paragraphs` if the paper is whole.
    """
    for record in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
        sections = record.get("sections", [])
        texts = [record.get("abstract") or record["source"]]
        texts += [paragraph["text"] for section in sections for paragraph in section["paragraphs"]]
        found = [each for text in texts for each in split_candidate_sentences(text) if has_enough_words(each)]
        # By a hash, so that a paper stays in its part when others are added.
        place = int(hashlib.sha256(str(record.get("paper_id") or record["id"]).encode()).hexdigest(), 16) % 10
        if found:
            yield SplitPaper("fit" if place < 4 else "calibrate" if place < 7 else "measure", bool(sections), found)


def fit_regression(styles: Styles, papers: Sequence[SplitPaper], vectors: Vectors, without: str = "") -> Regression:
    """Return a regression fitted and calibrated without the style `held_out` and the style `without`."""
    used = {key: sentences for key, sentences in styles.items() if key[1] not in {"held_out", without}}
    instructions = list(chain(*(used[key] for key in used if key[0] == "instruction")))
    others = list(chain(*(used[key] for key in used if key[0] == "look-alike")))
    others += chain(*(paper.sentences for paper in papers if paper.part == "fit"))
    rows = np.stack([vectors[sentence] for sentence in (*instructions, *others)])
    labels = np.repeat([1, 0], [len(instructions), len(others)])
    model = LogisticRegression(C=INVERSE_PENALTY, max_iter=2_000).fit(rows, labels)
    regression = Regression(model.coef_[0].astype(np.float32), float(model.intercept_[0]))
    # The highest bias at which no more than MAX_ALARM_SHARE of the whole papers has a score above 0.
    highest = sorted(_list_highest_scores(regression, papers, vectors, "calibrate", whole=True), reverse=True)
    return regression._replace(bias=regression.bias - highest[int(MAX_ALARM_SHARE * len(highest))])


def _list_highest_scores(
    regression: Regression, papers: Iterable[SplitPaper], vectors: Vectors, part: str, *, whole: bool
) -> list[float]:
    """List the highest sentence score of each whole paper, or of each abstract, in a part."""
    chosen = [paper.sentences for paper in papers if paper.part == part and paper.whole is whole]
    return [float(regression.score_sentences(sentences, vectors).max()) for sentences in chosen]


def render_injection_report(
    regression: Regression, styles: Styles, papers: Sequence[SplitPaper], vectors: Vectors
) -> Iterator[str]:
    """Yield a Markdown table of how many sentences of styles not fitted on, and of other papers, raise an alarm."""
    yield "| what | number | found |\n|---|---|---|"
    for style in LEFT_OUT_STYLES:
        refitted = fit_regression(styles, papers, vectors, without=style)
        detected = _detect_instructions(styles["instruction", style], refitted, vectors)
        yield _format_result_row(f"instruction, {style}, fitted without it", detected)
    for (kind, style), sentences in styles.items():
        if style == "held_out" or kind == "translation":
            yield _format_result_row(f"{kind}, {style}", _detect_instructions(sentences, regression, vectors))
    for name, whole in (("whole papers", True), ("abstracts", False)):
        scores = _list_highest_scores(regression, papers, vectors, "measure", whole=whole)
        yield _format_result_row(name, [score > 0 for score in scores])


def _detect_instructions(sentences: Sequence[str], regression: Regression, vectors: Vectors) -> list[bool]:
    """Return whether each sentence is found as `tools.injection` finds it: by phrases, or by a score above 0."""
    # The regression counts only where a sentence is long enough for it.
    scored = zip(sentences, regression.score_sentences(sentences, vectors), strict=True)
    return [bool(find_instruction_spans(each)) or (has_enough_words(each) and score > 0) for each, score in scored]


def _format_result_row(name: str, hits: Sequence[bool]) -> str:
    """Format a row of the report: the number of texts, and how many are found with Wilson's 95% interval."""
    value, low, high = estimate_share(hits)
    return f"| {name} | {len(hits)} | {sum(hits)} ({value:.0f}% [{low:.0f}%, {high:.0f}%]) |"
