"""Render results for the terminal and as files; one module per system or format."""
