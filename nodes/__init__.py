"""The agents: one folder a system, one file an agent, its prompts beside it."""
