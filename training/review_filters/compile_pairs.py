"""Compiles paragraph-review pairs from papers with whole reviews (SWIF2T, "The dataset and its two classifiers").

    python -m training.review_filters.compile_pairs PAPERS --out PAIRS.jsonl [--purpose FOLDER] [--aspect FOLDER]

Sentences of reviews are paired with the paragraphs that people have linked them to, or else that they quote
(`pairing`), and of these pairs those are kept that
criticise or ask for something (purpose filter), and are about one of the five weaknesses (aspect filter). Without the
folder of a classifier its filter is left out. No paper is in two splits. Each paper is an object on a line with
`paper_id`, `sections` (`heading`, `paragraphs` with `id` and `text`) and `reviews` (`review_id`, `paragraphs`); or
PAPERS is the folder of a release with annotated links, F1000RD or ARIES (`papers`).
"""

from __future__ import annotations

import argparse
import json
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Final, get_args

from rich.console import Console
from rich.table import Table
from typing_extensions import TypedDict

from state.errors import BadInput, DraftroomError
from state.feedback import Weakness
from state.files import write_atomically
from training.review_filters.labelled_sentences import Task
from training.review_filters.pairing import ReviewComment, comments_on
from training.review_filters.papers import Paper, Split, read_papers

FEEDBACK_PURPOSES: Final = frozenset({"Weakness", "Todo"})
"""Of sentences that criticise or ask for something; Recap, Strength, Structure and Other are left out."""
_SHARE: Final = 0.1
"""Of the papers that were published without a split: so many are for dev, and so many for test."""

Classify = Callable[[Sequence[str]], Sequence[str]]
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
    corpus: Sequence[Paper], *, purpose: Classify | None = None, aspect: Classify | None = None, seed: int = 0
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
    pairs = [_pair(paper, *numbered) for paper in corpus for numbered in enumerate(comments_on(paper), start=1)]
    counts = {"papers": len(corpus), "comments on a paragraph": len(pairs)}
    if purpose:
        pairs = _keep_purposes(pairs, purpose)
        counts["after the purpose filter"] = len(pairs)
    if aspect:
        pairs = _keep_aspects(pairs, aspect)
        counts["after the aspect filter"] = len(pairs)
    # A review is repeated where a second report quotes the first one, or a decision letter its reviewers.
    pairs = list({(pair["paper_id"], pair["paragraph_id"], pair["review"]): pair for pair in pairs}.values())
    counts["without repetitions"] = len(pairs)
    pairs = _split_by_paper(pairs, {paper.paper_id: paper.split for paper in corpus}, seed)
    return pairs, counts | Counter(f"  {pair['split']}" for pair in pairs)


def _pair(paper: Paper, number: int, comment: ReviewComment) -> Pair:
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


def _keep_purposes(pairs: Sequence[Pair], classify: Classify) -> list[Pair]:
    """Pairs with a sentence that criticises or asks for something; those sentences become the `feedback`."""
    labels = _labelled((each["text"] for pair in pairs for each in pair["review_sentences"]), classify)
    kept: list[Pair] = []
    for pair in pairs:
        sentences = [PairSentence(text=each["text"], label=labels[each["text"]]) for each in pair["review_sentences"]]
        feedback = " ".join(each["text"] for each in sentences if each["label"] in FEEDBACK_PURPOSES)
        if feedback:
            kept.append({**pair, "feedback": feedback, "review_sentences": sentences})
    return kept


def _keep_aspects(pairs: Sequence[Pair], classify: Classify) -> list[Pair]:
    """Pairs about one of the five weaknesses: what most sentences of its feedback are about, or of all, the first."""
    texts = [
        [each["text"] for each in pair["review_sentences"] if each["label"] in {None, *FEEDBACK_PURPOSES}]
        for pair in pairs
    ]
    labels = _labelled((text for of_pair in texts for text in of_pair), classify)
    about = [Counter(labels[text] for text in of_pair).most_common(1)[0][0] for of_pair in texts]
    return [
        {**pair, "aspect": aspect} for pair, aspect in zip(pairs, about, strict=True) if aspect in get_args(Weakness)
    ]


def _labelled(texts: Iterable[str], classify: Classify) -> dict[str, str]:
    """The label of each text; each is classified once."""
    distinct = list(dict.fromkeys(texts))
    return dict(zip(distinct, classify(distinct), strict=True)) if distinct else {}


def _split_by_paper(pairs: Sequence[Pair], published: Mapping[str, Split | None], seed: int) -> list[Pair]:
    """Give every pair the split of its paper.

    A published split is kept, so that what was trained on its train part (a filter, for one) is not measured on a
    paper that it has seen. Papers without one are drawn: shares count papers that have a pair.
    """
    splits: dict[str, Split] = {paper: split for paper, split in published.items() if split}
    papers = sorted({pair["paper_id"] for pair in pairs} - splits.keys())
    random.Random(seed).shuffle(papers)  # noqa: S311 - no secret
    aside = round(_SHARE * len(papers))
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
            read_papers(given.papers),
            purpose=_load(given.purpose, "purpose"),
            aspect=_load(given.aspect, "aspect"),
            seed=given.seed,
        )
        _write(pairs, given.out)
    except DraftroomError as error:
        raise SystemExit(str(error)) from error
    table = Table("stage", "count", title="Dataset compiler")
    for stage, count in counts.items():
        table.add_row(stage, f"{count:,}")
    Console().print(table)


def _load(folder: Path | None, task: Task) -> Classify | None:
    if folder is None:
        return None
    from training.review_filters.classifier import load_classifier  # noqa: PLC0415 - torch, only where it is needed

    return load_classifier(folder, task)


def _write(pairs: Sequence[Pair], out: Path) -> None:
    try:
        write_atomically(out, "".join(f"{json.dumps(pair, ensure_ascii=False)}\n" for pair in pairs).encode())
    except OSError as error:
        raise BadInput(
            f"{out} cannot be written ({error.strerror}); choose another file.", kind="output_unwritable"
        ) from error


if __name__ == "__main__":
    main()
