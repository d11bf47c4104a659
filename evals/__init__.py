"""Evaluations: the experiments of the papers as runnable tasks."""
