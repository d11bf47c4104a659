"""Fixtures of the whole suite."""

pytest_plugins = ["tests.blocking", "tests.fake_endpoint.fixtures"]
