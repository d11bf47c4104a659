"""Reads one paper (PDF, HTML, Markdown, LaTeX or plain text) into paragraphs with their places."""
