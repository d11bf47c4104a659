from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import get_args

import pytest

from draftroom.exit_codes import CONTRADICTIONS, EXIT_CODES, PAUSED, STOPPED, render_exit_codes
from draftroom.reference import DOCS, render_reference_pages
from state.errors import ErrorKind
from state.model_settings import ModelSettings
from state.settings import AGENTS, SYSTEM_TABLES, Settings
from tests.draftroom.conftest import Command
from tools.configuration import OTHER_VARIABLES, load_settings

ROOT = Path(__file__).parents[2]


def test_every_kind_of_error_has_an_exit_code_of_its_own():
    assert set(EXIT_CODES) == set(get_args(ErrorKind))
    codes = [*EXIT_CODES.values(), PAUSED, CONTRADICTIONS, STOPPED]
    assert len(set(codes)) == len(codes)
    assert min(codes) >= 10
    assert max(codes) <= STOPPED


def test_exit_codes_are_printed_by_the_command(draftroom: Command):
    assert draftroom("exit-codes").stdout == render_exit_codes()


@pytest.mark.parametrize("name", render_reference_pages())
def test_reference_pages_are_current(name: str):
    current = (DOCS / name).read_text(encoding="utf-8")
    assert current == render_reference_pages()[name], "run `python -m draftroom.reference`"


def test_the_example_of_variables_names_every_variable():
    example = (ROOT / ".env.example").read_text(encoding="utf-8")
    named = set(re.findall(r"^# ([A-Z][A-Z_]+?)(?:__[A-Z_]+)?=", example, re.MULTILINE))
    settings = {f"DRAFTROOM_{name.upper()}" for name in Settings.model_fields if name not in SYSTEM_TABLES}
    assert named >= OTHER_VARIABLES | settings | {ModelSettings().api_key_env}


@pytest.mark.parametrize(
    ("preset", "profile"), [("paper", "paper-gpu"), ("laptop", "laptop"), ("laptop", "laptop-vllm")]
)
def test_presets_use_the_servers_of_their_profile(preset: str, profile: str):
    path = ROOT / "serving" / "profiles" / f"{profile}.toml"
    servers = tomllib.loads(path.read_text(encoding="utf-8"))["servers"]
    served = {(f"http://127.0.0.1:{server['port']}/v1", server["served_model_name"]) for server in servers}
    settings = load_settings({"preset": preset})
    roles = [settings.resolve_model_settings(role) for role in AGENTS]
    assert {(role.base_url, role.model) for role in roles} == served
