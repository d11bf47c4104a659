"""Trains the head of the support score (`tools.checks.support`) on plain summaries and their own sources."""
