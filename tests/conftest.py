"""Fixtures of the whole suite."""

pytest_plugins = ["tests.blocking", "tests.browser", "tests.fake_endpoint.fixtures"]
