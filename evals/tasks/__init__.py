"""The evaluations, one for each paper."""
