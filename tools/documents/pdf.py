"""The lines of a PDF in reading order, without what only belongs to its pages."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any, NamedTuple, TypedDict, cast

from state.errors import BadInput
from tools.documents import pypdf_process
from tools.documents.decoding import clean_characters
from tools.documents.lines import drop_running_lines, join_divided_words
from tools.documents.pypdf_process import PdfContent, Problem
from tools.documents.titles import pdf_title


class Pdf(NamedTuple):
    """A PDF that was read."""

    title: str
    lines: list[str]
    pages: int
    warnings: list[str]


class Outcome(TypedDict):
    """What the processes that read PDFs have in common in their answers."""

    problem: Problem
    reason: str
    count: int
    unreadable: list[str]


def is_pdf(data: bytes, *, name: str) -> bool:
    """Whether bytes are a PDF, or claim to be one by their name."""
    return data[:1024].lstrip().startswith(b"%PDF-") or name.lower().endswith(".pdf")


def read_pdf(data: bytes, *, name: str, max_pages: int, seconds: int = 120) -> Pdf:
    """Read a PDF in a separate process of at most `seconds` and 2 GiB.

    Raises:
        BadInput: The file is broken, encrypted, too long, or holds no text.
    """
    command = [sys.executable, "-P", pypdf_process.__file__, str(max_pages), str(seconds)]
    content = cast("PdfContent", run_parser(command, data, name=name, seconds=seconds))
    has_text = any(character.isalnum() for page in content["pages"] for character in page)
    refuse(content, name=name, max_pages=max_pages, has_text=has_text)
    pages = [clean_characters(page).split("\n") for page in content["pages"]]
    text = "\n".join(line for page in drop_running_lines(pages) for line in page)
    lines = join_divided_words(text).split("\n")
    warnings = page_warnings(content, empty=sum(not page.strip() for page in content["pages"]))
    return Pdf(pdf_title(content["title"], content["first_page"]), lines, content["count"], warnings)


def run_parser(
    command: list[str], data: bytes, *, name: str, seconds: int, environment: dict[str, str] | None = None
) -> Any:
    """JSON answer of a process that reads a PDF from its standard input and limits itself.

    Raises:
        BadInput: The bytes are no PDF, or the process failed or took longer than `seconds`.
    """
    if b"%PDF-" not in data[:1024]:
        raise _broken(name, "it may be a web page that was saved under this name")
    try:
        # A session of its own keeps away the Ctrl-C that is meant for the run.
        process = subprocess.run(
            command,
            input=data,
            capture_output=True,
            timeout=seconds,
            check=False,
            start_new_session=True,
            env=environment,
        )
    except subprocess.TimeoutExpired:
        raise _broken(name, f"it could not be read within {seconds} seconds") from None
    if process.returncode:
        last_words = process.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise _broken(name, last_words or "reading it took too much time or memory")
    return json.loads(process.stdout)


def refuse(content: Outcome, *, name: str, max_pages: int, has_text: bool) -> None:
    """Turn what could not be read, or should not, into an error with advice.

    Raises:
        BadInput: The file is broken, encrypted, too long, or holds no text.
    """
    if content["problem"] == "encrypted":
        raise BadInput(
            f"{name} is encrypted and needs a password; save a copy without the password and try again.",
            kind="encrypted_pdf",
        )
    if content["problem"] == "too_many_pages":
        raise too_many_pages(name, content["count"], max_pages)
    if content["problem"] == "too_much_text":
        raise BadInput(
            f"{name} holds more than {pypdf_process.MAX_CHARACTERS:,} characters of text; pass the part that matters.",
            kind="input_too_long",
        )
    if content["problem"] == "broken" or content["count"] == len(content["unreadable"]):
        raise _broken(name, content["reason"] or " ".join(content["unreadable"][:1]) or "it has no pages")
    if not has_text:
        raise BadInput(
            f"{name} has no text, only images; run OCR on it first (for example with `ocrmypdf`) and try again.",
            kind="pdf_without_text",
        )


def too_many_pages(name: str, pages: int, max_pages: int) -> BadInput:
    """What the user is told of a PDF that is longer than allowed."""
    return BadInput(
        f"{name} has {pages} pages, more than the {max_pages} that are allowed; pass the part that "
        "matters as a PDF of its own, or raise the limit.",
        kind="input_too_long",
    )


def _broken(name: str, reason: str) -> BadInput:
    return BadInput(
        f"{name} cannot be read as a PDF ({clean_characters(reason)}); open it in a viewer and save it as a new PDF or "
        "as text, and try again.",
        kind="broken_pdf",
    )


def page_warnings(content: Outcome, *, empty: int) -> list[str]:
    """One sentence for each page that could not be read, and one for the `empty` pages that show no text."""
    unread = [clean_characters(warning) for warning in content["unreadable"]]
    if empty > len(unread):
        unread.append(f"no text was found on {empty - len(unread)} of {content['count']} pages (images need OCR)")
    return unread
