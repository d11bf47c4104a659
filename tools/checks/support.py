"""The support score: how likely it is that a source says what a sentence says, from 0 to 1.

A sentence is compared with those of the source in three ways: by the vectors of the packaged encoder, by words, and by
what turns a sentence into another one (numbers, names, negations, directions, strong words). A logistic regression
over these features, trained by `training.support`, makes them one calibrated score; what it reaches stands in
docs/results/support.md. It needs numpy and the encoder, which the extra `review` brings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from state.documents import DocumentRef
from tools.checks.fidelity import stems, unsupported_facts
from tools.checks.omissions import negations
from tools.documents.reading import stored_text
from tools.retrieval.embedders import Embedding, embedder_for
from tools.text import sentences

WEIGHTS: Final = Path(__file__).with_name("support.json")
"""Of the logistic regression, as `draftroom train support` writes them."""

FEATURES: Final = (
    "cosine",
    "mean of three cosines",
    "words in the closest sentence",
    "words in the three closest",
    "words in the source",
    "rare words in the source",
    "pair of words in the source",
    "numbers not in the source",
    "names not in the source",
    "negation on one side",
    "opposite direction",
    "strong words of its own",
    "caution left out",
    "definition",
)

MARKED_BELOW: Final = 0.2
"""Sentences that score less are named; what that finds, and how often wrongly, stands in docs/results/support.md."""
MOST_MARKED: Final = 5

_UP: Final = r"increas\w*|rais\w+|rose|rises?|higher|more|greater|larger|better|improv\w+|longer|gain\w*|grow\w*|grew"
_DOWN: Final = (
    r"decreas\w*|reduc\w+|lower\w*|fewer|less|smaller|worse\w*|declin\w+|shorter|los[est]\w*|drop\w*|fall\w*|fell"
)
_STRONG: Final = (
    r"all|every\w*|always|never|prov\w+|cures?|cured|certain(?:ly)?|definite(?:ly)?|guarantee\w*|complete(?:ly)?"
    r"|caus\w+|dramatic\w*|undoubtedly|must|only|entire(?:ly)?|clear(?:ly)?"
)
_CAUTION: Final = (
    r"may|might|could|can|some|suggest\w*|probabl\w+|likely|possibl\w+|perhaps|appear\w*|seem\w*|often|sometimes|about"
    r"|associat\w+|link\w*|uncertain\w*|unclear|limited"
)
_DIRECTIONS: Final = tuple(re.compile(rf"(?i)\b(?:{words})\b") for words in (_UP, _DOWN))
_STRONG_WORDS: Final = re.compile(rf"(?i)\b(?:{_STRONG})\b")
_CAUTIOUS_WORDS: Final = re.compile(rf"(?i)\b(?:{_CAUTION})\b")
_DEFINITION: Final = re.compile(
    r"(?i)\b(?:(?:is|are) (?:an? |the )?(?:\w+ ){0,3}(?:name|term|kind|type|form|process|disease|condition|group|"
    r"class|protein|molecule|cell|medicine|drug|measure|tool|test|way)s?\b"
    r"|(?:is|are) (?:also )?(?:called|known as|made up of|a common)\b"
    r"|(?:called|known as|which means|that is,|in other words|refers? to|means that)\b)"
)
_STUDIED: Final = re.compile(
    r"(?i)\b(?:we|our|study|studies|trials?|reviews?|found|showed|shown|results?|evidence|compared|researchers|authors"
    r"|participants|analys\w+|experiments?|revealed|et al)\b"
)


@dataclass(frozen=True, slots=True)
class Supported:
    """A sentence and what its source makes of it."""

    sentence: str
    score: float
    """How likely it is that the source says this, from 0 to 1."""
    definition: bool
    """Whether it explains a term, which need not stand in any source."""


def supported_sentences(text: str, source: str) -> list[Supported]:
    """Score each sentence of a text that was made from a source, in its order, without headings.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    said = [sentence.text for sentence in sentences(text) if not sentence.heading]
    if not said:
        return []
    read = read_source(source)
    scores = shipped_head().score(features(said, embedded(said), read))
    return [
        Supported(sentence, round(float(one), 3), is_definition(sentence))
        for sentence, one in zip(said, scores, strict=True)
    ]


