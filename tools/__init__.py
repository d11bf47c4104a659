"""What the agents use: models, prompts, documents, readability, fidelity, configuration and checkpoints."""

from tools.privacy import silence_telemetry

silence_telemetry()
