"""Read a PDF in three steps: painted words, lines in reading order, paragraphs."""
