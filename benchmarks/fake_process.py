"""The tests' fake endpoint in a process of its own, so that its work is not counted as ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def fake_process(latency_s: float = 0.0, generation_s: float = 0.0) -> Iterator[str]:
    """Serves `large` and `small`; an answer begins after `latency_s` and is streamed for `generation_s`.

    Gives the address.
    """
    command = [sys.executable, "-m", "tests.fake_endpoint", "--models", "large,small"]
    command += ["--latency", str(latency_s), "--generation", str(generation_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()
