"""Draftroom: multi-agent systems for scientific text."""

__version__ = "0.1.0"
