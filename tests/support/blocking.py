"""Blocking calls in the event loop fail the test that makes them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from blockbuster import blockbuster_ctx


@pytest.fixture(scope="session", autouse=True)
def no_blocking_calls() -> Iterator[None]:
    """Watch all tests of this process."""
    with refuse_blocking_calls():
        yield


@contextmanager
def refuse_blocking_calls() -> Iterator[None]:
    """Watch what our own packages do in an event loop, themselves or through a library."""
    with blockbuster_ctx(["graphs", "nodes", "tools", "runs.checkpoints", "runs.jobs"]) as watch:
        # One small local file, looked at and read before each call of a model.
        watch.functions["os.stat"].can_block_in("tools/documents/reading.py", "load_source_text")
        watch.functions["io.BufferedReader.read"].can_block_in("tools/documents/reading.py", "load_source_text")
        # Coverage's own lock, where a thread begins while another one is measured for the first time.
        watch.functions["threading.Lock.acquire"].can_block_in("coverage/collector.py", "lock_data")
        yield
