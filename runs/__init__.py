"""Runs of any graph: their records and checkpoints, and the drivers of one run and of many."""
