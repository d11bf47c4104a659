"""Tests, and the fake model endpoint that they talk to."""
