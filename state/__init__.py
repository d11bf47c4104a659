"""State schemas of the graphs, settings, records, paths and errors."""
