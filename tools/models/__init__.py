"""The one place where agents talk to models: settings, a prompt and a schema go in, a validated value comes out."""

from tools.models.ask import FAILED_ANSWERS, Answer, Caller, Samples, admission, ask, sample
from tools.models.client import Completion, complete, job_order
from tools.models.endpoint import Endpoint, close_clients, describe_endpoint

__all__ = [
    "FAILED_ANSWERS",
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
    "job_order",
    "sample",
]
