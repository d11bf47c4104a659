"""Results of science journalism for people and programs: terminal, Markdown, HTML and JSON."""
