"""Compiles paragraph-review pairs from papers with whole reviews (SWIF2T, "The dataset and its two classifiers").

    python -m training.review_filters.compile_pairs PAPERS --out PAIRS.jsonl [--purpose FOLDER] [--aspect FOLDER]

PAPERS is a file of JSON Lines, each with `paper_id`, `sections` (`heading`, `paragraphs` with `id` and `text`) and
`reviews` (`review_id`, `paragraphs`), or the folder of a release with annotated links, F1000RD or ARIES. Annotated
links count first. In a review without links, a sentence is about the paragraph that it quotes. Two classifiers then
filter the pairs: the purpose filter keeps those that criticise or ask for something, the aspect filter those about one
of the five weaknesses. A filter without a folder is skipped. No paper is in two splits.

The paper does not define quoting; this is our rule. A sentence quotes a paragraph if it repeats a passage of it in
quotation marks, or six of its words in a row. The paragraph with the longest run counts; if two have it (an abstract
and the sentence that it repeats), none does. Case, accents, punctuation and white space are ignored. The next sentence
belongs to the quotation, too, unless it quotes something itself: on F1000RD, such a sentence is about that paragraph
twice as often as about another.
"""

from __future__ import annotations

import argparse
import json
import random
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Final, get_args

import typer
from typing_extensions import TypedDict

from evals.datasets.samples import Part
from state.errors import DraftroomError
from state.feedback import Weakness
from state.files import write_atomically
from tools.text import list_sentence_starts, strip_accents
from training.review_filters.labelled_sentences import Task
from training.review_filters.papers import Paper, read_reviewed_papers

# Shortest quotations, in words: without quotation marks, and in them.
_MIN_RUN_WORDS: Final = 6
_MIN_MARKED_WORDS: Final = 2
# Sentences after a quotation that still belong to it (module docstring).
_MAX_FOLLOWING_SENTENCES: Final = 1
# An opening mark never follows a letter or a digit, so neither an apostrophe nor 5" opens a quotation. Reviews are
# typed: a closing mark of one kind may end what another kind began.
_QUOTATION: Final = re.compile(r"(?:``|(?<!\w)[\"“„«])([^\"“”„«»]+?)(?:''|[\"”“»])")
# Inside a quotation: dots for words that are left out, and the reviewer's own words in square brackets.
_OMISSION: Final = re.compile(r"…|\.\.\.|\[[^\]]*\]")
_WORD: Final = re.compile(r"[^\W_]+")
# Purposes of sentences that criticise or ask for something; Recap, Strength, Structure and Other are left out.
FEEDBACK_PURPOSES: Final = frozenset({"Weakness", "Todo"})
# Share of dev, and of test, of the papers that were published without a split.
_HELD_OUT_SHARE: Final = 0.1

# Gives a label for each sentence.
SentenceClassifier = Callable[[Sequence[str]], Sequence[str]]


class PairSentence(TypedDict):
    """A sentence of a pair's comment, with its label."""

    text: str
    label: str | None
    """Communicative purpose; null if no purpose filter was used."""


class Pair(TypedDict):
    """A paragraph and a human reviewer's comment on it, a line of the file that is written."""

    id: str
    paper_id: str
    paragraph_id: str
    section: str
    paragraph: str
    review: str
    """All sentences of the comment."""
    feedback: str | None
    """Weakness and Todo sentences of the comment; null if no purpose filter was used."""
    aspect: str | None
    review_sentences: list[PairSentence]
    review_id: str
    split: Part | None
    """Null until the papers are split."""
    license: str | None
    """License of the review, or else of the paper."""


def list_review_pairs(paper: Paper) -> list[Pair]:
    """List a paper's paragraphs with the comments of its reviews, in their order; labels and splits are None as yet."""
    paragraphs = [(section.heading, paragraph) for section in paper.sections for paragraph in section.paragraphs]
    places = {paragraph.id: number for number, (_, paragraph) in enumerate(paragraphs)}
    texts = [_pad_words(normalize_words(paragraph.text)) for _, paragraph in paragraphs]
    pairs: list[Pair] = []
    for review in paper.reviews:
        found: list[tuple[int, list[str]]] = []
        if review.links is None:
            for comments in review.paragraphs:
                found += _group_comment_sentences(split_review_sentences(comments), texts)
        else:
            # Releases also link whole sections, figures and tables; these have no paragraph.
            found = [(places[name], sentences) for name, sentences in review.links.items() if name in places]
        for number, sentences in found:
            section, paragraph = paragraphs[number]
            pair = Pair(
                id=f"{paper.paper_id}/{len(pairs) + 1}",
                paper_id=paper.paper_id,
                paragraph_id=paragraph.id,
                section=section,
                paragraph=paragraph.text,
                review=" ".join(sentences),
                feedback=None,
                aspect=None,
                review_sentences=[PairSentence(text=sentence, label=None) for sentence in sentences],
                review_id=review.review_id,
                split=None,
                license=review.license or paper.license,
            )
            pairs.append(pair)
    return pairs


