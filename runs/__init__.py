"""Runs of any graph: what each was given, its checkpoints and its record, and how it is driven, alone or with many."""
