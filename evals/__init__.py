"""The published experiments as runnable tasks."""
