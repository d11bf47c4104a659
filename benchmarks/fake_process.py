"""The tests' fake endpoint in a separate process, so that its work is not measured."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def serve_fake_endpoint(latency_s: float = 0.0, generation_s: float = 0.0, stream_interval: int = 1) -> Iterator[str]:
    """Serve the models `large` and `small`, and yield the address.

    Args:
        latency_s: Seconds until an answer begins.
        generation_s: Seconds that an answer is streamed for.
        stream_interval: Tokens of each piece.
    """
    command = [sys.executable, "-m", "tests.fake_endpoint", "--models", "large,small"]
    command += ["--latency", str(latency_s), "--generation", str(generation_s)]
    command += ["--stream-interval", str(stream_interval)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            # The address is printed once the endpoint listens.
            yield process.stdout.readline().strip() if process.stdout else ""
        finally:
            process.terminate()
