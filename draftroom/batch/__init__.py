"""Many papers: which ones are named, what is done with each, and the folder that holds what came of it."""
