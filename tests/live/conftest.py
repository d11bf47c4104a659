"""Live tests: real vLLM, and real llama.cpp, serving the embedded model. They run only when asked for: `-m live`."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from serving.profiles import load_profile
from serving.servers import start_profile_servers, stop_profile_servers

HERE = Path(__file__).parent


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark every test of this folder, before tests are selected by mark."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker("live")
            item.add_marker(pytest.mark.timeout(1800))  # the first one may install vLLM


@pytest.fixture(scope="session")
def embedded_endpoint() -> Iterator[str]:
    """Base URL of the embedded model; it is stopped afterwards unless it already ran."""
    profile = load_profile("embedded")
    started = start_profile_servers(profile, print)
    yield profile.servers[0].base_url
    if started:
        stop_profile_servers(profile.name, print)
