"""Load profiles: TOML files that define model servers, their models and ports."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from state.errors import ServingError

PROFILES_FOLDER = Path(__file__).parent / "profiles"
LOOPBACK = "127.0.0.1"
_VLLM_FIELDS = {"dtype", "gpu_memory_utilization", "kv_cache_gib", "extra_args"}


class Server(BaseModel):
    """Definition of a server of a profile, run by vLLM or llama.cpp."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9.-]*$", description="Names the server within its profile.")
    model: str = Field(
        min_length=1, description="`embedded:NAME`; or a hub id or a folder, and for llama.cpp the path of a GGUF file."
    )
    served_model_name: str = Field(min_length=1, description="The model name that clients ask for.")
    port: int = Field(ge=1024, le=65535)
    max_model_len: int = Field(ge=256, description="Context length in tokens.")
    dtype: Literal["auto", "bfloat16", "float16", "float32"] = Field(
        "auto", description="On a CPU without instructions for bfloat16, float32 takes a quarter of its time."
    )
    gpu_memory_utilization: float | None = Field(None, gt=0, le=1, description="Share of the GPU's memory to take.")
    kv_cache_gib: int | None = Field(None, ge=1, description="Memory for vLLM's key-value cache on a CPU.")
    slots: int = Field(1, ge=1, description="Requests that llama.cpp answers at once, each with a context of its own.")
    extra_args: list[str] = Field(default=[], description="More arguments for vLLM's OpenAI server.")
    roles: list[str] = Field(default=[], description="Roles it is meant for; empty means every role.")
    ready_timeout_s: int = Field(600, ge=1, description="How long it may take until it answers.")

    @property
    def base_url(self) -> str:
        """The OpenAI-compatible base URL; servers listen on loopback only."""
        return f"http://{LOOPBACK}:{self.port}/v1"


class Profile(BaseModel):
    """Servers that are started and stopped together, on one device by one engine."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str = Field(description="The file's name without `.toml`.")
    description: str
    device: Literal["cpu", "gpu"]
    engine: Literal["vllm", "llama.cpp"] = "vllm"
    servers: list[Server] = Field(min_length=1)

    @model_validator(mode="after")
    def _validate_servers(self) -> Self:
        """Refuse repeated names, ports and roles, and settings of another engine or device."""
        unique: dict[str, list[str | int]] = {
            "name": [server.name for server in self.servers],
            "port": [server.port for server in self.servers],
            "role": [role for server in self.servers for role in server.roles],
        }
        for label, values in unique.items():
            if len(set(values)) < len(values):
                raise ValueError(f"two servers have the same {label}")
        # Settings of the other engine or device would be ignored silently.
        foreign = {"slots"} if self.engine == "vllm" else _VLLM_FIELDS
        foreign = {*foreign, "gpu_memory_utilization" if self.device == "cpu" else "kv_cache_gib"}
        for server in self.servers:
            if wrong := sorted(foreign & server.model_fields_set):
                raise ValueError(f"{', '.join(wrong)} means nothing to {self.engine} on a {self.device}")
        if self.engine == "llama.cpp" and self.device == "gpu":
            raise ValueError("llama.cpp is for the CPU here: vLLM serves a GPU")
        return self


def list_profile_names() -> list[str]:
    """List the names of the profiles that come with Draftroom, sorted."""
    return sorted(path.stem for path in PROFILES_FOLDER.glob("*.toml"))


def derive_profile_name(name_or_path: str | Path) -> str:
    """Return the name under which the servers of a profile or its file are recorded; reads no file."""
    return Path(name_or_path).name.removesuffix(".toml")


def load_profile(name_or_path: str | Path) -> Profile:
    """Load a profile that comes with Draftroom by its name, or another by the path of its TOML file.

    Raises:
        ServingError: The profile does not exist or is not valid.
    """
    known = list_profile_names()
    path = Path(name_or_path).expanduser()
    if str(name_or_path) in known:
        path = PROFILES_FOLDER / f"{name_or_path}.toml"
    elif path.suffix != ".toml":
        raise ServingError(
            f"There is no profile {str(name_or_path)!r}: use one of {', '.join(known)}, or the path of a .toml file."
        )
    elif path.stem in known:
        # Servers are recorded by the name of their profile.
        raise ServingError(f"The profile {path} has the name of a profile of Draftroom: rename the file.")
    try:
        content = tomllib.loads(path.read_text(encoding="utf-8"))
        return Profile.model_validate(content | {"name": path.stem})
    except OSError as error:
        raise ServingError(f"Cannot read the profile {path}: {error.strerror}; check the path.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ServingError(f"The profile {path} is not a TOML file: {error}.") from error
    except ValidationError as error:
        reasons = "; ".join(f"{'.'.join(map(str, e['loc'])) or 'profile'}: {e['msg']}" for e in error.errors())
        raise ServingError(f"The profile {path} is wrong: {reasons}.") from error
