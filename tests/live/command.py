"""The command against the embedded model, which may need more than one seed to say something usable."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from draftroom.exit_codes import EXIT_CODES

SETTINGS = Path(__file__).with_name("settings.toml")


def run_until_usable(arguments: list[str], endpoint: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run the command with up to three seeds: a model of 135M may give no usable answer, which has its exit code."""
    environment = {
        **os.environ,
        "DRAFTROOM_CONFIG": str(SETTINGS),
        "DRAFTROOM_HOME": str(home),
        "DRAFTROOM_MODELS__DEFAULT__BASE_URL": endpoint,
    }
    for seed in ("1", "2", "3"):
        environment["DRAFTROOM_MODELS__DEFAULT__SEED"] = seed
        finished = subprocess.run(
            [sys.executable, "-m", "draftroom", *arguments],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        if finished.returncode != EXIT_CODES["model_output"]:
            break
    return finished