def split_review_sentences(paragraph: str) -> list[str]:
    """Split a review's paragraph into sentences; a quotation of several stays in one."""
    # A quotation of several sentences stays in the sentence that quotes it.
    quotations = [match.span() for match in _QUOTATION.finditer(paragraph)]
    ends = [end for end in list_sentence_starts(paragraph) if not any(start < end < stop for start, stop in quotations)]
    return [text for start, end in pairwise([0, *ends, len(paragraph)]) if (text := paragraph[start:end].strip())]


def normalize_words(text: str) -> list[str]:
    """List the words of a text in lower case and without accents, for comparison."""
    return _WORD.findall(strip_accents(text).casefold())


def find_quoted_paragraph(sentence: str, texts: Sequence[str]) -> int | None:
    """Return the index of the padded text that a sentence quotes at most length; None if none is, or several tie."""
    words = normalize_words(sentence)
    marked = [part for quotation in _QUOTATION.findall(sentence) for part in _OMISSION.split(quotation)]
    passages = [passage for part in marked if len(passage := normalize_words(part)) >= _MIN_MARKED_WORDS]
    lengths = []
    for text in texts:
        matched = [len(passage) for passage in passages if _pad_words(passage) in text]
        lengths.append(max(_compute_longest_run(words, text), *matched, 0))
    longest = max(lengths, default=0)
    return lengths.index(longest) if longest and lengths.count(longest) == 1 else None


