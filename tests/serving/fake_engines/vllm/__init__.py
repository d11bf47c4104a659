"""A stand-in for vLLM that starts at once; see `entrypoints/openai/api_server.py`."""
