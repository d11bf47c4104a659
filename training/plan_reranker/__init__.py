"""The plan re-ranker of focused feedback: its training plans, its training and its measurement."""
