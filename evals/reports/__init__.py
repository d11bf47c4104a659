"""What a person reads of an evaluation: tables beside the paper's, plots, a page for each sample, and comparisons."""
