"""The page of `draftroom open`: the part of LangGraph's server that is ours, and the built front end of `web/`."""
