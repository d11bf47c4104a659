"""Local model endpoints: profiles, vLLM's own environment, the embedded model, and starting and stopping servers."""
