"""Papers are those of the command's tests."""

from tests.draftroom.conftest import paper

__all__ = ["paper"]
