"""Measures that papers report, as functions of texts."""
