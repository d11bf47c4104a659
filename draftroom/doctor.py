"""`draftroom doctor`: check everything that a run needs, and say how to fix problems."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from dataclasses import asdict, dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import BaseModel, ConfigDict
from rich.table import Table
from rich.text import Text

from draftroom.commands.options import PresetOption
from draftroom.exit_codes import EXIT_CODES
from draftroom.extras import REVIEW, format_page_hint, list_missing_packages
from draftroom.rendering.console import ERR, OUT, print_table, print_to_stderr
from draftroom.rendering.provenance import format_identifier
from runs.checkpoints import open_checkpointer
from state.errors import ContextOverflowError, DraftroomError, ErrorKind, SettingsError
from state.files import make_storage_error, resolve_state_folder
from state.model_settings import Limits, ModelSettings
from state.settings import AGENTS, OPTIONAL_ROLES, EmbeddingSettings, FeedbackSettings, LiteratureSettings, Settings
from tools.configuration import find_settings_file, load_settings
from tools.models.ask import UnusableAnswerError, describe_remedy, parse_answer
from tools.models.client import PROBE_MAX_TOKENS, request_completions
from tools.models.endpoint import CHARACTERS_PER_TOKEN, Endpoint, close_clients, fetch_endpoint, find_context_length
from tools.models.fitting import is_prompt_truncated
from tools.retrieval.embedders import choose_embeddings
from tools.text import strip_control_characters

Status = Literal["ok", "warning", "failed"]

# A page of paper, an article, the instructions and the answer do not fit into less.
MIN_CONTEXT_TOKENS = 4096
# Longest silence of an endpoint here; a run may wait longer.
ENDPOINT_TIMEOUT_S = 60.0
ANSWER_TOKENS = 256
TEST_QUESTION = "Write one short sentence about the sea."
# Longer than 4,096 tokens, Ollama's default context.
LONG_PROMPT = f"{'The tide comes in, and it goes out again. ' * 640}{TEST_QUESTION}"
JSON_INSTRUCTION = ' Answer with nothing but a JSON object like {"colour": "blue"}; the colour is red, green or blue.'
SAMPLE_TEXT = "The seedlings were watered with cold tea."
_STATUS_COLOURS: dict[Status, str] = {"ok": "green", "warning": "yellow", "failed": "red"}


@dataclass(frozen=True)
class CheckResult:
    """Record of one check of `draftroom doctor`: its status, what was found, and how to fix it."""

    name: str
    status: Status
    found: str
    mend: str = ""
    """One sentence on how to fix it, or empty."""
    kind: ErrorKind | None = None
    """Kind of the error that a run would end with, if the check failed."""
    subject: str = ""
    """Roles, model and endpoint, or empty for checks of this machine."""


def build_failed_check(name: str, error: DraftroomError) -> CheckResult:
    """Return a failed check from an error; what follows its last semicolon is the fix."""
    found, _, mend = str(error).rpartition("; ")
    if not found:
        return CheckResult(name, "failed", mend, kind=error.kind)
    return CheckResult(name, "failed", f"{found}.", mend[:1].upper() + mend[1:], error.kind)


class Colour(BaseModel):
    """Answer schema of a test question, by which `check_structured_output` sees whether a model keeps to a schema."""

    model_config = ConfigDict(extra="forbid")

    colour: Literal["red", "green", "blue"]


def run_checks(preset: str | None = None) -> list[CheckResult]:
    """Run all checks, without those that depend on a failed one, and return their results in order."""
    folder = check_state_folder(resolve_state_folder().absolute())
    try:
        settings = load_settings({"preset": preset} if preset else None)
        sources = check_settings_sources(settings)
    except SettingsError as error:
        mend = "Correct it; docs/settings.md lists all settings and their values."
        return [CheckResult("settings", "failed", str(error), mend, error.kind), folder]
    services = asyncio.run(check_services(settings))
    return [sources, folder, *services, *check_review_setup(settings.feedback)]


async def check_services(settings: Settings) -> list[CheckResult]:
    """Check the checkpoint store and every distinct model, then close the clients of models."""
    checks = [await check_checkpoint_store(settings.checkpoints)]
    for subject, model in list_distinct_models(settings).items():
        checks += [replace(check, subject=subject) for check in await check_model(model)]
    await close_clients()
    return checks


def check_settings_sources(settings: Settings) -> CheckResult:
    """Return a check that is always ok and names the settings' sources, with variables but not their values."""
    variables = sorted(name for name in os.environ if name.startswith("DRAFTROOM_") and name != "DRAFTROOM_HOME")
    file = find_settings_file()
    sources = [
        f"the preset {settings.preset}" if settings.preset else "",
        f"the file {file.absolute()}" if file else "",
        f"the environment ({', '.join(variables)})" if variables else "",
    ]
    return CheckResult("settings", "ok", f"From {', '.join(filter(None, sources)) or 'the built-in defaults'}.")


