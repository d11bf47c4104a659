"""Looks at everything that a run needs, and says of each thing that is wrong how to mend it."""

from __future__ import annotations

import asyncio
import json
import os
import tempfile
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Annotated, Literal

import typer
from pydantic import BaseModel, ConfigDict
from rich.table import Table
from rich.text import Text

from draftroom.exit_codes import EXIT_CODES
from draftroom.extras import REVIEW, missing_packages, where_runs_are_shown
from draftroom.rendering.account import spoken
from draftroom.rendering.console import ERR, OUT, print_table, tell
from runs.checkpoints import open_checkpointer
from state.errors import BadInput, ContextOverflow, DraftroomError, Kind, SettingsError
from state.files import state_folder, storage_error
from state.model_settings import Limits, ModelSettings
from state.settings import AGENTS, OPTIONAL_ROLES, EmbeddingSettings, FeedbackSettings, LiteratureSettings, Settings
from tools.configuration import load_settings, settings_file
from tools.models import Endpoint, close_clients, complete, describe_endpoint
from tools.models.ask import APART, Unusable, advise, is_far_less, parse
from tools.models.client import SHORT_ANSWER
from tools.models.endpoint import CHARACTERS_PER_TOKEN, context_length
from tools.retrieval import Embedding
from tools.retrieval.embedders import embedder_for
from tools.text import plain

Status = Literal["ok", "warning", "failed"]

FEWEST_CONTEXT_TOKENS = 4096
"""A page of paper, an article, the instructions and the answer do not fit into less."""

PATIENCE_S = 60.0  # longest silence of an endpoint here; a run may wait longer

ANSWER_TOKENS = 256
QUESTION = "Write one short sentence about the sea."
LONG_PROMPT = f"{'The tide comes in, and it goes out again. ' * 640}{QUESTION}"
"""Of more than the 4,096 tokens that Ollama reads unless it is told otherwise."""
AS_JSON = ' Answer with nothing but a JSON object like {"colour": "blue"}; the colour is red, green or blue.'


SAMPLE = "The seedlings were watered with cold tea."


@dataclass(frozen=True)
class Check:
    """What was looked at and found."""

    name: str
    status: Status
    found: str
    mend: str = ""
    """One sentence on how to mend it; empty if there is nothing to mend."""
    kind: Kind | None = None
    """If it failed: the error that a run would end with."""
    subject: str = ""
    """The roles, model and endpoint it is about; empty if it is about this machine."""


def failed(name: str, error: DraftroomError) -> Check:
    """A check that ended with `error`, whose message tells what happened and, after a semicolon, what to change."""
    found, _, mend = str(error).rpartition("; ")
    if not found:
        return Check(name, "failed", mend, kind=error.kind)
    return Check(name, "failed", f"{found}.", mend[:1].upper() + mend[1:], error.kind)


class Colour(BaseModel):
    """The answer to a question that no model would answer so by itself."""

    model_config = ConfigDict(extra="forbid")

    colour: Literal["red", "green", "blue"]


def examine(preset: str | None = None) -> list[Check]:
    """Make all checks; those that need something which is missing are left out."""
    settings: Settings | None = None
    try:
        settings = load_settings({"preset": preset} if preset else None)
        first = settings_found(settings, os.environ)
    except SettingsError as error:
        mend = "Correct it; docs/settings.md lists every setting with the values that it takes."
        first = Check("settings", "failed", str(error), mend, error.kind)
    folder = state_folder().absolute()
    return [
        first,
        folder_is_writable(folder),
        *(asyncio.run(services_work(settings)) if settings else []),
        *(review_works(settings.feedback) if settings else []),
    ]


async def services_work(settings: Settings) -> list[Check]:
    """The checks of what must be asked: where checkpoints are kept, and every model."""
    checks = [await checkpoints_open(settings.checkpoints)]
    for subject, model in distinct_models(settings).items():
        checks += [replace(check, subject=subject) for check in await model_works(model)]
    await close_clients()
    return checks


def settings_found(settings: Settings, environment: Mapping[str, str]) -> Check:
    """Where the settings come from; of variables only the names."""
    variables = sorted(name for name in environment if name.startswith("DRAFTROOM_") and name != "DRAFTROOM_HOME")
    file = settings_file()
    sources = [
        f"the preset {settings.preset}" if settings.preset else "",
        f"the file {file.absolute()}" if file else "",
        f"the environment ({', '.join(variables)})" if variables else "",
    ]
    return Check("settings", "ok", f"From {', '.join(filter(None, sources)) or 'the built-in defaults'}.")


