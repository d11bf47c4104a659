"""Configurations are found, and one that cannot be used is refused with what is wrong in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from state.errors import SettingsError
from training.configuration import CONFIGS, read_config
from training.run_record import FitConfig


def test_the_configurations_say_which_key_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text("learning_rate = 0.0\nbatch_size = 8\nepochs = 2\npatience = 1\nlr = 1")

    with pytest.raises(SettingsError, match=r"`learning_rate`: .*`lr`"):
        read_config(path, FitConfig)


@pytest.mark.parametrize("text", ["= 1", None], ids=["no TOML", "no file"])
def test_a_configuration_that_cannot_be_read_is_an_error(tmp_path: Path, text: str | None) -> None:
    path = tmp_path / "config.toml"
    if text:
        path.write_text(text)

    with pytest.raises(SettingsError, match="cannot be read"):
        read_config(path, FitConfig)


def test_the_configurations_are_where_the_command_looks_for_them() -> None:
    assert (CONFIGS / "purpose.toml").is_file()
