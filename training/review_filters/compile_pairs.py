"""Compiles paragraph-review pairs from papers with whole reviews (SWIF2T, "The dataset and its two classifiers").

    python -m training.review_filters.compile_pairs PAPERS --out PAIRS.jsonl [--purpose FOLDER] [--aspect FOLDER]

Sentences of reviews are paired with the paragraphs that people have linked them to, or else that they quote
(`pairing`), and of these pairs those are kept that
criticise or ask for something (purpose filter), and are about one of the five weaknesses (aspect filter). Without the
folder of a classifier its filter is left out. No paper is in two splits. Each paper is an object on a line with
`paper_id`, `sections` (`heading`, `paragraphs` with `id` and `text`) and `reviews` (`review_id`, `paragraphs`); or
PAPERS is the folder of a release with annotated links, F1000RD or ARIES (`papers`).

Links that people have annotated count. In a review without any, a sentence is about the paragraph that it quotes.
What counts as quoting is ours. A sentence quotes a paragraph if it has a passage of it in quotation marks, or six of
its words in a row. Of several paragraphs it is the one with the longest run; where two have it (an abstract, and the
sentence that it repeats), none is quoted. Case, accents, punctuation and white space never count. The sentence after a
quotation belongs to it unless it quotes something itself: on F1000RD it is about the same paragraph twice as often as
about another one.
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
from typing import Final, NamedTuple, get_args

from rich.console import Console
from rich.table import Table
from typing_extensions import TypedDict

from state.errors import DraftroomError, InputError
from state.feedback import Weakness
from state.files import write_atomically
from tools.text import list_sentence_starts, strip_accents
from training.review_filters.labelled_sentences import Task
from training.review_filters.papers import Paper, PaperParagraph, PaperReview, Split, read_reviewed_papers

_MIN_RUN_WORDS: Final = 6
"""Of a run without quotation marks."""
_MIN_MARKED_WORDS: Final = 2
_MAX_FOLLOWING_SENTENCES: Final = 1
"""Most sentences in a row that belong to a quotation before them."""
# An opening mark never follows a letter or a digit, so neither an apostrophe nor 5" opens a quotation. Reviews are
# typed: a closing mark of one kind may end what another kind began.
_QUOTATION: Final = re.compile(r"(?:``|(?<!\w)[\"“„«])([^\"“”„«»]+?)(?:''|[\"”“»])")
_OMISSION: Final = re.compile(r"…|\.\.\.|\[[^\]]*\]")
"""Dots for words that the reviewer left out, and words of his own in square brackets."""
_WORD: Final = re.compile(r"[^\W_]+")


class ReviewComment(NamedTuple):
    """What a review says of a paragraph at one place."""

    section: str
    paragraph: PaperParagraph
    review: PaperReview
    sentences: list[str]


def list_review_comments(paper: Paper) -> list[ReviewComment]:
    """The comments of a paper's reviews on its paragraphs, in the order of the reviews."""
    paragraphs = [(section.heading, paragraph) for section in paper.sections for paragraph in section.paragraphs]
    places = {paragraph.id: number for number, (_, paragraph) in enumerate(paragraphs)}
    texts = [_pad_words(normalize_words(paragraph.text)) for _, paragraph in paragraphs]
    found: list[ReviewComment] = []
    for review in paper.reviews:
        # A release also links whole sections, figures and tables.
        linked = [
            (places[link.paragraph_id], link.sentences) for link in review.links or [] if link.paragraph_id in places
        ]
        quoting = (
            each
            for paragraph in review.paragraphs
            for each in _group_comment_sentences(split_review_sentences(paragraph), texts)
        )
        pairs = quoting if review.links is None else linked
        found += [ReviewComment(*paragraphs[number], review, sentences) for number, sentences in pairs]
    return found


def split_review_sentences(paragraph: str) -> list[str]:
    """The sentences of a review's paragraph; a quotation of several belongs to the sentence that quotes it."""
    quotations = [match.span() for match in _QUOTATION.finditer(paragraph)]
    ends = [end for end in list_sentence_starts(paragraph) if not any(start < end < stop for start, stop in quotations)]
    return [text for start, end in pairwise([0, *ends, len(paragraph)]) if (text := paragraph[start:end].strip())]


def normalize_words(text: str) -> list[str]:
    """What the words of a text are compared by."""
    return _WORD.findall(strip_accents(text).casefold())


