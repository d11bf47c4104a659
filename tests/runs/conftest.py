"""Runs are begun by the command, as a person does."""

from tests.draftroom.conftest import draftroom, endpoint, paper

__all__ = ["draftroom", "endpoint", "paper"]
