"""Serve the page of `draftroom open`: routes added to LangGraph's server, and the built front end of `web/`."""