def find_quoted_paragraph(sentence: str, texts: Sequence[str]) -> int | None:
    """The number of the text that a sentence quotes; None if there is none, or more than one.

    Args:
        sentence: Of a review.
        texts: The words of each paragraph with a space around each.
    """
    own = normalize_words(sentence)
    passages = [normalize_words(part) for marked in _QUOTATION.findall(sentence) for part in _OMISSION.split(marked)]
    passages = [passage for passage in passages if len(passage) >= _MIN_MARKED_WORDS]
    lengths = [
        max(_compute_longest_run(own, text), *(_count_matched_words(text, passage) for passage in passages), 0)
        for text in texts
    ]
    longest = max(lengths, default=0)
    return lengths.index(longest) if longest and lengths.count(longest) == 1 else None


def _group_comment_sentences(sentences: Sequence[str], texts: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """Comments with the number of their paragraph."""
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


def _compute_longest_run(own: Sequence[str], text: str) -> int:
    longest = 0
    for start in range(len(own)):
        end = start + max(_MIN_RUN_WORDS, longest + 1)
        while end <= len(own) and _count_matched_words(text, own[start:end]):
            longest = end - start
            end += 1
    return longest


def _count_matched_words(text: str, passage: Sequence[str]) -> int:
    """How long a passage is, if a text has it."""
    return len(passage) if _pad_words(passage) in text else 0


def _pad_words(found: Sequence[str]) -> str:
    return f" {' '.join(found)} "


FEEDBACK_PURPOSES: Final = frozenset({"Weakness", "Todo"})
"""Of sentences that criticise or ask for something; Recap, Strength, Structure and Other are left out."""
_HELD_OUT_SHARE: Final = 0.1
"""Of the papers that were published without a split: so many are for dev, and so many for test."""

SentenceClassifier = Callable[[Sequence[str]], Sequence[str]]
"""A classifier of sentences: a label for each."""


class PairSentence(TypedDict):
    """A sentence of a pair's review."""

    text: str
    label: str | None
    """Communicative purpose; null if no purpose filter was used."""


class Pair(TypedDict):
    """A paragraph and a comment of a human reviewer on it."""

    id: str
    paper_id: str
    paragraph_id: str
    section: str
    paragraph: str
    review: str
    """Every sentence of the comment."""
    feedback: str | None
    """Its Weakness and Todo sentences only; null if no purpose filter was used."""
    aspect: str | None
    review_sentences: list[PairSentence]
    review_id: str
    split: Split | None
    """Null until the papers are split."""
    license: str | None
    """Of the review, or else of the paper."""


def compile_pairs(
    corpus: Sequence[Paper],
    *,
    purpose: SentenceClassifier | None = None,
    aspect: SentenceClassifier | None = None,
    seed: int = 0,
) -> tuple[list[Pair], dict[str, int]]:
    """Compile the pairs of a corpus.

    Args:
        corpus: Papers with their reviews.
        purpose: Says what a sentence is for; without it, no sentence is left out and no pair has `feedback`.
        aspect: Says which weakness a sentence is about; without it, pairs of any aspect are kept, and have none.
        seed: Of the splits.

    Returns:
        The pairs, and what each stage left.
    """
    pairs = [
        _build_pair(paper, *numbered)
        for paper in corpus
        for numbered in enumerate(list_review_comments(paper), start=1)
    ]
    counts = {"papers": len(corpus), "comments on a paragraph": len(pairs)}
    if purpose:
        pairs = _filter_by_purpose(pairs, purpose)
        counts["after the purpose filter"] = len(pairs)
    if aspect:
        pairs = _filter_by_aspect(pairs, aspect)
        counts["after the aspect filter"] = len(pairs)
    # A review is repeated where a second report quotes the first one, or a decision letter its reviewers.
    pairs = list({(pair["paper_id"], pair["paragraph_id"], pair["review"]): pair for pair in pairs}.values())
    counts["without repetitions"] = len(pairs)
    pairs = _assign_splits(pairs, {paper.paper_id: paper.split for paper in corpus}, seed)
    return pairs, counts | Counter(f"  {pair['split']}" for pair in pairs)


def _build_pair(paper: Paper, number: int, comment: ReviewComment) -> Pair:
    return Pair(
        id=f"{paper.paper_id}/{number}",
        paper_id=paper.paper_id,
        paragraph_id=comment.paragraph.id,
        section=comment.section,
        paragraph=comment.paragraph.text,
        review=" ".join(comment.sentences),
        feedback=None,
        aspect=None,
        review_sentences=[PairSentence(text=sentence, label=None) for sentence in comment.sentences],
        review_id=comment.review.review_id,
        split=None,
        license=comment.review.license or paper.license,
    )


def _filter_by_purpose(pairs: Sequence[Pair], classify: SentenceClassifier) -> list[Pair]:
    """Pairs with a sentence that criticises or asks for something; those sentences become the `feedback`."""
    labels = _classify_texts((each["text"] for pair in pairs for each in pair["review_sentences"]), classify)
    kept: list[Pair] = []
    for pair in pairs:
        sentences = [PairSentence(text=each["text"], label=labels[each["text"]]) for each in pair["review_sentences"]]
        feedback = " ".join(each["text"] for each in sentences if each["label"] in FEEDBACK_PURPOSES)
        if feedback:
            kept.append({**pair, "feedback": feedback, "review_sentences": sentences})
    return kept


def _filter_by_aspect(pairs: Sequence[Pair], classify: SentenceClassifier) -> list[Pair]:
    """Pairs about one of the five weaknesses: what most sentences of its feedback are about, or of all, the first."""
    texts = [
        [each["text"] for each in pair["review_sentences"] if each["label"] in {None, *FEEDBACK_PURPOSES}]
        for pair in pairs
    ]
    labels = _classify_texts((text for of_pair in texts for text in of_pair), classify)
    about = [Counter(labels[text] for text in of_pair).most_common(1)[0][0] for of_pair in texts]
    return [
        {**pair, "aspect": aspect} for pair, aspect in zip(pairs, about, strict=True) if aspect in get_args(Weakness)
    ]


def _classify_texts(texts: Iterable[str], classify: SentenceClassifier) -> dict[str, str]:
    """The label of each text; each is classified once."""
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, classify(distinct), strict=True)) if distinct else {}


