"""Runs are begun by the command, as a person does."""

from tests.draftroom.conftest import draftroom, paper

__all__ = ["draftroom", "paper"]
