"""Results of focused feedback: the comments, the words that they are about, and how each came about."""
