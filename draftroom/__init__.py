"""Draftroom: rooms of language-model agents that work on scientific text."""

__version__ = "0.1.0"
