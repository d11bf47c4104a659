"""What README.md shows is true: its Python runs, its pictures and its links are current."""

from __future__ import annotations

import re
import runpy
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
def test_python_runs_as_it_stands(
    code: str, tmp_path: Path, fake_endpoint: FakeEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    for models in ("MODELS__DEFAULT", "FEEDBACK__EMBEDDING"):
        monkeypatch.setenv(f"DRAFTROOM_{models}__BASE_URL", fake_endpoint.base_url)
        monkeypatch.setenv(f"DRAFTROOM_{models}__MODEL", "large")
    (tmp_path / "shown.py").write_text(code, encoding="utf-8")
    runpy.run_path(str(tmp_path / "shown.py"), run_name="__main__")
    assert fake_endpoint.chat_requests


def test_pictures_of_the_graphs_are_current() -> None:
    assert with_current_pictures(TEXT) == TEXT, "run `make pictures`"


def test_links_into_the_repository_lead_somewhere() -> None:
    targets = [target.split("#")[0] for target in re.findall(r"\]\((?!https?:)([^)]+)\)", TEXT)]
    assert [target for target in targets if target and not (ROOT / target).exists()] == []
