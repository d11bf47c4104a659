"""What the agents call: models, documents, retrieval, literature, checks of results, and text itself."""

from tools.privacy import silence_telemetry

silence_telemetry()
