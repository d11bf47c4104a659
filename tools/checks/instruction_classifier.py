"""Whether a sentence sounds like one that tells a model what to do, whatever its words.

Trained by `training.instructions` on sentences of ours against those of open papers, in two steps. A logistic
regression looks at the letters alone, which costs little, and passes over nine in ten sentences of a paper. What it
leaves is read by the packaged encoder, and a support vector machine decides by the vector and by some words (`CUES`).
Without the encoder, which the extra `review` brings, the letters decide alone. Sentences in no English are left to the
rules of `tools.checks.foreign_sentences`. What that finds stands in docs/results/instructions.md.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from state.errors import RetrievalUnavailable, SettingsError
from tools.checks.disguises import plainly
from tools.checks.foreign_sentences import reads_foreign
from tools.text import fold

Vector = NDArray[np.float32]

WEIGHTS: Final = Path(__file__).with_name("instructions.npz")
"""As `draftroom train instructions` writes them."""
BUCKETS: Final = 2**15
"""Into which pieces of a sentence are hashed."""
LONGEST: Final = 600
"""Characters of a sentence that are looked at; what is longer is mostly a table."""
_TOKENS: Final = 256
_LAYERS: Final = 4
"""Of the encoder; how a sentence is meant shows better in the middle than at its end, and costs less."""
_PIECES: Final = (2, 3, 4, 5)
_WORD: Final = re.compile(r"[^\W_]+")
_NUMBER: Final = re.compile(r"\d+")
_WORDS: Final = re.compile(r"[^\W\d_]{2,}")
_FEWEST_WORDS: Final = 4
_FEWEST_LETTERS: Final = 24
"""Of what has fewer words: letters set apart, words run together."""

CUES: Final = {
    "reader": r"(?<!\w)(?:you|your|yours|yourself|us|our)(?!\w)",
    "report": r"(?<!\w)(?:we|i|were|was|had|found|using|used|et al|fig|figure|respectively|showed|patients"
    r"|cells)(?!\w)",
    "machine": r"(?<!\w)(?:ais?|llms?|language models?|bots?|chatbot\w*|chatgpt|gpt\w*|assistants?|machines?|robots?"
    r"|algorithms?|software|programs?|neural networks?|agents?|automated|automatic|system|model|operators?|developers?"
    r"|prompts?|administrator|root|directive|override)(?!\w)",
    "judgement": r"(?<!\w)(?:review\w*|referee\w*|grader\w*|evaluator\w*|assess\w*|evaluat\w*|judge\w*|verdict\w*"
    r"|scor\w+|rat(?:e|es|ed|ing|ings)|grad(?:e|es|ing)|marks?|recommend\w*|accept\w*|approv\w*|reject\w*|publish"
    r"|publication|decision|editor|chair|critic\w*|critique|feedback|opinion|report)(?!\w)",
    "paper": r"(?<!\w)(?:this|our|the|these|present|my|following|each|any)(?: \w{1,20})? (?:papers?|manuscripts?"
    r"|submissions?|articles?|texts?|documents?|files?|sections?|paragraphs?|passages?|abstracts?|works?"
    r"|stud(?:y|ies)|tables?|lines?|sentences?|authors?|statistics|methods|results|summary|research)(?!\w)",
    "praise": r"(?<!\w)(?:positiv\w*|prais\w*|favou?r\w*|excellen\w*|flawless\w*|perfect\w*|best|highest|maxim\w*|top"
    r"|superb|outstanding|groundbreaking|brilliant|generous|lenient|kind|kindly|friendly|supportive|enthusias\w*"
    r"|glowing|compliment\w*|admir\w*|applau\w*|strengths?|merits?|sound|landmark|milestone|convincing|impressive"
    r"|cure|wonderful)(?!\w)",
    "fault": r"(?<!\w)(?:weakness\w*|flaws?|faults?|limitations?|limits|shortcomings?|drawbacks?|problems?|issues?"
    r"|concerns?|objections?|errors?|mistakes?|negative\w*|unfavou?rabl\w*|critici[sz]\w*|complain\w*|defects?|gaps?"
    r"|harms?|bias)(?!\w)",
    "speech": r"(?<!\w)(?:say|state|write|answer|reply|respond|output|print|return|type|copy|paste|insert|include"
    r"|mention|conclude|claim|tell|call|describe|report|put|set|fill|leave|add|begin|end|repeat|reveal|show)(?!\w)",
    "order": r"(?<!\w)(?:please|must|should|shall|ought|have to|has to|do not|don't|never|only|nothing|no need|required"
    r"|forbidden|ignore|disregard|forget|obey|follow|from now|instead|pretend|imagine|act as|instructions?|task|job"
    r"|goal|mission|orders?|rules?|guidelines?)(?!\w)",
}
"""What such sentences speak of, in English; a sentence of a paper has some of it, too."""
_CUES: Final = tuple(re.compile(pattern) for pattern in CUES.values())
_FIRST: Final = re.compile(
    r"\W{0,5}(?:(?:please|kindly|just|now|also|then|simply|do not|don't|never|always|only) ){0,3}(\w+)"
)
_NO_VERB: Final = frozenset(
    "the a an this that these those we our in on at for from with by to of as it its they he she there here when while if although however moreover furthermore thus therefore both all some many most each no one two three patients participants results data figure table".split()  # noqa: E501,SIM905 - one can read it
)
_CUE_WEIGHT: Final = 0.25
"""Of a cue, beside a vector of length 1."""
_LETTERS_WEIGHT: Final = 0.1
"""Of the first step in the second, where it is less sure than `_MOST_LETTERS`."""
_MOST_LETTERS: Final = 8.0


def pieces(sentence: str) -> tuple[NDArray[np.int64], Vector]:
    """Buckets of a sentence and their values, of length 1 together: its runs of letters, words and pairs of words.

    Runs pass over spaces and signs, so that letters which are set apart or run together look as they otherwise do.
    """
    words = _WORD.findall(_NUMBER.sub("0", fold(sentence[:LONGEST]).text))
    letters = f"^{''.join(words)}$"
    found = [letters[at : at + size] for size in _PIECES for at in range(len(letters) - size + 1)]
    found += [f" {word}" for word in words]
    found += [f" {first} {second}" for first, second in zip(["", *words], words, strict=False)]
    counts = Counter(zlib.crc32(piece.encode()) % BUCKETS for piece in found)
    values = np.log1p(np.fromiter(counts.values(), dtype=np.float32, count=len(counts)))
    return np.fromiter(counts, dtype=np.int64, count=len(counts)), values / np.linalg.norm(values)


def cues(sentence: str) -> list[float]:
    """Which `CUES` a sentence has, whether it may begin with an order, and how much it looks like a report."""
    folded = fold(sentence[:LONGEST]).text
    first = _FIRST.match(folded)
    word = first[1] if first else ""
    order = bool(word) and word not in _NO_VERB and not word.endswith(("ed", "ly", "s", "ing", "ion"))
    digits = min(sum(map(str.isdigit, folded)), 6) / 6
    found = [bool(cue.search(folded)) for cue in _CUES]
    return [*map(float, found), float(order), digits, float("(" in folded), min(len(folded), 200) / 200]


def read(sentences: Sequence[str]) -> Vector:
    """What the support vector machine decides by, a row for each sentence.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    try:
        from tools.bert import PACKAGED_ENCODER, in_parallel, load_bert  # noqa: PLC0415 - needs the extra `review`

        encoder = load_bert(PACKAGED_ENCODER)
    except (ImportError, SettingsError) as error:
        raise RetrievalUnavailable("The packaged encoder is not installed.") from error
    vectors = in_parallel(lambda text: encoder.sentence_vector(text[:LONGEST], _TOKENS, _LAYERS), sentences)
    marks = np.asarray([cues(sentence) for sentence in sentences])
    return np.hstack([vectors, _CUE_WEIGHT * marks]).astype(np.float32)