def check_state_folder(folder: Path) -> CheckResult:
    """Check that the state folder can be written, after creating it if needed."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"draftroom")
    except OSError as error:
        return build_failed_check("state folder", make_storage_error(error, folder))
    return CheckResult("state folder", "ok", f"{folder} can be written.")


async def check_checkpoint_store(address: str) -> CheckResult:
    """Check that the checkpoint store at an address can be opened."""
    try:
        async with open_checkpointer(address):
            # A Postgres address may hold a password, so only its scheme is shown.
            return CheckResult("checkpoints", "ok", f"Kept in {address.partition(':')[0]}.")
    except DraftroomError as error:
        return build_failed_check("checkpoints", error)


def list_distinct_models(settings: Settings) -> dict[str, ModelSettings]:
    """Return the models in use, each once, in a dictionary by a line with its roles, name and endpoint."""
    distinct: dict[tuple[str, str], tuple[ModelSettings, list[str]]] = {}
    for role in (*AGENTS, *(role for role in OPTIONAL_ROLES if settings.has_own_model(role))):
        model = settings.resolve_model_settings(role)
        distinct.setdefault((model.model, model.address), (model, []))[1].append(role)
    found: dict[str, ModelSettings] = {}
    for model, roles in distinct.values():
        shown = ["all agents", *roles[len(AGENTS) :]] if set(AGENTS) <= set(roles) else roles
        found[f"{', '.join(map(format_identifier, shown))}: {model.model} at {model.address}"] = model
    return found


async def check_model(settings: ModelSettings) -> list[CheckResult]:
    """Check a model and its endpoint in several steps, up to a failure that makes further steps useless."""
    once = settings.model_copy(update={"retries": 0, "startup_wait_s": 0})
    brief = once.model_copy(update={"timeout_s": min(settings.timeout_s, ENDPOINT_TIMEOUT_S)})
    name, has_key = settings.api_key_env, bool(os.environ.get(settings.api_key_env))
    used = f"The one in {name} is accepted." if has_key else f"{name} is not set, and no key is asked for."
    passed = [CheckResult("endpoint", "ok", "It answers."), CheckResult("key", "ok", used)]
    try:
        endpoint = await fetch_endpoint(brief)
    except DraftroomError as error:
        if error.kind == "endpoint_refused":
            return [passed[0], build_failed_check("key", error)]
        if error.kind == "wrong_model":
            return [*passed, build_failed_check("model", error)]
        return [build_failed_check("endpoint" if settings.is_endpoint else "provider", error)]
    checks = [CheckResult("provider", "ok", "Its class is installed; the test question below shows the rest.")]
    if settings.is_endpoint:
        checks = [*passed, CheckResult("model", "ok", f"It serves {', '.join(sorted(endpoint.context_lengths))}.")]
    counting = CheckResult("token counting", "ok", "The server counts them.")
    if not endpoint.counts_tokens:
        mend = "Papers may be trimmed more than necessary; vLLM and llama.cpp count exactly."
        counting = CheckResult("token counting", "warning", "It has no /tokenize, so tokens are estimated.", mend)
    checks += [check_context_length(settings, endpoint), counting]
    # A server that does not report its context length may cut prompts without an error.
    if endpoint.context_lengths[settings.model] is None:
        checks.append(await check_long_prompts(once))
    return [*checks, await check_structured_output(brief)]


def check_context_length(settings: ModelSettings, endpoint: Endpoint) -> CheckResult:
    """Check that the context length is known, not above the server's, and long enough."""
    length, reported = find_context_length(settings, endpoint), endpoint.context_lengths[settings.model]
    if length is None:
        mend = "Set `context_length` to what the server was started with, so that long papers are trimmed to it."
        return CheckResult("context", "warning", "The endpoint does not report its context length.", mend)
    if reported is not None and length > reported:
        found = f"`context_length` is {length} tokens, but the server has {reported}."
        return CheckResult("context", "failed", found, f"Set it to {reported} or leave it out.", "context_overflow")
    if length < MIN_CONTEXT_TOKENS:
        found = f"The context has {length} tokens, but agents need {MIN_CONTEXT_TOKENS}."
        mend = "Serve the model with a longer one (vLLM: --max-model-len), or choose another model."
        return CheckResult("context", "failed", found, mend, "context_overflow")
    return CheckResult("context", "ok", f"It has {length} tokens.")


async def check_long_prompts(settings: ModelSettings) -> CheckResult:
    """Check that the server reads a long prompt as a whole; Ollama cuts it without an error."""
    most = int((settings.context_length or len(LONG_PROMPT)) * CHARACTERS_PER_TOKEN)
    name, prompt = "long prompts", LONG_PROMPT[-most:]
    sent = int(len(prompt) / CHARACTERS_PER_TOKEN)
    try:
        (answer,) = await request_completions(prompt, settings, None, PROBE_MAX_TOKENS, lambda *_: None)
    except ContextOverflowError:
        return CheckResult(name, "ok", "The endpoint refuses prompts that are too long.")
    except DraftroomError as error:
        return build_failed_check(name, error)
    if is_prompt_truncated(answer["input_tokens"], sent):
        found = f"The server read {answer['input_tokens']:,} of about {sent:,} tokens, and cut the others silently."
        mend = "Serve the model with a longer context (Ollama: `num_ctx`), and set `context_length` to it."
        return CheckResult(name, "warning", found, mend)
    return CheckResult(name, "ok", "They are read as a whole.")


