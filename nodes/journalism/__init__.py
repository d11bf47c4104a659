"""Journalist, reader and editor of `science_journalism`, and the nodes that measure and choose drafts."""
