"""LoRA adapters: fine-tuned variants of a server's model that it serves beside it, each under a name of its own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import BaseModel, Field, ValidationError

from serving.profiles import Profile, Server
from state.errors import ServingError

_CONFIG = "adapter_config.json"
_RANKS = (1, 8, 16, 32, 64, 128, 256, 320, 512)
"""What vLLM takes as `--max-lora-rank`."""
_GIB = 2**30


class _Config(BaseModel):
    """What is needed of PEFT's description of an adapter."""

    r: int = Field(ge=1, le=_RANKS[-1])


def with_adapters(profile: Profile, adapters: Sequence[str]) -> Profile:
    """The profile with adapters given as `NAME=FOLDER`.

    Each is served by the server that is meant for the role NAME, or by the only server there is.

    Raises:
        ServingError: The profile's engine serves none, one is not written like that, or it is not clear which server
            should serve it.
    """
    if adapters and profile.engine != "vllm":
        raise ServingError(
            f"The profile {profile.name} runs on {profile.engine}, which serves no adapters here: name one that runs "
            "on vLLM, such as `--profile embedded`."
        )
    servers = {server.name: server for server in profile.servers}
    for adapter in adapters:
        name, _, folder = adapter.partition("=")
        if not (name and folder):
            raise ServingError(
                f"The adapter {adapter!r} must be given as NAME=FOLDER, as in tuned=runs/journalist/adapter."
            )
        server = servers[_server_for(name, profile)]
        extended = server.adapters | {name: Path(folder).expanduser().resolve()}
        servers[server.name] = server.model_copy(update={"adapters": extended})
    return profile.model_copy(update={"servers": list(servers.values())})


def adapter_arguments(server: Server) -> list[str]:
    """Arguments that make vLLM serve the adapters of `server`; none if it has none.

    Raises:
        ServingError: A folder holds no LoRA adapter that vLLM can serve, or one has the name of the model.
    """
    if not server.adapters:
        return []
    if server.served_model_name in server.adapters:
        raise ServingError(f"An adapter and its model are both named {server.served_model_name}: rename the adapter.")
    folders = {name: folder.expanduser().resolve() for name, folder in server.adapters.items()}
    needed = max(_rank(name, folder) for name, folder in folders.items())
    return [
        "--enable-lora",
        *("--max-lora-rank", str(next(rank for rank in _RANKS if rank >= needed))),
        *("--max-loras", str(len(folders))),  # requests for different adapters are then answered together
        *("--lora-modules", *(f"{name}={folder}" for name, folder in folders.items())),
    ]


def adapter_environment(server: Server, device: str) -> dict[str, str]:
    """What keeps a server alive that applies adapters on a CPU; empty without adapters, and on a GPU.

    There vLLM copies an adapter's matrices once for each token of a batch of prompts. In memory that the system takes
    back and clears each time, a few thousand tokens take longer than the time after which vLLM gives itself up.
    """
    if not server.adapters or device != "cpu":
        return {}
    return {
        "VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS": "3600",
        "MALLOC_MMAP_THRESHOLD_": str(16 * _GIB),
        "MALLOC_TRIM_THRESHOLD_": str(16 * _GIB),
    }


def _server_for(name: str, profile: Profile) -> str:
    meant = [server.name for server in profile.servers if name in server.roles or len(profile.servers) == 1]
    if not meant:
        raise ServingError(
            f"No server of the profile {profile.name} is meant for the role {name!r}: name the adapter after the role "
            "that is to use it, or write it under `adapters` of a server in a profile of your own."
        )
    return meant[0]


def _rank(name: str, folder: Path) -> int:
    path = folder / _CONFIG
    try:
        return _Config.model_validate_json(path.read_bytes()).r
    except OSError as error:
        raise ServingError(
            f"The adapter {name} is no folder that PEFT wrote: cannot read {path} ({error.strerror})."
        ) from error
    except ValidationError as error:
        raise ServingError(
            f"The adapter {name} is none that vLLM can serve: {path} names no rank `r` from 1 to {_RANKS[-1]}."
        ) from error
