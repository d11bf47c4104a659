"""`draftroom init`: find local models by asking OpenAI-compatible servers, and write a settings file."""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import httpx2
import typer
from platformdirs import user_config_path

from draftroom.doctor import run_doctor
from draftroom.files import build_output_error
from draftroom.rendering.console import ERR, print_to_stderr
from serving.profiles import LOOPBACK, list_profile_names, load_profile
from state.errors import ModelUnavailableError, SettingsError
from tools.configuration import find_settings_file

_DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"
# The default port of each server.
USUAL_PORTS = {"vLLM": 8000, "Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234}
REQUEST_TIMEOUT_S = 5.0
# Models with fewer parameters get the preset `laptop`.
SMALL_MODEL_PARAMETERS = 4e9
# Parts of the names of models that cannot chat.
_NON_CHAT_MARKERS = ("embed", "rerank", "whisper", "minilm", "bge-")
# Finds "0.5b" in "qwen2.5-0.5b-instruct", but not "2.5".
_SIZE_PATTERN = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)([bm])(?![a-z\d])")
_SIZE_UNITS = {"b": 1e9, "m": 1e6}


@dataclass(frozen=True)
class LocalModel:
    """Name and address of a model that a server lists, or of one of a provider."""

    name: str
    base_url: str
    provider: str = ""

    @property
    def size(self) -> float:
        """Number of parameters according to the model's name, or 0 if it says none."""
        sizes = [float(number) * _SIZE_UNITS[unit] for number, unit in _SIZE_PATTERN.findall(self.name.lower())]
        return max(sizes, default=0)


def init_settings(
    *,
    base_url: Annotated[list[str] | None, typer.Option(help="Ask only this address; repeatable.")] = None,
    model: Annotated[str | None, typer.Option(help="Model that writes; by default the largest.")] = None,
    reader: Annotated[str | None, typer.Option(help="Weaker model that reads; by default the smallest.")] = None,
    provider: Annotated[
        str | None, typer.Option(help="Provider of --model, such as anthropic or ollama; no server is looked for.")
    ] = None,
    api_key_env: Annotated[
        str, typer.Option(help="Environment variable with the key of --base-url.")
    ] = _DEFAULT_KEY_VARIABLE,
    for_user: Annotated[bool, typer.Option("--user", help="Write it into your configuration folder.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing settings file.")] = False,
) -> None:
    """Find local models, and write `draftroom.toml`.

    Then run the checks of `draftroom doctor`.
    """
    path = Path(os.environ.get("DRAFTROOM_CONFIG") or "draftroom.toml").expanduser()
    if for_user:
        path = user_config_path("draftroom", appauthor=False) / "draftroom.toml"
    if path.exists() and not force:
        raise SettingsError(f"{path} is there already; change it by hand, or add --force to replace it.")
    if provider:
        if not model:
            raise typer.BadParameter("--provider needs --model, the name of one of its models.")
        address = base_url[0] if base_url else ""
        writer, weaker = (LocalModel(name, address, provider) for name in (model, reader or model))
    else:
        writer, weaker = _choose_models(_discover_models(base_url, api_key_env), model, reader)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(render_settings_file(writer, weaker, api_key_env))
    except OSError as error:
        raise build_output_error(path, error.strerror or type(error).__name__) from error
    print_to_stderr(f"Wrote {path}: {writer.name} writes, {weaker.name} reads.")
    print_to_stderr("To choose others: draftroom init --force --model NAME")
    if (used := find_settings_file()) and used.absolute() != path.absolute():
        print_to_stderr(f"In this folder {used} takes precedence.", style="yellow")
    run_doctor()


def render_settings_file(writer: LocalModel, reader: LocalModel, api_key_env: str = _DEFAULT_KEY_VARIABLE) -> str:
    """Return the TOML text of a settings file that names the models; a small writer gets the preset `laptop`.

    Args:
        writer: Model of all roles but the reader.
        reader: Weaker model that reads; may be the same.
        api_key_env: Environment variable with the key; the default one is not written.
    """
    lines = ["# Written by `draftroom init`. The page docs/settings.md lists all that can be set.", ""]
    if 0 < writer.size < SMALL_MODEL_PARAMETERS:
        lines += ['preset = "laptop" # short texts and few rounds, as a small model needs', ""]
    key = api_key_env if api_key_env != _DEFAULT_KEY_VARIABLE else ""
    tables = {writer: "[models.default]"}
    tables.setdefault(reader, "[models.reader] # a weaker one")
    for each, heading in tables.items():
        fields = {"provider": each.provider, "base_url": each.base_url, "model": each.name, "api_key_env": key}
        # A string of JSON is one of TOML, too.
        values = [f"{name} = {json.dumps(value, ensure_ascii=False)}" for name, value in fields.items() if value]
        lines += [heading, *values, ""]
    return "\n".join(lines)


