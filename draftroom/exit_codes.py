"""Exit codes of the command: one for each kind of error, so that a script can tell them apart.

The numbers are a promise: a new kind gets a new number, and no number changes its meaning.
"""

from __future__ import annotations

import typer

from state.errors import Kind

PAUSED = 20
CONTRADICTIONS = 21
PAPERS_FAILED = 22
STOPPED = 130

EXIT_CODES: dict[Kind, int] = {
    "missing_file": 10,
    "empty_input": 11,
    "binary_input": 12,
    "not_utf8": 13,
    "broken_pdf": 14,
    "encrypted_pdf": 15,
    "pdf_without_text": 16,
    "input_too_long": 17,
    "bad_request": 18,
    "bad_settings": 30,
    "endpoint_down": 40,
    "endpoint_refused": 41,
    "wrong_model": 42,
    "context_overflow": 43,
    "model_output": 44,
    "retrieval_failed": 45,
    "state_unwritable": 50,
    "disk_full": 51,
    "run_not_found": 52,
    "run_busy": 53,
    "run_incompatible": 54,
    "output_unwritable": 55,
    "serving_failed": 60,
}

_MEANINGS: dict[Kind, str] = {
    "missing_file": "The file does not exist or cannot be read.",
    "empty_input": "The file or standard input is empty.",
    "binary_input": "The file is neither text, nor a PDF or Word file that can be read.",
    "not_utf8": "The text is not UTF-8.",
    "broken_pdf": "The PDF is damaged.",
    "encrypted_pdf": "The PDF needs a password.",
    "pdf_without_text": "The PDF holds images of text only.",
    "input_too_long": "The input is larger than allowed.",
    "bad_request": "The request does not fit the run or the paper.",
    "bad_settings": "A preset, settings file, environment variable or flag is wrong.",
    "endpoint_down": "A model endpoint does not answer.",
    "endpoint_refused": "A model endpoint refuses the key.",
    "wrong_model": "The endpoint does not serve the model.",
    "context_overflow": "A prompt does not fit the context of the model.",
    "model_output": "A model gave no usable answer in two tries.",
    "retrieval_failed": "Embeddings or a literature service cannot be reached.",
    "state_unwritable": "The state folder cannot be read or written.",
    "disk_full": "The disk is full.",
    "run_not_found": "No run, or more than one, has this id.",
    "run_busy": "Another process drives this run.",
    "run_incompatible": "The checkpoints of the run are gone or were written by another version.",
    "output_unwritable": "The file of `-o` cannot be written.",
    "serving_failed": "A local model server could not be installed, started or stopped.",
}


def table() -> str:
    """All exit codes as a Markdown table, in the order of their numbers."""
    rows = [
        (0, "", "Done."),
        (1, "", "A fault of Draftroom itself: please report the traceback."),
        (2, "", "A flag or an argument is wrong."),
        *((code, f"`{kind}`", _MEANINGS[kind]) for kind, code in EXIT_CODES.items()),
        (PAUSED, "", "The run waits for a person's answer."),
        (CONTRADICTIONS, "", "`draftroom check` found a contradiction of high or medium severity."),
        (PAPERS_FAILED, "", "`draftroom batch` has ended, and some papers have failed; its table says why."),
        (STOPPED, "", "Stopped by Ctrl-C or SIGTERM; the run or the batch can be resumed."),
    ]
    lines = [f"| {code} | {kind} | {meaning} |" for code, kind, meaning in sorted(rows)]
    return "\n".join(["| code | kind | meaning |", "|---|---|---|", *lines]) + "\n"


def print_table() -> None:
    """List the exit codes and what they mean."""
    typer.echo(table(), nl=False)
