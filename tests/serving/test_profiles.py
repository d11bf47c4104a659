"""Profiles are read strictly."""

from pathlib import Path

import pytest

from serving.profiles import load_profile
from state.errors import ServingError

SERVER = """
[[servers]]
name = "one"
model = "hub/model"
served_model_name = "model"
port = 8200
max_model_len = 512
"""
GOOD = 'description = "A test"\ndevice = "cpu"\n' + SERVER


def test_the_paper_s_two_models_fit_on_one_gpu_and_serve_every_role() -> None:
    large, small = load_profile("paper-gpu").servers
    assert large.gpu_memory_utilization is not None
    assert small.gpu_memory_utilization is not None
    assert large.gpu_memory_utilization + small.gpu_memory_utilization < 0.9
    assert {*large.roles, *small.roles} == {"journalist", "editor", "reader"}


def test_a_file_is_named_by_its_file_name(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('name = "other"\n' + GOOD)
    profile = load_profile(path)
    assert profile.name == "mine"
    assert profile.servers[0].base_url == "http://127.0.0.1:8200/v1"


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (GOOD + "prot = 1\n", r"servers\.0\.prot: Extra inputs are not permitted"),
        (GOOD + SERVER, "two servers have the same name"),
        (GOOD + SERVER.replace('"one"', '"two"'), "two servers have the same port"),
        (GOOD + "gpu_memory_utilization = 0.5\n", "gpu_memory_utilization means nothing to vllm on a cpu"),
        (GOOD.replace("cpu", "gpu") + "kv_cache_gib = 2\n", "kv_cache_gib means nothing to vllm on a gpu"),
        (GOOD + "slots = 2\n", "slots means nothing to vllm"),
        ('engine = "llama.cpp"\n' + GOOD + "kv_cache_gib = 2\n", r"kv_cache_gib means nothing to llama\.cpp"),
        ('engine = "llama.cpp"\n' + GOOD.replace("cpu", "gpu"), "vLLM serves a GPU"),
        (GOOD.replace("8200", "80"), r"servers\.0\.port"),
        ("device = ", "not a TOML file"),
        ('device = "cpu"', "servers: Field required"),
    ],
)
def test_a_wrong_file_is_explained(tmp_path: Path, content: str, reason: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(content)
    with pytest.raises(ServingError, match=reason):
        load_profile(path)


def test_a_missing_file_and_a_name_of_ours_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ServingError, match="No such file"):
        load_profile(tmp_path / "none.toml")
    with pytest.raises(ServingError, match="rename the file"):
        load_profile(tmp_path / "embedded.toml")