def _discover_models(base_url: list[str] | None, api_key_env: str) -> list[LocalModel]:
    """Print and return the models at the given addresses, else at the usual ones; ModelUnavailableError if none."""
    if base_url:
        key, addresses = os.environ.get(api_key_env, ""), base_url
        fix = f"correct --base-url (it mostly ends in /v1), start the server, or set its key in {api_key_env}"
    else:
        # The servers of the profiles, then the usual ports. A key is sent to no server that was not named.
        profiles = [server.base_url for name in list_profile_names() for server in load_profile(name).servers]
        usual = (f"http://{LOOPBACK}:{port}/v1" for port in USUAL_PORTS.values())
        key, addresses = "", list(dict.fromkeys([*profiles, *usual]))
        fix = "start one with `draftroom models up`, or name your server with --base-url"
    with ERR.status("Asking for models"):
        found = find_models(addresses, key)
    if not found:
        raise ModelUnavailableError(f"No server lists its models (asked: {', '.join(addresses)}); {fix}.")
    for number, model in enumerate(found, start=1):
        print_to_stderr(f"{number}. {model.name} at {model.base_url}")
    return found


def _choose_models(found: Sequence[LocalModel], model: str | None, reader: str | None) -> tuple[LocalModel, LocalModel]:
    """Return the models that write and read, as a pair: by name, else by asking at a terminal, else by size."""
    # The first model does both if no name says a size.
    sized = [each for each in found if each.size]
    largest = max(sized, key=lambda each: each.size, default=found[0])
    smallest = min(sized, key=lambda each: each.size, default=largest)
    if len(found) > 1 and not (model or reader) and sys.stdin.isatty() and ERR.is_terminal:
        writer = _prompt_model_choice("Which one writes?", found, largest)
        return writer, _prompt_model_choice("Which one reads, best a weaker one?", found, smallest)
    writer = select_model_by_name(model, found) if model else largest
    if reader:
        return writer, select_model_by_name(reader, found)
    return writer, smallest if smallest.size < writer.size else writer


def _prompt_model_choice(question: str, found: Sequence[LocalModel], suggestion: LocalModel) -> LocalModel:
    """Ask for the number of a model until it is one, and return the model."""
    number = 0
    while not 0 < number <= len(found):
        number = typer.prompt(f"{question} Its number", default=found.index(suggestion) + 1, type=int, err=True)
    return found[number - 1]


def find_models(addresses: Iterable[str], key: str = "") -> list[LocalModel]:
    """List the chat models at all addresses, asked in parallel; servers that do not answer are skipped.

    The key is sent to all of them, so leave it out for unknown servers.
    """
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx2.Client(headers=headers, timeout=REQUEST_TIMEOUT_S) as client, ThreadPoolExecutor() as pool:
        return [*chain.from_iterable(pool.map(partial(_fetch_served_models, client), addresses))]


def _fetch_served_models(client: httpx2.Client, address: str) -> list[LocalModel]:
    """List the models of a server that can chat; empty if it does not answer properly."""
    try:
        answer: Any = client.get(f"{address.rstrip('/')}/models").raise_for_status().json()
        names = [str(model["id"]) for model in answer["data"]]
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError, TypeError):
        return []
    return [LocalModel(name, address) for name in names if not any(word in name.lower() for word in _NON_CHAT_MARKERS)]


def select_model_by_name(name: str, models: Sequence[LocalModel]) -> LocalModel:
    """Return the first of the models with this name, or raise ModelUnavailableError if there is none."""
    for model in models:
        if model.name == name:
            return model
    served = ", ".join(dict.fromkeys(model.name for model in models))
    raise ModelUnavailableError(f"No server found has the model {name!r}; name one of {served}.", kind="wrong_model")