def folder_is_writable(folder: Path) -> Check:
    """Whether runs and checkpoints can be kept; makes the folder if it is not there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"draftroom")
    except OSError as error:
        return failed("state folder", storage_error(error, folder))
    return Check("state folder", "ok", f"{folder} can be written.")


async def checkpoints_open(address: str) -> Check:
    """Whether the checkpoints can be opened; a Postgres address may hold a password, so none is shown."""
    try:
        async with open_checkpointer(address):
            return Check("checkpoints", "ok", f"Kept in {address.partition(':')[0]}.")
    except DraftroomError as error:
        return failed("checkpoints", error)


def distinct_models(settings: Settings) -> dict[str, ModelSettings]:
    """The models in use, each once, by a line that names its roles and its endpoint."""
    roles: dict[tuple[str, str], list[str]] = {}
    models: dict[tuple[str, str], ModelSettings] = {}
    for role in (*AGENTS, *(role for role in OPTIONAL_ROLES if settings.names(role))):
        model = settings.model_for(role)
        key = (model.model, model.base_url)
        roles.setdefault(key, []).append(spoken(role))
        models.setdefault(key, model)
    agents = [spoken(role) for role in AGENTS]
    found: dict[str, ModelSettings] = {}
    for (name, base_url), model in models.items():
        shown = roles[name, base_url]
        if set(agents) <= set(shown):
            shown = ["all agents", *(role for role in shown if role not in agents)]
        found[f"{', '.join(shown)}: {name} at {base_url}"] = model
    return found


async def model_works(settings: ModelSettings) -> list[Check]:
    """Check a model as far as its endpoint can be asked: it may not answer, refuse the key, or serve other models."""
    patient = settings.model_copy(update={"timeout_s": min(settings.timeout_s, PATIENCE_S), "retries": 0})
    reached = Check("endpoint", "ok", "It answers.")
    named = f"The one in {settings.api_key_env} is accepted."
    no_key = f"{settings.api_key_env} is not set, and no key is asked for."
    key = Check("key", "ok", named if os.environ.get(settings.api_key_env) else no_key)
    try:
        endpoint = await describe_endpoint(patient)
    except DraftroomError as error:
        match error.kind:
            case "endpoint_refused":
                return [reached, failed("key", error)]
            case "wrong_model":
                return [reached, key, failed("model", error)]
            case _:
                return [failed("endpoint", error)]
    return [
        reached,
        key,
        Check("model", "ok", f"It serves {', '.join(sorted(endpoint.context_lengths))}."),
        context_is_enough(settings, endpoint),
        tokens_are_counted(endpoint),
        *(
            [await prompts_are_read(settings.model_copy(update={"retries": 0}))]
            if endpoint.context_lengths[settings.model] is None
            else []
        ),
        await output_is_structured(patient),
    ]


def context_is_enough(settings: ModelSettings, endpoint: Endpoint) -> Check:
    """Whether the context length is known, true, and long enough."""
    length, told = context_length(settings, endpoint), endpoint.context_lengths[settings.model]
    if length is None:
        mend = "Set `context_length` to what the server was started with, so that long papers are trimmed to it."
        return Check("context", "warning", "The endpoint does not tell its context length.", mend)
    if told is not None and length > told:
        wrong = f"`context_length` is {length} tokens, but the server has {told}; set it to {told} or leave it out."
        return failed("context", ContextOverflow(wrong))
    if length < FEWEST_CONTEXT_TOKENS:
        return failed(
            "context",
            ContextOverflow(
                f"The context has {length} tokens, but agents need {FEWEST_CONTEXT_TOKENS}; "
                "serve the model with a longer one (vLLM: --max-model-len), or choose another model."
            ),
        )
    return Check("context", "ok", f"It has {length} tokens.")


def tokens_are_counted(endpoint: Endpoint) -> Check:
    """Whether the server counts tokens, or prompts are measured by a cautious estimate."""
    if endpoint.tokenizer:
        return Check("token counting", "ok", "The server counts them.")
    mend = "Nothing breaks, but papers may be trimmed more than they need be; vLLM and llama.cpp would count exactly."
    return Check("token counting", "warning", "The endpoint has no /tokenize, so tokens are estimated.", mend)


async def prompts_are_read(settings: ModelSettings) -> Check:
    """Whether a long prompt is read as a whole by a server that does not tell its context: some cut it in silence."""
    most = int((settings.context_length or len(LONG_PROMPT)) * CHARACTERS_PER_TOKEN)
    name, prompt = "long prompts", LONG_PROMPT[-most:]
    sent = int(len(prompt) / CHARACTERS_PER_TOKEN)
    try:
        (answer,) = await complete(prompt, settings, None, SHORT_ANSWER, lambda *_: None)
    except ContextOverflow:
        return Check(name, "ok", "The endpoint refuses those that are too long.")
    except DraftroomError as error:
        return failed(name, error)
    if is_far_less(answer["input_tokens"], sent, counted=False):
        found = f"Of about {sent:,} tokens the server read {answer['input_tokens']:,}, and cut the others in silence."
        mend = "Serve the model with a longer context (Ollama: `num_ctx`), and set `context_length` to it."
        return Check(name, "warning", found, mend)
    return Check(name, "ok", "They are read as a whole.")


async def output_is_structured(settings: ModelSettings) -> Check:
    """Whether answers keep to a JSON schema, even where the prompt does not mention it; and how long one takes."""
    name, constrained = "structured output", settings.structured_output == "json_schema"
    question = QUESTION if constrained else QUESTION + AS_JSON
    try:
        (answer,) = await complete(question, settings, Colour.model_json_schema(), ANSWER_TOKENS, lambda *_: None)
        parse(answer, Colour, Limits())
    except Unusable as problem:
        found = f"An answer did not keep to its schema: {problem}."
        mend = (
            advise(str(problem))
            if APART in str(problem)
            else (
                'Set `structured_output = "prompt"` for this model, or serve it with vLLM.'
                if constrained
                else "Choose a stronger model, or an endpoint that constrains decoding."
            )
        )
        return Check(name, "warning", found, mend)
    except DraftroomError as error:
        return failed(name, error)
    way = "Answers are constrained to JSON schemas" if constrained else "Answers keep to JSON when asked to"
    return Check(name, "ok", f"{way}; one took {answer['seconds']:.1f} s.")


def review_works(settings: FeedbackSettings) -> list[Check]:
    """All checks; without its packages only that they are missing, for the other commands do without."""
    if missing := missing_packages(REVIEW):
        found = f"{', '.join(missing)} is not installed, so papers cannot be reviewed."
        return [Check("review", "warning", found, "For `draftroom review`: pip install 'draftroom[review]'")]
    embedded = [] if settings.retrieval == "bm25" else [passages_are_embedded(settings.embedding)]
    return [Check("review", "ok", "Its packages are installed."), *embedded, literature_is_there(settings.literature)]


def passages_are_embedded(settings: EmbeddingSettings) -> Check:
    """Whether the embedding model can be loaded, or its endpoint answers, and how long it takes."""
    begin = time.perf_counter()
    try:
        (vector,) = embedder_for(Embedding(**settings.model_dump())).embed([SAMPLE])
    except DraftroomError as error:
        return failed("embedding model", error)
    place = f"at {settings.base_url}" if settings.base_url else "on this machine"
    seconds = time.perf_counter() - begin
    found = f"{settings.model} {place} gives {len(vector)} numbers a text; the first took {seconds:.1f} s."
    return Check("embedding model", "ok", found)


def literature_is_there(settings: LiteratureSettings) -> Check:
    """Whether there is a folder of other studies, and which services are asked besides."""
    services = [name.replace("_", " ") for name in settings.providers if name != "folder"]
    asked = f"Questions go to {', '.join(services)}." if services else "Nothing is looked up on the web."
    if settings.folder is None or "folder" not in settings.providers:
        return Check("literature", "ok", f"No folder of other studies is set. {asked}")
    folder = Path(settings.folder).expanduser()
    if not folder.is_dir():
        missing = BadInput(
            f"There is no folder {settings.folder}; make it, or set `literature.folder` to another one.",
            kind="missing_file",
        )
        return failed("literature", missing)
    files = sum(path.is_file() for path in folder.rglob("*"))
    return Check("literature", "ok", f"{folder} holds {files} files. {asked}")


_COLOURS: dict[Status, str] = {"ok": "green", "warning": "yellow", "failed": "red"}


def doctor(
    preset: Annotated[str | None, typer.Option(help="Settings to start from: a preset's name, or a file.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print what was found as JSON.")] = False,
) -> None:
    """Check settings, endpoints, models and folders, and say how to mend what is wrong."""
    with ERR.status("Asking the endpoints"):
        checks = examine(preset)
    if as_json:
        typer.echo(json.dumps([asdict(check) for check in checks], ensure_ascii=False, indent=2))
    else:
        print_table(OUT, _table(checks))
    kinds = [check.kind for check in checks if check.kind]
    if kinds:
        raise typer.Exit(EXIT_CODES[kinds[0]])
    if not as_json:
        tell(f"Next: draftroom explain PAPER (an article), draftroom review PAPER (comments){where_runs_are_shown()}.")


def _table(checks: list[Check]) -> Table:
    table = Table("check", "", "found", "how to mend it", show_lines=False)
    subject = ""
    for check in checks:
        if check.subject != subject:
            subject = check.subject
            table.add_section()
            if subject:
                table.add_row("", "", Text(plain(subject), style="bold"))
        status = Text(check.status, style=_COLOURS[check.status])
        table.add_row(check.name, status, Text(plain(check.found)), Text(plain(check.mend)))
    return table
