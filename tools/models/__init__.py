"""The one place where agents talk to models: settings, a prompt and a schema go in, a validated value comes out."""

from tools.models.ask import Answer, Caller, admission, ask
from tools.models.client import Completion, complete
from tools.models.connection import close_clients
from tools.models.endpoint import Endpoint, describe_endpoint
from tools.models.sampling import Samples, sample

__all__ = [
    "Answer",
    "Caller",
    "Completion",
    "Endpoint",
    "Samples",
    "admission",
    "ask",
    "close_clients",
    "complete",
    "describe_endpoint",
    "sample",
]
