"""A home folder of its own for every test, and engines that are fake by configuration: an interpreter and a path."""

import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from serving.profiles import Profile, load_profile
from tests.support.processes import free_port

HERE = Path(__file__).parent


class Home:
    """The folder that Draftroom and the fake engines of one test write to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.steps: list[str] = []
        self.servers = folder / "state" / "servers"

    def starts(self) -> list[dict[str, Any]]:
        """What every fake server wrote down when it started."""
        file = self.folder / "starts.jsonl"
        return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []

    def profile(self, *names: str, engine: str = "vllm", **fields: Any) -> Profile:
        """Write the profile `mine.toml` with a server for each name, each on a free port, and load it."""
        path = self.folder / "mine.toml"
        lines = ['description = "A test"', 'device = "cpu"', f'engine = "{engine}"']
        for name in names or ("one",):
            values = {
                "name": name,
                "model": "hub/model",
                "served_model_name": f"model-{name}",
                "port": free_port(),
                "max_model_len": 512,
                "ready_timeout_s": 60,
            } | fields
            lines += ["[[servers]]", *(f"{key} = {json.dumps(value)}" for key, value in values.items())]
        path.write_text("\n".join(lines))
        return load_profile(path)


def running(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Home]:
    """A new home; whatever was started in it is gone afterwards, even if the test failed."""
    monkeypatch.setenv("DRAFTROOM_HOME", str(tmp_path))
    monkeypatch.setenv("DRAFTROOM_VLLM_PYTHON", sys.executable)
    monkeypatch.setenv("DRAFTROOM_LLAMA_CPP_PYTHON", sys.executable)
    monkeypatch.setenv("PYTHONPATH", str(HERE / "fake_engines"))
    monkeypatch.setenv("FAKE_VLLM_STARTS", str(tmp_path / "starts.jsonl"))
    home = Home(tmp_path)
    yield home
    for start in home.starts():
        for pid in (start["pid"], start["engine"]):
            if running(pid):
                os.kill(pid, signal.SIGKILL)
