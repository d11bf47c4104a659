"""Trains the classifier of sentences that address a model (`tools.checks.instruction_classifier`)."""