def _group_comment_sentences(sentences: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Yield (index of a quoted paragraph, the sentences that quote it with up to one after each); leave out others."""
    current: int | None = None
    members: list[str] = []
    silent = 0
    for sentence in sentences:
        number = find_quoted_paragraph(sentence, texts)
        silent = silent + 1 if number is None else 0
        if (number is None and silent > _MAX_FOLLOWING_SENTENCES) or number not in {None, current}:
            if current is not None:
                yield current, members
            current, members = number, []
        if current is not None:
            members.append(sentence)
    if current is not None:
        yield current, members


def _compute_longest_run(words: Sequence[str], text: str) -> int:
    """Return the length of the longest run of words that the padded text has; 0 if below the shortest quotation."""
    longest = 0
    for start in range(len(words)):
        # Only a run that is longer than the longest so far is of interest.
        end = start + max(_MIN_RUN_WORDS, longest + 1)
        while end <= len(words) and _pad_words(words[start:end]) in text:
            longest = end - start
            end += 1
    return longest


def _pad_words(words: Sequence[str]) -> str:
    """Join words with spaces, and add a space at both ends, so that a search finds whole words only."""
    return f" {' '.join(words)} "


def compile_pairs(
    corpus: Sequence[Paper],
    *,
    purpose: SentenceClassifier | None = None,
    aspect: SentenceClassifier | None = None,
    seed: int = 0,
) -> tuple[list[Pair], dict[str, int]]:
    """Return pairs of paragraph and comment in a corpus, filtered, each with a split, and the number after each stage.

    Without the classifier of purposes, no sentence is left out and no pair has `feedback`. Without that of aspects,
    pairs of any aspect are kept without a label.
    """
    # 1. Pair comments with paragraphs.
    pairs = [pair for paper in corpus for pair in list_review_pairs(paper)]
    counts = {"papers": len(corpus), "comments on a paragraph": len(pairs)}
    # 2. Filter. The aspect filter reads the labels that the purpose filter gives.
    if purpose:
        pairs = _filter_by_purpose(pairs, purpose)
        counts["after the purpose filter"] = len(pairs)
    if aspect:
        pairs = _filter_by_aspect(pairs, aspect)
        counts["after the aspect filter"] = len(pairs)
    # 3. Remove repetitions: a second report may quote the first, and a decision letter its reviewers.
    pairs = list({(pair["paper_id"], pair["paragraph_id"], pair["review"]): pair for pair in pairs}.values())
    counts["without repetitions"] = len(pairs)
    # 4. Split by paper.
    pairs = _assign_splits(pairs, {paper.paper_id: paper.split for paper in corpus}, seed)
    return pairs, counts | Counter(f"  {pair['split']}" for pair in pairs)


def _filter_by_purpose(pairs: Sequence[Pair], classify: SentenceClassifier) -> list[Pair]:
    """Return copies of the pairs that criticise or ask for something, with those sentences as `feedback`."""
    labels = _classify_texts((each["text"] for pair in pairs for each in pair["review_sentences"]), classify)
    kept: list[Pair] = []
    for pair in pairs:
        sentences = [PairSentence(text=each["text"], label=labels[each["text"]]) for each in pair["review_sentences"]]
        feedback = " ".join(each["text"] for each in sentences if each["label"] in FEEDBACK_PURPOSES)
        if feedback:
            kept.append({**pair, "feedback": feedback, "review_sentences": sentences})
    return kept


def _filter_by_aspect(pairs: Sequence[Pair], classify: SentenceClassifier) -> list[Pair]:
    """Return copies, with `aspect` set, of the pairs whose sentences are mostly about one of the five weaknesses."""
    used = {None, *FEEDBACK_PURPOSES}  # None: without a purpose filter, all sentences count
    texts = [[each["text"] for each in pair["review_sentences"] if each["label"] in used] for pair in pairs]
    labels = _classify_texts((text for sentences in texts for text in sentences), classify)
    kept: list[Pair] = []
    for pair, sentences in zip(pairs, texts, strict=True):
        aspect = Counter(labels[text] for text in sentences).most_common(1)[0][0]
        if aspect in get_args(Weakness):
            kept.append({**pair, "aspect": aspect})
    return kept


def _classify_texts(texts: Iterable[str], classify: SentenceClassifier) -> dict[str, str]:
    """Return the label of each distinct text, which is classified once."""
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, classify(distinct), strict=True)) if distinct else {}


def _assign_splits(pairs: Sequence[Pair], published: Mapping[str, Part | None], seed: int) -> list[Pair]:
    """Return copies of the pairs with the split of their paper: the published one, or one drawn by the seed."""
    # A published split is kept, so that a filter trained on its train part is not measured on papers that it has seen.
    splits: dict[str, Part] = {paper: split for paper, split in published.items() if split}
    papers = sorted({pair["paper_id"] for pair in pairs} - splits.keys())
    random.Random(seed).shuffle(papers)  # noqa: S311 - no secret
    aside = round(_HELD_OUT_SHARE * len(papers))
    for number, paper in enumerate(papers):
        splits[paper] = "dev" if number < aside else "test" if number < 2 * aside else "train"
    return [{**pair, "split": splits[pair["paper_id"]]} for pair in pairs]


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile pairs by the command line, write them to a file, and print how many each stage leaves."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", type=Path, help="papers with their reviews, or a release's folder")
    parser.add_argument("--out", type=Path, required=True, help="file for the pairs")
    parser.add_argument("--purpose", type=Path, metavar="FOLDER", help="folder of the trained purpose classifier")
    parser.add_argument("--aspect", type=Path, metavar="FOLDER", help="folder of the trained aspect classifier")
    parser.add_argument("--seed", type=int, default=0, help="seed of the splits")
    given = parser.parse_args(arguments)
    try:
        pairs, counts = compile_pairs(
            read_reviewed_papers(given.papers),
            purpose=_load_filter(given.purpose, "purpose"),
            aspect=_load_filter(given.aspect, "aspect"),
            seed=given.seed,
        )
    except DraftroomError as error:
        raise SystemExit(str(error)) from error
    try:
        write_atomically(given.out, "".join(f"{json.dumps(pair, ensure_ascii=False)}\n" for pair in pairs).encode())
    except OSError as error:
        raise SystemExit(f"{given.out} cannot be written ({error.strerror}); choose another file.") from error
    for stage, count in counts.items():
        typer.echo(f"{stage}: {count:,}")


def _load_filter(folder: Path | None, task: Task) -> SentenceClassifier | None:
    """Load a trained filter from its run's folder, or return None without a folder."""
    if folder is None:
        return None
    from training.review_filters.classifier import load_classifier  # noqa: PLC0415 - torch, only where it is needed

    return load_classifier(folder, task)


if __name__ == "__main__":
    main()
