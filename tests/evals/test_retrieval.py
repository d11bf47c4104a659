"""Whether what a comment needs is found: counted by hand on a written paper, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evals.datasets.feedback import CorpusPaper
from evals.retrieval import (
    LABELS_FILE,
    LabelledComment,
    RetrievalLabel,
    build_corpus_document,
    evaluate_retrieval,
    join_labelled_comments,
)
from state.errors import InputError
from state.settings import FeedbackSettings
from tests.support.report_files import lines

PARAGRAPHS = {
    "intro": "Mosses of the lava field were watered for five summers. " * 5,
    "tests": "Growth was compared by a Wilcoxon test of signed ranks. " * 5,
    "trays": "Trays stood on a wooden table beside the southern window. " * 5,
}


@pytest.fixture
def comments() -> list[LabelledComment]:
    """Two comments on the introduction: one needs the paragraph on tests, the other what stands nowhere whole."""
    sections = [{"heading": "Text", "paragraphs": [{"id": name, "text": text} for name, text in PARAGRAPHS.items()]}]
    paper = build_corpus_document(
        CorpusPaper.model_validate({"paper_id": "moss", "title": "Moss", "sections": sections})
    )
    label = RetrievalLabel(
        pair="p1",
        paper="moss",
        paragraph="intro",
        passages=["tests"],
        places=[(90, 140)],
        question="Which test compared growth?",
    )
    other = label.model_copy(update={"pair": "p2", "places": [(0, 5000)]})
    return [LabelledComment(each, paper, "The Wilcoxon test does not fit.") for each in (label, other)]


def test_what_is_found_is_counted_over_the_comments(comments: list[LabelledComment]) -> None:
    chosen = FeedbackSettings(segment_characters=200, segment_overlap=20)
    found = {line[0]: line[1:] for line in lines(evaluate_retrieval(comments, chosen), "Passages found")}
    assert [each for each in found if each != "chance"] == [
        f"the {searched}, {mode}" for searched in ("question", "comment") for mode in ("hybrid", "dense", "bm25")
    ]
    for way in ("the question, bm25", "the comment, hybrid"):
        assert [cell.partition(" [")[0] for cell in found[way][1:4]] == ["50"] * 3


def test_each_label_names_its_paper_its_places_and_a_question() -> None:
    labels = [RetrievalLabel.model_validate_json(line) for line in LABELS_FILE.read_text(encoding="utf-8").splitlines()]
    assert len({label.pair for label in labels}) == 50
    assert all(label.question.endswith("?") and len(label.passages) == len(label.places) > 0 for label in labels)


def test_a_folder_that_lacks_papers_is_told_what_to_give(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"papers\.jsonl cannot be read"):
        join_labelled_comments(tmp_path)
    (tmp_path / "papers.jsonl").write_text(json.dumps({"paper_id": "x", "sections": []}), encoding="utf-8")
    (tmp_path / "paragraph_reviews.jsonl").write_text(json.dumps({"id": "y"}), encoding="utf-8")
    with pytest.raises(InputError, match="lacks the paper 9-184 or the comment pr-0819: give all of F1000RD"):
        join_labelled_comments(tmp_path)
