"""The tests' fake endpoint in a process of its own, so that its work is not counted as ours."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def serve_fake_endpoint(latency_s: float = 0.0, generation_s: float = 0.0, stream_interval: int = 1) -> Iterator[str]:
    """Serves `large` and `small` and gives the address.

    An answer begins after `latency_s` and is streamed for `generation_s`, `stream_interval` tokens a piece.
    """
    command = [sys.executable, "-m", "tests.fake_endpoint", "--models", "large,small"]
    command += ["--latency", str(latency_s), "--generation", str(generation_s)]
    command += ["--stream-interval", str(stream_interval)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()
