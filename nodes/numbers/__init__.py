"""The number reader and the nodes around it."""
