"""Checks of texts by code: what a paper hides, and what a draft invents, loses, quotes or makes hard to read."""
