"""Servers are started, found again and stopped."""

import os
import signal
import socket
import threading

import psutil
import pytest

from serving.processes import ServerRecord, load_server_records, save_server_records
from serving.profiles import Profile
from serving.servers import list_server_statuses, start_profile_servers, stop_profile_servers
from state.errors import ServingError, StateError
from tests.serving.conftest import Home, running


def states(profile: Profile) -> list[str]:
    return [server.state for server in list_server_statuses(profile.name, profile)]


def record_of(profile: Profile) -> ServerRecord:
    return load_server_records(profile.name)[profile.servers[0].name]


def kill(pid: int) -> None:
    os.kill(pid, signal.SIGKILL)
    psutil.Process(pid).wait(10)


def test_vllm_is_told_what_the_profile_says(home: Home) -> None:
    profile = home.profile(kv_cache_gib=3, dtype="bfloat16", extra_args=["--max-num-seqs", "4", "--host", "0.0.0.0"])
    start_profile_servers(profile, home.steps.append)

    (start,) = home.starts()
    assert start["options"] == {
        "model": "hub/model",
        "served_model_name": "model-one",
        "host": "127.0.0.1",  # a profile cannot open the server to the network
        "port": profile.servers[0].port,
        "max_model_len": 512,
        "dtype": "bfloat16",
        "generation_config": "vllm",  # a model's own sampling defaults do not stand beside ours
        "max_num_seqs": 4,
        "gpu_memory_utilization": None,
        "disable_uvicorn_access_log": True,
    }
    environment = start["environment"]
    assert environment["VLLM_CPU_KVCACHE_SPACE"] == "3"
    assert environment["VLLM_NO_USAGE_STATS"] == environment["DO_NOT_TRACK"] == "1"
    assert environment["VLLM_CACHE_ROOT"].startswith(str(home.folder))
    assert "HF_HUB_OFFLINE" not in environment  # this model comes from the hub


def test_llama_cpp_serves_a_file_in_so_many_slots(home: Home) -> None:
    gguf = home.folder / "weights.gguf"
    gguf.touch()
    profile = home.profile(engine="llama.cpp", model=str(gguf), slots=3)
    start_profile_servers(profile, home.steps.append)
    assert states(profile) == ["running"]
    (start,) = home.starts()
    assert start["options"] == {
        "model": str(gguf),
        "served_model_name": ["model-one"],
        "hostnames": ["127.0.0.1"],
        "port": profile.servers[0].port,
        "n_ctx": 3 * 512,  # divided among the slots
        "n_parallel": 3,
    }
    stop_profile_servers("mine", home.steps.append)
    assert not running(start["pid"])


def test_llama_cpp_needs_a_file(home: Home) -> None:
    with pytest.raises(ServingError, match=r"llama\.cpp serves GGUF files, and there is none at .*hub/model"):
        start_profile_servers(home.profile(engine="llama.cpp"), home.steps.append)


def test_a_model_in_a_folder_is_served_offline(home: Home) -> None:
    (home.folder / "weights").mkdir()
    start_profile_servers(home.profile(model=str(home.folder / "weights")), home.steps.append)

    (start,) = home.starts()
    assert start["environment"]["HF_HUB_OFFLINE"] == "1"
    assert start["options"]["model"] == str(home.folder / "weights")


def test_a_server_that_was_killed_is_stale_and_replaced(home: Home) -> None:
    profile = home.profile()
    start_profile_servers(profile, home.steps.append)
    first = record_of(profile)
    kill(first.process.pid)
    assert states(profile) == ["stale"]

    assert start_profile_servers(profile, home.steps.append) == profile.servers
    assert states(profile) == ["running"]
    assert record_of(profile).process != first.process
    assert not running(home.starts()[0]["engine"])  # it outlived the server that it worked for
    assert any("ended without having been stopped" in step for step in home.steps)


