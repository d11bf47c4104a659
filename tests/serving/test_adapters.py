"""LoRA adapters are served beside the model that they were trained on."""

import json
from pathlib import Path

import pytest

from serving.adapters import with_adapters
from serving.profiles import Profile, Server, load_profile
from serving.servers import status, up
from state.errors import ServingError
from tests.serving.conftest import Home
from tests.serving.test_commands import run


def adapter(folder: Path, **config: object) -> Path:
    folder.mkdir(parents=True)
    (folder / "adapter_config.json").write_text(json.dumps({"peft_type": "LORA", "r": 8} | config))
    return folder


def serving(profile: Profile) -> dict[str, list[str]]:
    """The adapters of each server, by the server's name."""
    return {server.name: list(server.adapters) for server in profile.servers}


def test_vllm_is_told_of_the_adapters_and_a_rank_that_it_knows(home: Home) -> None:
    folders = [adapter(home.folder / "a b", r=12), adapter(home.folder / "other", r=8)]
    profile = with_adapters(home.profile(), [f"journalist={folders[0]}", f"editor={folders[1]}"])
    up(profile, home.steps.append)

    (start,) = home.starts()
    given = {name: value for name, value in start["options"].items() if "lora" in name}
    assert given == {
        "enable_lora": True,
        "max_lora_rank": 16,  # the next above 12
        "max_loras": 2,
        "lora_modules": [f"journalist={folders[0]}", f"editor={folders[1]}"],
    }


@pytest.mark.parametrize("adapted", [True, False], ids=["with an adapter", "without"])
def test_on_a_cpu_vllm_gets_the_time_and_the_memory_that_adapters_take(home: Home, adapted: bool) -> None:
    profile = home.profile()
    up(with_adapters(profile, [f"warm={adapter(home.folder / 'warm')}"]) if adapted else profile, home.steps.append)
    (start,) = home.starts()
    assert ("VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS" in start["environment"]) is adapted
    assert ("MALLOC_MMAP_THRESHOLD_" in start["environment"]) is adapted


def test_the_command_names_every_model_and_shows_a_change_of_adapters(home: Home) -> None:
    server = home.profile().servers[0]
    file, folder = str(home.folder / "mine.toml"), adapter(home.folder / "warm")
    wanted = ("up", "--profile", file, "--lora", f"journalist={folder}")
    code, output, errors = run(*wanted)
    assert code == 0, errors
    assert output == f"model-one answers at {server.base_url}\njournalist answers at {server.base_url}\n"
    assert run(*wanted)[1].startswith("mine is already up.")

    code, _, errors = run("up", "--profile", file)
    assert code != 0
    assert "runs with another definition" in " ".join(errors.split())


def test_a_server_that_left_an_adapter_out_is_not_ready(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VLLM_MODE", "no-adapters")
    profile = with_adapters(home.profile(ready_timeout_s=2), [f"journalist={adapter(home.folder / 'warm')}"])
    with pytest.raises(ServingError, match="did not answer"):
        up(profile, home.steps.append)
    assert [server.state for server in status("mine", profile)] == ["stopped"]


def test_an_adapter_goes_to_the_server_of_its_role(home: Home) -> None:
    paper = with_adapters(load_profile("paper-gpu"), ["reader=a", "journalist=b"])
    assert serving(paper) == {"large": ["journalist"], "small": ["reader"]}
    with pytest.raises(ServingError, match="No server of the profile paper-gpu is meant for the role 'planner'"):
        with_adapters(load_profile("paper-gpu"), ["planner=a"])
    assert serving(with_adapters(home.profile(), ["anything=a"])) == {"one": ["anything"]}


def test_a_profile_can_name_its_adapters_itself(home: Home) -> None:
    profile = home.profile()
    path, folder = home.folder / "mine.toml", adapter(home.folder / "warm")
    path.write_text(f"{path.read_text()}\nadapters = {{ journalist = {json.dumps(str(folder))} }}\n")
    assert load_profile(path).servers[0].adapters == {"journalist": folder}
    assert profile.servers[0].adapters == {}


@pytest.mark.parametrize("written", ["journalist", "journalist=", "=folder"])
def test_an_adapter_without_name_or_folder_is_refused(home: Home, written: str) -> None:
    with pytest.raises(ServingError, match="must be given as NAME=FOLDER"):
        with_adapters(home.profile(), [written])


def test_an_engine_without_adapters_says_so_before_anything_starts(home: Home) -> None:
    with pytest.raises(ServingError, match=r"runs on llama\.cpp, which serves no adapters here.*--profile embedded"):
        with_adapters(home.profile(engine="llama.cpp"), ["tuned=a"])


def refusal(home: Home, server: Server) -> str:
    with pytest.raises(ServingError) as caught:
        up(home.profile().model_copy(update={"servers": [server]}), home.steps.append)
    assert home.starts() == []
    return str(caught.value)


def test_what_is_no_adapter_is_refused_before_anything_starts(home: Home) -> None:
    server = home.profile().servers[0]

    def of(name: str, folder: Path) -> Server:
        return server.model_copy(update={"adapters": {name: folder}})

    assert "is no folder that PEFT wrote" in refusal(home, of("warm", home.folder / "nowhere"))
    broken = adapter(home.folder / "broken", r="many")
    assert "names no rank `r` from 1 to 512" in refusal(home, of("warm", broken))
    assert "names no rank" in refusal(home, of("warm", adapter(home.folder / "wide", r=1024)))
    assert "both named model-one" in refusal(home, of("model-one", adapter(home.folder / "good")))
