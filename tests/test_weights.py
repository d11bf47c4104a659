"""The page of weights names every file of weights that the code uses, with the digest that the code checks."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path

from serving.embedded import EMBEDDED_MODELS
from serving.profiles import list_profile_names, load_profile
from tools.bert import PACKAGED_ENCODER, PACKAGED_VERSION, locate_packaged_encoder
from tools.reranking import SHIPPED_WEIGHTS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "weights.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ")]


def test_every_digest_that_the_code_checks_is_on_the_page_and_no_other() -> None:
    pinned = {
        *(weights.sha256 for weights in EMBEDDED_MODELS.values()),
        json.loads((SHIPPED_WEIGHTS / "config.json").read_text(encoding="utf-8"))["sha256"],
        hashlib.sha256((locate_packaged_encoder() / "model.safetensors").read_bytes()).hexdigest(),
    }
    assert {*re.findall(r"`([0-9a-f]{64})`", PAGE)} == pinned


def test_each_digest_stands_with_the_packages_that_hold_the_file() -> None:
    for name, weights in EMBEDDED_MODELS.items():
        (row,) = [row for row in ROWS if weights.sha256 in row]
        assert name in row.lower()
        assert {weights.requirements[0], weights.requirements[-1]} <= {*re.findall(r"`([\w.-]+==[\w.]+)`", row)}
    assert f"`{PACKAGED_ENCODER}=={PACKAGED_VERSION}`" in PAGE


def test_every_profile_stands_with_the_models_that_it_serves() -> None:
    for name in list_profile_names():
        for server in load_profile(name).servers:
            model = server.model.removeprefix("embedded:").lower()
            assert any(model in row.lower() and f"`{name}`" in row for row in ROWS), (name, server.model)
