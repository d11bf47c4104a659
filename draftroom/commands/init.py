"""`draftroom init`: find the models of this machine, and write the settings file that names them."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from platformdirs import user_config_path

from draftroom.commands.doctor import doctor
from draftroom.files import unwritable
from draftroom.local_models import SMALL, LocalModel, find_models, named, suggested, usual_addresses
from draftroom.rendering.console import ERR, tell
from state.errors import ModelUnavailable, SettingsError
from state.model_settings import ModelSettings
from tools.configuration import settings_file

_KEY = "OPENAI_API_KEY"


def init(
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
    ] = _KEY,
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
    found = _found(base_url, api_key_env)
    writes, reads = _choose(found, model, reader)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w" if force else "x", encoding="utf-8") as file:
            file.write(settings_text(writes, reads, api_key_env))
    except OSError as error:
        raise unwritable(path, error.strerror or type(error).__name__) from error
    tell(f"Wrote {path}: {writes.name} writes, {reads.name} reads. Others: draftroom init --force --model NAME")
    if (used := settings_file()) and used.absolute() != path.absolute():
        tell(f"In this folder {used} comes before it.", style="yellow")
    doctor()


def settings_text(writes: LocalModel, reads: LocalModel, api_key_env: str = _KEY) -> str:
    """A settings file that names the models."""
    lines = ["# Written by `draftroom init`. The page docs/settings.md lists all that can be set.", ""]
    if 0 < writes.size < SMALL:
        lines += ['preset = "laptop" # short texts and few rounds, as a small model needs', ""]
    lines += ["[models.default]", *_address(writes)]
    if api_key_env != _KEY:
        lines.append(f"api_key_env = {json.dumps(api_key_env)}")
    if reads != writes:
        lines += ["", "[models.reader] # a weaker one: it shows where a text is hard", *_address(reads)]
    return "\n".join(lines) + "\n"


def _address(model: LocalModel) -> list[str]:
    """The two lines that name a model; a string of JSON is one of TOML, too."""
    url, name = (json.dumps(text, ensure_ascii=False) for text in (model.base_url, model.name))
    return [f"base_url = {url}", f"model = {name}"]


def _found(base_url: list[str] | None, api_key_env: str) -> list[LocalModel]:
    """What answers at the addresses that were given, with the key, or else at the usual ones, without."""
    addresses = list(map(_checked, base_url)) if base_url else usual_addresses()
    with ERR.status("Asking for models"):
        found = find_models(addresses, os.environ.get(api_key_env, "") if base_url else "")
    if not found:
        asked = ", ".join(addresses)
        mend = (
            f"correct --base-url (it mostly ends in /v1), start the server, or set its key in {api_key_env}"
            if base_url
            else "start one with `draftroom models up`, or name your server with --base-url"
        )
        raise ModelUnavailable(f"No server tells which models it has (asked: {asked}); {mend}.")
    for number, each in enumerate(found, start=1):
        tell(f"{number}. {each.name} at {each.base_url}")
    return found


def _checked(address: str) -> str:
    try:
        return ModelSettings(base_url=address).base_url
    except ValueError as error:
        raise typer.BadParameter(f"{address!r} is no address like http://127.0.0.1:8000/v1.") from error


def _choose(found: Sequence[LocalModel], model: str | None, reader: str | None) -> tuple[LocalModel, LocalModel]:
    """Who writes and who reads: as the flags say, as a person says who can be asked, or as it suggests itself."""
    writes, reads = suggested(found)
    if len(found) > 1 and not (model or reader) and sys.stdin.isatty() and ERR.is_terminal:
        return _ask("Which one writes?", found, writes), _ask("Which one reads, best a weaker one?", found, reads)
    writes = named(model, found) if model else writes
    if reader:
        return writes, named(reader, found)
    return writes, reads if reads.size < writes.size else writes


def _ask(question: str, found: Sequence[LocalModel], suggestion: LocalModel) -> LocalModel:
    number = 0
    while not 0 < number <= len(found):
        number = typer.prompt(f"{question} Its number", default=found.index(suggestion) + 1, type=int, err=True)
    return found[number - 1]
