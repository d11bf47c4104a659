"""`draftroom init`: find the models of this machine, and write the settings file that names them.

They are what servers with OpenAI's list of models say at their usual ports.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
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
from state.model_settings import ModelSettings
from tools.configuration import find_settings_file

_DEFAULT_KEY_VARIABLE = "OPENAI_API_KEY"


def init_settings(
    *,
    base_url: Annotated[
        list[str] | None, typer.Option(help="Ask this address instead of the usual ones; repeatable.")
    ] = None,
    model: Annotated[str | None, typer.Option(help="Name of the model that writes; by default the largest.")] = None,
    reader: Annotated[
        str | None, typer.Option(help="Name of a weaker model that reads; by default the smallest.")
    ] = None,
    api_key_env: Annotated[
        str, typer.Option(help="Name of the environment variable that holds the key of --base-url.")
    ] = _DEFAULT_KEY_VARIABLE,
    for_user: Annotated[
        bool, typer.Option("--user", help="Write the file for all folders, into your configuration folder.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace a settings file that is there.")] = False,
) -> None:
    """Find the models that answer on this machine, write `draftroom.toml`, and check that all works."""
    if for_user:
        path = user_config_path("draftroom", appauthor=False) / "draftroom.toml"
    else:
        path = Path(os.environ.get("DRAFTROOM_CONFIG") or "draftroom.toml").expanduser()
    if path.exists() and not force:
        raise SettingsError(f"{path} is there already; change it by hand, or add --force to replace it.")
    found = _discover_models(base_url, api_key_env)
    writes, reads = _choose_models(found, model, reader)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(render_settings_file(writes, reads, api_key_env))
    except OSError as error:
        raise build_output_error(path, error.strerror or type(error).__name__) from error
    print_to_stderr(
        f"Wrote {path}: {writes.name} writes, {reads.name} reads. Others: draftroom init --force --model NAME"
    )
    if (used := find_settings_file()) and used.absolute() != path.absolute():
        print_to_stderr(f"In this folder {used} comes before it.", style="yellow")
    run_doctor()


def render_settings_file(writes: LocalModel, reads: LocalModel, api_key_env: str = _DEFAULT_KEY_VARIABLE) -> str:
    """A settings file that names the models."""
    lines = ["# Written by `draftroom init`. The page docs/settings.md lists all that can be set.", ""]
    if 0 < writes.size < SMALL_MODEL_PARAMETERS:
        lines += ['preset = "laptop" # short texts and few rounds, as a small model needs', ""]
    lines += ["[models.default]", *_format_model_lines(writes)]
    if api_key_env != _DEFAULT_KEY_VARIABLE:
        lines.append(f"api_key_env = {json.dumps(api_key_env)}")
    if reads != writes:
        lines += ["", "[models.reader] # a weaker one: it shows where a text is hard", *_format_model_lines(reads)]
    return "\n".join(lines) + "\n"


def _format_model_lines(model: LocalModel) -> list[str]:
    """The two lines that name a model; a string of JSON is one of TOML, too."""
    url, name = (json.dumps(text, ensure_ascii=False) for text in (model.base_url, model.name))
    return [f"base_url = {url}", f"model = {name}"]


def _discover_models(base_url: list[str] | None, api_key_env: str) -> list[LocalModel]:
    """What answers at the addresses that were given, with the key, or else at the usual ones, without."""
    addresses = list(map(_validate_server_address, base_url)) if base_url else list_usual_addresses()
    with ERR.status("Asking for models"):
        found = find_models(addresses, os.environ.get(api_key_env, "") if base_url else "")
    if not found:
        asked = ", ".join(addresses)
        mend = (
            f"correct --base-url (it mostly ends in /v1), start the server, or set its key in {api_key_env}"
            if base_url
            else "start one with `draftroom models up`, or name your server with --base-url"
        )
        raise ModelUnavailableError(f"No server tells which models it has (asked: {asked}); {mend}.")
    for number, each in enumerate(found, start=1):
        print_to_stderr(f"{number}. {each.name} at {each.base_url}")
    return found


def _validate_server_address(address: str) -> str:
    try:
        return ModelSettings(base_url=address).base_url
    except ValueError as error:
        raise typer.BadParameter(f"{address!r} is no address like http://127.0.0.1:8000/v1.") from error


def _choose_models(found: Sequence[LocalModel], model: str | None, reader: str | None) -> tuple[LocalModel, LocalModel]:
    """Who writes and who reads: as the flags say, as a person says who can be asked, or as it suggests itself."""
    writes, reads = choose_default_models(found)
    if len(found) > 1 and not (model or reader) and sys.stdin.isatty() and ERR.is_terminal:
        return _prompt_model_choice("Which one writes?", found, writes), _prompt_model_choice(
            "Which one reads, best a weaker one?", found, reads
        )
    writes = select_model_by_name(model, found) if model else writes
    if reader:
        return writes, select_model_by_name(reader, found)
    return writes, reads if reads.size < writes.size else writes


def _prompt_model_choice(question: str, found: Sequence[LocalModel], suggestion: LocalModel) -> LocalModel:
    number = 0
    while not 0 < number <= len(found):
        number = typer.prompt(f"{question} Its number", default=found.index(suggestion) + 1, type=int, err=True)
    return found[number - 1]


USUAL_PORTS = {"vLLM": 8000, "Ollama": 11434, "llama.cpp": 8080, "LM Studio": 1234}
"""The port of each server unless it is told otherwise."""
REQUEST_TIMEOUT_S = 5.0
SMALL_MODEL_PARAMETERS = 4e9
"""Parameters below which a model needs short texts and few rounds."""

_NON_CHAT_MARKERS = ("embed", "rerank", "whisper", "minilm", "bge-")
"""In names of models that answer no chat."""
_SIZE_PATTERN = re.compile(r"(?<![\d.])(\d+(?:\.\d+)?)([bm])(?![a-z\d])")
_SIZE_UNITS = {"b": 1e9, "m": 1e6}


@dataclass(frozen=True)
class LocalModel:
    """A model that a server says it serves."""

    name: str
    base_url: str

    @property
    def size(self) -> float:
        """How many parameters its name says that it has; 0 if it does not say."""
        sizes = [float(number) * _SIZE_UNITS[unit] for number, unit in _SIZE_PATTERN.findall(self.name.lower())]
        return max(sizes, default=0)


def list_usual_addresses() -> list[str]:
    """Where servers of models usually listen on this machine, those of our profiles before the others."""
    ours = [server.base_url for name in list_profile_names() for server in load_profile(name).servers]
    return list(dict.fromkeys([*ours, *(f"http://{LOOPBACK}:{port}/v1" for port in USUAL_PORTS.values())]))


def find_models(addresses: Iterable[str], key: str = "") -> list[LocalModel]:
    """Ask all addresses at once which models they serve; one that does not answer serves none.

    Args:
        addresses: Base URLs.
        key: That is sent to all of them. Whoever listens on a usual port of this machine should get none.
    """
    return asyncio.run(_fetch_all_models(addresses, key))


async def _fetch_all_models(addresses: Iterable[str], key: str) -> list[LocalModel]:
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with httpx2.AsyncClient(headers=headers, timeout=REQUEST_TIMEOUT_S) as client:
        found = await asyncio.gather(*(_fetch_served_models(client, address) for address in addresses))
    return [model for models in found for model in models]


async def _fetch_served_models(client: httpx2.AsyncClient, address: str) -> list[LocalModel]:
    try:
        answer: Any = (await client.get(f"{address.rstrip('/')}/models")).raise_for_status().json()
        names = [str(model["id"]) for model in answer["data"]]
    except (httpx2.HTTPError, httpx2.InvalidURL, ValueError, KeyError, TypeError):
        return []
    return [LocalModel(name, address) for name in names if not any(word in name.lower() for word in _NON_CHAT_MARKERS)]


def choose_default_models(models: Sequence[LocalModel]) -> tuple[LocalModel, LocalModel]:
    """Which of the models should write and which should read: the largest and the smallest, as their names say it.

    Where no name says a size, the first does both.
    """
    sized = [model for model in models if model.size]
    writer = max(sized, key=lambda model: model.size, default=models[0])
    return writer, min(sized, key=lambda model: model.size, default=writer)


def select_model_by_name(name: str, models: Sequence[LocalModel]) -> LocalModel:
    """The model of this name.

    Raises:
        ModelUnavailable: If nobody serves it.
    """
    found = next((model for model in models if model.name == name), None)
    if found is None:
        served = ", ".join(dict.fromkeys(model.name for model in models))
        raise ModelUnavailableError(
            f"No server that answers has the model {name!r}; name one of {served}.", kind="wrong_model"
        )
    return found
