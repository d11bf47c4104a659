"""Reads a PDF: painted words, lines in reading order, paragraphs."""