async def check_structured_output(settings: ModelSettings) -> CheckResult:
    """Check that the model's answer to a test question keeps to a JSON schema, and measure its time."""
    name, constrained = "structured output", settings.structured_output == "json_schema"
    question = TEST_QUESTION if constrained else TEST_QUESTION + JSON_INSTRUCTION
    schema = Colour.model_json_schema()
    try:
        (answer,) = await request_completions(question, settings, schema, ANSWER_TOKENS, lambda *_: None)
        parse_answer(answer, Colour, Limits())
    except UnusableAnswerError as problem:
        usual = "Choose a stronger model, or an endpoint that constrains decoding."
        if constrained:
            usual = 'Set `structured_output = "prompt"` for this model, or serve it with vLLM.'
        found, mend = f"An answer did not keep to its schema: {problem}.", describe_remedy(str(problem), usual)
        return CheckResult(name, "warning", found, mend)
    except DraftroomError as error:
        return build_failed_check(name, error)
    way = "Answers are constrained to JSON schemas" if constrained else "Answers keep to JSON when asked to"
    return CheckResult(name, "ok", f"{way}; one took {answer['seconds']:.1f} s.")


def check_review_setup(settings: FeedbackSettings) -> list[CheckResult]:
    """Check what `draftroom review` needs: its packages, the embedding model and the literature."""
    if missing := list_missing_packages(REVIEW):
        found = f"{', '.join(missing)} is not installed, so papers cannot be reviewed."
        return [CheckResult("review", "warning", found, "For `draftroom review`: pip install 'draftroom[review]'")]
    installed = CheckResult("review", "ok", "Its packages are installed.")
    embedding = [check_embedding_model(settings.embedding)] if settings.retrieval != "bm25" else []
    return [installed, *embedding, check_literature_folder(settings.literature)]


def check_embedding_model(settings: EmbeddingSettings) -> CheckResult:
    """Check that the embedding model can be loaded or its endpoint answers, and measure its time."""
    begin = time.perf_counter()
    try:
        vector = choose_embeddings(settings).embed_query(SAMPLE_TEXT)
    except DraftroomError as error:
        return build_failed_check("embedding model", error)
    seconds, place = time.perf_counter() - begin, settings.base_url or settings.use or settings.provider
    found = f"{settings.model} {f'at {place}' if place else 'on this machine'} gives {len(vector)} numbers a text"
    return CheckResult("embedding model", "ok", f"{found}; the first took {seconds:.1f} s.")


def check_literature_folder(settings: LiteratureSettings) -> CheckResult:
    """Check that the folder of other studies exists, if it is used; report its number of files and the services."""
    services = [name if ":" in name else name.replace("_", " ") for name in settings.providers if name != "folder"]
    asked = f"Questions go to {', '.join(services)}." if services else "Nothing is looked up on the web."
    if settings.folder is None or "folder" not in settings.providers:
        return CheckResult("literature", "ok", f"No folder of other studies is set. {asked}")
    folder = Path(settings.folder).expanduser()
    if not folder.is_dir():
        mend = "Make it, or set `literature.folder` to another one."
        return CheckResult("literature", "failed", f"There is no folder {settings.folder}.", mend, "missing_file")
    files = sum(path.is_file() for path in folder.rglob("*"))
    return CheckResult("literature", "ok", f"{folder} holds {files} files. {asked}")


def run_doctor(
    preset: PresetOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the results as JSON.")] = False,
) -> None:
    """Check settings, endpoints, models and folders.

    Each problem comes with its fix.
    """
    with ERR.status("Asking the endpoints"):
        checks = run_checks(preset)
    if as_json:
        typer.echo(json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2))
    else:
        table = Table("check", "", "found", "how to fix it", show_lines=False)
        for subject, group in groupby(checks, key=lambda check: check.subject):
            table.add_section()
            if subject:
                table.add_row("", "", Text(strip_control_characters(subject), style="bold"))
            for check in group:
                found, mend = (Text(strip_control_characters(text)) for text in (check.found, check.mend))
                table.add_row(check.name, Text(check.status, style=_STATUS_COLOURS[check.status]), found, mend)
        print_table(OUT, table)
    # The exit code is that of the first failure.
    if kinds := [check.kind for check in checks if check.kind]:
        raise typer.Exit(EXIT_CODES[kinds[0]])
    if not as_json:
        print_to_stderr(f"Next: draftroom explain PAPER, draftroom review PAPER{format_page_hint()}.")
