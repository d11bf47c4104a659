"""The systems as LangGraph graphs, one file each; nodes are in `nodes`."""
