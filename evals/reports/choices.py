"""In what two runs differ: models, prompts, settings, data and versions."""

from __future__ import annotations

import json
from collections.abc import Mapping

from evals.evaluation import Evaluation
from evals.reports.document import Entry, Grid, Section, words
from evals.run_folder import RunConfig

_ABSENT = "-"


def choices_section(a: Evaluation, b: Evaluation) -> Section:
    """A line for each choice that is not the same in both."""
    one, other = _choices(a.config), _choices(b.config)
    prompts, others = _prompts(a), _prompts(b)
    names = [name for name in {**one, **other} if one.get(name) != other.get(name)]
    entries = [Entry(words(name, one.get(name, _ABSENT), other.get(name, _ABSENT))) for name in names]
    changed = [name for name in prompts if name in others and prompts[name] != others[name]]
    entries += [Entry(words(f"prompt {name}", prompts[name], others[name])) for name in changed]
    text = "" if entries else "Both runs were made with the same choices, prompts and versions."
    return Section("What differs in how they were run", text=text, grid=_grid(entries) if entries else None)


def _grid(entries: list[Entry]) -> Grid:
    return Grid(["", "A", "B"], entries, words=3)


def _choices(config: RunConfig) -> dict[str, str]:
    """All that a run was asked for, by dotted name; the time it began is none of it."""
    content = config.model_dump(mode="json", exclude={"task", "begun", "corpora"})
    corpora = {corpus.name: corpus.model_dump(mode="json", exclude={"name"}) for corpus in config.corpora}
    return _flat({**content, "corpora": corpora})


def _flat(value: Mapping[str, object], prefix: str = "") -> dict[str, str]:
    found: dict[str, str] = {}
    for name, part in value.items():
        if isinstance(part, Mapping):
            found |= _flat(part, f"{prefix}{name}.")
        else:
            found[f"{prefix}{name}"] = part if isinstance(part, str) else json.dumps(part, ensure_ascii=False)
    return found


def _prompts(evaluation: Evaluation) -> dict[str, str]:
    """The beginning of each prompt's hash; several, if it was changed in the middle of a run."""
    found: dict[str, set[str]] = {}
    for output in evaluation.outputs.values():
        for call in output["calls"]:
            found.setdefault(call["prompt"], set()).add(call["prompt_sha256"][:12])
    return {name: ", ".join(sorted(hashes)) for name, hashes in sorted(found.items())}
