"""Reports of evaluations: tables, figures, a page for each sample, and comparisons of two runs."""
