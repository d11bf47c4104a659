"""Exit codes of the command, one for each kind of error; a code never changes its meaning."""

from __future__ import annotations

import typer

from state.errors import ErrorKind

PAUSED = 20
CONTRADICTIONS = 21
PAPERS_FAILED = 22
STOPPED = 130

_CODES_BY_KIND: dict[ErrorKind, tuple[int, str]] = {
    "missing_file": (10, "The file does not exist or cannot be read."),
    "empty_input": (11, "The file or standard input is empty."),
    "binary_input": (12, "The file is neither text, nor a PDF or Word file that can be read."),
    "not_utf8": (13, "The text is not UTF-8."),
    "broken_pdf": (14, "The PDF is damaged."),
    "encrypted_pdf": (15, "The PDF needs a password."),
    "pdf_without_text": (16, "The PDF holds images of text only."),
    "input_too_long": (17, "The input is larger than allowed."),
    "bad_request": (18, "The request does not fit the run or the paper."),
    "bad_settings": (30, "A preset, settings file, environment variable or flag is wrong."),
    "endpoint_down": (40, "A model endpoint does not answer."),
    "endpoint_refused": (41, "A model endpoint refuses the key."),
    "wrong_model": (42, "The endpoint does not serve the model."),
    "context_overflow": (43, "A prompt does not fit the context of the model."),
    "model_output": (44, "A model gave no usable answer in two tries."),
    "retrieval_failed": (45, "Embeddings or a literature service cannot be reached."),
    "state_unwritable": (50, "The state folder cannot be read or written."),
    "disk_full": (51, "The disk is full."),
    "run_not_found": (52, "No run, or more than one, has this id."),
    "run_busy": (53, "Another process drives this run."),
    "run_incompatible": (54, "The checkpoints of the run are gone or were written by another version."),
    "output_unwritable": (55, "The file of `-o` cannot be written."),
    "serving_failed": (60, "A local model server could not be installed, started or stopped."),
}
EXIT_CODES: dict[ErrorKind, int] = {kind: code for kind, (code, _) in _CODES_BY_KIND.items()}


def render_exit_codes() -> str:
    """Return all exit codes as a Markdown table, in ascending order."""
    rows = [
        (0, "", "Done."),
        (1, "", "A fault of Draftroom itself: please report the traceback."),
        (2, "", "A flag or an argument is wrong."),
        *((code, f"`{kind}`", meaning) for kind, (code, meaning) in _CODES_BY_KIND.items()),
        (PAUSED, "", "The run waits for a person's answer."),
        (CONTRADICTIONS, "", "`draftroom check` found a contradiction of high or medium severity."),
        (PAPERS_FAILED, "", "`draftroom batch` has ended, and some papers have failed; its table says why."),
        (STOPPED, "", "Stopped by Ctrl-C or SIGTERM; the run or the batch can be resumed."),
    ]
    lines = [f"| {code} | {kind} | {meaning} |" for code, kind, meaning in sorted(rows)]
    return "\n".join(["| code | kind | meaning |", "|---|---|---|", *lines]) + "\n"


def print_exit_codes() -> None:
    """List the exit codes and what they mean."""
    typer.echo(render_exit_codes(), nl=False)
