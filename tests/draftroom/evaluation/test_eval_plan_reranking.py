"""`draftroom eval plan_reranking`: Recall@1 of a re-ranker on plans of unseen papers."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.errors import ErrorKind
from tests.draftroom.conftest import Command
from tests.draftroom.refusing import assert_refused
from tests.tools.tiny_bert import write_reranker
from tests.training.toy_plans import WORDS, toy_files


@pytest.fixture
def pairs(tmp_path: Path) -> tuple[Path, ...]:
    """Arguments that name a corpus and its plans."""
    corpus, plans = toy_files(tmp_path)
    return corpus, Path("--plans"), plans


@pytest.fixture
def weights(tmp_path: Path) -> Path:
    """The folder of a re-ranker that has learnt nothing."""
    return write_reranker(tmp_path / "weights", WORDS)


def test_a_reranker_stands_beside_what_has_not_learnt(
    draftroom: Command, pairs: tuple[Path, ...], weights: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "folder"

    result = draftroom("eval", "plan_reranking", *pairs, "--weights", weights, "--out", out)

    assert result.exit_code == 0, result.output
    assert "| plan re-ranker |" in result.stdout
    assert "| chance | 25.0 [25.0, 25.0] |" in result.stdout
    assert (out / "evaluation.md").read_text(encoding="utf-8") == result.stdout
    assert draftroom.endpoint.requests == []


def test_by_default_the_one_that_ships_is_measured(draftroom: Command, pairs: tuple[Path, ...], tmp_path: Path) -> None:
    told = draftroom("eval", "plan_reranking", *pairs, "--out", tmp_path / "out").stdout
    assert "| plan re-ranker |" in told


@pytest.mark.parametrize(
    ("content", "kind", "said"),
    [
        (None, "missing_file", "plans-b.jsonl.gz cannot be read"),
        ("", "bad_request", "None of the 32 pairs has a plan"),
        ("nonsense\n", "bad_request", "is not a file of plans"),
    ],
)
def test_a_file_without_plans(
    draftroom: Command,
    pairs: tuple[Path, ...],
    weights: Path,
    tmp_path: Path,
    content: str | None,
    kind: ErrorKind,
    said: str,
) -> None:
    path = tmp_path / "plans-b.jsonl.gz"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    given = (*pairs[:2], path, "--weights", weights, "--out", tmp_path / "out")
    result = draftroom("eval", "plan_reranking", *given)
    assert_refused(draftroom, result, kind, said)


def test_a_folder_without_a_reranker(draftroom: Command, pairs: tuple[Path, ...], tmp_path: Path) -> None:
    result = draftroom("eval", "plan_reranking", *pairs, "--weights", tmp_path, "--out", tmp_path / "out")
    assert_refused(draftroom, result, "missing_file", "There is no plan re-ranker in")


@pytest.mark.parametrize("name", ["file", "file/below"])
def test_a_place_where_nothing_can_be_kept_is_refused_before_the_plans_are_read(
    draftroom: Command, tmp_path: Path, name: str
) -> None:
    (tmp_path / "file").touch()
    missing = tmp_path / "missing"
    result = draftroom("eval", "plan_reranking", missing, "--weights", missing, "--out", tmp_path / name)
    assert_refused(draftroom, result, "output_unwritable", "choose another folder with --out")
