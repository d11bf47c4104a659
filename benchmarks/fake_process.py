"""The tests' fake endpoint in a separate process, so that its work is not measured."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def serve_fake_endpoint(generation_s: float = 0.0, stream_interval: int = 1) -> Iterator[str]:
    """Serve the models `large` and `small` in a process of their own, yield the address, and end the process.

    Each answer is streamed for `generation_s` seconds, `stream_interval` tokens a piece.
    """
    command = [sys.executable, "-m", "tests.fake_endpoint", "--models", "large,small"]
    command += ["--generation", str(generation_s), "--stream-interval", str(stream_interval)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            # The address is printed once the endpoint listens.
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()
