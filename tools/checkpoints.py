"""The name by which programs know what `runs.checkpoints` holds by now."""

from runs.checkpoints import open_checkpointer, studio_checkpointer

__all__ = ["open_checkpointer", "studio_checkpointer"]
