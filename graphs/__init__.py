"""The three systems as LangGraph graphs: wiring only, one file a system."""
