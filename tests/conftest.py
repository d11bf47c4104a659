"""Fixtures of the whole suite."""

import os
import signal

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when torch is imported; the workers of a run share the processors

pytest_plugins = [
    "tests.support.blocking",
    "tests.support.browser",
    "tests.support.postgres",
    "tests.fake_endpoint.fixtures",
]


def pytest_configure(config: pytest.Config) -> None:
    """Where a shell ignores Ctrl-C, as for a job in the background, children would inherit that."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
