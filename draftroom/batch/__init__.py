"""Process many papers with one command: find them, work on each, and keep the results in a folder."""
