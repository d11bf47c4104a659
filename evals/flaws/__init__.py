"""Known flaws: planted in open papers by code, one at a time, each beside the same paragraph without it."""
