"""The agents: a folder for each system, a file for each agent, and the prompts beside it."""
