"""Reads papers of any format, each content once, into stored documents of paragraphs that know their places."""
