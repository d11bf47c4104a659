"""Results of medical simplification: the text, what it lost, and the entries into loops that led to it."""
