"""Fixtures of the whole suite."""

pytest_plugins = ["tests.fake_endpoint.fixtures"]
