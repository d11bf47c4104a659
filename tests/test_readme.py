"""What README.md shows is true: its Python runs, its pictures and its links are current."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.draw_graphs import README, with_current_pictures
from tests.fake_endpoint import FakeEndpoint

ROOT = README.parent
TEXT = README.read_text(encoding="utf-8")
PYTHON = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


def test_there_is_python_to_run() -> None:
    assert len(PYTHON) == 4


@pytest.mark.parametrize("code", PYTHON)
def test_python_runs_as_it_stands(code: str, tmp_path: Path, fake_endpoint: FakeEndpoint) -> None:
    environment = {
        **os.environ,
        "DRAFTROOM_HOME": str(tmp_path),
        "DRAFTROOM_MODELS__DEFAULT__BASE_URL": fake_endpoint.base_url,
        "DRAFTROOM_MODELS__DEFAULT__MODEL": "large",
    }
    finished = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert finished.returncode == 0, finished.stderr
    assert fake_endpoint.chat_requests


def test_pictures_of_the_graphs_are_current() -> None:
    assert with_current_pictures(TEXT) == TEXT, "run `make pictures`"


def test_links_into_the_repository_lead_somewhere() -> None:
    targets = [target.split("#")[0] for target in re.findall(r"\]\((?!https?:)([^)]+)\)", TEXT)]
    assert [target for target in targets if target and not (ROOT / target).exists()] == []
