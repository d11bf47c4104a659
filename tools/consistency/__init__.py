"""What a paper contradicts in itself: computed from its words and numbers, never guessed."""

from tools.consistency.paper import check_paper

__all__ = ["check_paper"]
