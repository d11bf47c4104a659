"""The samples that tasks are run on."""
