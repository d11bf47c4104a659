"""The tests' fake endpoint in a process of its own, so that its work is not counted as ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def fake_process(latency_s: float = 0.0) -> Iterator[str]:
    """Serves `large` and `small`, each answer after `latency_s`; gives the address."""
    command = [sys.executable, "-m", "tests.fake_endpoint", "--models", "large,small", "--latency", str(latency_s)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()
