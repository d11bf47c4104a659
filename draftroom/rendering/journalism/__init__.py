"""Results of science journalism: the article, its readability, and the rounds that led to it."""
