"""Checks the numbers and names of a draft against its source."""

from tools.fidelity.coverage import coverage
from tools.fidelity.guard import extract_facts, unsupported_facts

__all__ = ["coverage", "extract_facts", "unsupported_facts"]
