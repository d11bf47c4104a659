"""Run local model endpoints: profiles, environments of vLLM and llama.cpp, embedded models, and their servers."""