@dataclass(frozen=True)
class Classifier:
    """Both steps, and the scores from which on they count."""

    letters: Vector
    """Weights of the buckets."""
    letters_bias: float
    doubtful: float
    """Score by letters from which on a sentence is read by the encoder."""
    certain: float
    """Score by letters that counts where there is no encoder."""
    rows: Vector
    """Support vectors."""
    coefficients: Vector
    """Of the support vectors."""
    bias: float
    gamma: float
    """Of the radial basis function."""
    threshold: float
    """Score by the support vectors that counts."""

    def by_letters(self, sentence: str) -> float:
        """Score of the first step, as a logit."""
        buckets, values = pieces(sentence)
        return float(self.letters[buckets] @ values) + self.letters_bias

    def by_meaning(self, found: Vector, by_letters: NDArray[np.floating]) -> Vector:
        """Scores of the second step, of rows that `read` gives, and a little of the first."""
        squares = (found**2).sum(axis=1)[:, None] + (self.rows**2).sum(axis=1) - 2 * found @ self.rows.T
        known = by_letters.clip(-_MOST_LETTERS, _MOST_LETTERS)
        scores: Vector = np.exp(-self.gamma * squares) @ self.coefficients + self.bias + _LETTERS_WEIGHT * known
        return scores


NUMBERS: Final = ("letters_scale", "letters_bias", "doubtful", "certain", "rows_scale", "bias", "gamma", "threshold")
"""What stands in the file beside the arrays; weights of letters and support vectors are rounded to 8 bits."""


