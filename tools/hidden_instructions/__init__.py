"""Finds and disarms text of a paper that addresses a language model or an automated reviewer."""

from __future__ import annotations

from tools.hidden_instructions.findings import find_instructions
from tools.hidden_instructions.obedience import obeys
from tools.hidden_instructions.quotation import as_data

__all__ = ["as_data", "find_instructions", "obeys"]
