"""The local page, with one person at it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from evals.human.answers import AnswerStore
from evals.human.items import ComparisonItem
from evals.human.server import AnnotationServer
from tests.support.annotation_page import SHEETS, Rater, running


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "answers.jsonl"


@pytest.fixture
def sheets() -> Sequence[ComparisonItem]:
    return SHEETS


@pytest.fixture
def server(sheets: Sequence[ComparisonItem], store: Path) -> Iterator[AnnotationServer]:
    with running(sheets, AnswerStore(store)) as server:
        yield server


@pytest.fixture
def ada(server: AnnotationServer) -> Iterator[Rater]:
    with Rater(server) as rater:
        yield rater
