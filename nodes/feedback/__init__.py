"""The agents of `focused_feedback`, and the nodes around them."""
