"""Which samples are drawn, and the samples that ship."""

from __future__ import annotations

from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from evals.datasets.corpora import draw_samples, load_examples
from state.feedback import Weakness

ABSTRACTS: list[dict[str, Any]] = [{"id": str(number), "corpus": "mice"} for number in range(40)]


def pairs(papers: str) -> list[dict[str, Any]]:
    return [{"id": str(number), "paper_id": paper} for number, paper in enumerate(papers)]


def test_the_seed_decides() -> None:
    assert draw_samples(ABSTRACTS, 9, 1) == draw_samples(ABSTRACTS, 9, 1)
    assert draw_samples(ABSTRACTS, 9, 1) != draw_samples(ABSTRACTS, 9, 2)
    assert draw_samples(ABSTRACTS, 9) != ABSTRACTS[:9]


@given(st.text("abc", max_size=12), st.integers(0, 20), st.integers(0, 3))
def test_every_draw_is_the_beginning_of_a_larger_one(papers: str, limit: int, seed: int) -> None:
    whole = draw_samples(pairs(papers), None, seed)
    assert draw_samples(pairs(papers), limit, seed) == whole[:limit]
    assert sorted(int(each["id"]) for each in whole) == list(range(len(papers)))
    first = {each["paper_id"] for each in whole[: len(set(papers))]}
    assert first == set(papers)


def test_example_paragraphs_stand_in_their_papers() -> None:
    samples = load_examples("feedback")
    for sample in samples:
        assert sample["paragraph"] in sample["paper"].split("\n\n")
        assert len(sample["paragraph"].split()) >= 40, "the reviewer passes over shorter ones"
    assert len({sample["paper_id"] for sample in samples}) == 2
    assert len({sample["aspect"] for sample in samples} & set(get_args(Weakness))) == 4
