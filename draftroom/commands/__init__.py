"""The sub-commands of `draftroom`, one file each."""
