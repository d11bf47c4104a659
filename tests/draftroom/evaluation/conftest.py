"""A small finished run of each evaluation: made once, and copied for each test."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.draftroom.conftest import Command
from tests.fake_endpoint import FakeEndpoint
from tests.support.corpus_files import write_lines

BEANS = [
    {
        "id": "bean",
        "abstract": "The bean grew. The bean was green.",
        "summary": "The bean proved tall. The bean grew tall.",
    },
    {"id": "pea", "abstract": "The pea proved green. The pea grew.", "summary": "The pea grew."},
]
ROWS = {
    "science_journalism": "abstracts,summaries,single",
    "medical_simplification": "source,reference",
    "focused_feedback": "single,cove",
}
"""The rows of each run; those of a corpus itself need no model."""


class Runs(NamedTuple):
    """Folders of runs, and the corpus of the articles."""

    journalism: Path
    simplification: Path
    feedback: Path
    beans: Path


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Runs:
    """The runs, not to be changed."""
    folder = tmp_path_factory.mktemp("finished")
    beans = write_lines(folder / "beans.jsonl", BEANS)
    with FakeEndpoint() as endpoint:
        draftroom = Command(folder / "home", endpoint)
        for task, rows in ROWS.items():
            data = [beans] if task == "science_journalism" else ["--limit", "2"]
            result = draftroom("eval", task, *data, "--rows", rows, "--out", folder / task, "--quiet")
            assert result.exit_code == 0, result.output
    return Runs(*(folder / task for task in ROWS), beans)


@pytest.fixture
def runs(finished: Runs, tmp_path: Path) -> Runs:
    """Copies of the runs, to be changed at will."""
    copies = (shutil.copytree(run, tmp_path / "runs" / run.name) for run in finished[:3])
    return Runs(*copies, finished.beans)