def test_a_process_that_got_the_same_pid_is_not_taken_for_the_server(home: Home) -> None:
    profile = home.profile()
    start_profile_servers(profile, home.steps.append)
    record = record_of(profile)
    stop_profile_servers("mine", home.steps.append)
    reused = record.process.model_copy(update={"pid": os.getpid()})
    save_server_records("mine", {"one": record.model_copy(update={"process": reused})})

    assert states(profile) == ["stale"]
    assert stop_profile_servers("mine", home.steps.append) == []  # this process would not get here if it were stopped
    assert states(profile) == ["stopped"]


def test_a_port_in_use_is_named(home: Home) -> None:
    profile = home.profile()
    port = profile.servers[0].port
    with socket.create_server(("127.0.0.1", port)), pytest.raises(ServingError, match=f"Port {port}.*in use"):
        start_profile_servers(profile, home.steps.append)
    assert home.starts() == []


def test_a_server_that_dies_at_start_is_explained_by_its_log(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VLLM_MODE", "fail")
    profile = home.profile()
    with pytest.raises(ServingError) as caught:
        start_profile_servers(profile, home.steps.append)

    assert "ValueError: No available memory for the cache blocks" in str(caught.value)
    assert "loading weights" not in str(caught.value)
    log = home.servers / "mine-one.log"
    assert str(log) in str(caught.value)
    assert "loading weights" in log.read_text()
    assert states(profile) == ["stopped"]


def test_a_server_that_never_answers_is_given_up_and_stopped(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VLLM_GATE", str(home.folder / "gate"))
    profile = home.profile(ready_timeout_s=1)
    with pytest.raises(ServingError, match=r"did not answer at .* within 1 s"):
        start_profile_servers(profile, home.steps.append)
    assert states(profile) == ["stopped"]
    assert not any(running(start["pid"]) or running(start["engine"]) for start in home.starts())


def test_if_one_server_fails_the_others_are_stopped(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VLLM_MODE", "fail:model-two")
    profile = home.profile("one", "two")
    with pytest.raises(ServingError, match="server two ended"):
        start_profile_servers(profile, home.steps.append)
    first, _ = home.starts()
    assert not running(first["pid"])
    assert states(profile) == ["stopped", "stopped"]


def test_a_server_that_is_starting_is_waited_for(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = home.folder / "gate"
    gate.touch()
    monkeypatch.setenv("FAKE_VLLM_GATE", str(gate))
    profile = home.profile()
    start_profile_servers(profile, home.steps.append)
    gate.unlink()  # as a starter leaves it that was killed before its server answered
    assert states(profile) == ["not answering"]
    threading.Timer(0.4, gate.touch).start()
    assert start_profile_servers(profile, home.steps.append) == []
    assert states(profile) == ["running"]
    assert len(home.starts()) == 1


def test_a_changed_profile_asks_for_a_restart(home: Home) -> None:
    profile = home.profile()
    start_profile_servers(profile, home.steps.append)
    changed = profile.servers[0].model_copy(update={"max_model_len": 1024})
    with pytest.raises(ServingError, match="draftroom models down --profile mine"):
        start_profile_servers(profile.model_copy(update={"servers": [changed]}), home.steps.append)


def test_an_engine_that_ignores_the_signal_is_killed(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE_VLLM_MODE", "stubborn")
    profile = home.profile()
    start_profile_servers(profile, home.steps.append)
    (start,) = home.starts()
    record_of(profile).process.stop(grace_s=0)
    assert not running(start["engine"])


def test_a_state_file_of_something_else_is_reported(home: Home) -> None:
    home.servers.mkdir(parents=True)
    (home.servers / "mine.json").write_text('{"one": {"pid": 1}}')
    with pytest.raises(ServingError, match=r"mine\.json cannot be understood"):
        start_profile_servers(home.profile(), home.steps.append)


def test_a_home_that_cannot_be_written_is_reported(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    profile = home.profile()
    (home.folder / "file").touch()
    monkeypatch.setenv("DRAFTROOM_HOME", str(home.folder / "file"))
    with pytest.raises(StateError, match="DRAFTROOM_HOME"):
        start_profile_servers(profile, home.steps.append)
