"""Imports point one way, so that each layer can be read, tested and replaced without those above it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

ALLOWED = {
    "state": {"state"},
    "tools": {"state", "tools"},
    "nodes": {"state", "tools", "nodes"},
    "graphs": {"state", "tools", "nodes", "graphs"},
    "runs": {"state", "tools", "nodes", "graphs", "runs"},
    "serving": {"state", "serving"},
    "draftroom": {"state", "tools", "nodes", "graphs", "runs", "serving", "training", "evals", "draftroom"},
    "training": {"state", "tools", "nodes", "graphs", "runs", "evals", "training"},
    "evals": {"state", "tools", "nodes", "graphs", "runs", "evals"},
}
"""What each may import of ours: `draftroom -> training -> evals -> runs -> graphs -> nodes -> tools -> state`."""

OURS = {*ALLOWED, "tests", "benchmarks", "docs", "presets"}
PACKAGES = [name for name in ALLOWED if (ROOT / name).is_dir()]

every_package = pytest.mark.parametrize("package", PACKAGES)


def imported(tree: ast.AST) -> Iterator[str]:
    """Names of all modules that a file imports, wherever in it."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield "." * node.level + (node.module or "")


@cache
def files(package: str) -> list[tuple[str, ast.Module]]:
    """Every file of a package, by its path, as a tree."""
    paths = sorted((ROOT / package).rglob("*.py"))
    return [(str(path.relative_to(ROOT)), ast.parse(path.read_text(encoding="utf-8"))) for path in paths]


def imports(package: str) -> list[tuple[str, str]]:
    """Every import of a package: the file and the module."""
    return [(file, module) for file, tree in files(package) for module in imported(tree)]


def test_the_layers_are_there() -> None:
    assert set(PACKAGES) >= {"state", "tools", "nodes", "graphs", "runs", "serving", "draftroom"}
    assert all(len(imports(package)) > 1 for package in PACKAGES)


@every_package
def test_imports_point_one_way_and_never_at_vllm(package: str) -> None:
    forbidden = {"vllm", *OURS} - ALLOWED[package]
    found = [each for each in imports(package) if each[1].split(".")[0] in forbidden]
    assert found == []


@every_package
def test_imports_name_the_whole_module(package: str) -> None:
    assert [found for found in imports(package) if found[1].startswith(".")] == []
