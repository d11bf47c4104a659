"""The graphs as a run sees them: how one begins, and what the state tells of it; a file a system."""