def _assign_splits(pairs: Sequence[Pair], published: Mapping[str, Split | None], seed: int) -> list[Pair]:
    """Give every pair the split of its paper.

    A published split is kept, so that what was trained on its train part (a filter, for one) is not measured on a
    paper that it has seen. Papers without one are drawn: shares count papers that have a pair.
    """
    splits: dict[str, Split] = {paper: split for paper, split in published.items() if split}
    papers = sorted({pair["paper_id"] for pair in pairs} - splits.keys())
    random.Random(seed).shuffle(papers)  # noqa: S311 - no secret
    aside = round(_HELD_OUT_SHARE * len(papers))
    for number, paper in enumerate(papers):
        splits[paper] = "dev" if number < aside else "test" if number < 2 * aside else "train"
    return [{**pair, "split": splits[pair["paper_id"]]} for pair in pairs]


def main(arguments: Sequence[str] | None = None) -> None:
    """Compile, and show what every stage left.

    Args:
        arguments: Of the command; those of the process by default.
    """
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("papers", type=Path, help="papers with their reviews, or a release's folder")
    parser.add_argument("--out", type=Path, required=True, help="where the pairs go")
    parser.add_argument("--purpose", type=Path, metavar="FOLDER", help="trained classifier of communicative purposes")
    parser.add_argument("--aspect", type=Path, metavar="FOLDER", help="trained classifier of aspects")
    parser.add_argument("--seed", type=int, default=0, help="of the splits")
    given = parser.parse_args(arguments)
    try:
        pairs, counts = compile_pairs(
            read_reviewed_papers(given.papers),
            purpose=_load_filter(given.purpose, "purpose"),
            aspect=_load_filter(given.aspect, "aspect"),
            seed=given.seed,
        )
        _write_pairs(pairs, given.out)
    except DraftroomError as error:
        raise SystemExit(str(error)) from error
    table = Table("stage", "count", title="Dataset compiler")
    for stage, count in counts.items():
        table.add_row(stage, f"{count:,}")
    Console().print(table)


def _load_filter(folder: Path | None, task: Task) -> SentenceClassifier | None:
    if folder is None:
        return None
    from training.review_filters.classifier import load_classifier  # noqa: PLC0415 - torch, only where it is needed

    return load_classifier(folder, task)


def _write_pairs(pairs: Sequence[Pair], out: Path) -> None:
    try:
        write_atomically(out, "".join(f"{json.dumps(pair, ensure_ascii=False)}\n" for pair in pairs).encode())
    except OSError as error:
        raise InputError(
            f"{out} cannot be written ({error.strerror}); choose another file.", kind="output_unwritable"
        ) from error


if __name__ == "__main__":
    main()
