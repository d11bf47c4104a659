"""Corpora of samples: schemas, readers of published releases, and drawing samples."""