def unsupported_sentences(text: str, source: DocumentRef) -> list[str]:
    """A warning for each sentence that the stored source does not seem to say, the least supported first.

    Definitions are left out, and no more than `MOST_MARKED` are named.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    found = supported_sentences(text, stored_text(source))
    low = sorted((one for one in found if one.score < MARKED_BELOW and not one.definition), key=lambda one: one.score)
    return [f'the source does not seem to say this: "{one.sentence}"' for one in low[:MOST_MARKED]]


def is_definition(sentence: str) -> bool:
    """Whether a sentence looks like the explanation of a term rather than a finding."""
    return bool(_DEFINITION.search(sentence)) and not _STUDIED.search(sentence)


@dataclass(frozen=True, slots=True)
class EmbeddedSource:
    """A source whose sentences are embedded."""

    text: str
    sentences: list[str]
    vectors: NDArray[np.float32]
    """`[sentences, numbers]`, each of length 1."""


@lru_cache(maxsize=2)  # every version of a run is checked against the same source
def read_source(text: str) -> EmbeddedSource:
    """Split and embed a source.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    found = [sentence.text for sentence in sentences(text)] or [""]
    return EmbeddedSource(text, found, embedded(found))


def embedded(texts: Sequence[str]) -> NDArray[np.float32]:
    """Vectors of length 1 by the packaged encoder, `[texts, numbers]`.

    Raises:
        RetrievalUnavailable: The encoder is not installed.
    """
    return np.asarray(embedder_for(Embedding()).embed(texts), dtype=np.float32)


def features(said: Sequence[str], vectors: NDArray[np.float32], source: EmbeddedSource) -> NDArray[np.float64]:
    """Compare sentences with a source: `[sentences, FEATURES]`, the highest cosine (the baseline) first."""
    cosines = vectors @ source.vectors.T
    words = [stems(sentence) for sentence in source.sentences]
    every = set[str]().union(*words)
    their = set(_STRONG_WORDS.findall(source.text.lower()))
    pairs = set[tuple[str, str]]().union(*(_pairs(sentence) for sentence in source.sentences))
    rows = []
    for sentence, row in zip(said, cosines, strict=True):
        nearest = np.argsort(-row, kind="stable")[:3]
        closest = source.sentences[nearest[0]]
        own, near = stems(sentence), set[str]().union(*(words[place] for place in nearest))
        facts = unsupported_facts(sentence, source.text)
        names = sum(fact["kind"] == "entity" for fact in facts)
        strong = set(_STRONG_WORDS.findall(sentence.lower()))
        cautious = bool(_CAUTIOUS_WORDS.search(closest)) and not _CAUTIOUS_WORDS.search(sentence)
        rows.append(
            [
                row[nearest[0]],
                row[nearest].mean(),
                _share(own, words[nearest[0]]),
                _share(own, near),
                _share(own, every),
                _share({word for word in own if sum(word in one for one in words) < 2}, every),
                _share(_pairs(sentence), pairs),
                min(len(facts) - names, 3),
                min(names, 3),
                bool(negations(sentence)) != bool(negations(closest)),
                _opposite(sentence, closest),
                min(len(strong - their), 2),
                cautious,
                is_definition(sentence),
            ]
        )
    return np.asarray(rows, dtype=np.float64).reshape(len(said), len(FEATURES))


@dataclass(frozen=True)
class Head:
    """A logistic regression over `FEATURES`."""

    mean: NDArray[np.float64]
    scale: NDArray[np.float64]
    weights: NDArray[np.float64]
    bias: float

    def score(self, found: NDArray[np.float64]) -> NDArray[np.float64]:
        """Scores of rows of features, from 0 to 1."""
        result: NDArray[np.float64] = 1 / (1 + np.exp(-((found - self.mean) / self.scale @ self.weights + self.bias)))
        return result


@lru_cache(maxsize=1)
def shipped_head() -> Head:
    """The head whose weights ship, calibrated."""
    read = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    mean, scale, weights = (np.asarray(read[name]) for name in ("mean", "scale", "weights"))
    return Head(mean, scale, weights, float(read["bias"]))


def _share(part: Set[object], whole: Set[object]) -> float:
    return len(part & whole) / len(part) if part else 0.5


_WORD = re.compile(r"[^\W\d_]{3,}")


def _pairs(sentence: str) -> set[tuple[str, str]]:
    """Neighbouring words by their first letters."""
    found = [word[:5] for word in _WORD.findall(sentence.casefold())]
    return set(pairwise(found))


def _opposite(sentence: str, closest: str) -> bool:
    """Whether one says only "more" and the other only "less"."""
    here, there = ([bool(words.search(text)) for words in _DIRECTIONS] for text in (sentence, closest))
    return sum(here) == 1 and sum(there) == 1 and here != there
