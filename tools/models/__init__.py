"""Ask language models: settings, a prompt and a schema go in, and a validated value comes out."""

from tools.models.ask import FAILED_ANSWERS, Answer, Caller, admission_check, ask_model
from tools.models.client import Completion, job_order, request_completions
from tools.models.endpoint import Endpoint, close_clients, fetch_endpoint

__all__ = [
    "FAILED_ANSWERS",
    "Answer",
    "Caller",
    "Completion",
    "Endpoint",
    "admission_check",
    "ask_model",
    "close_clients",
    "fetch_endpoint",
    "job_order",
    "request_completions",
]
