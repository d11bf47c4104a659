"""The sub-commands of `draftroom`."""
