"""Checks a text against its source: what it invents, and what of the source's content it loses."""

from tools.fidelity.content import lost_content
from tools.fidelity.coverage import coverage
from tools.fidelity.guard import extract_facts, unsupported_facts
from tools.fidelity.subject import off_subject

__all__ = ["coverage", "extract_facts", "lost_content", "off_subject", "unsupported_facts"]
