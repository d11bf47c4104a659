"""The agents: a folder for each system, a file for each agent, and the prompts beside it.

A node changes nothing in place: it returns an update, the keys of the state that it changes.
"""
