"""Text itself: its characters, its sentences, and edits of it."""
