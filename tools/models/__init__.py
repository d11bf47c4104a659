"""Ask language models: settings, a prompt and a schema go in, and a validated value comes out."""