@cache
def shipped_classifier() -> Classifier:
    """The classifier whose weights ship."""
    with np.load(WEIGHTS) as kept:
        numbers = dict(zip(NUMBERS, kept["numbers"].tolist(), strict=True))
        return Classifier(
            letters=kept["letters"].astype(np.float32) * numbers.pop("letters_scale"),
            rows=kept["rows"].astype(np.float32) * numbers.pop("rows_scale"),
            coefficients=kept["coefficients"].astype(np.float32),
            **numbers,
        )


def long_enough(sentence: str) -> bool:
    """Whether a sentence can be judged at all: it is no heading, label, initial or gene, and in English."""
    words = _WORDS.findall(sentence)
    if reads_foreign(sentence) or (len(words) < 2 and sentence.isupper()):
        return False
    return len(words) >= _FEWEST_WORDS or sum(map(str.isalpha, sentence)) >= _FEWEST_LETTERS


def sound_addressed(sentences: Sequence[str]) -> list[bool]:
    """Whether each sentence sounds like an instruction to a model."""
    return _judged(tuple(sentences))


@lru_cache(maxsize=1024)  # prompts show the same text again and again
def _judged(sentences: tuple[str, ...]) -> list[bool]:
    return judged(shipped_classifier(), sentences)


LENIENT: Final = 0.5
"""By how much the bound is lower for text that a reader cannot see, which has less right to be there."""


def sound_addressed_where_hidden(sentences: Sequence[str]) -> list[bool]:
    """The same for sentences that a reader cannot see."""
    return judged(for_hidden_text(shipped_classifier()), sentences)


def for_hidden_text(classifier: Classifier) -> Classifier:
    """The classifier with the lower bound."""
    return replace(classifier, threshold=classifier.threshold - LENIENT, certain=classifier.certain - LENIENT)


def judged(classifier: Classifier, sentences: Sequence[str]) -> list[bool]:
    """What a classifier makes of sentences; only the doubtful ones are read by the encoder."""
    sentences = [plainly(sentence[:LONGEST]) for sentence in sentences]
    by_letters = np.asarray([classifier.by_letters(each) if long_enough(each) else -np.inf for each in sentences])
    doubtful = np.flatnonzero(by_letters >= classifier.doubtful)
    verdicts = [False] * len(sentences)
    if len(doubtful):
        try:
            found = read([sentences[at] for at in doubtful])
            scores = classifier.by_meaning(found, by_letters[doubtful]) - classifier.threshold
        except RetrievalUnavailable:
            scores = by_letters[doubtful] - classifier.certain
        for at, score in zip(doubtful, scores, strict=True):
            verdicts[at] = bool(score >= 0)
    return verdicts
